"""The store on Redis: games, API keys, and how to connect.

One commit passes `RedisStore.commit`, `Script.run` and `PipelinedClient.execute`, which queues it for a pipeline.

An API key is a hash, which never expires; an index has the keys' names.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from itertools import chain, islice
from typing import Any

import msgspec

from schemas.vocabulary import ENDED_STATUSES
from service.games import ports
from service.games.access import subject_of_key
from service.games.api_key import ApiKey, ApiKeyStore, StoredApiKey
from service.games.archiver import ARCHIVE_DELAY_S
from service.games.idempotency import Replayed
from service.store import keys, log_entries
from service.store.compacted_logs import CompactedLogs
from service.store.connection import InFlightLimits, parse_url
from service.store.game_index import GameIndex, RedisIndexRepair
from service.store.health import PROBE_TTL_S, RedisHealth, RedisMonitor
from service.store.notifications import ChangeNotifications
from service.store.pipeline import PipelinedClient, Script, Wait
from service.store.schedule import RedisDueQueue
from service.store.server_check import Finding, check_data, check_server
from service.store.topology import ClusterTopology, SentinelTopology, StandaloneTopology, Topology
from service.store.transfer import RedisGameTransfer
from service.store.webhooks import RedisWebhookStore, decode_webhook_ids
from service.supervision import Supervisor
from service.telemetry import clock
from service.telemetry.clock import DAY_S


class RedisApiKeyStore:
    """`service.games.api_key.ApiKeyStore` on Redis."""

    def __init__(self, client: PipelinedClient) -> None:
        self._client = client
        self._save_script = Script(client, "api_key_save.lua", wait_for_replicas=True)

    async def load(self, name: str) -> StoredApiKey | None:
        """Return a key; None if there is no such key."""
        revision, record = await self._client.execute("HMGET", keys.subject(subject_of_key(name)), "version", "record")
        return None if record is None else StoredApiKey(_DECODER.decode(record), int(revision))

    async def save(self, key: ApiKey, revision: int) -> bool:
        """Store a key on top of a revision. The index is written before, so that it is never incomplete."""
        await self._client.execute("ZADD", keys.API_KEYS, key.created_at, key.name)
        stored = await self._save_script.run([keys.subject(subject_of_key(key.name))], revision, encode_api_key(key))
        return bool(stored)

    async def list_all(self) -> list[ApiKey]:
        """Return all keys, the oldest first."""
        names = await self._client.execute("ZRANGE", keys.API_KEYS, 0, -1)
        stored = await asyncio.gather(*(self.load(name.decode()) for name in names))
        return [one.key for one in stored if one is not None]


encode_api_key = msgspec.msgpack.Encoder().encode
_DECODER = msgspec.msgpack.Decoder(ApiKey)


_GAME_FIELDS = ("revision", "snapshot", "access", "hooks", "tokens")

_MAX_REMEMBERED_GAMES = 10_000
"""Games whose index keys this instance remembers to have extended today."""


class RedisTokenBuckets:
    """`service.games.ports.TokenBucketStore` on Redis, by the clock of the server."""

    def __init__(self, client: PipelinedClient) -> None:
        self._script = Script(client, "token_bucket.lua")

    async def take(self, bucket: str, wanted: int, size: ports.RateLimit) -> ports.Grant:
        """Take up to `wanted` tokens. Raise StoreUnavailable."""
        taken, remaining, wait_ms = await self._script.run([keys.bucket(bucket)], wanted, *size)
        return ports.Grant(taken, remaining, wait_ms / 1000)


class RedisStore(GameIndex):
    """`service.games.ports.GameStore` on Redis 7.0 or later, or Valkey."""

    def __init__(self, client: PipelinedClient) -> None:
        super().__init__(client)
        self._extended_on: dict[str, int] = {}
        """The day (since 1970) on which this instance extended the index keys of a game."""
        self._load_script = Script(client, "load_since.lua")
        self._commit_script = Script(client, "commit.lua", wait_for_replicas=True)
        self.change_notifications = ChangeNotifications(client.topology)
        self.monitor = RedisMonitor(client, self.change_notifications)
        self.health = RedisHealth(client, self._commit_probe)
        self.due_games: ports.DueQueue = RedisDueQueue(client, keys.GAME_SCHEDULE)
        self.due_webhooks: ports.DueQueue = RedisDueQueue(client, keys.WEBHOOK_SCHEDULE)
        self.due_archives: ports.DueQueue = RedisDueQueue(client, keys.ARCHIVE_SCHEDULE)
        self.webhooks: ports.WebhookStore = RedisWebhookStore(client, self.due_webhooks)
        self.api_keys: ApiKeyStore = RedisApiKeyStore(client)
        self.buckets: ports.TokenBucketStore = RedisTokenBuckets(client)
        self.transfer = RedisGameTransfer(client)
        self.index_repair = RedisIndexRepair(client)
        self.compacted_logs = CompactedLogs(client)

    def unreachable_s(self) -> float:
        """Return for how many seconds this instance has not reached a primary; 0 if it reaches all."""
        return self.client.unreachable_s()

    async def load(self, game: str, key: str | None = None) -> ports.StoredGame | None:
        """Return a game with the record stored under an idempotency key; None if there is no such game.

        If the client waits for replicas, so does a load that finds a record: the response that it replays must not be
        lost in a failover either.
        """
        loading = [self.client.execute("HMGET", keys.game(game), *_GAME_FIELDS)]
        if key is not None:  # before the game, which then is as new as the record
            loading.insert(0, self.client.execute("HGET", keys.idempotency_records(game), keys.idempotency_field(key)))
        record, values = [None, *await asyncio.gather(*loading)][-2:]
        if record is not None and self.client.wait is not None:
            await self.client.execute("SET", keys.replica_wait(game), "", "EX", 1, wait_for_replicas=True)
        return _decode_game(game, values, record)

    async def load_since(self, game: str, since: int) -> ports.StoredGame | None:
        """Return a game with its revision at version `since`; None if there is no such game.

        Both are read at once. Otherwise the log could lack what the game has, after a failover between the two.
        """
        values, entries = await self._load_script.run(
            [keys.game(game), keys.log(game)], *_log_range(since, 1), *_GAME_FIELDS
        )
        stored = _decode_game(game, values)
        if stored is None or since > stored.revision.version:
            return stored
        if since == stored.revision.version:
            stored.since = stored.revision
            return stored
        following = await self._decode_diffs(game, since, 1, entries)
        if following and following[0].version == since + 1:
            stored.since = ports.Revision(since, following[0].previous)
        return stored

    async def commit(self, change: ports.Change) -> ports.CommitOutcome:
        """Store everything that a change writes at once, if the game still is as it was.

        Indexes and due dates have keys of their own, which in a Cluster no script could change together with a game.
        They are written before, so that they may be stale, never incomplete.
        """
        stored, game = change.stored, change.stored.game
        is_listed = game.status != stored.status and not stored.is_private
        if is_listed:
            await self.list_game(game)
        if change.access_record is not None:
            await self.index_game(change)
        if stored.webhooks:
            due = (ports.webhook_entry(stored.id, webhook) for webhook in stored.webhooks)
            await asyncio.gather(*(self.due_webhooks.schedule(entry, int(clock.now())) for entry in due))
        if game.status in ENDED_STATUSES:
            archive_at = int(clock.now()) + ARCHIVE_DELAY_S
            pending = self.client.execute("ZADD", keys.ARCHIVE_PENDING, "NX", archive_at, stored.id)
            await asyncio.gather(pending, self.due_archives.schedule(stored.id, archive_at))
        is_due_earlier = change.due_at is not None and not await self.due_games.schedule(stored.id, change.due_at)
        extending = None
        if not self._is_extended_today(stored.id) and change.access_record is None:  # else they were extended above
            extending = self.index_game(change, return_exceptions=True)
        script_keys = keys.commit_keys(stored.id)
        outcome = _decode_outcome(await self._commit_script.run(script_keys, *self._commit_arguments(change)))
        if isinstance(outcome, ports.Committed) and (is_listed or is_due_earlier):
            with suppress(ports.StoreUnavailable):  # the commit is stored, and readers repair what is missing here
                await self._follow_commit(change, is_listed=is_listed, is_due_earlier=is_due_earlier)
        if extending is not None:
            await extending
        return outcome

    async def _follow_commit(self, change: ports.Change, *, is_listed: bool, is_due_earlier: bool) -> None:
        """Write what may be written only once a commit is stored."""
        stored = change.stored
        if is_listed:
            await self.list_game(stored.game)
            if stored.status is not None:
                await self.unlist(stored.id, stored.status)
        if is_due_earlier:
            await self.due_games.reschedule(stored.id, int(clock.now()), change.due_at)

    def _is_extended_today(self, game: str) -> bool:
        """Return whether this was called for the game today already, as far as this instance remembers."""
        day = int(clock.now()) // DAY_S
        if self._extended_on.get(game) == day:
            return True
        self._extended_on[game] = day
        if len(self._extended_on) > _MAX_REMEMBERED_GAMES:
            del self._extended_on[next(iter(self._extended_on))]
        return False

    async def _commit_probe(self, probe_keys: tuple[str, str, str]) -> None:
        """Create what is no game, as a commit creates one. Raise StoreUnavailable."""
        revision = ports.Revision(1, bytes(16))
        commit_id = secrets.token_bytes(log_entries.COMMIT_ID_BYTES)
        entry = log_entries.pack(commit_id, "probe", ports.StoredDiff(*revision, b"", clock.timestamp(0), b"{}"))
        header = _ENCODER.encode(("", "", "", PROBE_TTL_S, True, 0, self.client.topology.is_sharded, 0))
        record = keys.idempotency_field("00" * 8) + bytes(2) + int(time.time()).to_bytes(4) + bytes(14)
        revisions = map(log_entries.pack_revision, (ports.NO_REVISION, revision))
        await self._commit_script.run(probe_keys, *revisions, header, b"", b"-", record, entry)

    def _commit_arguments(self, change: ports.Change) -> list[bytes]:
        """Return ARGV of commit.lua."""
        stored, game, record = change.stored, change.stored.game, change.idempotency
        commit_id = bytes.fromhex(change.id)
        header = (  # commit.lua says what each value is
            ",".join(stored.webhooks),
            stored.last_revocation,
            change.id if change.revokes_token else "",
            change.ttl_s,
            game.status != stored.status or game.status in ENDED_STATUSES,
            self.change_notifications.count_own_subscribers(stored.id),
            self.client.topology.is_sharded,
            int(clock.now() * 1e6),
        )
        return [
            log_entries.pack_revision(stored.revision),
            log_entries.pack_revision(ports.Revision(game.version, game.digest)),
            _ENCODER.encode(header),
            change.snapshot,
            change.access_record or b"",
            b"" if record is None else keys.idempotency_field(record.key) + record.record,
            *[log_entries.pack(commit_id, stored.id, diff) for diff in change.diffs],
        ]

    async def load_diffs(self, game: str, since: int, limit: int) -> list[ports.StoredDiff]:
        """Return at most `limit` diffs after version `since`, the oldest first; none if there is no such game."""
        first, number = _log_range(since, limit)
        reply = await self.client.execute("XRANGE", keys.log(game), first, "+", "COUNT", number)
        diffs = await self._decode_diffs(game, since, limit, reply)
        if diffs and diffs[0].version != since + 1:
            raise ports.UnreadableGame(f"its log cannot be read: version {since + 1} is missing")
        return diffs

    async def _decode_diffs(self, game: str, since: int, limit: int, reply: Any) -> list[ports.StoredDiff]:
        """Return the diffs after version `since`, from the reply to XRANGE or from the compacted log."""
        try:
            entries = [(int(entry_id.partition(b"-")[0]), entry) for entry_id, (_, entry) in reply]
            is_continued = bool(entries) and entries[0][0] == (since or 1)
            if is_continued:
                return [*log_entries.unpack(game, None if since else b"", entries[: limit + (since > 0)])]
            compacted = await self.compacted_logs.load(game, since)
            if compacted is None:
                return [*log_entries.unpack(game, b"", entries[:limit])]
            diffs, end = compacted
            later = [entry for entry in entries if entry[0] > end.version]
            if later and later[0][0] != end.version + 1:
                raise ValueError(f"version {end.version + 1} is missing")  # noqa: TRY301
            return [*islice(chain(diffs, log_entries.unpack(game, end.digest, later)), limit)]
        except ValueError as error:
            raise ports.UnreadableGame(f"its log cannot be read: {error}") from error

    async def load_versions(self, games: Sequence[str]) -> list[tuple[ports.Revision, str] | None]:
        """Return revision and last revocation of each game; None if there is none, or it cannot be read."""
        loading = (self.client.execute("HMGET", keys.game(game), "revision", "tokens") for game in games)
        return [_decode_version(reply) for reply in await asyncio.gather(*loading, return_exceptions=True)]

    def notifications(self) -> AsyncGenerator[ports.ChangeNotification]:
        """Yield which of the subscribed games others have changed. A notification may be lost: the log is the truth."""
        return self.change_notifications.listen()

    def subscribe(self, game: str) -> None:
        """Include a game in `notifications`, until `unsubscribe`."""
        self.change_notifications.subscribe(game)

    def unsubscribe(self, game: str) -> None:
        """Exclude a game from `notifications`."""
        self.change_notifications.unsubscribe(game)

    async def check_server(self) -> list[Finding]:
        """Check whether the service can work with this Redis and read what is in it, before it starts."""
        return await check_server(self.client, self)

    async def check_data(self) -> list[Finding]:
        """Check whether this version can read what is stored; `check_server` does it too."""
        return await check_data(self.client, self)

    async def ping(self) -> None:
        """Raise StoreUnavailable unless Redis replies. It need not take writes."""
        await self.client.execute("EXISTS", keys.PROBE)


def _log_range(since: int, limit: int) -> tuple[int, int]:
    """Return the first entry and the number of entries that have the diffs after version `since`.

    The entry of `since` itself has the previous digest of the next.
    """
    return since or 1, limit + (since > 0)


def _decode_game(game: str, values: Any, idempotency_record: bytes | None = None) -> ports.StoredGame | None:
    """Decode what `_GAME_FIELDS` have; return None if there is no such game. Raise UnreadableGame."""
    revision, snapshot, access, hooks, tokens = values
    if revision is None and snapshot is None:
        return None
    try:
        return ports.StoredGame(
            game,
            log_entries.unpack_revision(revision or b""),
            snapshot or b"",
            access or b"",
            tuple(decode_webhook_ids(hooks)),
            (tokens or b"").decode(),
            idempotency_record,
        )
    except ValueError as error:
        raise ports.UnreadableGame(f"its revision, snapshot or webhooks cannot be read: {error}") from error


def _decode_outcome(reply: Any) -> ports.CommitOutcome:
    """Decode the reply of commit.lua."""
    match reply:
        case 1:
            return ports.Committed()
        case 0:
            return ports.VersionConflict()
        case bytes():
            return Replayed(reply)
        case _:
            return ports.KeyQuotaExceeded(-reply)


def _decode_version(reply: Any) -> tuple[ports.Revision, str] | None:
    """Decode what `load_versions` returns of one game; an unreadable one must not hide the others.

    Raise StoreUnavailable.
    """
    if isinstance(reply, ports.UnreadableGame):
        return None
    if isinstance(reply, BaseException):
        raise reply
    revision, tokens = reply
    try:
        return None if revision is None else (log_entries.unpack_revision(revision), (tokens or b"").decode())
    except ValueError:
        return None


_ENCODER = msgspec.msgpack.Encoder()


_TOPOLOGIES: dict[str, type[Topology]] = {
    "standalone": StandaloneTopology,
    "sentinel": SentinelTopology,
    "cluster": ClusterTopology,
}


@asynccontextmanager
async def connect(  # noqa: PLR0913  each is a setting of its own
    url: str,
    *,
    connections: int = 2,
    timeout_s: float = 5.0,
    wait: Wait | None = None,
    supervisor: Supervisor | None = None,
    limits: InFlightLimits | None = None,
    log_outages: bool = True,
) -> AsyncIterator[RedisStore]:
    """Return a store on the Redis at `url`, which connects with its first command. Raise InvalidRedisURL.

    `connections` to each primary carry all commands, one more the notifications, and with `wait` as many again the
    commits. A command without a reply after `timeout_s` raises StoreUnavailable. With `wait`, so does a commit that too
    few replicas acknowledge: it is stored, and a retry with its idempotency key waits for the replicas too. A command
    above the `limits` raises StoreBusy at once. With `log_outages` the log says when Redis fails and when it is back.
    """
    parsed = parse_url(url)
    topology = _TOPOLOGIES[parsed.topology](parsed, supervisor or Supervisor())
    async with aclosing(
        PipelinedClient(topology, connections, timeout_s, wait, limits, log_outages=log_outages)
    ) as client:
        yield RedisStore(client)
