"""Opponents that the service plays itself, and the interface by which others plug in theirs.

`interface` is what a bot is and what it is shown, `position` hides what nobody may know, `registry` finds the bots,
`deciding` asks one and checks its answer, `workers` does that in other processes, `table` puts it together: the bots of
one instance. The bots themselves, `random`, `greedy` and `expert`, know the interface and the engine alone.
"""
