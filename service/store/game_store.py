"""The store of games in Redis."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Any

from service.games.archive.archiver import ARCHIVE_DELAY_S
from service.games.ports import (
    ChangeNotification,
    Commit,
    CommitOutcome,
    Committed,
    GameRecord,
    KeyQuotaExceeded,
    Replayed,
    StoredDiff,
    StoreUnavailable,
    TokenBucketStore,
    UnreadableGame,
    VersionConflict,
)
from service.games.webhooks.port import WebhookStore
from service.store import keys
from service.store.archive_queue import RedisArchiveQueue
from service.store.connection.pipeline import Argument, PipelinedClient
from service.store.game_index import GameIndex
from service.store.index_repair import RedisIndexRepair
from service.store.monitor import RedisMonitor
from service.store.notifications import Notifications
from service.store.schedule import Schedule
from service.store.scripts import Script
from service.store.token_buckets import RedisTokenBuckets
from service.store.transfer import RedisGameTransfer
from service.store.webhooks import RedisWebhookStore, decode_webhook_ids, idempotency_arguments
from service.supervision import Backoff
from service.telemetry import clock

__all__ = ["RedisStore"]

FAILURE_COUNT_TTL_S = 60
"""A game that has not failed for so long, beside the pause before, has recovered: its next failure is the first one."""


class RedisStore(GameIndex):
    """`service.games.ports.Store` on Redis 7.0 or later, or Valkey."""

    def __init__(self, client: PipelinedClient) -> None:
        super().__init__(client)
        self._commit_script = Script(client, "commit.lua", wait_for_replicas=True)
        self._schedule = Schedule(client)
        self._notifications = Notifications(client.topology)
        self._pubsub_prefix = "SHARD" if client.topology.is_sharded else ""
        self.monitor = RedisMonitor(client, self._notifications)
        self.webhooks: WebhookStore = RedisWebhookStore(client)
        self.buckets: TokenBucketStore = RedisTokenBuckets(client)
        self.archive_queue = RedisArchiveQueue(client)
        self.transfer = RedisGameTransfer(client)
        self.index_repair = RedisIndexRepair(client)
        self.is_archiving = False
        """Whether somebody archives games that are over."""

    async def load(self, game: str, key: str | None = None) -> GameRecord | None:
        """The game as it is now, with the record kept under `key`; None where there is no such game."""
        fields = (
            "version",
            "digest",
            "snapshot",
            "access",
            "hooks",
            "tokens",
            "" if key is None else keys.idempotency_field(key),
        )
        version, digest, snapshot, access, hooks, tokens, record = await self._client.execute(
            "HMGET", keys.game(game), *fields
        )
        if record is not None and self._client.wait is not None:
            await self._client.execute("SET", keys.replica_wait(game), "", "EX", 1, wait_for_replicas=True)
        if version is None:
            return None
        try:
            hook_ids, ended = tuple(decode_webhook_ids(hooks)), (tokens or b"").decode()
            return GameRecord(int(version), digest.decode(), snapshot, access or b"", record, hook_ids, ended)
        except (AttributeError, ValueError) as error:
            raise UnreadableGame(f"its version, digest or webhooks cannot be read: {error}") from error

    async def commit(self, commit: Commit) -> CommitOutcome:
        """Change everything that `commit` says at once, if its version is still the game's."""
        listed = commit.is_public and commit.status != commit.previous_status
        if listed:
            await self.list_game(commit.game, commit.status, commit.created_at)
        if commit.access is not None:
            await self.index_before_commit(commit)
        if commit.expected is not None and commit.expected.webhooks:
            await self.webhooks.schedule(commit.game, commit.expected.webhooks, int(time.time()))
        if self.is_archiving and commit.status in _FINISHED_STATUSES:
            await self.archive_queue.schedule(commit.game, int(clock.now()) + ARCHIVE_DELAY_S)
        early = commit.due_at is not None and not await self._schedule.schedule(commit.game, commit.due_at)
        beside = self.start_extending(commit)
        game_keys = [keys.game(commit.game), keys.log(commit.game), keys.replica_wait(commit.game)]
        outcome = _decode_outcome(await self._commit_script.run(game_keys, *self._commit_arguments(commit)))
        if isinstance(outcome, Committed):
            with suppress(StoreUnavailable):  # it is stored: what follows mends itself when others read
                if listed:
                    await self.list_game(commit.game, commit.status, commit.created_at)
                if listed and commit.previous_status is not None:
                    await self.unlist(commit.game, commit.previous_status)
                if early:
                    await self._schedule.reschedule(commit.game, commit.due_at)
        if beside is not None:
            await beside
        return outcome

    def _commit_arguments(self, commit: Commit) -> list[Argument]:
        """ARGV of commit.lua."""
        version, digest, hooks, tokens = commit.expected or ("", "", (), "")
        keep = idempotency_arguments(commit.idempotency)
        arguments: list[Argument] = [commit.id, version, digest, ",".join(hooks), commit.snapshot, commit.access or b""]
        arguments += (
            commit.ttl_s,
            keys.channel(commit.game),
            self._pubsub_prefix,
            self._notifications.count_own_subscribers(commit.game),
            *keep,
        )
        arguments += commit.meta, tokens, "1" if commit.revokes_token else ""
        for diff in commit.diffs:
            arguments += diff.version, diff.digest, diff.previous, diff.data
        return arguments

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """The log after version `since`, oldest first, at most `limit` entries; empty where there is no such game."""
        entries = await self._client.execute("XRANGE", keys.log(game), since + 1, "+", "COUNT", limit)
        try:
            return [_decode_diff(entry, fields) for entry, fields in entries]
        except ValueError as error:
            raise UnreadableGame(f"its log cannot be read: {error}") from error

    async def load_versions(self, games: Sequence[str]) -> list[tuple[int, str] | None]:
        """Version and digest of each game now; None where there is no such game, or it cannot be read."""
        asked = (self._client.execute("HMGET", keys.game(game), "version", "digest") for game in games)
        return [_decode_version(found) for found in await asyncio.gather(*asked, return_exceptions=True)]

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Games whose `due_at` has come, the oldest first, until `settle`; after a lost race some come early."""
        return await self._schedule.due(now, limit)

    async def reschedule(self, game: str, until: int | None) -> None:
        """Move a game's `due_at` (None: nothing is due any more); the game may come up once more, a little later."""
        await self._schedule.reschedule(game, until)

    async def postpone(self, game: str, now: int, backoff: Backoff) -> int | None:
        """Put off a game that is due and failed, longer after each failure in a row; None where it is not due."""
        key = keys.failures(game)
        failures = int(await self._client.execute("GET", key) or 0) + 1
        pause_s = math.ceil(backoff.delay_s(failures))
        if not await self._schedule.postpone(game, now, now + pause_s):
            return None
        await self._client.execute("SET", key, failures, "EX", 2 * pause_s + FAILURE_COUNT_TTL_S)
        return failures

    async def defer(self, game: str, now: int, until: int) -> None:
        """Put off a game that is due and did not fail itself; it stays as it is where another instance moved it."""
        await self._schedule.postpone(game, now, until)

    def notifications(self) -> AsyncGenerator[ChangeNotification]:
        """Which of the games that are followed others have changed, as Redis announces it; a hint may be lost."""
        return self._notifications.listen()

    def subscribe(self, game: str) -> None:
        """Let `hints` tell of this game, until `unfollow`."""
        self._notifications.subscribe(game)

    def unsubscribe(self, game: str) -> None:
        """Let it tell of this game no more."""
        self._notifications.unsubscribe(game)

    async def ping(self) -> None:
        """Raise StoreUnavailable unless Redis answers and takes writes."""
        await self._client.execute("SET", keys.WRITE_PROBE, "", "EX", 60)


_FINISHED_STATUSES = ("finished", "aborted")


def _decode_outcome(reply: Any) -> CommitOutcome:
    """What commit.lua returned."""
    match reply:
        case 1:
            return Committed()
        case int():
            return KeyQuotaExceeded(-reply)
        case bytes():
            return Replayed(reply)
        case [version, digest]:
            return VersionConflict(int(version), digest.decode())
        case _:
            return VersionConflict(None, None)


def _decode_version(found: Any) -> tuple[int, str] | None:
    """What was found of one game; a damaged one must not hide all others. Raises StoreUnavailable."""
    if isinstance(found, UnreadableGame):
        return None
    if isinstance(found, BaseException):
        raise found
    version, digest = found
    try:
        return None if version is None else (int(version), digest.decode())
    except (AttributeError, ValueError):
        return None


def _decode_diff(entry: bytes, fields: Sequence[bytes]) -> StoredDiff:
    """An entry of the log, whose fields are as commit.lua writes them."""
    _, _, _, digest, _, previous, _, data, *meta = fields  # what was restored has none
    version = int(entry.partition(b"-")[0])
    return StoredDiff(version, digest.decode(), previous.decode(), data, meta[1] if meta else b"")
