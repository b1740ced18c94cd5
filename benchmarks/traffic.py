"""The traffic of the service and its ceiling to Redis, as Redis counts it, which proves that both are alike."""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from redis.asyncio import Redis


class Traffic(NamedTuple):
    """The mean traffic of one action."""

    commands: dict[str, float]
    """Calls by name, the most frequent first, including those of scripts."""
    read_bytes: float
    """The bytes that Redis received."""
    redis_us: float
    """The processor time of Redis."""

    def __str__(self) -> str:
        calls = ", ".join(f"{name} {count:.2g}" for name, count in self.commands.items())
        return f"{calls}; {self.read_bytes:,.0f} bytes to Redis, {self.redis_us:.0f} µs of its processor time"


async def measure_traffic(redis_url: str, work: Callable[[], Awaitable[int]]) -> Traffic:
    """Return the traffic during `work`, which returns the number of its actions; omit calls of 1 in 50 actions."""
    async with Redis.from_url(redis_url) as redis:
        before = await redis.info("everything")
        actions = await work()
        after = await redis.info("everything")
    calls: Counter[str] = Counter()
    for name, statistics in after.items():
        if name.startswith("cmdstat_") and name != "cmdstat_info":
            calls[name.removeprefix("cmdstat_")] = statistics["calls"] - before.get(name, {"calls": 0})["calls"]
    read, user, system = (
        (after[field] - before[field]) / actions for field in ("total_net_input_bytes", "used_cpu_user", "used_cpu_sys")
    )
    commands = {name: round(count / actions, 2) for name, count in calls.most_common() if count > 0.02 * actions}
    return Traffic(commands, read, (user + system) * 1e6)
