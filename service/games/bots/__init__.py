"""Opponents that the service plays itself, and the interface by which other packages add theirs.

`interface` defines a bot and the game state that it sees. `registry` loads the bots of one instance, removes what the
players cannot know, runs a bot and validates its move, heavy ones in other processes. The built-in bots `random`,
`greedy` and `expert` use only the interface and the engine.
"""
