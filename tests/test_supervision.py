"""Late timers, tasks and processes that fail: all are logged, counted and restarted, and none is forgotten."""

import asyncio
import gc
import logging
import os
import re
import signal
import socket
import sys
import time
import weakref
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from multiprocessing import active_children
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest
from prometheus_client import REGISTRY

from schemas.lobby import SeatRequest
from service import supervision
from service.games.bots.registry import load_bots
from service.games.repository import Retention
from service.games.tilesets import load_catalogue
from service.main import assemble_app
from service.store.connection import InFlightLimits
from service.store.embedded import embedded_server
from service.store.pipeline import Wait
from service.supervision import (
    MAX_LATENESS_S,
    MAX_SLOWDOWN,
    Backoff,
    ProcessEnded,
    ProcessPool,
    RestartPolicy,
    SupervisedTask,
    Supervisor,
    _run_within,
    run,
    spawn,
)
from service.telemetry.clock import DAY_S
from service.web.app import CONTEXT, HUB
from service.web.images import KEPT_PICTURES
from tests.games.test_game_failures import due_game, is_moved
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import connect, sentinel
from tests.server_process import parse_settings
from tests.web.app_server import AppServer, Client, serve
from tests.web.http_game import check_problem, create_game
from tests.web.watcher_client import connect_watcher

SERVICE = Path(__file__).parents[1] / "service"

SUPERVISION = SERVICE / "supervision.py"


QUICK = RestartPolicy(Backoff(0.001, 0.01), max_failures=3, recovery_s=60.0)


def count_failures(task: str) -> float:
    """Return how many failures of a task were counted."""
    return REGISTRY.get_sample_value("south_seas_task_failures_total", {"task": task}) or 0


def failing_metric(task: str) -> float | None:
    """Return the metric of a failing task."""
    return REGISTRY.get_sample_value("south_seas_task_failing", {"task": task})


class Work:
    """Work whose runs end as scripted; the run after them lasts until it is cancelled."""

    def __init__(self, *outcomes: str) -> None:
        self.outcomes = list(outcomes)
        self.starts = 0
        self.steady = asyncio.Event()

    async def __call__(self) -> None:
        self.starts += 1
        match self.outcomes.pop(0) if self.outcomes else "last":
            case "fail":
                raise RuntimeError("it fails")
            case "end":
                return
            case "await a cancelled future":
                future = asyncio.get_running_loop().create_future()
                future.cancel()
                await future
            case _:
                self.steady.set()
                await asyncio.Event().wait()


def test_what_arrived_while_the_process_was_paused_is_read_before_a_timeout() -> None:
    """Even if it takes long to read all of it."""

    async def receive() -> bytes:
        loop, (near, far) = asyncio.get_running_loop(), socket.socketpair()

        def read_slowly(other: socket.socket) -> None:
            loop.remove_reader(other)
            time.sleep(2 * MAX_LATENESS_S)

        near.setblocking(False)
        with near, far, near.dup() as other:
            receiving = loop.create_task(loop.sock_recv(near, 7))
            loop.add_reader(other, read_slowly, other)
            await asyncio.sleep(0)
            async with asyncio.timeout(0.01):
                far.send(b"in time")
                time.sleep(2 * MAX_LATENESS_S)  # noqa: ASYNC251  nothing of this process goes on
                return await receiving

    assert run(receive()) == b"in time"


def test_a_late_timer_runs_once_unless_it_is_cancelled_meanwhile() -> None:
    """However late it is the second time, and in the order of the timers."""

    async def scenario() -> list[str]:
        loop, called, last = asyncio.get_running_loop(), list[str](), asyncio.Event()
        cancelled = loop.call_later(0.01, called.append, "cancelled")
        loop.call_later(0.01, called.append, "first")
        loop.call_later(0.01, last.set)
        time.sleep(2 * MAX_LATENESS_S)  # noqa: ASYNC251  as above
        loop.call_soon(time.sleep, 2 * MAX_LATENESS_S)
        await asyncio.sleep(0)
        assert not called
        cancelled.cancel()
        await last.wait()
        return called

    assert run(scenario()) == ["first"]


