"""The sweep makes up for lost notifications, of however many games."""

import asyncio

from service.games import hub as hub_module
from service.games.access import AccessRecord
from service.games.hub import Hub
from service.games.ports import Revision
from service.store.game_store import connect
from tests.games.realtime.subscribers import TILESETS, UnreliableStore, VersionSubscriber, commit_and_publish, subscribe
from tests.polling import wait_until
from tests.store.commits import action, creation, digest, load_record


async def test_a_sweep_finds_changes_of_many_games(hub: Hub, store: UnreliableStore) -> None:
    store.is_deaf = True
    games = [f"g{number}" for number in range(2 * hub_module.SWEEP_BATCH_SIZE + 50)]
    await asyncio.gather(*(store.commit(creation(game)) for game in games))
    subscribers = await asyncio.gather(*(subscribe(hub, store, game) for game in games))
    hub.start()
    await asyncio.gather(*(store.commit(action(1, game)) for game in games))
    await asyncio.gather(*(subscriber.wait_for_version(2) for subscriber in subscribers))


async def test_a_version_that_is_missing_for_a_moment_causes_no_snapshot(hub: Hub, store: UnreliableStore) -> None:
    """Subscribers have version 2 already, and the history is the same: a snapshot would add nothing."""
    subscriber = await subscribe(hub, store)
    await commit_and_publish(hub, store, action(1))
    store.is_deaf, store.stale_answers = True, 1
    hub.start()
    await wait_until(lambda: not store.stale_answers)
    await store.commit(action(2))
    await subscriber.wait_for_version(3)
    assert subscriber.errors == []


class TokenSubscriber(VersionSubscriber):
    """A subscriber with a token, which it was told to check again."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.has_rechecked = asyncio.Event()

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        del game, access
        self.has_rechecked.set()


async def test_a_notified_revocation_needs_no_sweep(store: UnreliableStore, redis_url: str) -> None:
    hub = Hub(store, TILESETS, 1000.0)
    hub.start()
    await hub.subscribe(subscriber := TokenSubscriber(1), "g", Revision(1, digest(1)))
    await wait_until(lambda: store._notifications.count_own_subscribers("g"))
    async with connect(redis_url) as other, asyncio.timeout(10):
        await other.commit(action(1, revokes_token=True))
        await subscriber.has_rechecked.wait()
    await wait_until(lambda: not hub._token_checks)
    await hub.aclose()


async def test_a_token_check_is_repeated_until_the_game_is_read_or_nobody_is_subscribed(
    hub: Hub, store: UnreliableStore
) -> None:
    await hub.subscribe(subscriber := TokenSubscriber(1), "g", Revision(1, digest(1)))
    store.failures = 2
    hub.recheck_tokens("g")
    async with asyncio.timeout(10):
        await subscriber.has_rechecked.wait()
    subscriber.has_rechecked.clear()
    store.failures = many = 1_000_000
    hub.recheck_tokens("g")
    await wait_until(lambda: store.failures < many)
    hub.unsubscribe(subscriber, "g")
    await wait_until(lambda: not hub._token_checks)
    assert not subscriber.has_rechecked.is_set()


async def test_a_sweep_finds_a_revocation_whose_notification_was_lost(hub: Hub, store: UnreliableStore) -> None:
    store.is_deaf = True
    before, after = TokenSubscriber(1), TokenSubscriber(2)
    await hub.subscribe(before, "g", Revision(1, digest(1)))
    hub.start()
    await store.commit(action(1, revokes_token=True))
    async with asyncio.timeout(10):
        await before.has_rechecked.wait()
    await before.wait_for_version(2)
    record = await load_record(store)
    await hub.subscribe(after, "g", Revision(2, digest(2)), record.last_revocation)
    assert not after.has_rechecked.is_set()
    await hub.subscribe(late := TokenSubscriber(2), "g", Revision(2, digest(2)))
    async with asyncio.timeout(10):
        await late.has_rechecked.wait()
