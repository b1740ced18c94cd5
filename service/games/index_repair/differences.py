"""Where one game should be found, and is not, or is and should not be."""

from collections.abc import Sequence
from typing import NamedTuple

from schemas.vocabulary import Status
from service.engine import Game, is_finished
from service.games.access import index_keys
from service.games.archive.port import ArchiveQueue
from service.games.bots.priority import bot_on_turn
from service.games.index_repair.port import IndexRepairStore
from service.games.lifecycle import overdue_at
from service.games.ports import GameRecord, GameStore
from service.games.repository import decode_game, read_access
from service.games.timestamps import unix_seconds

__all__ = ["LobbyEntry", "add_missing_entries"]


class LobbyEntry(NamedTuple):
    """A status under which a game is listed."""

    game: str
    status: Status


class RepairContext(NamedTuple):
    """What one game is mended with."""

    store: GameStore
    indexes: IndexRepairStore
    archive_queue: ArchiveQueue | None
    index_ttl_s: int
    """How long a name finds a game."""
    now: int


async def add_missing_entries(means: RepairContext, loaded: GameRecord) -> tuple[int, list[LobbyEntry]]:
    """Put a game wherever it should be found; gives how many places those were, and those where it should not be.

    Raises Unreadable, or msgspec.DecodeError for a webhook that cannot be read.
    """
    game, access = decode_game(loaded), read_access(loaded)
    under = index_keys(access)
    hooks = await _pending_webhooks(means.store, game, loaded.webhooks)
    places = await means.indexes.load_entries(game.id, under, [*hooks])
    created_at, added = unix_seconds(game.created_at), 0
    status = game.status if access.visibility == "public" else None
    if status is not None and status not in places.statuses:
        await means.indexes.list_game(game.id, status, created_at)
        added += 1
    if missing := [name for name in under if name not in places.index_keys]:
        await means.indexes.index_game(game.id, missing, created_at, means.index_ttl_s)
        added += len(missing)
    due_at = means.now if bot_on_turn(game) is not None else overdue_at(game)
    if due_at is not None and not places.is_scheduled:
        await means.indexes.schedule(game.id, due_at)
        added += 1
    for hook in [hook for hook in hooks if hook not in places.webhooks]:
        await means.store.webhooks.schedule(game.id, [hook], hooks[hook] or means.now)
        added += 1
    if not places.is_archive_queued and await _schedule_archiving(means.archive_queue, game):
        added += 1
    return added, [LobbyEntry(game.id, listed) for listed in places.statuses if listed != status]


async def _pending_webhooks(store: GameStore, game: Game, ids: Sequence[str]) -> dict[str, int | None]:
    """The webhooks that wait for a message or a challenge, and when the next attempt is, where one has failed."""
    if not ids:
        return {}
    registered = await store.webhooks.list_by_game(game.id)
    return {
        one.registration.id: one.state.next_attempt_at
        for one in registered
        if one.state.disabled_reason is None
        and (one.state.delivered_version < game.version or one.state.pending_client is not None)
    }


async def _schedule_archiving(archive: ArchiveQueue | None, game: Game) -> bool:
    """Whether a game that is over was not archived as it is; then somebody will look at it."""
    if archive is None or not is_finished(game) or await archive.load_archived_version(game.id) == game.version:
        return False
    await archive.schedule(game.id, unix_seconds(game.updated_at))
    return True