def test_what_polls_polls_again_after_a_pause_before_its_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "MAX_LATENESS_S", timeout_s := 2.0)  # longer than a busy machine pauses

    async def poll() -> None:
        async with asyncio.timeout(timeout_s):
            asyncio.get_running_loop().call_soon(time.sleep, 3 * timeout_s)
            await asyncio.sleep(0.01)
            await asyncio.sleep(0.01)

    run(poll())


def test_a_timer_that_is_little_late_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "MAX_LATENESS_S", 3600.0)

    async def scenario() -> None:
        waking = asyncio.create_task(asyncio.sleep(0.01))
        await asyncio.sleep(0)
        time.sleep(0.1)  # noqa: ASYNC251  as above
        async with asyncio.timeout(TIMEOUT_S):
            await waking

    run(scenario())


async def test_a_task_that_fails_or_ends_is_restarted_logged_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    outcomes = ("fail", "end", "await a cancelled future")
    work, before = Work(*outcomes), count_failures("a-task")
    async with Supervisor(QUICK).running("a-task", work) as task:
        await work.steady.wait()
        assert (work.starts, task.failures) == (len(outcomes) + 1, len(outcomes))
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == len(outcomes)
    assert all("a-task" in record.getMessage() for record in errors)
    assert "it fails" in str(errors[0].exc_info)
    assert count_failures("a-task") - before == len(outcomes)


async def test_backoff_delays_grow_and_have_jitter() -> None:
    backoff = Backoff(1.0, 8.0)
    delays = [[backoff.delay_s(failures) for _ in range(200)] for failures in (1, 2, 3, 4, 50)]
    for limit, sample in zip((1, 2, 4, 8, 8), delays, strict=True):
        assert limit / 2 <= min(sample) < max(sample) <= limit
        assert max(sample) - min(sample) > limit / 4


async def test_a_failing_task_is_named_until_it_has_run_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    supervisor, work = Supervisor(QUICK), Work(*["fail"] * QUICK.max_failures)
    loop = asyncio.get_running_loop()
    now = loop.time
    async with supervisor.running("a-task", work) as task:
        await work.steady.wait()
        assert supervisor.failing_task() == "a-task"
        assert failing_metric("a-task") == 1
        monkeypatch.setattr(loop, "time", lambda: now() + QUICK.recovery_s)
        assert supervisor.failing_task() is None
        assert not task.is_failing
        assert failing_metric("a-task") == 0
    assert not [*supervisor]


async def test_a_failing_task_that_is_not_required_has_a_metric_only() -> None:
    supervisor, work = Supervisor(QUICK), Work(*["fail"] * QUICK.max_failures)
    async with supervisor.running("a-task", work, required=False) as task:
        await work.steady.wait()
        assert task.is_failing
        assert supervisor.failing_task() is None
        async with supervisor.running("a-task", Work()):
            assert failing_metric("a-task") == 1, "of several of a name one is"
    assert failing_metric("a-task") == 0


async def test_occasional_failures_do_not_make_a_task_failing() -> None:
    policy = RestartPolicy(Backoff(0.001, 0.01), max_failures=2, recovery_s=0.0)
    work = Work(*["fail"] * 5)
    async with Supervisor(policy).running("a-task", work) as task:
        await work.steady.wait()
        assert task.failures == 1


async def test_a_task_that_other_code_cancels_is_failing() -> None:
    supervisor, work = Supervisor(QUICK), Work()
    async with supervisor.running("a-task", work) as task:
        await work.steady.wait()
        (inner,) = [one for one in asyncio.all_tasks() if one.get_name() == "a-task"]
        inner.cancel()
        await asyncio.wait([inner])
        assert task.is_failing
        assert supervisor.failing_task() == "a-task"


