"""The actions of buttons as short texts. They contain the whole action, so that they work after a restart of the bot.

    k7m2x9qd4t1w:17:move:p3.-2.1

The fields are: game, version of the game, name, value. The bot sends the version as If-Match, so that an old button
never acts in a position that the user did not see. With the service's ids of 12 characters a text has at most 57.
"""

import re
from typing import NamedTuple

PATTERN = r"(?P<game>[a-z0-9-]{1,32}):(?P<version>[0-9]{1,10}):(?P<name>[a-z]{1,8}):(?P<value>[A-Za-z0-9.:-]{0,24})"


class ChatAction(NamedTuple):
    """The action of a button."""

    game: str
    version: int
    name: str
    value: str = ""

    def encode(self) -> str:
        """Return the action as text."""
        return f"{self.game}:{self.version}:{self.name}:{self.value}"

    @classmethod
    def parse(cls, text: str) -> "ChatAction":
        """Return the action of a text; raise ValueError if it has none.

        >>> ChatAction.parse("k7m2:17:move:p3.-2.1")
        ChatAction(game='k7m2', version=17, name='move', value='p3.-2.1')
        """
        match = re.fullmatch(PATTERN, text)
        if match is None:
            raise ValueError(text)
        return cls(match["game"], int(match["version"]), match["name"], match["value"])
