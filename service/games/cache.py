"""Decoded games of this instance, so that the next action of a game needs no load and no decoding.

A cached game may be stale: the commit compares its revision with the store's. So a cached game may accept a command,
never reject one; `commands.execute` loads the stored game before it rejects.
"""

from collections.abc import Sequence

import msgspec

from schemas.vocabulary import Status
from service.engine import Game
from service.games.access import AccessRecord
from service.games.ports.game_store import Revision
from service.games.tilesets import LoadedTileSet
from service.telemetry.metrics import GAME_CACHE_MISSES

MAX_SESSIONS = 1000
"""Sessions in one cache, some 15 KB each."""


class GameSession(msgspec.Struct):
    """A decoded game with its access record and its stored revision, on which a command runs."""

    game: Game
    access: AccessRecord
    tileset: LoadedTileSet
    revision: Revision | None = None
    """What its next commit builds on; None where that commit creates the game."""
    webhooks: Sequence[str] = ()
    """Ids of the game's webhooks, which that commit expects too."""
    last_revocation: str = ""
    """Id of the last commit that revoked a token, as before."""
    stored_status: Status | None = None


class GameCache:
    """The sessions of this instance's latest commits; the least recently committed one is evicted first.

    A command pops its session, so that no other command runs on it, and the commit puts it back.
    """

    def __init__(self, max_size: int = MAX_SESSIONS) -> None:
        self._max_size = max_size
        self._sessions: dict[str, GameSession] = {}

    def __len__(self) -> int:
        """Return how many sessions there are."""
        return len(self._sessions)

    def pop(self, game: str) -> GameSession | None:
        """Take a game's session out of the cache; return None where there is none."""
        session = self._sessions.pop(game, None)
        if session is None:
            GAME_CACHE_MISSES.inc()
        return session

    def evict_older(self, game: str, version: int) -> None:
        """Evict a game's session if its version is lower than this one."""
        session = self._sessions.get(game)
        if session is not None and session.game.version < version:
            del self._sessions[game]

    def put(self, session: GameSession) -> None:
        """Cache a session as it is stored, unless a later version is cached."""
        game = session.game.id
        other = self._sessions.get(game)
        if other is not None and other.game.version > session.game.version:
            return
        self._sessions[game] = session
        if len(self._sessions) > self._max_size:
            del self._sessions[next(iter(self._sessions))]
