"""What is stored of a game, as it comes back from the store."""

import msgspec

from service.engine import Game, decode
from service.games.access import Access, decode_access
from service.games.ports import Loaded, Store, StoredDiff, Unreadable

__all__ = ["access_of", "game_of", "read_log"]

LOG_PAGE = 1000
"""Diffs in one reading of a log."""


def game_of(loaded: Loaded) -> Game:
    """The game of what was loaded; raises Unreadable."""
    try:
        return decode(loaded.snapshot)
    except msgspec.DecodeError as error:
        raise Unreadable(f"the snapshot cannot be read: {error}") from error


def access_of(loaded: Loaded) -> Access:
    """The access record of what was loaded; raises Unreadable."""
    try:
        return decode_access(loaded.access)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"the access record cannot be read: {error}") from error


async def read_log(store: Store, game_id: str, version: int) -> list[StoredDiff]:
    """Read a game's log up to a version; it is shorter where the store does not have all of it."""
    log: list[StoredDiff] = []
    while len(log) < version:
        page = await store.diffs(game_id, len(log), min(LOG_PAGE, version - len(log)))
        if not page:
            break
        log += page
    return log
