"""Faults: each breaks one thing when it is entered, says what, and makes it whole again at its end."""

import asyncio
import resource
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from enum import IntEnum
from random import Random
from typing import NamedTuple

from redis.asyncio import Redis
from redis.exceptions import RedisError

from tests.chaos.instances import Instance
from tests.chaos.testbed import Testbed, on_all, on_each, wait_until_healthy
from tests.redis_servers import Node
from tests.tools import LIBFAKETIME, require

__all__ = ["CLOCK", "FAULTS", "Kind", "Part"]

Broken = Callable[[Testbed, Random], AbstractAsyncContextManager[str]]

REPEAT_INTERVAL_S = 0.1
CLOCK_OFFSETS_S = (-3600, -60, -2, 2, 60, 3600)


class Part(IntEnum):
    """What a fault breaks. Two parts may be broken at once; the last is mended first, as the others wait for it."""

    INSTANCE = 1
    CLIENTS = 2
    REDIS = 3


class Kind(NamedTuple):
    """A sort of fault: what it does, for how long, and where it can be done."""

    name: str
    part: Part
    broken: Broken
    hold_s: tuple[float, float]
    sites: tuple[str, ...] = ("standalone", "sentinel", "cluster")


@asynccontextmanager
async def instance_killed(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """SIGKILL, in the middle of whatever it does."""
    one = chance.choice(site.instances)
    one.kill()
    async with _ended(site, one):
        yield one.name


@asynccontextmanager
async def instance_stopped(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """SIGTERM, as in an update."""
    one = chance.choice(site.instances)
    one.terminate()
    async with _ended(site, one) as code:
        yield f"{one.name}, which ended with {code}"


@asynccontextmanager
async def _ended(site: Testbed, one: Instance) -> AsyncIterator[int]:
    """Wait for the end of an instance, and start it again afterwards; gives the exit code."""
    code = await one.wait_until_ended()
    try:
        yield code
    finally:
        await one.start()
        await site.proxy.wait_for([one.name])


@asynccontextmanager
async def instance_paused(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """SIGSTOP: its connections stay open, and what it was doing it goes on doing much later."""
    one = chance.choice(site.instances)
    one.pause()
    try:
        yield one.name
    finally:
        one.resume()
        await site.proxy.wait_for([one.name])


@asynccontextmanager
async def primary_killed(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """SIGKILL of a Redis primary; a replica takes over, where there is one."""
    one = await _primary(site, chance)
    one.kill()
    try:
        yield one.directory.name
    finally:
        one.start()
        await one.wait_until_ready()
        await wait_until_healthy(site)


@asynccontextmanager
async def primary_paused(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """SIGSTOP of a Redis primary; when it goes on it may think that it still is one."""
    one = await _primary(site, chance)
    one.pause()
    try:
        yield one.directory.name
    finally:
        one.resume()
        await wait_until_healthy(site)


@asynccontextmanager
async def primary_isolated(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """Cut off from replicas and sentinels, but not from the instances: for a while there are two primaries."""
    one = await _primary(site, chance)
    await one.isolate()
    try:
        yield one.directory.name
    finally:
        await one.rejoin()
        await wait_until_healthy(site)


@asynccontextmanager
async def disk_full(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """Keep the primary's append-only file from growing, so that Redis refuses writes."""
    one = await _primary(site, chance)
    files = [file.stat() for file in (one.directory / "appendonlydir").glob("*.incr.aof")]
    size = max(files, key=lambda file: file.st_mtime).st_size
    before = resource.prlimit(one.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(one.pid, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield f"{one.directory.name} at {size} bytes"
    finally:
        resource.prlimit(one.pid, resource.RLIMIT_FSIZE, before)
        await wait_until_healthy(site)


@asynccontextmanager
async def notifications_dropped(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """Every connection that listens to announcements is closed, again and again."""
    del chance

    async def drop(client: Redis) -> None:
        await client.client_kill_filter(_type="pubsub")

    async with _repeatedly(lambda: on_all(site, drop)):
        yield "all"


@asynccontextmanager
async def notifications_forbidden(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """One instance may not listen to announcements: it hears of nothing that others do."""
    one = chance.choice(site.instances)

    async def forbid(client: Redis) -> None:
        await _set_user(client, one.name, "-subscribe", "-psubscribe", "-ssubscribe")
        await client.client_kill_filter(_type="pubsub", user=one.name)

    async def allow(client: Redis) -> None:
        await _restore_user(client, one.name, "+@all")

    await on_all(site, forbid)
    try:
        yield one.name
    finally:
        await on_each(site, allow)


@asynccontextmanager
async def instance_cut_from_redis(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """One instance's connections to Redis are closed, in the middle of whatever is said, and no new one is let in."""
    one = chance.choice(site.instances)

    async def lock_out(client: Redis) -> None:
        await _set_user(client, one.name, "off")
        await client.client_kill_filter(user=one.name)

    async def let_in(client: Redis) -> None:
        await _restore_user(client, one.name, "on")

    await on_all(site, lock_out)
    try:
        yield one.name
    finally:
        await on_each(site, let_in)
        await site.proxy.wait_for([one.name])


@asynccontextmanager
async def redis_connections_cut(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """All instances' connections to Redis are closed, again and again; new ones are let in at once."""
    del chance

    async def cut(client: Redis) -> None:
        for one in site.instances:
            await client.client_kill_filter(user=one.name)

    async with _repeatedly(lambda: on_all(site, cut)):
        yield "all"


@asynccontextmanager
async def clients_cut(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """Close all clients' connections at the proxy, repeatedly."""
    del chance

    async def cut() -> None:
        for one in site.instances:
            await site.proxy.cut(one.name)

    async with _repeatedly(cut):
        yield "all"


@asynccontextmanager
async def clock_wrong(site: Testbed, chance: Random) -> AsyncIterator[str]:
    """Move the clock of one instance, and later back."""
    require(LIBFAKETIME)
    one, offset_s = chance.choice(site.instances), chance.choice(CLOCK_OFFSETS_S)
    one.set_clock(offset_s)
    try:
        yield f"{one.name} by {offset_s:+} s"
    finally:
        one.set_clock(0)


async def _set_user(client: Redis, name: str, *rules: str) -> None:
    await client.execute_command("ACL", "SETUSER", name, *rules)  # type: ignore[no-untyped-call]


async def _restore_user(client: Redis, name: str, *rules: str) -> None:
    """Sentinels have a server write its configuration while a user is locked out; so it is written once more."""
    await _set_user(client, name, *rules)
    await client.config_rewrite()


async def _primary(site: Testbed, chance: Random) -> Node:
    """Return a node that accepts writes."""
    return chance.choice(await site.deployment.primaries())


@asynccontextmanager
async def _repeatedly(do: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Do it until the end. It is not cancelled for that: a client that connects may swallow a cancellation."""
    end = asyncio.Event()

    async def repeat() -> None:
        while not end.is_set():
            with suppress(RedisError, OSError):
                async with asyncio.timeout(REPEAT_INTERVAL_S * 10):
                    await do()
            await asyncio.sleep(REPEAT_INTERVAL_S)

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        end.set()
        await task


CLOCK = Kind("put a clock wrong", Part.INSTANCE, clock_wrong, (2, 5))

FAULTS = (
    Kind("kill an instance", Part.INSTANCE, instance_killed, (0.5, 2)),
    Kind("pause an instance", Part.INSTANCE, instance_paused, (2, 5)),
    Kind("stop an instance", Part.INSTANCE, instance_stopped, (0, 1)),
    Kind("cut one from Redis", Part.INSTANCE, instance_cut_from_redis, (2, 4)),
    CLOCK,
    Kind("cut clients", Part.CLIENTS, clients_cut, (1, 2)),
    Kind("drop hints", Part.REDIS, notifications_dropped, (2, 4)),
    Kind("forbid hints", Part.REDIS, notifications_forbidden, (2, 4)),
    Kind("cut all from Redis", Part.REDIS, redis_connections_cut, (1, 2)),
    Kind("kill Redis", Part.REDIS, primary_killed, (0.5, 6)),
    Kind("pause Redis", Part.REDIS, primary_paused, (2, 6)),
    Kind("isolate Redis", Part.REDIS, primary_isolated, (3, 6), ("sentinel",)),
    Kind("fill the disk", Part.REDIS, disk_full, (2, 4)),
)
"""Every sort."""
