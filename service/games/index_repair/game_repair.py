"""The repair of one game: its missing index entries are added, its stale ones reported."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from schemas.vocabulary import Status
from service.engine import Game, is_finished
from service.games.access import index_keys, subject_of_key
from service.games.archive.port import ArchiveQueue
from service.games.bots.priority import next_due_at
from service.games.context import Retention
from service.games.index_repair.port import IndexRepairStore
from service.games.ports.game_store import GameRecord, GameStore
from service.games.ports.webhook_store import StoredWebhook
from service.games.repository import decode_game, read_access
from service.games.timestamps import unix_seconds

__all__ = ["GameRepairer", "LobbyEntry"]


class LobbyEntry(NamedTuple):
    """A status under which a game is listed in the lobby."""

    game: str
    status: Status


@dataclass(frozen=True)
class GameRepairer:
    """Adds what the indexes lack of a game. With `archive_queue` it also queues ended games that are not archived."""

    store: GameStore
    indexes: IndexRepairStore
    retention: Retention
    clock: Callable[[], float]
    archive_queue: ArchiveQueue | None = None

    async def add_missing_entries(self, loaded: GameRecord) -> tuple[int, list[LobbyEntry]]:
        """Add a game's missing index entries; return how many, and its lobby entries that may be stale.

        Raises UnreadableGame, or msgspec.DecodeError for a webhook that cannot be read.
        """
        now = int(self.clock())
        game, access = decode_game(loaded), read_access(loaded)
        wanted_keys = index_keys(access)
        webhooks = await self._pending_webhooks(game, loaded.webhooks)
        entries = await self.indexes.load_entries(game.id, wanted_keys, [*webhooks])
        created_at, added = unix_seconds(game.created_at), 0
        status = game.status if access.visibility == "public" else None
        if status is not None and status not in entries.statuses:
            await self.indexes.list_game(game.id, status, created_at)
            added += 1
        if missing := [name for name in wanted_keys if name not in entries.index_keys]:
            await self.indexes.index_game(game.id, missing, created_at, self.retention.index_ttl_s())
            added += len(missing)
        due_at = next_due_at(game, now)
        if due_at is not None and not entries.is_scheduled:
            await self.indexes.schedule(game.id, due_at)
            added += 1
        for webhook_id in [webhook_id for webhook_id in webhooks if webhook_id not in entries.webhooks]:
            await self.store.webhooks.schedule(game.id, [webhook_id], webhooks[webhook_id] or now)
            added += 1
        if not entries.is_archive_queued and await self._schedule_archiving(game):
            added += 1
        return added, [LobbyEntry(game.id, listed) for listed in entries.statuses if listed != status]

    async def _pending_webhooks(self, game: Game, ids: Sequence[str]) -> dict[str, int | None]:
        """Return the webhooks with a pending message or challenge, and the time of the next attempt after a failure."""
        if not ids:
            return {}
        registered = await self.store.webhooks.list_by_subject(game.id)
        pending = [
            one
            for one in registered
            if one.state.disabled_reason is None
            and (one.state.delivered_version < game.version or one.state.pending_client is not None)
        ]
        return {one.registration.id: one.state.next_attempt_at for one in pending if await self._gets_messages(one)}

    async def _gets_messages(self, webhook: StoredWebhook) -> bool:
        """Return whether a webhook of a game gets messages, or if it is an API key's, that of the key."""
        registration = webhook.registration
        if registration.api_key is None:
            return True
        stored = await self.store.webhooks.get(subject_of_key(registration.api_key), registration.id)
        return stored is None or stored.state.is_active  # the game forgets a deleted one when it is due

    async def _schedule_archiving(self, game: Game) -> bool:
        """Queue an ended game that is not archived at its current version; return whether it was queued."""
        archive = self.archive_queue
        if archive is None or not is_finished(game) or await archive.load_archived_version(game.id) == game.version:
            return False
        await archive.schedule(game.id, unix_seconds(game.updated_at))
        return True