async def test_a_task_that_swallows_cancellations_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.supervision.CANCEL_INTERVAL_S", 0.01)
    swallowed = 0

    async def work() -> None:
        nonlocal swallowed
        while swallowed < 3:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                swallowed += 1
        await asyncio.Event().wait()

    async with asyncio.timeout(TIMEOUT_S), Supervisor().running("a-task", work):
        await asyncio.sleep(0)
    assert swallowed == 3


async def test_a_task_is_stopped_during_its_backoff() -> None:
    work = Work("fail")
    async with asyncio.timeout(TIMEOUT_S), Supervisor(RestartPolicy(Backoff(60, 60))).running("a-task", work) as task:
        await wait_until(lambda: task.failures)
    assert work.starts == 1


async def test_unexpected_failures_of_spawned_tasks_are_logged_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    before = count_failures("a-task")
    expected = spawn("a-task", Work("fail")(), expected=(RuntimeError,))
    unexpected = spawn("a-task", Work("fail")(), expected=(KeyError,))
    await asyncio.wait([expected, unexpected])
    await asyncio.sleep(0)
    assert count_failures("a-task") - before == 1
    assert [record.getMessage() for record in caplog.records] == ["the background task a-task has failed"]


async def test_a_spawned_task_without_other_references_is_collected_after_its_end() -> None:
    futures: list[weakref.ref[asyncio.Future[None]]] = []

    async def work() -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        futures.append(weakref.ref(future))
        await future

    task = weakref.ref(spawn("a-task", work()))
    await asyncio.sleep(0)
    gc.collect()
    future, running = futures[0](), task()
    assert future is not None
    assert running is not None
    future.set_result(None)
    await running
    await asyncio.sleep(0)
    del future, running
    gc.collect()
    assert task() is None


def test_the_service_starts_no_bare_tasks() -> None:
    """Use `Supervisor.start` or `spawn` of service.supervision instead, or the `tasks` of an `asyncio.TaskGroup`."""
    texts = {file: file.read_text(encoding="utf-8") for file in SERVICE.rglob("*.py") if file != SUPERVISION}
    assert len(texts) > 100
    bare = re.compile(r"(?<!\btasks\.)\b(create_task|ensure_future)\b")
    assert [str(file) for file, text in texts.items() if bare.search(text)] == []


POLICY = RestartPolicy(Backoff(0.01, 0.05), max_failures=3, recovery_s=60.0)

REQUIRED = (
    "connection-timeouts",
    "pubsub",
    "pubsub-connection",
    "realtime-notifications",
    "realtime-sweep",
    "redis-restart",
    "scheduler",
    "webhooks",
)
"""Without one of these tasks, an instance would not serve clients correctly."""

NOT_REQUIRED = ("archive", "event-loop-lag", "index-repair", "monitor", "redis-health")
"""If one of these tasks fails, an alert is enough: other instances do the work, or no client waits for it."""

TILESETS, BOTS = load_catalogue(None), load_bots(plugins=False)


class Instance(NamedTuple):
    """An instance as `south-seas serve` assembles it, with a client."""

    client: Client
    supervisor: Supervisor
    redis_url: str

    async def task(self, name: str) -> SupervisedTask:
        """Return a task once its work awaits a future."""

        def waiting() -> list[SupervisedTask]:
            return [task for task in self.supervisor if task.name == name and awaited_future(task)]

        await wait_until(waiting)
        return waiting()[0]

    async def fail(self, name: str, times: int) -> SupervisedTask:
        """Make a task fail `times` in a row."""
        task = await self.task(name)
        for number in range(times):
            task = await self.task(name)
            before = task.failures
            async with asyncio.timeout(TIMEOUT_S):
                while task.failures == before:
                    if (future := awaited_future(task)) is not None:  # a library may handle one as a lost connection
                        future.set_exception(RuntimeError(f"failure {number}"))
                    await asyncio.sleep(0)
        return task


