"""Opponents that the service plays itself, and the interface by which other packages add theirs.

`interface` defines a bot and the game state that it sees; `plugins` loads the bots, `runner` removes what the players
cannot know, runs a bot and validates its move, and `decision_pool` does so in other processes, in the order of
`fair_queue` and `priority`. `registry` puts them together: the bots of one instance. The built-in bots `random`,
`greedy` and `expert` use only the interface and the engine.
"""
