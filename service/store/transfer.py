"""Export of all games from Redis, import of whole games, their deletion, and what operators changed."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

import msgspec

from schemas.vocabulary import STATUSES
from service.games.archiver import RestoreRequest
from service.games.ports import Revision
from service.store import keys, log_entries
from service.store.connection import Argument
from service.store.game_index import GameIndex
from service.store.pipeline import PipelinedClient, Script
from service.store.schedule import Schedule

_SCAN_BATCH_SIZE = 1000


class RedisGameTransfer(GameIndex):
    """Whole games out of and into Redis."""

    def __init__(self, client: PipelinedClient) -> None:
        super().__init__(client)
        self._schedule = Schedule(client)
        self._webhook_schedule = Schedule(client, key=keys.WEBHOOK_SCHEDULE)
        self._restore_script = Script(client, "restore.lua", wait_for_replicas=True)

    async def iter_games(self) -> AsyncIterator[str]:
        """Yield the ids of all games in any order. A game that exists throughout the scan comes at least once."""
        async for page in self._client.scan(keys.game("*"), _SCAN_BATCH_SIZE):
            for key in page:
                if (game := keys.game_of(key)) is not None:
                    yield game

    async def record_backup(self, missing: int) -> None:
        """Record that all games were exported just now, but for so many: the monitor shows both."""
        await self._client.execute("SET", keys.BACKUP, b"%d %d" % (time.time(), missing))

    async def delete(self, game: str, index_keys: Sequence[str], webhooks: Sequence[str]) -> bool:
        """Delete a game with its log, webhooks and index entries; return False if there is none.

        What is left of one that cannot be read, and so has no `index_keys` here, is removed by the index repair.
        """
        lists = (keys.webhook_attempts(game, webhook) for webhook in webhooks)
        deleted = await self._client.execute(
            "DEL",
            *keys.commit_keys(game),
            keys.failures(game),
            keys.archive_lease(game),
            *lists,
            wait_for_replicas=True,
        )
        await asyncio.gather(
            self.unindex(index_keys, game),
            *(self.unlist(game, status) for status in STATUSES),
            *(self._webhook_schedule.reschedule(f"{game} {webhook}", None) for webhook in webhooks),
            self._schedule.reschedule(game, None),
            Schedule(self._client, key=keys.ARCHIVE_SCHEDULE).reschedule(game, None),
            self._client.execute("ZREM", keys.ARCHIVE_PENDING, game),
        )
        return bool(deleted)

    async def restore(self, request: RestoreRequest) -> bool:
        """Store a whole game at once. Return False, and change nothing, if it exists and is not to be replaced.

        Index entries and due dates are written before, as with every commit. If the game exists, they may be stale, and
        readers repair them.
        """
        commit, webhooks = request.commit, request.webhooks
        if commit.is_public:
            await self.list_game(commit.game, commit.status, commit.created_at)
        await self.index_before_commit(commit)
        if commit.due_at is not None:
            await self._schedule.schedule(commit.game, commit.due_at)
        for one in webhooks:
            if one.state.disabled_reason is None and one.state.delivered_version < commit.diffs[-1].version:
                await self._webhook_schedule.schedule(
                    f"{commit.game} {one.registration.id}", one.state.next_attempt_at or commit.created_at
                )
        game_keys = [keys.game(commit.game), keys.log(commit.game), keys.idempotency_records(commit.game)]
        game_keys += [keys.webhook_attempts(commit.game, one.registration.id) for one in webhooks]
        stored = bool(await self._restore_script.run(game_keys, *_restore_arguments(request)))
        if stored:  # once more, in case a reader saw that the game did not exist and repaired the indexes
            await self.index_game(commit.game, commit.index_keys(), commit.created_at, commit.index_ttl_s)
        if stored and commit.is_public:
            await self.list_game(commit.game, commit.status, commit.created_at)
        return stored


def _restore_arguments(request: RestoreRequest) -> list[Argument]:
    """Return ARGV of restore.lua."""
    commit, webhooks = request.commit, request.webhooks
    last = commit.diffs[-1]
    fields: list[Argument] = ["revision", log_entries.pack_revision(Revision(last.version, last.digest))]
    fields += "snapshot", commit.snapshot
    fields += "access", commit.access or b""
    if webhooks:
        fields += "hooks", ",".join(one.registration.id for one in webhooks)
    for one in webhooks:
        fields += f"hook:{one.registration.id}", _ENCODER.encode(one.registration)
        fields += f"hook:{one.registration.id}:state", _ENCODER.encode(one.state)
    commit_id = bytes.fromhex(commit.id)
    arguments: list[Argument] = [commit_id, "1" if request.replace else "", commit.ttl_s, len(fields), *fields]
    for one in webhooks:
        arguments += len(one.attempts), *(_ENCODER.encode(attempt) for attempt in one.attempts)
    arguments += (log_entries.pack(commit_id, commit.game, diff) for diff in commit.diffs)
    return arguments


_ENCODER = msgspec.msgpack.Encoder()
