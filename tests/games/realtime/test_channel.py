"""A channel publishes every diff once and in order, whatever subscribers do, and streams that hang block nobody."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from random import Random
from unittest.mock import Mock, patch

import pytest
from msgspec.structs import replace
from redis.asyncio import Redis

from schemas.vocabulary import COLORS
from service.engine import Player, encode_snapshot, take_seat
from service.games import channel
from service.games import hub as hub_module
from service.games.channel import BATCH_SIZE, MAX_TICKS, Broadcaster, Channel, DiffsMessage
from service.games.diffs import record_change
from service.games.errors import NoSuchGame
from service.games.hub import Hub
from service.games.ports import Revision, StoredDiff, StoreUnavailable
from service.store import keys
from service.supervision import Backoff
from tests.engine.lockstep import start_game
from tests.games.game_logs import AT, LAGOON, new_game
from tests.games.realtime.subscribers import (
    SnapshotSubscriber,
    UnreliableStore,
    VersionSubscriber,
    commit_and_publish,
    store_game,
    subscribe,
)
from tests.polling import TIMEOUT_S, wait_until
from tests.store.commits import action, creation, diff, digest, load_record
from tests.store.test_topology import Failover, dump_game
from tests.telemetry.metric_samples import grown, read_samples


def test_diffs_that_do_not_follow_the_position_are_not_published() -> None:
    channel, subscriber = Channel("g", Revision(3, digest(3))), VersionSubscriber(3)
    channel.subscribers.add(subscriber)
    assert not channel.publish([diff(5)])
    assert not channel.publish([StoredDiff(4, digest(4), b"another past", "", b"")])
    assert not channel.publish([diff(4), diff(6)])
    assert channel.publish([diff(2), diff(3)])
    assert subscriber.version == 3
    assert channel.publish([diff(3), diff(4), diff(5)])
    assert (subscriber.version, channel.position) == (5, Revision(5, digest(5)))


@pytest.mark.parametrize(
    ("stored", "has_diverged", "is_behind"),
    (
        (None, True, False),
        (Revision(2, digest(2)), True, False),
        (Revision(3, b"another past"), True, False),
        (Revision(3, digest(3)), False, False),
        (Revision(4, digest(4)), False, True),
    ),
)
def test_the_stored_position_says_whether_to_read(stored: Revision | None, has_diverged: bool, is_behind: bool) -> None:
    channel = Channel("g", Revision(3, digest(3)))
    assert channel.compare(channel.position, stored) == (has_diverged or is_behind)
    assert (channel.has_diverged, channel.is_behind) == (has_diverged, is_behind)


def diff_message(version: int) -> DiffsMessage:
    return DiffsMessage(game="g", diffs=[diff(version)])


def make_broadcaster(number: int) -> tuple[Broadcaster, list[VersionSubscriber]]:
    """Return a broadcaster with this many subscribers."""
    broadcaster, subscribers = Broadcaster("g"), [VersionSubscriber(0) for _ in range(number)]
    for subscriber in subscribers:
        broadcaster.add(subscriber)
    return broadcaster, subscribers


async def run_ticks(number: int) -> None:
    """Let the event loop run."""
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_few_subscribers_are_served_at_once() -> None:
    broadcaster, subscribers = make_broadcaster(BATCH_SIZE)
    for version in range(1, 4):
        broadcaster.broadcast(diff_message(version))
        assert all(subscriber.version == version for subscriber in subscribers)


async def test_many_subscribers_are_served_in_batches_and_later_messages_are_combined() -> None:
    broadcaster, subscribers = make_broadcaster(4 * BATCH_SIZE)
    for version in range(1, 6):
        broadcaster.broadcast(diff_message(version))
    assert sum(subscriber.version for subscriber in subscribers) == BATCH_SIZE
    await run_ticks(10)
    assert all(subscriber.version == 5 for subscriber in subscribers)
    assert {subscriber.deliveries for subscriber in subscribers} == {2}


async def test_a_broadcast_takes_at_most_max_ticks() -> None:
    broadcaster, subscribers = make_broadcaster(10 * MAX_TICKS * BATCH_SIZE)
    broadcaster.broadcast(diff_message(1))
    await run_ticks(MAX_TICKS + 1)
    assert all(subscriber.version == 1 for subscriber in subscribers)


async def test_flush_serves_one_subscriber_out_of_turn() -> None:
    broadcaster, subscribers = make_broadcaster(4 * BATCH_SIZE)
    for version in (1, 2):
        broadcaster.broadcast(diff_message(version))
    broadcaster.flush(subscribers[-1])
    assert subscribers[-1].version == 2
    assert not subscribers[-2].version
    broadcaster.broadcast(diff_message(3))
    await run_ticks(10)
    assert all(subscriber.version == 3 for subscriber in subscribers)
    broadcaster.flush(VersionSubscriber())


async def test_flush_delivers_nothing_to_a_subscriber_that_has_everything() -> None:
    broadcaster, (subscriber,) = make_broadcaster(1)
    broadcaster.broadcast(diff_message(1))
    broadcaster.flush(subscriber)
    broadcaster.remove(subscriber)
    assert (subscriber.version, subscriber.deliveries) == (1, 1)


async def test_close_delivers_the_rest_first() -> None:
    broadcaster, subscribers = make_broadcaster(4 * BATCH_SIZE)
    for version in (1, 2):
        broadcaster.broadcast(diff_message(version))
    broadcaster.close(NoSuchGame("g"))
    assert all((subscriber.version, len(subscriber.errors)) == (2, 1) for subscriber in subscribers)
    assert not len(broadcaster)
    await run_ticks(10)
    assert all(subscriber.version == 2 for subscriber in subscribers)


@pytest.mark.parametrize("seed", range(20))
async def test_nothing_is_missed_or_repeated_in_any_order_of_operations(seed: int) -> None:
    chance, version, before = Random(seed), 0, read_samples()
    broadcaster, subscribed = make_broadcaster(0)
    started: list[VersionSubscriber] = []
    for _ in range(400):
        match chance.randrange(6):
            case 0 | 1:
                for _ in range(chance.randrange(30)):
                    broadcaster.add(subscriber := VersionSubscriber(version))
                    subscribed.append(subscriber)
                    started.append(subscriber)
            case 2 if subscribed:
                subscriber = subscribed.pop(chance.randrange(len(subscribed)))
                broadcaster.remove(subscriber)
                assert subscriber.version == version
            case 3 if subscribed:
                broadcaster.flush(subscriber := chance.choice(subscribed))
                assert subscriber.version == version
            case 4:
                await asyncio.sleep(0)
            case _:
                version += 1
                broadcaster.broadcast(diff_message(version))
    await run_ticks(2 * MAX_TICKS + 5)
    assert [*broadcaster] == subscribed
    assert grown(before, "deliveries_total") == sum(subscriber.deliveries for subscriber in started)
    assert all(subscriber.version == version for subscriber in subscribed)


class HangingStore(UnreliableStore):
    """A store that hangs for some games, and raises unexpected errors for others."""

    hanging: frozenset[str] = frozenset()
    damaged: frozenset[str] = frozenset()
    sweeps = 0

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        await self._answer([game])
        return await super().load_diffs(game, since, limit)

    async def load_versions(self, games: Sequence[str]) -> list[tuple[Revision, str] | None]:
        self.sweeps += 1
        await self._answer(games)
        return await super().load_versions(games)

    @contextmanager
    def hangs(self, game: str, subscribe_timeout_s: float = 0.1) -> Iterator[None]:
        """Hang for a game, of which reads time out soon."""
        self.hanging = frozenset({game})
        with patch.object(hub_module, "SUBSCRIBE_TIMEOUT_S", subscribe_timeout_s), ExitStack() as stack:
            for module in (channel, hub_module):
                stack.enter_context(patch.object(module, "READ_TIMEOUT_S", 0.05))
            yield
        self.hanging = frozenset()

    async def wait_for_sweeps(self, times: int) -> None:
        """Wait until this many more sweeps have begun."""
        until = self.sweeps + times
        await wait_until(lambda: self.sweeps >= until)

    async def _answer(self, games: Sequence[str]) -> None:
        if self.hanging.intersection(games):
            await asyncio.Event().wait()
        if self.damaged.intersection(games):
            raise RuntimeError("nobody expects this")


@pytest.fixture
def store(store: UnreliableStore, monkeypatch: pytest.MonkeyPatch) -> HangingStore:
    monkeypatch.setattr(channel, "FAILURE_BACKOFF", Backoff(0.01, 0.05))
    return HangingStore(store.client)


async def subscribe_behind(hub: Hub, store: HangingStore, game: str) -> VersionSubscriber:
    """Subscribe with version 1 to a game that has version 2."""
    await store.commit(creation(game))
    await store.commit(action(1, game))
    return await subscribe(hub, store, game, since=1)


async def test_the_first_subscriber_of_a_stream_that_hangs_does_not_block(hub: Hub, store: HangingStore) -> None:
    await store.commit(creation("hangs"))
    await store.commit(action(1, "hangs"))
    store.hanging = frozenset({"hangs"})
    waiting = asyncio.create_task(hub.subscribe(VersionSubscriber(1), "hangs", Revision(1, digest(1))))
    others = [await subscribe_behind(hub, store, f"g{number}") for number in range(10)]
    assert not waiting.done()
    assert [other.version for other in others] == [2] * len(others)
    waiting.cancel()


async def test_the_first_subscriber_of_a_stream_that_hangs_is_sent_it_later(hub: Hub, store: HangingStore) -> None:
    await store.commit(action(1, "g"))
    with store.hangs("g", TIMEOUT_S):
        subscriber = await subscribe(hub, store, "g", since=1)
    await subscriber.wait_for_version(2)


async def test_a_later_subscriber_of_a_stream_that_hangs_gets_store_unavailable(hub: Hub, store: HangingStore) -> None:
    subscriber = await subscribe_behind(hub, store, "g")
    await subscriber.wait_for_version(2)
    late = VersionSubscriber(1)
    with store.hangs("g"), pytest.raises(StoreUnavailable, match="not read"):
        await hub.subscribe(late, "g", Revision(1, digest(1)))
    await commit_and_publish(hub, store, action(2, "g"))
    assert (subscriber.version, late.version) == (3, 1)


async def test_wait_for_version_of_a_stream_that_hangs_raises_store_unavailable(hub: Hub, store: HangingStore) -> None:
    subscriber = await subscribe_behind(hub, store, "g")
    await subscriber.wait_for_version(2)
    await store.commit(action(2, "g"))
    with store.hangs("g"), pytest.raises(StoreUnavailable, match="not read"):
        await hub.wait_for_version(subscriber, "g", 3)
    await hub.wait_for_version(subscriber, "g", 3)
    assert subscriber.version == 3


async def test_a_stream_that_does_not_continue_what_subscribers_have_is_sent_as_a_snapshot(
    hub: Hub, store: HangingStore, redis: Redis
) -> None:
    """At once: the hub does not sweep here."""
    game_id, subscriber = await store_game(store), SnapshotSubscriber()
    await hub.subscribe(subscriber, game_id, Revision(1, (await load_record(store, game_id)).revision.digest))
    await redis.delete(keys.game(game_id), keys.log(game_id))
    other, log = new_game("whole", players=3)
    log.append(record_change(LAGOON.index, other, take_seat(LAGOON.index, other, 2, "Cy", COLORS[2]), AT))
    await store.commit(commit := creation(game_id, snapshot=encode_snapshot(other), diffs=log))
    assert not hub.publish_commit(replace(commit, diffs=log[1:]))
    await wait_until(lambda: subscriber.snapshots)
    assert [(one.view.version, one.digest) for one in subscriber.snapshots] == [(2, log[1].digest)]


async def test_an_unexpected_error_is_logged_and_the_read_retried(
    hub: Hub, store: HangingStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.damaged = frozenset({"fails"})
    await store.commit(creation("fails"))
    await store.commit(action(1, "fails"))
    failing = VersionSubscriber(1)
    await hub.subscribe(failing, "fails", Revision(1, digest(1)))
    await (await subscribe_behind(hub, store, "g")).wait_for_version(2)
    assert failing.version == 1
    assert any("fails" in record.getMessage() and record.exc_info for record in caplog.records)
    store.damaged = frozenset()
    await failing.wait_for_version(2)


async def test_the_pause_after_a_failed_read_grows_until_one_succeeds(
    hub: Hub, store: HangingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Mock(return_value=0.0)
    monkeypatch.setattr(channel, "record_read_failure", record)
    subscriber = await subscribe_behind(hub, store, "g")
    await subscriber.wait_for_version(2)
    for version, failures in ((3, 4), (4, 2)):
        store.failures = failures
        await store.commit(action(version - 1, "g"))
        await hub.wait_for_version(subscriber, "g", version)
        await subscriber.wait_for_version(version)
    assert [call.args[2] for call in record.call_args_list] == [1, 2, 3, 4, 1, 2]


async def test_a_sweep_that_hangs_or_fails_is_repeated(hub: Hub, store: HangingStore) -> None:
    store.is_deaf = True
    subscriber = await subscribe_behind(hub, store, "g")
    await subscriber.wait_for_version(2)
    with store.hangs("g"):
        hub.start()
        await store.commit(action(2, "g"))
        await store.wait_for_sweeps(2)
    store.damaged = frozenset({"g"})
    await store.wait_for_sweeps(2)
    store.damaged = frozenset()
    await subscriber.wait_for_version(3)


GAME = "branched"


async def store_branch(store: UnreliableStore, redis: Redis, *names: str) -> tuple[list[Revision], dict[str, bytes]]:
    """Store a game that these players join; return its revisions, version 0 first, and what the server has of it."""
    index, open_seat = LAGOON.index, Player(name=None, color=None, kind="open")
    players = [Player(name="Ana", color=COLORS[0], kind="human"), *[open_seat] * 3]
    game, events = start_game(index, players, game_id=GAME)
    log = [record_change(index, game, events, AT)]
    for seat, name in enumerate(names, 1):
        log.append(record_change(index, game, take_seat(index, game, seat, name, COLORS[seat]), AT))
    await redis.delete(keys.game(GAME), keys.log(GAME))
    await store.commit(creation(GAME, snapshot=encode_snapshot(game), diffs=log))
    return [Revision(0, b""), *(Revision(diff.version, diff.digest) for diff in log)], await dump_game(redis, GAME)


async def test_who_subscribes_has_what_the_promoted_replica_has(hub: Hub, store: UnreliableStore, redis: Redis) -> None:
    """It subscribes where others follow what the former primary had."""
    kept, promoted = await store_branch(store, redis, "Bo")
    undone, _ = await store_branch(store, redis, "Cy", "Di")
    other, subscriber = SnapshotSubscriber(), SnapshotSubscriber()
    await hub.subscribe(other, GAME, undone[3])
    failover = Failover(store, redis, promoted)
    await hub.subscribe(subscriber, GAME, kept[2])
    assert failover.has_happened
    assert [one.view.version for one in other.snapshots] == [2]
    assert (subscriber.snapshots, hub.unsubscribe(subscriber, GAME)) == ([], kept[2])


async def test_a_channel_that_seemed_to_have_diverged_goes_on(hub: Hub, store: UnreliableStore, redis: Redis) -> None:
    kept, promoted = await store_branch(store, redis)
    subscriber = SnapshotSubscriber()
    await hub.subscribe(subscriber, GAME, kept[1])
    await store_branch(store, redis, "Cy")
    failover, channel = Failover(store, redis, promoted), hub.channels[GAME]
    channel.has_diverged = True
    hub._reader.request_read(channel)
    assert channel.reader is not None
    await channel.reader
    assert failover.has_happened
    assert (subscriber.snapshots, channel.position, channel.has_diverged) == ([], kept[1], False)