def awaited_future(task: SupervisedTask) -> "asyncio.Future[Any] | None":
    """Return the future that the task's work awaits; None if it is not running."""
    if task._started_at is None:
        return None
    inner: asyncio.Task[Any] = task._task
    while True:
        awaited = getattr(inner, "_fut_waiter", None)
        if not isinstance(awaited, asyncio.Task):
            return None if awaited is None or awaited.done() else awaited
        inner = awaited


@asynccontextmanager
async def start_instance(tmp_path: Path, redis_url: str | None = None, *flags: str) -> AsyncIterator[Instance]:
    """Start an instance with an embedded Redis, or with the one at this URL."""
    supervisor, directory = Supervisor(POLICY), None
    async with AsyncExitStack() as stack:
        if redis_url is None:
            embedded = embedded_server(tmp_path, on_stopped=lambda: None, supervisor=supervisor)
            server = await stack.enter_async_context(embedded)
            redis_url, directory = server.url, server.directory
        settings = parse_settings(
            *("--archive-url", f"file://{tmp_path}/archive", "--metrics-port", "0", *flags),
            environment={"SOUTH_SEAS_DATA_DIR": str(tmp_path)},
        )
        app = await stack.enter_async_context(assemble_app(settings, TILESETS, BOTS, redis_url, supervisor, directory))
        yield Instance(await stack.enter_async_context(Client(AppServer(app))), supervisor, redis_url)


async def test_an_instance_has_exactly_these_tasks_and_gives_its_parts_their_settings(tmp_path: Path) -> None:
    """Its connections get commits without waiting for a notification of Redis, which may be lost."""
    flags = (
        *("--redis-url=redis://x", "--redis-wait-replicas=1", "--redis-wait-ms=2", "--redis-timeout-s=7"),
        *("--max-redis-commands-in-flight=200", "--max-redis-bytes-in-flight=2000000", "--redis-connections=3"),
        *("--waiting-retention-days=2", "--active-retention-days=3", "--finished-retention-days=1"),
    )
    async with start_instance(tmp_path, None, *flags, "--archived-log-hours=2", "--bot-processes=2") as instance:
        context, hub = instance.client.app[CONTEXT], instance.client.app[HUB]
        assert (context.on_committed, hub.invalidate_cache) == (hub.publish_commit, context.cache.evict_older)
        work: Any = (await instance.task("archive"))._work
        repair: Any = (await instance.task("index-repair"))._work
        retention = Retention(2 * DAY_S, 3 * DAY_S, DAY_S, until_archived=True)
        assert context.retention == repair.__self__.retention == retention
        archiver, pool = work.__self__.work.__self__, context.bots.process_pool
        assert (archiver.log_ttl_s, archiver.ended_ttl_s, pool and pool._processes) == (7200, DAY_S, 2)
        assert archiver.store.compacted_logs.archive is archiver.storage is not None
        assert archiver.store.health.directory == tmp_path / "redis"
        assert instance.client.app[KEPT_PICTURES] == tmp_path / "pictures"
        redis, limits = archiver.store.client, InFlightLimits(200, 2_000_000)
        assert (redis.timeout_s, redis.connections, redis.wait, redis.in_flight.limits) == (7, 3, Wait(1, 2), limits)
        await wait_until(lambda: {task.name for task in instance.supervisor} == {*REQUIRED, *NOT_REQUIRED})
        assert {task.name for task in instance.supervisor if task.required} == {*REQUIRED}
        assert (await instance.client.get("/readyz")).status == 200
    assert not [*instance.supervisor]


async def fail_until_failing(instance: Instance, name: str) -> SupervisedTask:
    """Make a task fail once, check that it is restarted, and then make it fail until it counts as failing."""
    failed = await instance.fail(name, 1)
    assert await instance.task(name) is failed
    assert not failed.is_failing
    assert (await instance.client.get("/readyz")).status == 200
    task = await instance.fail(name, POLICY.max_failures - 1)
    assert task.is_failing
    return task


