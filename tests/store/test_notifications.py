"""Every commit is announced to those who follow the game; whatever happens to the connection, announcements go on."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

from redis.asyncio import Redis

from service.games.ports import ChangeNotification
from service.store import keys
from service.store.client import connect, create_client
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore
from service.store.notifications import MAX_UNREAD, ChangeNotifications
from tests.store.commits import action, creation
from tests.store.conftest import Alone


class Listening:
    """Hears what is announced, as it comes."""

    def __init__(self, hints: ChangeNotifications) -> None:
        self.hints = hints
        self.queue: asyncio.Queue[ChangeNotification] = asyncio.Queue()

    async def listen(self) -> None:
        async for hint in self.hints.listen():
            self.queue.put_nowait(hint)

    async def next(self) -> ChangeNotification:
        """The next announcement."""
        async with asyncio.timeout(8):
            return await self.queue.get()

    async def follow(self, *games: str) -> None:
        """Return when these are heard."""
        for game in games:
            self.hints.subscribe(game)
        assert {await self.next() for _ in games} == {ChangeNotification(game, None) for game in games}


@asynccontextmanager
async def heard(hints: ChangeNotifications, *games: str) -> AsyncIterator[Listening]:
    """Announcements of these games."""
    listening = Listening(hints)
    task = asyncio.create_task(listening.listen())
    try:
        await listening.follow(*games)
        yield listening
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def another(url: str, *games: str, ping_s: float = 1.0, silence_s: float = 3.0) -> AsyncIterator[Listening]:
    """Somebody else who hears of these games."""
    async with (
        aclosing(create_client(url, connections=1)) as client,
        heard(
            ChangeNotifications(client.topology, ping_interval_s=ping_s, silence_timeout_s=silence_s), *games
        ) as listening,
    ):
        yield listening


async def listeners(redis: Redis, count: int) -> list[str]:
    """Return when so many connections are subscribed, with their ids."""
    async with asyncio.timeout(5):
        while len(found := await redis.client_list(_type="pubsub")) != count:  # noqa: ASYNC110  Redis gives no event
            await asyncio.sleep(0.01)
    return [client["id"] for client in found]


async def test_a_commit_is_announced_to_all_others_who_follow_the_game(store: RedisStore, redis_url: str) -> None:
    async with another(redis_url, "a", "b") as one, another(redis_url, "a") as two, heard(store._notifications, "a"):
        await store.commit(creation("a"))
        await store.commit(creation("b"))
        await store.commit(action(1, "a", count=3))
        assert [await one.next() for _ in range(3)] == [
            ChangeNotification("a", 1),
            ChangeNotification("b", 1),
            ChangeNotification("a", 4),
        ]
        assert [await two.next() for _ in range(2)] == [ChangeNotification("a", 1), ChangeNotification("a", 4)]


async def test_nothing_is_announced_where_only_the_committer_would_hear_it(store: RedisStore, redis_url: str) -> None:
    async with heard(store._notifications, "a", "b") as own:
        await store.commit(creation("a"))
        async with another(redis_url, "b") as other:
            await store.commit(creation("b"))
            assert await other.next() == ChangeNotification("b", 1)
        assert await own.next() == ChangeNotification("b", 1)


async def test_a_committer_who_follows_no_more_is_not_counted(store: RedisStore, redis_url: str) -> None:
    async with heard(store._notifications, "a"), another(redis_url, "a") as other:
        store.unsubscribe("a")
        async with asyncio.timeout(5):
            while store._notifications.count_own_subscribers("a"):  # noqa: ASYNC110  what the server confirms comes without an event
                await asyncio.sleep(0.01)
        await store.commit(creation("a"))
        assert await other.next() == ChangeNotification("a", 1)


async def test_what_changed_nothing_is_not_announced(store: RedisStore, redis_url: str) -> None:
    async with another(redis_url, "gone", "a") as other:
        await store.commit(action(1, "gone"))
        await store.commit(creation("a"))
        assert await other.next() == ChangeNotification("a", 1)


async def test_what_is_not_followed_any_more_is_not_heard(store: RedisStore, redis_url: str) -> None:
    async with another(redis_url, "a", "b") as other:
        other.hints.unsubscribe("a")
        await store.commit(creation("a"))
        await store.commit(creation("b"))
        assert await other.next() == ChangeNotification("b", 1)


async def test_many_games_are_followed_over_one_connection(alone: Alone) -> None:
    games = [f"g{number}" for number in range(500)]
    async with another(alone.url, *games) as other:
        await listeners(alone.redis, 1)
        await asyncio.gather(*(alone.store.commit(creation(game)) for game in games))
        assert {await other.next() for _ in games} == {ChangeNotification(game, 1) for game in games}


async def test_hints_go_on_when_the_connection_is_killed(alone: Alone) -> None:
    async with another(alone.url, "a") as other:
        for _ in range(3):
            assert await alone.redis.client_kill_filter(_type="pubsub") == 1
            assert await other.next() == ChangeNotification("a", None)
        await alone.store.commit(creation("a"))
        assert await other.next() == ChangeNotification("a", 1)


async def test_a_silent_connection_is_kept_alive_by_pings(alone: Alone) -> None:
    async with another(alone.url, "a", ping_s=0.02, silence_s=0.2):
        before = await listeners(alone.redis, 1)
        await asyncio.sleep(0.4)
        assert await listeners(alone.redis, 1) == before


async def test_a_connection_that_gives_no_sign_is_made_anew(data_dir: Path, program: Path) -> None:
    async with (
        embedded_server(data_dir, program=program) as server,
        Redis.from_url(server.url) as redis,
        another(server.url, "a", ping_s=0.02, silence_s=0.1) as other,
    ):
        before = await listeners(redis, 1)
        os.kill(server.pid, signal.SIGSTOP)
        await asyncio.sleep(0.3)
        os.kill(server.pid, signal.SIGCONT)
        assert await other.next() == ChangeNotification("a", None)
        assert await listeners(redis, 1) != before


async def test_hints_go_on_after_the_server_was_restarted(data_dir: Path, program: Path) -> None:
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(embedded_server(data_dir, program=program))
        async with connect(first.url) as store, another(first.url, "a") as other:
            await stack.aclose()
            await asyncio.sleep(0.3)
            async with embedded_server(data_dir, program=program) as second:
                assert second.url == first.url
                assert await other.next() == ChangeNotification("a", None)
                await store.commit(creation("a"))
                assert await other.next() == ChangeNotification("a", 1)


async def test_hints_end_with_whoever_listens(alone: Alone) -> None:
    async with another(alone.url, "a"):
        await listeners(alone.redis, 1)
    await listeners(alone.redis, 0)


async def test_an_announcement_that_is_no_version_is_not_heard(alone: Alone) -> None:
    async with another(alone.url, "a") as other:
        await alone.redis.publish(keys.channel("a"), "no version")
        await alone.redis.publish(keys.channel("a"), "7")
        assert await other.next() == ChangeNotification("a", 7)


async def test_hints_that_nobody_reads_do_not_gather(redis_url: str) -> None:
    async with aclosing(create_client(redis_url, connections=1)) as client:
        hints = ChangeNotifications(client.topology)
        for version in range(MAX_UNREAD + 5):
            hints._push(ChangeNotification("g", version))
        assert hints._unread.qsize() == MAX_UNREAD
