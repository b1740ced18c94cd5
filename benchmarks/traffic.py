"""What the service and its ceiling say to Redis, as Redis counts it: the same traffic is proven, not claimed."""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from redis.asyncio import Redis


class Traffic(NamedTuple):
    """For one action, on average."""

    commands: dict[str, float]
    """Calls by name, the most frequent first; those that a script makes are counted too."""
    read_bytes: float
    """What Redis was sent."""
    redis_us: float
    """The processor time that Redis took."""

    def __str__(self) -> str:
        calls = ", ".join(f"{name} {count:.2g}" for name, count in self.commands.items())
        return f"{calls}; {self.read_bytes:,.0f} bytes to Redis, {self.redis_us:.0f} µs of its processor time"


async def measure_traffic(redis_url: str, work: Callable[[], Awaitable[int]]) -> Traffic:
    """Tell what Redis did while `work` did as many actions as it says; rare calls (1 in 50 actions) are left out."""
    async with Redis.from_url(redis_url) as redis:
        before = await redis.info("everything")
        actions = await work()
        after = await redis.info("everything")
    calls: Counter[str] = Counter()
    for name, received in after.items():
        if name.startswith("cmdstat_") and name != "cmdstat_info":
            calls[name.removeprefix("cmdstat_")] = received["calls"] - before.get(name, {"calls": 0})["calls"]
    read, user, system = (
        (after[field] - before[field]) / actions for field in ("total_net_input_bytes", "used_cpu_user", "used_cpu_sys")
    )
    commands = {name: round(count / actions, 2) for name, count in calls.most_common() if count > 0.02 * actions}
    return Traffic(commands, read, (user + system) * 1e6)
