"""The log of a game: its diffs and their digests."""

import msgspec

from schemas.diffs import Diffs
from service.games.context import Context
from service.games.ports.game_store import GameRecord, UnreadableGame

MAX_DIFFS = 1000


async def load_digest(context: Context, game: str, version: int) -> str:
    """Load the digest of a version from the log. Raises UnreadableGame."""
    diffs = await context.store.load_diffs(game, version - 1, 1)
    if not diffs or diffs[0].version != version:
        raise UnreadableGame(f"its log does not hold version {version}")
    return diffs[0].digest


async def list_diffs(context: Context, loaded: GameRecord, game: str, since: int, limit: int) -> Diffs[msgspec.Raw]:
    """Return the diffs after version `since`, up to the loaded version."""
    number = min(limit, MAX_DIFFS, loaded.version - since)
    entries = await context.store.load_diffs(game, since, number) if number > 0 else []
    return Diffs(version=loaded.version, digest=loaded.digest, diffs=[msgspec.Raw(entry.data) for entry in entries])
