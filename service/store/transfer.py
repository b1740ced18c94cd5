"""Export of all games from Redis, import of whole games, their deletion, and what operators changed."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

import msgspec

from schemas.vocabulary import STATUSES
from service.games.archiver import RestoreRequest
from service.games.ports import Revision, webhook_entry
from service.store import keys, log_entries
from service.store.connection import Argument
from service.store.game_index import GameIndex
from service.store.pipeline import PipelinedClient, Script
from service.store.schedule import RedisDueQueue
from service.telemetry.clock import now, unix_seconds

_SCAN_BATCH_SIZE = 1000


class RedisGameTransfer(GameIndex):
    """Whole games out of and into Redis."""

    def __init__(self, client: PipelinedClient) -> None:
        super().__init__(client)
        self._due_games = RedisDueQueue(client, keys.GAME_SCHEDULE)
        self._due_webhooks = RedisDueQueue(client, keys.WEBHOOK_SCHEDULE)
        self._due_archives = RedisDueQueue(client, keys.ARCHIVE_SCHEDULE)
        self._restore_script = Script(client, "restore.lua", wait_for_replicas=True)

    async def iter_games(self) -> AsyncIterator[str]:
        """Yield the ids of all games in any order. A game that exists throughout the scan comes at least once."""
        async for page in self.client.scan(keys.game("*"), _SCAN_BATCH_SIZE):
            for key in page:
                if (game := keys.game_of(key)) is not None:
                    yield game

    async def record_backup(self, missing: int, losses: int) -> None:
        """Record for the monitor that all games were exported just now, but for so many, and the losses that shows."""
        await self.client.execute("SET", keys.BACKUP, b"%d %d %d" % (time.time(), missing, losses))

    async def load_emptied(self) -> int:
        """Return the Unix second at which an instance found Redis emptied, 0 for none since `forget_emptied`."""
        return int(await self.client.execute("GET", keys.EMPTIED) or 0)

    async def forget_emptied(self) -> None:
        """Record that what was lost is back, or accepted."""
        await self.client.execute("DEL", keys.EMPTIED)

    async def delete(self, game: str, index_keys: Sequence[str], webhooks: Sequence[str]) -> bool:
        """Delete a game with its log, webhooks and index entries; return False if there is none.

        What is left of one that cannot be read, and so has no `index_keys` here, is removed by the index repair.
        """
        lists = (keys.webhook_attempts(game, webhook) for webhook in webhooks)
        deleted = await self.client.execute(
            "DEL",
            *keys.commit_keys(game),
            keys.failures(keys.GAME_SCHEDULE, game),
            keys.failures(keys.ARCHIVE_SCHEDULE, game),
            keys.lease(keys.ARCHIVE_SCHEDULE, game),
            *lists,
            wait_for_replicas=True,
        )
        await asyncio.gather(
            self.unindex(index_keys, game),
            *(self.unlist(game, status) for status in STATUSES),
            *(self._due_webhooks.reschedule(webhook_entry(game, webhook), int(now()), None) for webhook in webhooks),
            self._due_games.reschedule(game, int(now()), None),
            self._due_archives.reschedule(game, int(now()), None),
            self.client.execute("ZREM", keys.ARCHIVE_PENDING, game),
        )
        return bool(deleted)

    async def restore(self, request: RestoreRequest) -> bool:
        """Store a whole game at once. Return False, and change nothing, if it exists and is not to be replaced.

        Index entries and due dates are written before, as with every commit. If the game exists, they may be stale, and
        readers repair them.
        """
        change, stored, webhooks = request.change, request.change.stored, request.webhooks
        if not stored.is_private:
            await self.list_game(stored.game)
        await self.index_game(change)
        if change.due_at is not None:
            await self._due_games.schedule(stored.id, change.due_at)
        for one in webhooks:
            if one.state.is_behind(stored.game.version):
                await self._due_webhooks.schedule(
                    webhook_entry(stored.id, one.registration.id),
                    one.state.next_attempt_at or unix_seconds(stored.game.created_at),
                )
        game_keys = [*keys.commit_keys(stored.id)]
        game_keys += [keys.webhook_attempts(stored.id, one.registration.id) for one in webhooks]
        is_stored = bool(await self._restore_script.run(game_keys, *_restore_arguments(request)))
        if is_stored:  # once more, in case a reader saw that the game did not exist and repaired the indexes
            await self.index_game(change)
            if not stored.is_private:
                await self.list_game(stored.game)
        return is_stored


def _restore_arguments(request: RestoreRequest) -> list[Argument]:
    """Return ARGV of restore.lua."""
    change, webhooks = request.change, request.webhooks
    game = change.stored.game
    fields: list[Argument] = ["revision", log_entries.pack_revision(Revision(game.version, game.digest))]
    fields += "snapshot", change.snapshot
    fields += "access", change.access_record or b""
    if webhooks:
        fields += "hooks", ",".join(one.registration.id for one in webhooks)
    for one in webhooks:
        fields += f"hook:{one.registration.id}", _ENCODER.encode(one.registration)
        fields += f"hook:{one.registration.id}:state", _ENCODER.encode(one.state)
    commit_id = bytes.fromhex(change.id)
    arguments: list[Argument] = [commit_id, "1" if request.replace else "", change.ttl_s, len(fields), *fields]
    for one in webhooks:
        arguments += len(one.attempts), *(_ENCODER.encode(attempt) for attempt in one.attempts)
    arguments += (log_entries.pack(commit_id, game.id, diff) for diff in change.diffs)
    return arguments


_ENCODER = msgspec.msgpack.Encoder()
