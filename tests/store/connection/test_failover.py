"""After a failover, acknowledged commits are still there, and commands and notifications continue."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from service.games.ports import Committed
from service.store.game_store import RedisStore, connect
from tests.polling import wait_until
from tests.redis_servers import Deployment, Node, cluster, sentinel
from tests.store.commits import action, commit_until_answered, creation, diff
from tests.store.notification_recorder import record_notifications

GAMES = [f"g{number}" for number in range(8)]


@pytest.fixture(params=("sentinel", "cluster"))
async def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Deployment]:
    deploying = sentinel(tmp_path, sentinels=3) if request.param == "sentinel" else cluster(tmp_path)
    async with deploying as running:
        yield running


@asynccontextmanager
async def play_games(store: RedisStore) -> AsyncIterator[dict[str, int]]:
    """Commit to games continually, and yield the last acknowledged version of each."""
    versions = dict.fromkeys(GAMES, 1)

    async def play(game: str) -> None:
        while True:
            assert await commit_until_answered(store, action(versions[game], game)) == Committed()
            versions[game] += 1
            await asyncio.sleep(0.005)

    await asyncio.gather(*(store.commit(creation(game)) for game in GAMES))
    playing = [asyncio.create_task(play(game)) for game in GAMES]
    try:
        yield versions
    finally:
        for task in playing:
            task.cancel()
        ended = await asyncio.gather(*playing, return_exceptions=True)
        assert {type(end) for end in ended} == {asyncio.CancelledError}


async def wait_for_progress(versions: dict[str, int], count: int = 10) -> None:
    """Wait until every game has `count` more versions."""
    goal = {game: version + count for game, version in versions.items()}
    await wait_until(lambda: not any(versions[game] < goal[game] for game in goal), 40)


@pytest.mark.parametrize("fault", (Node.kill, Node.pause), ids=("killed", "hung"))
async def test_failover_loses_no_acknowledged_commit(deployment: Deployment, fault: Callable[[Node], None]) -> None:
    async with connect(deployment.url) as store, connect(deployment.url) as other:
        async with record_notifications(other._notifications, *GAMES) as recorder, play_games(store) as versions:
            await wait_for_progress(versions)
            old = await deployment.primary(GAMES[0])
            fault(old)
            assert await deployment.wait_for_promotion(old, GAMES[0]) is not old
            await wait_for_progress(versions)
            while not recorder.queue.empty():
                recorder.queue.get_nowait()
            goal = {(game, version + 5) for game, version in versions.items()}
            while goal:
                notification = await recorder.next_notification()
                goal -= {
                    (game, version)
                    for game, version in goal
                    if game == notification.game and (notification.version or 0) >= version
                }
        for game, version in versions.items():
            log = await store.load_diffs(game, 0, 10_000)
            assert len(log) >= version
            assert log == [diff(number) for number in range(1, len(log) + 1)]
