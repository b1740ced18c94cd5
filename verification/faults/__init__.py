"""Every fault of docs/operating.md, injected on this machine: what users see, the log says, and which alert fires.

    python -m verification.faults --only 'Redis full'

A deployment is Redis, two instances, haproxy, players, and a Prometheus with the shipped rules.
"""
