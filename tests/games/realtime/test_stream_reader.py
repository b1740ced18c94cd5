"""A stream that hangs or cannot be read blocks no caller for ever, and no other game at all."""

import asyncio
from collections.abc import Sequence

import pytest
from redis.asyncio import Redis

from schemas.vocabulary import COLORS
from service.engine import encode_snapshot, take_seat
from service.games import channel
from service.games import hub as hub_module
from service.games.diffs import record_change
from service.games.hub import Hub
from service.games.ports import Revision, StoredDiff, StoreUnavailable
from service.store import keys
from service.supervision import Backoff
from tests.games.game_logs import AT, LAGOON, new_game
from tests.games.realtime.subscribers import (
    SnapshotSubscriber,
    UnreliableStore,
    VersionSubscriber,
    commit_and_publish,
    store_game,
    subscribe,
)
from tests.polling import wait_until
from tests.store.commits import action, creation, digest, load_record

TIMEOUT_S = 0.2


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
    for module in (channel, hub_module):
        monkeypatch.setattr(module, "READ_TIMEOUT_S", TIMEOUT_S)
    monkeypatch.setattr(hub_module, "SUBSCRIBE_TIMEOUT_S", 2 * TIMEOUT_S)
    monkeypatch.setattr(channel, "FAILURE_BACKOFF", Backoff(0.01, 0.05))
    return HangingStore(store._client)


async def subscribe_behind(hub: Hub, store: HangingStore, game: str) -> VersionSubscriber:
    """Subscribe with version 1 to a game that has version 2."""
    await store.commit(creation(game))
    await store.commit(action(1, game))
    return await subscribe(hub, store, game, since=1)


async def test_the_first_subscriber_of_a_stream_that_hangs_does_not_block(
    hub: Hub, store: HangingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (channel, hub_module):  # long enough for the others to subscribe on a busy machine
        monkeypatch.setattr(module, "READ_TIMEOUT_S", 3.0)
    monkeypatch.setattr(hub_module, "SUBSCRIBE_TIMEOUT_S", 20.0)
    store.hanging = frozenset({"hangs"})
    await store.commit(creation("hangs"))
    await store.commit(action(1, "hangs"))
    subscriber = VersionSubscriber(1)
    waiting = asyncio.create_task(hub.subscribe(subscriber, "hangs", Revision(1, digest(1))))
    others = [await subscribe_behind(hub, store, f"g{number}") for number in range(10)]
    assert not waiting.done()
    assert [other.version for other in others] == [2] * len(others)
    async with asyncio.timeout(20 * TIMEOUT_S):
        await waiting
    store.hanging = frozenset()
    await subscriber.wait_for_version(2)


async def test_a_later_subscriber_of_a_stream_that_hangs_gets_store_unavailable(hub: Hub, store: HangingStore) -> None:
    subscriber = await subscribe_behind(hub, store, "g")
    await subscriber.wait_for_version(2)
    store.hanging = frozenset({"g"})
    late = VersionSubscriber(1)
    async with asyncio.timeout(20 * TIMEOUT_S):
        with pytest.raises(StoreUnavailable, match="not read"):
            await hub.subscribe(late, "g", Revision(1, digest(1)))
    store.hanging = frozenset()
    await commit_and_publish(hub, store, action(2, "g"))
    assert (subscriber.version, late.version) == (3, 1)


async def test_wait_for_version_of_a_stream_that_hangs_raises_store_unavailable(hub: Hub, store: HangingStore) -> None:
    subscriber = await subscribe_behind(hub, store, "g")
    await subscriber.wait_for_version(2)
    store.hanging = frozenset({"g"})
    await store.commit(action(2, "g"))
    async with asyncio.timeout(20 * TIMEOUT_S):
        with pytest.raises(StoreUnavailable, match="not read"):
            await hub.wait_for_version(subscriber, "g", 3)
    store.hanging = frozenset()
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
    joined = take_seat(LAGOON.index, other, 2, "Cy", COLORS[2])
    log.append(record_change(LAGOON.index, other, joined, AT))
    await store.commit(creation(game_id, snapshot=encode_snapshot(other), diffs=log))
    assert not hub.publish_commit(game_id, log[1:])
    await wait_until(lambda: subscriber.snapshots)
    assert [(one.view.version, one.digest) for one in subscriber.snapshots] == [(2, log[1].digest)]


async def test_an_unexpected_error_is_logged_and_the_read_retried(
    hub: Hub, store: HangingStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.damaged = frozenset({"fails"})
    await store.commit(creation("fails"))
    await store.commit(action(1, "fails"))
    failing = VersionSubscriber(1)
    async with asyncio.timeout(20):
        await hub.subscribe(failing, "fails", Revision(1, digest(1)))
    other = await subscribe_behind(hub, store, "g")
    await other.wait_for_version(2)
    assert failing.version == 1
    assert any("fails" in record.getMessage() and record.exc_info for record in caplog.records)
    store.damaged = frozenset()
    await failing.wait_for_version(2)


async def test_the_pause_after_a_failed_read_grows_until_one_succeeds(
    hub: Hub, store: HangingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []

    def record(_game: str, _error: Exception, failures: int) -> float:
        counts.append(failures)
        return 0.0

    monkeypatch.setattr(channel, "record_read_failure", record)
    subscriber = await subscribe_behind(hub, store, "g")
    await subscriber.wait_for_version(2)
    for version, failures in ((3, 4), (4, 2)):
        store.failures = failures
        await store.commit(action(version - 1, "g"))
        await hub.wait_for_version(subscriber, "g", version)
        await subscriber.wait_for_version(version)
    assert counts == [1, 2, 3, 4, 1, 2]


async def test_a_sweep_that_hangs_or_fails_is_repeated(hub: Hub, store: HangingStore) -> None:
    store.is_deaf = True
    subscriber = await subscribe_behind(hub, store, "g")
    await subscriber.wait_for_version(2)
    store.hanging = frozenset({"g"})
    hub.start()
    await store.commit(action(2, "g"))
    await store.wait_for_sweeps(2)
    store.hanging, store.damaged = frozenset(), frozenset({"g"})
    await store.wait_for_sweeps(2)
    store.damaged = frozenset()
    await subscriber.wait_for_version(3)
