"""The bare ceiling says to Redis what an action says, and nothing less."""

from redis.asyncio import Redis

from benchmarks.action import pair
from benchmarks.commits import Sizes, commits_per_second
from benchmarks.processes import redis
from benchmarks.traffic import measure_traffic


async def test_commands_are_counted_by_action() -> None:
    async with redis() as url:

        async def work() -> int:
            async with Redis.from_url(url) as connection:
                for number in range(10):
                    await connection.set(f"key{number % 3}", "x" * 1_000)
            return 5

        received = await measure_traffic(url, work)
    assert received.commands["set"] == 2
    assert 2_000 < received.read_bytes < 3_000


async def test_an_action_and_its_ceiling_say_the_same_to_redis() -> None:
    async with pair() as both:
        service, bare = (one.commands for one in both.traffic)
    assert rounded(service) == rounded(bare)


def rounded(commands: dict[str, float]) -> dict[str, int]:
    """Return the commands that every action sends, without those that only some send."""
    return {name: round(count) for name, count in commands.items() if count > 0.5}


async def test_redis_alone_takes_every_prepared_commit() -> None:
    async with redis() as url:
        assert await commits_per_second(url, Sizes(snapshot=1_600, diff=700), 0, commits=200) > 0
        async with Redis.from_url(url) as connection:
            assert sum([await connection.xlen(key) async for key in connection.scan_iter("bare:*:log")]) == 200
