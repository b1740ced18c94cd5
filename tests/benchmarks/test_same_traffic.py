"""The bare ceiling has the same traffic to Redis as an action."""

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

        traffic = await measure_traffic(url, work)
    assert traffic.commands["set"] == 2
    assert 2_000 < traffic.read_bytes < 3_000


async def test_an_action_and_its_ceiling_send_the_same_commands_to_redis() -> None:
    async with pair() as servers:
        assert rounded(servers.service_traffic.commands) == rounded(servers.baseline_traffic.commands)


def rounded(commands: dict[str, float]) -> dict[str, int]:
    """Return the commands that most actions send."""
    return {name: round(count) for name, count in commands.items() if count > 0.5}


async def test_redis_stores_every_prepared_commit() -> None:
    async with redis() as url:
        assert await commits_per_second(url, Sizes(snapshot=900, entry=100, diff=700), 0, commits=200) > 0
        async with Redis.from_url(url) as connection:
            assert sum([await connection.xlen(key) async for key in connection.scan_iter("bare:*:log")]) == 200
