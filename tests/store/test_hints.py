"""Every commit is announced; whatever happens to the connection, announcements go on."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

from redis.asyncio import Redis

from service.games.port import Hint, Store
from service.store import keys
from service.store.client import connect
from service.store.embedded import embedded
from service.store.hints import Hints
from tests.store.commits import action, creation


@asynccontextmanager
async def heard(hinted: AsyncIterator[Hint]) -> AsyncIterator[asyncio.Queue[str]]:
    """What is announced, as it comes."""
    queue: asyncio.Queue[str] = asyncio.Queue()

    async def listen() -> None:
        async for hint in hinted:
            queue.put_nowait(hint.game)

    task = asyncio.create_task(listen())
    try:
        yield queue
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def hear(redis: Redis, queue: asyncio.Queue[str]) -> None:
    """Announce until it is heard: a subscription takes its time, and a lost one longer."""
    async with asyncio.timeout(8):
        while queue.empty():
            await redis.publish(keys.HINTS, "probe 1")
            await asyncio.sleep(0.01)
    while not queue.empty():
        queue.get_nowait()


async def following(queue: asyncio.Queue[str]) -> str:
    """The next announcement that is no probe."""
    async with asyncio.timeout(5):
        while (game := await queue.get()) == "probe":
            pass
        return game


async def subscribers(redis: Redis, count: int) -> None:
    """Return when so many connections are subscribed."""
    async with asyncio.timeout(5):
        while len(await redis.client_list(_type="pubsub")) != count:  # noqa: ASYNC110  Redis gives no event
            await asyncio.sleep(0.01)


async def test_every_commit_is_announced_to_all_others(store: Store, redis: Redis) -> None:
    async with heard(Hints(redis).listen()) as one, heard(Hints(redis).listen()) as two, heard(store.hints()) as own:
        for queue in (one, two, own):
            await hear(redis, queue)
        await store.commit(creation("a"))
        await store.commit(creation("b"))
        await store.commit(action(1, "a", count=3))
        for queue in (one, two):
            assert [await following(queue) for _ in range(3)] == ["a", "b", "a"]


async def test_nothing_is_announced_where_only_the_committer_would_hear_it(store: Store, redis: Redis) -> None:
    async with heard(store.hints()) as own:
        await hear(redis, own)
        await store.commit(creation("a"))
        async with heard(Hints(redis).listen()) as other:
            await hear(redis, other)
            await store.commit(creation("b"))
            assert await following(other) == "b"
        assert await following(own) == "b"


async def test_a_committer_who_lost_its_own_connection_is_not_counted(store: Store, redis: Redis) -> None:
    async with heard(store.hints()) as own:
        await hear(redis, own)
    async with heard(Hints(redis).listen()) as other:
        await hear(redis, other)
        await store.commit(creation("a"))
        assert await following(other) == "a"


async def test_what_changed_nothing_is_not_announced(store: Store, redis: Redis) -> None:
    async with heard(Hints(redis).listen()) as queue:
        await hear(redis, queue)
        await store.commit(action(1, "gone"))
        await store.commit(creation("a"))
        assert await following(queue) == "a"


async def test_hints_go_on_when_the_connection_is_killed(store: Store, redis: Redis) -> None:
    async with heard(store.hints()) as queue:
        for _ in range(3):
            await hear(redis, queue)
            assert await redis.client_kill_filter(_type="pubsub") == 1
        await hear(redis, queue)


async def test_a_silent_connection_is_kept_alive_by_pings(redis: Redis) -> None:
    async with heard(Hints(redis, ping_s=0.02, silence_s=0.2).listen()) as queue:
        await hear(redis, queue)
        before = await redis.client_list(_type="pubsub")
        await asyncio.sleep(0.4)
        after = await redis.client_list(_type="pubsub")
    assert [client["id"] for client in before] == [client["id"] for client in after]


async def test_a_connection_that_gives_no_sign_is_made_anew(data_dir: Path, program: Path) -> None:
    async with (
        embedded(data_dir, program=program) as server,
        Redis.from_url(server.url) as redis,
        heard(Hints(redis, ping_s=0.02, silence_s=0.1).listen()) as queue,
    ):
        await hear(redis, queue)
        (before,) = await redis.client_list(_type="pubsub")
        os.kill(server.pid, signal.SIGSTOP)
        await asyncio.sleep(0.3)
        os.kill(server.pid, signal.SIGCONT)
        await hear(redis, queue)
        assert before["id"] not in [client["id"] for client in await redis.client_list(_type="pubsub")]


async def test_hints_go_on_after_the_server_was_restarted(data_dir: Path, program: Path) -> None:
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(embedded(data_dir, program=program))
        url = first.url
        async with connect(url) as store, Redis.from_url(url) as redis, heard(Hints(redis).listen()) as queue:
            await hear(redis, queue)
            await stack.aclose()
            await asyncio.sleep(0.3)
            async with embedded(data_dir, program=program) as second:
                assert second.url == url
                await hear(redis, queue)
                await store.commit(creation("a"))
                assert await following(queue) == "a"


async def test_hints_end_with_whoever_listens(store: Store, redis: Redis) -> None:
    async with heard(store.hints()):
        await subscribers(redis, 1)
    await subscribers(redis, 0)


async def test_hints_may_be_closed_between_two(redis: Redis) -> None:
    async with aclosing(Hints(redis).listen()) as hinted:
        first = asyncio.ensure_future(anext(hinted))
        await subscribers(redis, 1)
        await redis.publish(keys.HINTS, "no hint of ours")
        await redis.publish(keys.HINTS, "a 7")
        assert await first == Hint("a", 7)
    await subscribers(redis, 0)
