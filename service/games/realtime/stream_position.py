"""Where a subscriber of a game continues."""

from service.engine import build_view
from service.games.ports.game_store import GameRecord, GameStore, Revision
from service.games.realtime.messages import SnapshotMessage
from service.games.repository import decode_with_index
from service.games.tilesets import TileSetCatalogue

__all__ = [
    "build_snapshot",
    "resolve_position",
]


async def resolve_position(
    store: GameStore, game: str, record: GameRecord, since: int | None, digest: str | None
) -> Revision | None:
    """Return where a client that has version `since` continues, or None if it needs the whole game.

    It needs it without `since`, if `since` is in the future or before the beginning of the stream, and if `digest` is
    not that version's.
    """
    if since is None or since > record.revision.version:
        return None
    if since == record.revision.version:
        return record.revision if digest in (None, record.revision.digest) else None
    following = await store.load_diffs(game, since, 1)
    if not following or following[0].version != since + 1 or digest not in (None, following[0].previous):
        return None
    return Revision(since, following[0].previous)


def build_snapshot(tilesets: TileSetCatalogue, game: str, record: GameRecord) -> SnapshotMessage:
    """Build the message that sends the whole game. Raises TileSetMissing, UnreadableGame."""
    view = build_view(*decode_with_index(tilesets, record))
    return SnapshotMessage(game=game, digest=record.revision.digest, view=view)