@pytest.mark.parametrize("name", REQUIRED)
async def test_an_instance_with_a_failing_required_task_is_not_ready_and_names_it(tmp_path: Path, name: str) -> None:
    async with start_instance(tmp_path) as instance:
        task = await fail_until_failing(instance, name)
        problem = await check_problem(await instance.client.get("/readyz"), 503, "instance_unavailable")
        assert name in problem["detail"]
        assert (await instance.client.get("/livez")).status == 200
        task._policy = task._policy._replace(recovery_s=0.0)  # as if it had run long enough since
        await instance.task(name)
        assert (await instance.client.get("/readyz")).status == 200


@pytest.mark.parametrize("name", NOT_REQUIRED)
async def test_an_instance_stays_ready_while_another_task_is_failing(tmp_path: Path, name: str) -> None:
    async with start_instance(tmp_path) as instance:
        await fail_until_failing(instance, name)
        assert (await instance.client.get("/readyz")).status == 200


async def test_after_a_failure_of_the_scheduler_bots_move(tmp_path: Path) -> None:
    async with start_instance(tmp_path) as instance, connect(instance.redis_url) as store:
        await instance.fail("scheduler", 2)
        game = await due_game(store, SeatRequest(bot="random"), SeatRequest(bot="random"))
        await wait_until(lambda: is_moved(store, game))


@pytest.mark.parametrize("name", ("pubsub", "pubsub-connection", "realtime-notifications", "realtime-sweep"))
async def test_after_a_failure_watchers_get_diffs_of_another_instance(tmp_path: Path, name: str) -> None:
    async with start_instance(tmp_path) as instance, connect(instance.redis_url) as store, serve(store) as other:
        game = await create_game(other)
        async with connect_watcher(instance.client, f"{game.path}/ws") as watcher:
            for tag in ("subscribed", "snapshot"):
                await watcher.receive(tag)
            await instance.fail(name, 2)
            for _ in range(3):
                await game.act_successfully()
                await watcher.receive("diff")


async def test_the_sentinel_watch_is_restarted_after_failures(tmp_path: Path) -> None:
    async with (
        sentinel(tmp_path, replicas=1, sentinels=1) as deployment,
        start_instance(tmp_path, deployment.url) as instance,
    ):
        await instance.fail("sentinel-watch", POLICY.max_failures)
        problem = await check_problem(await instance.client.get("/readyz"), 503, "instance_unavailable")
        assert "sentinel-watch" in problem["detail"]
        await instance.task("sentinel-watch")


@pytest.fixture
async def pool() -> AsyncIterator[ProcessPool]:
    created = ProcessPool()
    yield created
    await created.aclose()


def end_process(path: Path) -> int:
    """Note an attempt, and end the process at the first one."""
    with path.open("a") as file:
        file.write("x")
    if (attempts := len(path.read_text())) == 1:
        os._exit(1)
    return attempts


def always_end_process(path: Path) -> NoReturn:
    """Note an attempt, and end the process."""
    with path.open("a") as file:
        file.write("x")
    os._exit(1)


async def test_a_job_whose_process_ends_is_tried_again(pool: ProcessPool, tmp_path: Path) -> None:
    assert await pool.run(end_process, tmp_path / "attempts", TIMEOUT_S) == 2


async def test_a_job_that_ends_every_process_is_tried_twice(pool: ProcessPool, tmp_path: Path) -> None:
    with pytest.raises(ProcessEnded, match="ended its process"):
        await pool.run(always_end_process, tmp_path / "attempts", TIMEOUT_S)
    assert (tmp_path / "attempts").read_text() == "xx"
    assert await pool.run(abs, -1, TIMEOUT_S) == 1


async def test_a_job_that_takes_too_long_ends_its_process_and_is_not_tried_again(pool: ProcessPool) -> None:
    assert await pool.run(abs, -1, TIMEOUT_S) == 1
    with pytest.raises(ProcessEnded, match=r"took more than 0\.5 s"):
        await pool.run(time.sleep, 10 * TIMEOUT_S, 0.5)
    assert await pool.run(abs, -1, TIMEOUT_S) == 1


