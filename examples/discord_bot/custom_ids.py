"""What a button or a menu carries: everything it needs, so that it works after any restart of the bot.

    sea:b:k7m2x9qd4t1w:17:move:p3.-2.1

A button (`b`) or a menu (`s`), the game, the version that it was made for, what it does, and with what. A version is
sent as If-Match, so that an old button never acts in a position that its presser did not see.
"""

import re
from typing import Literal, NamedTuple

LIMIT = 100
"""Discord's, for a custom id."""

Kind = Literal["b", "s"]

PATTERN = (
    r"sea:{kind}:(?P<game>[a-z0-9-]{{1,32}}):(?P<version>[0-9]{{1,10}}):(?P<what>[a-z]{{1,8}}):"
    r"(?P<value>[A-Za-z0-9.:-]{{0,24}})"
)


class Pressed(NamedTuple):
    """What was pressed or chosen from."""

    game: str
    version: int
    what: str
    value: str = ""

    def custom_id(self, kind: Kind) -> str:
        """As Discord carries it."""
        return f"sea:{kind}:{self.game}:{self.version}:{self.what}:{self.value}"

    @classmethod
    def of(cls, match: re.Match[str]) -> "Pressed":
        """What a custom id says."""
        return cls(match["game"], int(match["version"]), match["what"], match["value"])


def template(kind: Kind) -> re.Pattern[str]:
    """What the custom ids of buttons, or of menus, look like.

    >>> bool(template("b").fullmatch(Pressed("k7m2", 17, "move", "p3.-2.1").custom_id("b")))
    True
    """
    return re.compile(PATTERN.format(kind=kind))
