"""When a background task of a real instance fails, it is restarted; if it keeps failing, the instance is not ready."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiohttp.test_utils import TestClient

from schemas.lobby import SeatRequest
from service.games.bots.registry import load_bots
from service.games.tilesets import load_catalogue
from service.main import assemble_app
from service.store.embedded import embedded_server
from service.store.game_store import connect
from service.supervision import Backoff, RestartPolicy, SupervisedTask, Supervisor
from service.web.app_keys import CONTEXT, HUB
from tests.games.test_game_failures import due_game, is_moved
from tests.polling import wait_until
from tests.redis_servers import sentinel
from tests.serve_settings import parse_settings
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
        async with asyncio.timeout(10):
            while True:
                for task in self.supervisor:
                    if task.name == name and awaited_future(task) is not None:
                        return task
                await asyncio.sleep(0.005)

    async def fail(self, name: str, times: int) -> SupervisedTask:
        """Make a task fail `times` in a row."""
        task = await self.task(name)
        for number in range(times):
            task = await self.task(name)
            before = task.failures
            async with asyncio.timeout(20):
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
async def start_instance(tmp_path: Path, redis_url: str | None = None) -> AsyncIterator[Instance]:
    """Start an instance with an embedded Redis, or with the one at this URL."""
    supervisor = Supervisor(POLICY)
    async with AsyncExitStack() as stack:
        if redis_url is None:
            server = embedded_server(tmp_path, on_stopped=lambda: None, supervisor=supervisor)
            redis_url = (await stack.enter_async_context(server)).url
        settings = parse_settings(
            *("--data-dir", str(tmp_path), "--archive-url", f"file://{tmp_path}/archive", "--metrics-port", "0")
        )
        app = await stack.enter_async_context(assemble_app(settings, TILESETS, BOTS, redis_url, supervisor))
        yield Instance(await stack.enter_async_context(TestClient(AppServer(app))), supervisor, redis_url)


async def test_an_instance_has_exactly_these_tasks(tmp_path: Path) -> None:
    async with start_instance(tmp_path) as instance:
        await wait_until(lambda: {task.name for task in instance.supervisor} == {*REQUIRED, *NOT_REQUIRED})
        assert {task.name for task in instance.supervisor if task.required} == {*REQUIRED}
        assert (await instance.client.get("/readyz")).status == 200
    assert not [*instance.supervisor]


async def test_commits_reach_the_connections_of_their_instance_at_once(tmp_path: Path) -> None:
    """Without waiting for a notification of Redis, which may be lost."""
    async with start_instance(tmp_path) as instance:
        context, hub = instance.client.app[CONTEXT], instance.client.app[HUB]
        assert (context.on_committed, context.on_token_revoked) == (hub.publish_commit, hub.recheck_tokens)


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
async def test_while_a_required_task_is_failing_the_instance_is_not_ready_and_names_it(
    tmp_path: Path, name: str
) -> None:
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
