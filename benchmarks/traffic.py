"""What the service and its ceiling say to Redis, as Redis counts it: the same traffic is proven, not claimed."""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from redis.asyncio import Redis


class Traffic(NamedTuple):
    """For one action, on average."""

    commands: dict[str, float]
    """Calls by name; those that a script makes are counted too."""
    read_bytes: float
    """What Redis was sent."""
    written_bytes: float
    """What it answered and announced."""
    redis_us: float
    """The processor time that Redis took."""

    def line(self) -> str:
        """Say it in one line, the most frequent command first."""
        calls = ", ".join(f"{name} {count:.2g}" for name, count in self.commands.items())
        return (
            f"{calls}; {self.read_bytes:,.0f} bytes to Redis, {self.written_bytes:,.0f} back, "
            f"{self.redis_us:.0f} µs of its processor time"
        )


async def traffic(redis_url: str, work: Callable[[], Awaitable[int]]) -> Traffic:
    """Tell what Redis did while `work` did as many actions as it says; rare calls (1 in 50 actions) are left out."""
    async with Redis.from_url(redis_url) as redis:
        before = await redis.info("everything")
        actions = await work()
        after = await redis.info("everything")

    def each(field: str) -> float:
        return float(after[field] - before[field]) / actions

    calls = Counter(
        {
            name.removeprefix("cmdstat_"): (told["calls"] - before.get(name, {"calls": 0})["calls"]) / actions
            for name, told in after.items()
            if name.startswith("cmdstat_") and name != "cmdstat_info"
        }
    )
    return Traffic(
        {name: round(count, 2) for name, count in calls.most_common() if count > 0.02},
        each("total_net_input_bytes"),
        each("total_net_output_bytes"),
        (each("used_cpu_user") + each("used_cpu_sys")) * 1e6,
    )
