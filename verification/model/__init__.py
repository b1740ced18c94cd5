"""A model checker for Redis with Sentinel.

    python -m verification.model

`state` is a state of the servers, `steps` are the transitions, `search` explores all states breadth-first, and
`guarantees` lists settings with the failures that each tolerates. docs/durability.md describes the results.
"""
