"""The exported metrics: complete from the start, and right for deliveries, bots, webhooks, clocks and Redis."""

import asyncio
import math
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import AsyncMock
from urllib.parse import urlsplit

import aiohttp
import msgspec
import pytest
from aiohttp import web
from redis.asyncio import Redis

from service.fair_queue import CLASS_LABELS, Requester
from service.games import hub as hub_module
from service.games.bots.registry import BotProcessPool, BotRegistry, load_bots
from service.games.channel import BATCH_SIZE
from service.games.hub import Hub
from service.games.ports import Revision, StoreUnavailable
from service.games.repository import GameCache
from service.games.tilesets import load_catalogue
from service.store import health, keys
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore
from service.store.log_entries import pack_revision
from service.telemetry import clock
from service.telemetry.clock import ClockOffset
from service.telemetry.metrics import PICTURE_DURATION, TIMEOUTS
from service.web.server import StartFailed, serve_metrics
from tests.games.bots.fake_bots import load_fake_bot
from tests.games.game_fixture import TABLES, new_game
from tests.games.realtime.subscribers import SnapshotSubscriber, UnreliableStore, VersionSubscriber
from tests.polling import TIMEOUT_S, in_background, wait_until
from tests.redis_servers import connect
from tests.server_process import start_server
from tests.store.commits import action, creation, digest
from tests.telemetry.metric_samples import OPENMETRICS, grown, metrics_url, read_samples, scrape, sum_samples
from tests.telemetry.observed_instances import promtool
from tests.web.http_game import create_game
from tests.web.webhook_receiver import make_owner, register_webhook, run_instance, run_receiver

REFERENCE = Path(__file__).with_name("fresh_metrics.txt")


@pytest.fixture(scope="module")
def fresh() -> bytes:
    """Return the metrics of a process to which nothing has happened."""
    command = (sys.executable, "-m", "tests.telemetry.fresh_metrics")
    return subprocess.run(command, capture_output=True, check=True).stdout


def test_an_observation_at_a_bound_is_in_its_bucket() -> None:
    before = read_samples()
    for _ in range(2):
        PICTURE_DURATION.observe(0.1)
    assert [grown(before, "picture_drawing_seconds_bucket", le=le) for le in ("0.05", "0.1")] == [0, 2]
    assert round(grown(before, "picture_drawing_seconds_sum"), 6) == 0.2


def test_names_labels_and_buckets_are_as_they_were_and_counters_start_at_0(fresh: bytes) -> None:
    assert fresh.decode() == REFERENCE.read_text(), "if it should differ, see tests/telemetry/fresh_metrics.py"


def test_promtool_accepts_the_metrics(fresh: bytes) -> None:
    assert promtool("check", "metrics", given=fresh) == ""


@pytest.mark.parametrize("accept", (OPENMETRICS, "text/plain;version=0.0.4"))
async def test_metrics_have_the_requested_format(accept: str) -> None:
    TIMEOUTS.labels("pass").inc()
    async with serve_metrics("127.0.0.1", 0) as url:
        assert url is not None
        values = await scrape(url, accept)
    own = read_samples()
    for name in ("timeouts_total", "http_request_duration_seconds_count"):
        assert sum_samples(values, name) == sum_samples(own, name)
    assert sum_samples(values, "timeouts_total", policy="pass") > 0
    assert ("process_cpu_seconds_total", frozenset()) in values


async def test_gauges_are_those_of_the_instance(tmp_path: Path, redis_url: str) -> None:
    flags = ("--metrics-host", "127.0.0.2", "--metrics-port", "0", "--drain-time-s", "0", "--webhooks-allow-private")
    read = asyncio.Event()

    async def respond_once_read(_: web.Request) -> web.Response:
        await read.wait()
        return web.Response()

    async with (
        run_receiver() as receiver,
        start_server(tmp_path, redis_url, *flags) as instance,
        aiohttp.ClientSession(instance.url) as session,
    ):
        url = await metrics_url(instance)
        assert urlsplit(url).hostname == "127.0.0.2"
        game = await create_game(session)
        path, values = game.path, await scrape(url)
        receiver.respond = respond_once_read
        await register_webhook(game, receiver.url)
        await game.act_successfully()
        await create_game(session, [{"bot": "expert"}, {"bot": "expert"}])
        async with session.get(f"{path}/board.svg") as picture, session.ws_connect(f"{path}/ws") as socket:
            size = len(await picture.read())
            for _ in range(3):
                await socket.receive()

            async def are_all_up() -> bool:
                nonlocal values
                values = await scrape(url)
                gauges = ("redis_notifications_up", "bot_processes", "webhooks_in_progress")
                return all(sum_samples(values, gauge) for gauge in gauges)

            await wait_until(are_all_up)
        read.set()
    assert sum_samples(values, "connections_open", kind="socket") == sum_samples(values, "connections_open") == 1
    up = ("bot_processes", "redis_up", "redis_notifications_up", "webhooks_in_progress")
    for gauge in ("games_watched", "subscriptions", *up):
        assert sum_samples(values, gauge) == 1, gauge
    assert sum_samples(values, "event_loop_lag_seconds_count") > 0
    assert sum_samples(values, "game_cache_size") == 2
    assert sum_samples(values, "build_info", python=platform.python_version(), redis="standalone") == 1
    assert sum_samples(values, "picture_cache_bytes") == size
    assert sum_samples(values, "task_failing", task="scheduler") == sum_samples(values, "http_requests_in_flight") == 0


