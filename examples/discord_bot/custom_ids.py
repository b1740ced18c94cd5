"""Custom ids of buttons and menus. They contain the whole action, so that they work after a restart of the bot.

    sea:b:k7m2x9qd4t1w:17:move:p3.-2.1

The fields are: button (`b`) or menu (`s`), game, version of the game, action, and its value. The bot sends the version
as If-Match, so that an old button never acts in a position that the user did not see.
"""

import re
from typing import Literal, NamedTuple

MAX_LENGTH = 100
"""Discord's limit of a custom id."""

Kind = Literal["b", "s"]

PATTERN = (
    r"sea:{kind}:(?P<game>[a-z0-9-]{{1,32}}):(?P<version>[0-9]{{1,10}}):(?P<name>[a-z]{{1,8}}):"
    r"(?P<value>[A-Za-z0-9.:-]{{0,24}})"
)


class ComponentAction(NamedTuple):
    """The action of a button or menu."""

    game: str
    version: int
    name: str
    value: str = ""

    def custom_id(self, kind: Kind) -> str:
        """Return the custom id of the action."""
        return f"sea:{kind}:{self.game}:{self.version}:{self.name}:{self.value}"

    @classmethod
    def from_match(cls, match: re.Match[str]) -> "ComponentAction":
        """Return the action of a matched custom id."""
        return cls(match["game"], int(match["version"]), match["name"], match["value"])


def id_pattern(kind: Kind) -> re.Pattern[str]:
    """Return the pattern of the custom ids of buttons or menus.

    >>> bool(id_pattern("b").fullmatch(ComponentAction("k7m2", 17, "move", "p3.-2.1").custom_id("b")))
    True
    """
    return re.compile(PATTERN.format(kind=kind))
