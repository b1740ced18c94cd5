"""What the service and its ceiling say to Redis, as Redis counts it: the same traffic is proven, not claimed."""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import aclosing
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
        """In one line, the most frequent command first."""
        calls = ", ".join(f"{name} {count:.2g}" for name, count in self.commands.items())
        return (
            f"{calls}; {self.read_bytes:,.0f} bytes to Redis, {self.written_bytes:,.0f} back, "
            f"{self.redis_us:.0f} µs of its processor time"
        )


async def traffic(redis_url: str, work: Callable[[], Awaitable[int]]) -> Traffic:
    """What Redis did while `work` did as many actions as it says; less than one call in fifty actions is left out."""
    async with aclosing(Redis.from_url(redis_url)) as redis:
        before = await _counted(redis)
        actions = await work()
        after = await _counted(redis)
    spent = {name: (after[name] - before[name]) / actions for name in after}
    return Traffic(
        {
            name: round(count, 2)
            for name, count in sorted(spent.items(), key=lambda item: (-item[1], item[0]))
            if name.islower() and count > 0.02 and name != "info"
        },
        spent["READ"],
        spent["WRITTEN"],
        spent["CPU"] * 1e6,
    )


async def _counted(redis: Redis) -> Counter[str]:
    """Calls of each command since the server's start (small letters), bytes in and out, and processor seconds."""
    counted: Counter[str] = Counter()
    for name, told in (await redis.info("commandstats")).items():
        counted[name.removeprefix("cmdstat_")] = told["calls"]
    stats, cpu = await redis.info("stats"), await redis.info("cpu")
    counted["READ"] = stats["total_net_input_bytes"]
    counted["WRITTEN"] = stats["total_net_output_bytes"]
    counted["CPU"] = cpu["used_cpu_user"] + cpu["used_cpu_sys"]
    return counted