async def test_metrics_are_served_only_with_a_port_at_its_host_and_until_shutdown() -> None:
    async with serve_metrics("127.0.0.1", None) as nowhere:
        assert nowhere is None
    async with aiohttp.ClientSession() as session:
        async with serve_metrics("127.0.0.1", 0) as url:
            assert url is not None
            with pytest.raises(aiohttp.ClientConnectorError):
                await session.get(url.replace("127.0.0.1", "127.0.0.2"))
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get(url)


async def test_a_port_in_use_is_a_start_failure() -> None:
    async with serve_metrics("127.0.0.1", 0) as url:
        port = urlsplit(url).port
        with pytest.raises(StartFailed, match=f"cannot listen on 127.0.0.1:{port}: "):
            async with serve_metrics("127.0.0.1", port):
                pass


TILESETS = load_catalogue(None)


@pytest.fixture
async def hub(store: RedisStore) -> AsyncIterator[Hub]:
    deaf = UnreliableStore(store.client)
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
    await wait_until(lambda: store.change_notifications.count_own_subscribers("g") == 1)
    now = clock.now
    monkeypatch.setattr(hub_module, "clock", SimpleNamespace(now=lambda: now() + 60))
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
    table.context = msgspec.structs.replace(table.context, on_committed=lambda _change: True)
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
    for name, failures in (("greedy", 0), ("raising", 1), ("missing", 1)):
        assert grown(before, "bot_thinking_seconds_count", bot=name) == 1
        assert grown(before, "bot_failures_total", bot=name) == failures


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
        owner, before = await make_owner("game", one, receiver, store), read_samples()
        await owner.register()
        receiver.statuses = [500]
        await owner.act(owner.game)
        assert grown(before, "webhook_challenges_total", result="answered") == 1
        assert grown(before, "webhook_attempts_total", result="status") == 1
        await owner.register()
        await owner.act(owner.game)
        assert grown(before, "webhook_attempts_total", result="delivered") == 1
        assert grown(before, "webhook_delay_seconds_count") == 1
        receiver.statuses = [410]
        await owner.act(owner.game)
        assert grown(before, "webhooks_disabled_total", reason="gone") == 1


async def test_the_clock_offset_is_measured_against_redis(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    true = await store.monitor.measure_clock_offset()
    assert abs(true.ahead_s) < 0.5
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() - 100)
    wrong = await store.monitor.measure_clock_offset()
    assert abs(wrong.ahead_s - 100 - true.ahead_s) <= wrong.error_s + true.error_s + 0.01


