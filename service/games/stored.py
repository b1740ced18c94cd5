"""What is stored of a game, as it comes back from the store."""

import msgspec

from service.engine import Game, decode
from service.games.access import AccessRecord, decode_access
from service.games.ports import GameRecord, GameStore, StoredDiff, UnreadableGame

__all__ = ["decode_game", "read_access", "read_log"]

LOG_PAGE_SIZE = 1000
"""Diffs in one reading of a log."""


def decode_game(loaded: GameRecord) -> Game:
    """The game of what was loaded; raises Unreadable."""
    try:
        return decode(loaded.snapshot)
    except msgspec.DecodeError as error:
        raise UnreadableGame(f"the snapshot cannot be read: {error}") from error


def read_access(loaded: GameRecord) -> AccessRecord:
    """The access record of what was loaded; raises Unreadable."""
    try:
        return decode_access(loaded.access)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableGame(f"the access record cannot be read: {error}") from error


async def read_log(store: GameStore, game_id: str, version: int) -> list[StoredDiff]:
    """Read a game's log up to a version; it is shorter where the store does not have all of it."""
    log: list[StoredDiff] = []
    while len(log) < version:
        page = await store.load_diffs(game_id, len(log), min(LOG_PAGE_SIZE, version - len(log)))
        if not page:
            break
        log += page
    return log
