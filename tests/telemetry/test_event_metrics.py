"""Metrics of events beside requests: deliveries, deadlines, bots, webhooks, limits."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from types import SimpleNamespace

import msgspec
import pytest
from redis.asyncio import Redis

from service.fair_queue import CLASS_LABELS, Requester
from service.games import channel
from service.games.bots.registry import BotProcessPool, BotRegistry, load_bots
from service.games.channel import BATCH_SIZE
from service.games.context import GameCache
from service.games.hub import Hub
from service.games.ports import Revision
from service.games.tilesets import load_catalogue
from service.store.game_store import RedisStore, connect
from service.store.log_entries import pack_revision
from service.telemetry import clock
from tests.games.bots.fake_bots import load_fake_bot
from tests.games.game_fixture import TABLES, new_game
from tests.games.realtime.subscribers import SnapshotSubscriber, UnreliableStore, VersionSubscriber
from tests.polling import wait_until
from tests.security.limited_client import make_limits, request_game
from tests.store.commits import action, creation, digest
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import serve
from tests.web.http_game import create_game
from tests.web.webhook_receiver import register_webhook, run_instance, run_receiver

TILESETS = load_catalogue(None)


@pytest.fixture
async def hub(store: RedisStore) -> AsyncIterator[Hub]:
    deaf = UnreliableStore(store._client)
    deaf.is_deaf = True
    result = Hub(deaf, TILESETS, sweep_interval_s=0.05)
    result.start()
    yield result
    await result.aclose()


async def test_the_delivery_lag_is_measured_by_the_shared_clock(
    store: RedisStore, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what a notification brings: what is read from the log may be old."""
    hub, before = Hub(store, TILESETS), read_samples()
    hub.start()
    await store.commit(creation())
    await hub.subscribe(SnapshotSubscriber(), "g", Revision(1, digest(1)))
    await wait_until(lambda: store._notifications.count_own_subscribers("g") == 1)
    now = clock.now
    monkeypatch.setattr(channel, "clock", SimpleNamespace(now=lambda: now() + 60))
    async with connect(redis_url) as other:
        await other.commit(action(1))
    await wait_until(lambda: grown(before, "delivery_lag_seconds_count", origin="remote") == 1)
    assert 59 < grown(before, "delivery_lag_seconds_sum", origin="remote") < 90
    await hub.aclose()


async def test_deliveries_are_counted_and_missed_notifications_too(hub: Hub, store: RedisStore) -> None:
    before = read_samples()
    await store.commit(creation())
    await hub.subscribe(SnapshotSubscriber(), "g", Revision(1, digest(1)))

    def delivered(number: int) -> bool:
        return grown(before, "deliveries_total") >= number

    for version in (1, 2, 3):
        await store.commit(action(version))
        await wait_until(partial(delivered, version))
    assert grown(before, "deliveries_total") == 3
    assert grown(before, "broadcast_duration_seconds_count") == 0
    assert grown(before, "missed_notifications_total") >= 2


async def test_a_commit_that_was_published_at_once_is_measured_as_local(store: RedisStore) -> None:
    table = await new_game(store)
    table.context = msgspec.structs.replace(table.context, on_committed=lambda _game, _diffs: True)
    before = read_samples()
    await table.act()
    assert grown(before, "delivery_lag_seconds_count", origin="local") == 1


async def test_a_broadcast_of_several_ticks_is_timed(hub: Hub, store: RedisStore) -> None:
    await store.commit(creation())
    watchers, before = [VersionSubscriber() for _ in range(BATCH_SIZE + 1)], read_samples()
    for watcher in watchers:
        await hub.subscribe(watcher, "g", Revision(1, digest(1)))
    await store.commit(action(1))
    await asyncio.gather(*(watcher.wait_for_version(2) for watcher in watchers))
    assert grown(before, "deliveries_total") == len(watchers)
    assert grown(before, "broadcast_duration_seconds_count") == 1


