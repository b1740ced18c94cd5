"""A model of Redis with Sentinels, and a search through all that can happen to it.

    python -m tests.model

`state` says what the servers know, `steps` what can happen next, `search` tries everything in order of length, and
`guarantees` names settings and what each of them holds. docs/durability.md tells the result.
"""
