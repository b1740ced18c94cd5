"""What the engine refuses, as types with data; text for people is made of them at the edge.

EngineError
├── IllegalMove      an action that the rules forbid now: the rule's id and why
├── GameNotActive    an action where nobody is on turn
└── TileSetInvalid   a file that holds no playable tile set, with all its faults (in `tileset_check`)
"""

__all__ = ["EngineError", "GameNotActive", "IllegalMove"]


class EngineError(Exception):
    """Base of all that the engine refuses; the game is unchanged."""


class IllegalMove(EngineError):
    """The rules forbid this action now."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(rule, reason)
        self.rule = rule
        self.reason = reason


class GameNotActive(EngineError):
    """The game waits for players, is finished or was aborted."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status
