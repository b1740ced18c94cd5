"""Each background task of a real instance is made to fail: it is restarted, or the instance is not ready."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from aiohttp.test_utils import TestClient
from click.testing import CliRunner

from schemas.lobby import SeatRequest
from service.games.bots.plugins import load_bots
from service.games.tilesets import load_catalogue
from service.main import LoadedFiles, assemble_app
from service.settings import Settings, make_settings, with_all_settings
from service.store.client import connect
from service.store.embedded.server import embedded_server
from service.supervision import Backoff, RestartPolicy, SupervisedTask, Supervisor
from tests.games.test_game_failures import due_game, is_moved
from tests.polling import wait_until
from tests.redis_servers import sentinel
from tests.web.app_server import AppServer, Client, serve
from tests.web.http_game import check_problem, create_game
from tests.web.watcher_client import connect_watcher

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
"""Without one of these an instance would serve clients wrongly."""

NOT_REQUIRED = ("archive", "event-loop-lag", "index-repair", "monitor")
"""Other instances do this work, or nobody waits for it: an alert is enough."""

PARTS = LoadedFiles(load_catalogue(None), load_bots(plugins=False))


class Instance(NamedTuple):
    """An instance as `south-seas serve` assembles it, and a client of it."""

    client: Client
    supervisor: Supervisor
    redis_url: str

    async def task(self, name: str) -> SupervisedTask:
        """Return a task, once its work waits for something."""
        async with asyncio.timeout(10):
            while True:
                for task in self.supervisor:
                    if task.name == name and awaited_future(task) is not None:
                        return task
                await asyncio.sleep(0.005)

    async def fail(self, name: str, times: int) -> SupervisedTask:
        """Make a task fail so often in a row."""
        task = await self.task(name)
        for number in range(times):
            task = await self.task(name)
            before = task.failures
            async with asyncio.timeout(5):
                while task.failures == before:
                    if (waited_for := awaited_future(task)) is not None:  # a library may take one for a lost connection
                        waited_for.set_exception(RuntimeError(f"failure {number}"))
                    await asyncio.sleep(0)
        return task


def awaited_future(task: SupervisedTask) -> "asyncio.Future[Any] | None":
    """Return what the task's work waits for; None if it is not running."""
    if task._started_at is None:
        return None
    inner: asyncio.Task[Any] = task._task
    while True:
        waited_for = getattr(inner, "_fut_waiter", None)
        if not isinstance(waited_for, asyncio.Task):
            return None if waited_for is None or waited_for.done() else waited_for
        inner = waited_for


def make_test_settings(tmp_path: Path) -> Settings:
    """Return the settings of an instance with all background tasks."""
    result: dict[str, Any] = {}

    @click.command()
    @with_all_settings
    def take(**values: Any) -> None:
        result.update(values)

    flags = ("--data-dir", str(tmp_path), "--archive-url", f"file://{tmp_path}/archive", "--metrics-port", "0")
    ended = CliRunner().invoke(take, flags, env={})
    assert ended.exit_code == 0, ended.output
    return make_settings(result)


@asynccontextmanager
async def start_instance(tmp_path: Path, redis_url: str | None = None) -> AsyncIterator[Instance]:
    """Start an instance with an embedded Redis, or on this one."""
    supervisor = Supervisor(POLICY)
    async with AsyncExitStack() as stack:
        if redis_url is None:
            server = embedded_server(tmp_path, on_stopped=lambda: None, supervisor=supervisor)
            redis_url = (await stack.enter_async_context(server)).url
        app = await stack.enter_async_context(assemble_app(make_test_settings(tmp_path), PARTS, redis_url, supervisor))
        yield Instance(await stack.enter_async_context(TestClient(AppServer(app))), supervisor, redis_url)


async def test_these_are_all_tasks_of_an_instance(tmp_path: Path) -> None:
    async with start_instance(tmp_path) as instance:
        await wait_until(lambda: {task.name for task in instance.supervisor} == {*REQUIRED, *NOT_REQUIRED})
        assert {task.name for task in instance.supervisor if task.required} == {*REQUIRED}
        assert (await instance.client.get("/readyz")).status == 200
    assert not [*instance.supervisor]


async def fail_once_and_then_too_often(instance: Instance, name: str) -> SupervisedTask:
    """Make a task fail, after which it goes on, and then as often as is too often."""
    failed = await instance.fail(name, 1)
    assert await instance.task(name) is failed
    assert not failed.is_failing
    assert (await instance.client.get("/readyz")).status == 200
    task = await instance.fail(name, POLICY.max_failures - 1)
    assert task.is_failing
    return task


@pytest.mark.parametrize("name", REQUIRED)
async def test_while_a_task_keeps_failing_the_instance_is_not_ready_and_names_it(tmp_path: Path, name: str) -> None:
    async with start_instance(tmp_path) as instance:
        task = await fail_once_and_then_too_often(instance, name)
        problem = await check_problem(await instance.client.get("/readyz"), 503, "store_unavailable")
        assert name in problem["detail"]
        assert (await instance.client.get("/livez")).status == 200
        task._policy = task._policy._replace(recovery_s=0.0)  # as if it had run for long since
        await instance.task(name)
        assert (await instance.client.get("/readyz")).status == 200


@pytest.mark.parametrize("name", NOT_REQUIRED)
async def test_an_instance_goes_on_without_what_nobody_waits_for(tmp_path: Path, name: str) -> None:
    async with start_instance(tmp_path) as instance:
        await fail_once_and_then_too_often(instance, name)
        assert (await instance.client.get("/readyz")).status == 200


async def test_after_a_failure_due_games_are_moved(tmp_path: Path) -> None:
    async with start_instance(tmp_path) as instance, connect(instance.redis_url) as store:
        await instance.fail("scheduler", 2)
        game = await due_game(store, SeatRequest(bot="random"), SeatRequest(bot="random"))
        await wait_until(lambda: is_moved(store, game))


@pytest.mark.parametrize("name", ("pubsub", "pubsub-connection", "realtime-notifications", "realtime-sweep"))
async def test_after_a_failure_watchers_get_what_another_instance_commits(tmp_path: Path, name: str) -> None:
    async with start_instance(tmp_path) as instance, connect(instance.redis_url) as store, serve(store) as other:
        table = await create_game(other)
        async with connect_watcher(instance.client, f"{table.path}/ws") as watcher:
            for tag in ("subscribed", "snapshot"):
                await watcher.receive(tag)
            await instance.fail(name, 2)
            for _ in range(3):
                await table.act_successfully()
                await watcher.receive("diff")


async def test_who_is_the_primary_is_found_out_after_that_has_failed(tmp_path: Path) -> None:
    async with (
        sentinel(tmp_path, replicas=1, sentinels=1) as deployment,
        start_instance(tmp_path, deployment.url) as instance,
    ):
        await instance.fail("sentinel-watch", POLICY.max_failures)
        problem = await check_problem(await instance.client.get("/readyz"), 503, "store_unavailable")
        assert "sentinel-watch" in problem["detail"]
        await instance.task("sentinel-watch")