async def test_the_sample_of_the_shortest_round_trip_counts(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [ClockOffset(1.0, 0.3), ClockOffset(2.0, 0.1), ClockOffset(-1.0, 0.2), *[ClockOffset(0.0, 0.4)] * 2]
    monkeypatch.setattr(store.monitor, "_sample_clock_offset", AsyncMock(side_effect=samples))
    assert await store.monitor.measure_clock_offset() == samples[1]


async def test_a_jump_of_the_local_clock_changes_nothing(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_offset", clock._offset)
    now = time.time
    for off_s in (-3600, 3600):
        monkeypatch.setattr(time, "time", lambda off_s=off_s: now() + off_s)
        clock.set_offset(await store.monitor.measure_clock_offset())
        assert abs(clock.now() - now()) < 0.5
        monkeypatch.setattr(time, "time", now)
        assert abs(clock.now() - now()) < 0.5


def test_a_step_of_redis_clock_counts_once_it_has_lasted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_offset", ClockOffset(0.0, math.inf))
    monkeypatch.setattr(clock, "_step_began_at", math.inf)
    measured = ((0, 500, 500), (10, 7200, 500), (20, 501, 501), (30, 7200, 501), (89, 7200, 501), (90, 7200, 7200))
    stood_still, was_set = (92, 7200, 10_800, 3600.0), (93, 3600, 10_800, 7200.0)  # for an hour; by an hour
    for second, ahead_s, shown_s, *epoch_s in (*measured, (91, 7200, 7200), stood_still, was_set):
        monkeypatch.setattr(time, "monotonic", lambda second=second: float(second))
        clock.set_offset(ClockOffset(ahead_s, 0.1, *(epoch_s or [0.0])))
        assert clock.now() == second + shown_s


def level(store: RedisStore, name: str) -> float:
    store.monitor.register_gauges()
    return sum_samples(read_samples(), name)


async def test_commands_are_timed_and_errors_counted_by_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with AsyncExitStack() as stack, AsyncExitStack() as first:
        server = await first.enter_async_context(embedded_server(Path("d")))
        store = await stack.enter_async_context(connect(server.url))
        before = read_samples()
        await store.commit(creation())
        await store.load("g")
        await asyncio.gather(*(store.load("g") for _ in range(10)))
        assert grown(before, "redis_command_duration_seconds_count", command="HMGET") == 11
        assert grown(before, "redis_command_duration_seconds_count", command="EVAL") >= 1
        await store.commit(action(1))
        assert grown(before, "redis_command_duration_seconds_count", command="commit.lua") == 1
        assert (level(store, "redis_up"), grown(before, "redis_errors_total")) == (1, 0)

        store.client.timeout_s = 0.9
        os.kill(server.pid, signal.SIGSTOP)
        with pytest.raises(StoreUnavailable):
            await store.load("g")
        os.kill(server.pid, signal.SIGCONT)
        store.client.timeout_s = TIMEOUT_S
        assert (grown(before, "redis_errors_total", kind="timeout"), grown(before, "redis_errors_total")) == (1, 1)

        os.kill(server.pid, signal.SIGKILL)
        async with asyncio.timeout(TIMEOUT_S):
            while level(store, "redis_up"):
                with pytest.raises(StoreUnavailable):
                    await store.ping()
        assert grown(before, "redis_errors_total", kind="connection") > 0
        await first.aclose()
        async with embedded_server(Path("d")):
            await store.ping()
            assert level(store, "redis_up") == 1


async def test_a_command_whose_connection_closes_is_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with embedded_server(Path("d")) as server, connect(server.url) as store:
        await store.ping()
        before = read_samples()
        topology = store.client.topology
        async with aclosing(Redis.from_url(server.url)) as operator:
            await operator.client_pause(10_000, all=False)
            waiting = store.client.execute("SET", keys.PROBE, "", "EX", 60)

            async def is_paused() -> bool:
                return any("b" in client["flags"] for client in await operator.client_list())

            await wait_until(is_paused)
            assert (level(store, "redis_commands_in_flight"), level(store, "redis_in_flight_bytes")) == (1, 5 * 40)
            await topology.client_for(*topology.primaries()).connection_pool.disconnect()
            await operator.client_unpause()
        await waiting
        assert (level(store, "redis_commands_in_flight"), level(store, "redis_in_flight_bytes")) == (0, 0)
        assert (grown(before, "redis_retries_total"), grown(before, "redis_errors_total")) == (1, 0)


async def test_the_monitor_follows_the_clock_of_redis_and_measures_how_late_work_is(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    measurements = [ClockOffset(3600.0, 0.25)]

    async def measure() -> ClockOffset:
        if not measurements:
            raise StoreUnavailable("no reply")
        return measurements[0]

    monkeypatch.setattr(clock, "_offset", ClockOffset(0.0, math.inf))  # not measured: else a step has to last
    monkeypatch.setattr(health, "MEASURE_INTERVAL_S", 0)
    monkeypatch.setattr(health, "RETRY_DELAY_S", 0)
    monkeypatch.setattr(store.monitor, "measure_clock_offset", measure)
    began_at = int(time.time())
    await store.commit(creation(due_at=began_at + 3600 - 100))
    async with in_background(store.monitor.run()):
        await wait_until(lambda: sum_samples(read_samples(), "overdue_seconds", work="games"))
        assert 99 <= sum_samples(read_samples(), "overdue_seconds") < 1800
        assert read_samples()["south_seas_overdue_seconds", frozenset({("work", "webhooks")})] == 0
        assert sum_samples(read_samples(), "redis_clock_error_seconds") == 0.25
        assert clock.now() >= began_at + 3600
        await wait_until(lambda: abs(sum_samples(read_samples(), "backup_time_seconds") - clock.now()) < 60)
        await store.transfer.record_backup(3, 0)
        await wait_until(lambda: sum_samples(read_samples(), "backup_missing_games") == 3)
        assert began_at - 1 <= sum_samples(read_samples(), "backup_time_seconds") < began_at + 1800
        measurements.clear()
        await wait_until(lambda: not [name for name, _ in read_samples() if name == "south_seas_overdue_seconds"])
        assert sum_samples(read_samples(), "redis_clock_offset_seconds") == 3600
