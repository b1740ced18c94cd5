"""Tables that this instance keeps, so that the next action of a game need not load and decode it again.

It is no state of the service's: any of it may be lost at any moment. A table whose game another instance has changed
meanwhile is found out by the next commit, which compares version and digest, and is then loaded anew. So a table may
serve to do what is accepted, never to refuse: whoever is refused on a kept table is judged again on a loaded one.
"""

import msgspec

from schemas.vocabulary import Status
from service.engine import Game
from service.games.access import AccessRecord
from service.games.ports import Revision
from service.games.tilesets import LoadedTileSet
from service.telemetry.metrics import GAME_CACHE_MISSES

MAX_SESSIONS = 1000
"""Tables in one instance, some 15 KB each."""


class GameSession(msgspec.Struct):
    """A game, decoded, with what is needed to play it on and to store it."""

    game: Game
    access: AccessRecord
    tileset: LoadedTileSet
    revision: Revision | None = None
    """What its next commit builds on; None where that creates it."""
    stored_status: Status | None = None
    """The status that is stored."""


class GameCache:
    """The tables, those used longest ago forgotten first. Who takes one has it alone, and puts it back when stored."""

    def __init__(self, most: int = MAX_SESSIONS) -> None:
        self._max_size = most
        self._sessions: dict[str, GameSession] = {}

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._sessions)

    def pop(self, game: str) -> GameSession | None:
        """The table of a game, which nobody else gets meanwhile; None where there is none."""
        table = self._sessions.pop(game, None)
        if table is None:
            GAME_CACHE_MISSES.inc()
        return table

    def evict_older(self, game: str, version: int) -> None:
        """Forget the table of a game that has this version now, if it has an older one."""
        table = self._sessions.get(game)
        if table is not None and table.game.version < version:
            del self._sessions[game]

    def put(self, table: GameSession) -> None:
        """Keep a table as it is stored, unless a later one was put meanwhile."""
        game = table.game.id
        other = self._sessions.get(game)
        if other is not None and other.game.version > table.game.version:
            return
        self._sessions[game] = table
        if len(self._sessions) > self._max_size:
            del self._sessions[next(iter(self._sessions))]