async def test_a_process_that_ends_late_by_itself_has_not_taken_too_long(
    pool: ProcessPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "monotonic", count(0, 2 * TIMEOUT_S).__next__)
    assert await pool.run(end_process, tmp_path / "attempts", TIMEOUT_S) == 2


async def test_a_process_that_cannot_be_started_is_said(pool: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr("multiprocessing.util.spawnv_passfds", fail)
    with pytest.raises(ProcessEnded, match="cannot be started: no more processes"):
        await pool.run(abs, -1, TIMEOUT_S)
    monkeypatch.undo()
    assert await pool.run(abs, -1, TIMEOUT_S) == 1


KILLED = """
import asyncio, os, signal
from service.supervision import ProcessPool
asyncio.run(ProcessPool().run(abs, -1, 60))
os.kill(os.getpid(), signal.SIGKILL)
"""


async def test_a_process_ends_with_the_service_and_not_before_it(pool: ProcessPool) -> None:
    """Ctrl-C reaches all processes of a terminal; of a service that is killed, none has the output open any more."""
    await pool.run(signal.raise_signal, signal.SIGINT, TIMEOUT_S)
    service = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(TIMEOUT_S):
        await service.communicate()
    assert service.returncode == -signal.SIGKILL


def stop_process(_: None) -> str:
    """Stop this process, as the whole service is when its machine sleeps, until a signal continues it."""
    os.kill(os.getpid(), signal.SIGSTOP)
    return "continued"


async def test_a_pause_counts_once_however_long(pool: ProcessPool) -> None:
    before = {*active_children()}
    job = asyncio.create_task(pool.run(stop_process, None, TIMEOUT_S))
    await wait_until(lambda: {*active_children()} - before)
    (process_id,) = {process.pid or 0 for process in {*active_children()} - before}
    await wait_until(lambda: os.waitid(os.P_PID, process_id, os.WSTOPPED | os.WNOHANG | os.WNOWAIT))
    for number in [signal.SIGALRM] * MAX_SLOWDOWN + [signal.SIGCONT]:
        os.kill(process_id, number)
    assert await job == "continued"


def pass_limits(count: int) -> int:
    """Let so many limits of time pass, one after the other."""
    for _ in range(count):
        signal.raise_signal(signal.SIGALRM)
    return count


async def test_a_job_may_take_several_limits_by_the_clock(pool: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await pool.run(pass_limits, MAX_SLOWDOWN - 1, TIMEOUT_S) == MAX_SLOWDOWN - 1
    monkeypatch.setattr(supervision, "monotonic", count(0, TIMEOUT_S).__next__)
    with pytest.raises(ProcessEnded, match=f"took more than {TIMEOUT_S:.0f} s") as by_clock:
        await pool.run(pass_limits, MAX_SLOWDOWN, TIMEOUT_S)
    with pytest.raises(ProcessEnded) as by_processor:
        await pool.run(signal.raise_signal, signal.SIGPROF, TIMEOUT_S)
    assert [ended.value.processor_s for ended in (by_clock, by_processor)] == [0, TIMEOUT_S]


def read_timers(_: None) -> list[tuple[float, float]]:
    """Return how long each timer of this process still runs, and its interval."""
    return [signal.getitimer(timer) for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL)]


def run_within(limit_s: float) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the timers during a job and after it."""
    return _run_within(limit_s, read_timers, None), read_timers(None)


async def test_no_timer_outlasts_its_job(pool: ProcessPool) -> None:
    """It would end the process during another one."""
    during, after = await pool.run(run_within, TIMEOUT_S, TIMEOUT_S)
    assert [(left_s > 0, interval_s) for left_s, interval_s in during] == [(True, 0), (True, TIMEOUT_S)]
    assert after == [(0, 0)] * 2
