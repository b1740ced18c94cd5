"""Tables that this instance keeps, so that the next action of a game need not load and decode it again.

It is no state of the service's: any of it may be lost at any moment. A table whose game another instance has changed
meanwhile is found out by the next commit, which compares version and digest, and is then loaded anew. So a table may
serve to do what is accepted, never to refuse: whoever is refused on a kept table is judged again on a loaded one.
"""

import msgspec

from schemas.vocabulary import Status
from service.engine import Game
from service.games.access import Access
from service.games.ports import Stored
from service.games.tilesets import LoadedTileSet
from service.telemetry.metrics import CACHE_MISSES

MOST = 1000
"""Tables in one instance, some 15 KB each."""


class Table(msgspec.Struct):
    """A game, decoded, with what is needed to play it on and to store it."""

    game: Game
    access: Access
    tileset: LoadedTileSet
    stored: Stored | None = None
    """What its next commit builds on; None where that creates it."""
    was: Status | None = None
    """The status that is stored."""


class Held:
    """The tables, those used longest ago forgotten first. Who takes one has it alone, and puts it back when stored."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._tables: dict[str, Table] = {}

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._tables)

    def take(self, game: str) -> Table | None:
        """The table of a game, which nobody else gets meanwhile; None where there is none."""
        table = self._tables.pop(game, None)
        if table is None:
            CACHE_MISSES.inc()
        return table

    def outdate(self, game: str, version: int) -> None:
        """Forget the table of a game that has this version now, if it has an older one."""
        table = self._tables.get(game)
        if table is not None and table.game.version < version:
            del self._tables[game]

    def put(self, table: Table) -> None:
        """Keep a table as it is stored, unless a later one was put meanwhile."""
        game = table.game.id
        other = self._tables.get(game)
        if other is not None and other.game.version > table.game.version:
            return
        self._tables[game] = table
        if len(self._tables) > self._most:
            del self._tables[next(iter(self._tables))]
