"""Chaos: instances behind a real proxy on a real Redis, clients that keep a history, faults, and a checker.

    python -m tests.chaos --minutes 3 --seed 7

`testbed` starts everything, `scenarios` play and watch, `faults` break things and repair them, `checker` reads the
history that is left and knows nothing of the service's code, `statistics` counts.
docs/chaos.md explains each fault and check.
"""
