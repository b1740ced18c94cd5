"""Where a client that comes back continues: from a position in the stream, or from the whole game."""

from service.engine import build_view
from service.games.ports.game_store import GameRecord, GameStore
from service.games.realtime.messages import SnapshotMessage
from service.games.realtime.stream_position import StreamPosition
from service.games.repository import decode_with_index
from service.games.tilesets import TileSetCatalogue

__all__ = ["build_snapshot", "resolve_position"]


async def resolve_position(
    store: GameStore, game: str, record: GameRecord, since: int | None, digest: str | None
) -> StreamPosition | None:
    """Return where a client that has version `since` continues, or None if it needs the whole game.

    It needs it without `since`, if `since` is in the future or before the beginning of the stream, and if `digest` is
    not that version's.
    """
    if since is None or since > record.version:
        return None
    if since == record.version:
        return StreamPosition(since, record.digest) if digest in (None, record.digest) else None
    following = await store.load_diffs(game, since, 1)
    if not following or following[0].version != since + 1 or digest not in (None, following[0].previous):
        return None
    return StreamPosition(since, following[0].previous)


def build_snapshot(tilesets: TileSetCatalogue, game: str, record: GameRecord) -> SnapshotMessage:
    """Build the message that sends the whole game. Raises TileSetMissing, UnreadableGame."""
    return SnapshotMessage(game=game, digest=record.digest, view=build_view(*decode_with_index(tilesets, record)))
