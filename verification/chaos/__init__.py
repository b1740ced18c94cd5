"""Chaos tests: clients record a history while a nemesis injects faults, and a checker searches it for anomalies.

    python -m verification.chaos --minutes 3 --seed 7

`testbed` starts Redis, three instances and a proxy, `scenarios` plays and watches games, `faults` injects and heals
faults. `checker` reads the history and uses none of the service's code, and `statistics` counts.
docs/durability.md explains each fault, `checker` each check.
"""