async def test_a_replaced_history_is_counted(hub: Hub, store: RedisStore, redis: Redis) -> None:
    game = await (await new_game(store)).game()
    watcher, before = SnapshotSubscriber(), read_samples()
    await hub.subscribe(watcher, game.id, Revision(game.version, game.digest))
    await redis.hset(f"south-seas:{{{game.id}}}:game", "revision", pack_revision(Revision(game.version, digest(9))))
    await wait_until(lambda: watcher.snapshots)
    assert grown(before, "histories_replaced_total") == 1


def test_a_cache_miss_is_counted() -> None:
    before = read_samples()
    assert GameCache().pop("g") is None
    assert grown(before, "game_cache_misses_total") == 1


async def test_timeouts_are_counted_by_policy(store: RedisStore) -> None:
    for policy in ("pass", "bot", "resign"):
        game, before = await new_game(store, timeout_s=60, policy=policy), read_samples()
        await game.let_pass(62)
        assert grown(before, "timeouts_total", policy=policy) == grown(before, "timeouts_total") == 1
        changes = (await game.game()).version - 1
        by_clock, by_bot = (grown(before, "actions_total", by=by) for by in ("clock", "bot"))
        assert (by_clock, by_clock + by_bot) == (changes if policy == "pass" else 1, changes)


async def test_the_moves_of_bots_are_counted(store: RedisStore) -> None:
    before = read_samples()
    game = await (await new_game(store, 0, ["random", "random"])).game()
    assert grown(before, "actions_total", by="bot") == grown(before, "actions_total") == game.version - 1 > 100


async def test_bots_are_timed_and_their_failures_are_counted(store: RedisStore) -> None:
    game = await (await new_game(store)).game()
    bots, before = BotRegistry([*load_bots(plugins=False), load_fake_bot("raising")]), read_samples()
    for name in ("greedy", "raising", "gone"):
        assert await bots.choose(name, TABLES, game, None) is not None
    assert [grown(before, "bot_thinking_seconds_count", bot=name) for name in ("greedy", "raising", "missing")] == [
        1
    ] * 3
    assert [grown(before, "bot_failures_total", bot=name) for name in ("greedy", "raising", "missing")] == [0, 1, 1]


async def test_the_wait_of_bots_is_timed_by_class_and_late_decisions_are_counted(store: RedisStore) -> None:
    game, pool = await (await new_game(store)).game(), BotProcessPool(1)
    bots, before = BotRegistry(load_bots(plugins=False), pool), read_samples()
    assert pool.running_processes == 0
    for requester in (Requester(attended=False), Requester(), Requester()):
        assert await bots.choose("random", TABLES, game, None, requester) is not None
    assert [grown(before, "bot_queue_wait_seconds_count", **{"class": one}) for one in CLASS_LABELS] == [1, 2]
    assert await bots.choose("expert", TABLES, game, 0.0) is None
    assert grown(before, "bot_late_decisions_total") == grown(before, "bot_late_decisions_total", bot="expert") == 1
    assert pool.running_processes == 1
    await pool.aclose()
    assert pool.running_processes == 0


async def test_webhooks_are_counted_by_result(store: RedisStore) -> None:
    async with run_receiver() as receiver, run_instance(store) as one:
        game, before = await create_game(one.client, first_seat=0), read_samples()
        await register_webhook(game, receiver.url)
        receiver.statuses = [500]
        await game.act_successfully()
        await one.dispatcher.join()
        assert grown(before, "webhook_challenges_total", result="answered") == 1
        assert grown(before, "webhook_attempts_total", result="status") == 1
        await register_webhook(game, receiver.url)
        await game.act_successfully()
        await one.dispatcher.join()
        assert grown(before, "webhook_attempts_total", result="delivered") == 1
        assert grown(before, "webhook_delay_seconds_count") == 1
        receiver.statuses = [410]
        await game.act_successfully()
        await one.dispatcher.join()
        assert grown(before, "webhooks_disabled_total", reason="gone") == 1


async def test_rejections_are_counted_by_the_name_of_the_limit(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_creations=20)) as client:
        before = read_samples()
        rejected = [answer for answer in [await request_game(client) for _ in range(30)] if answer.status == 429]
        assert rejected
        assert grown(before, "rate_limited_total", policy="creations") == len(rejected)
        assert grown(before, "problems_total", code="rate_limited", via="http") == len(rejected)
