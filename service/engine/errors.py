"""The engine's errors: types with data, which the service turns into messages.

EngineError
├── IllegalMove      the rules forbid the action now: the rule's id and the reason
├── GameNotActive    an action in a game that is not being played
└── TileSetInvalid   a file is not a playable tile set: all its faults (in `tileset_validation`)
"""

__all__ = ["EngineError", "GameNotActive", "IllegalMove"]


class EngineError(Exception):
    """The base of the engine's errors; the game is unchanged when one is raised."""


class IllegalMove(EngineError):
    """An action that the rules forbid now."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(rule, reason)
        self.rule = rule
        self.reason = reason


class GameNotActive(EngineError):
    """A game that waits for players, is finished or was aborted."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status
