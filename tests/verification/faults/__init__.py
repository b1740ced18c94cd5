"""Every fault of docs/operating.md, injected on this machine: what users see, the log says, and which alert fires.

    python -m tests.verification.faults --only 'Redis full'

Each fault has a deployment of its own: Redis, two instances, haproxy, players, and a Prometheus with the shipped rules.
"""
