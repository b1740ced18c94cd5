"""Background tasks: failures are logged, counted and restarted, and every task of the service is supervised."""

import ast
import asyncio
import gc
import logging
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from service.supervision import Backoff, RestartPolicy, Supervisor, spawn
from tests.polling import wait_until

SERVICE = Path(__file__).parents[1] / "service"

SUPERVISION = SERVICE / "supervision.py"

CLIENT = SERVICE / "client"
"""A library for other programs: it raises its tasks' errors to the caller, and has no supervisor."""

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
        assert failing_metric("a-task") == 1
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

    async with asyncio.timeout(20), Supervisor().running("a-task", work):
        await asyncio.sleep(0)
    assert swallowed == 3


async def test_a_task_is_stopped_during_its_backoff() -> None:
    work = Work("fail")
    async with asyncio.timeout(20), Supervisor(RestartPolicy(Backoff(60, 60))).running("a-task", work) as task:
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


def bare_task_lines(source: str) -> Iterator[int]:
    """Yield the lines that start a task outside of an `asyncio.TaskGroup`."""
    tree = ast.parse(source)
    groups = {
        item.optional_vars.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncWith)
        for item in node.items
        if ast.unparse(item.context_expr) == "asyncio.TaskGroup()" and isinstance(item.optional_vars, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="create_task" | "ensure_future") if not _is_of_group(node, groups):
                yield node.lineno
            case ast.ImportFrom(module="asyncio", names=names) if {"create_task", "ensure_future"} & {
                one.name for one in names
            }:
                yield node.lineno


def _is_of_group(node: ast.Attribute, groups: set[str]) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in groups


@pytest.mark.parametrize(
    ("source", "lines"),
    (
        ("asyncio.create_task(work())", [1]),
        ("self._loop.create_task(work())", [1]),
        ("start = asyncio.create_task", [1]),
        ("asyncio.ensure_future(work())", [1]),
        ("from asyncio import create_task", [1]),
        ("async def f():\n async with asyncio.TaskGroup() as tasks:\n  tasks.create_task(work())", []),
        ("async def f():\n async with asyncio.TaskGroup() as tasks:\n  others.create_task(work())", [3]),
        ("spawn('a-task', work())", []),
    ),
)
def test_bare_tasks_are_detected(source: str, lines: list[int]) -> None:
    assert [*bare_task_lines(source)] == lines


def test_the_service_starts_no_bare_tasks() -> None:
    """Use `Supervisor.start` or `spawn` of service.supervision instead."""
    files = [file for file in SERVICE.rglob("*.py") if file not in (SUPERVISION, *CLIENT.rglob("*.py"))]
    bare_tasks = {
        f"{file.relative_to(SERVICE)}:{line}"
        for file in files
        for line in bare_task_lines(file.read_text(encoding="utf-8"))
    }
    assert len(files) > 100
    assert not bare_tasks
