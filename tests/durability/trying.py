"""Trying one promise: writers at work, the fault, and the count."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from redis.asyncio import Redis

from service.store.client import connect
from service.store.embedded.server import EmbeddedServer, embedded_server
from tests.durability.power import cut, noting, slow_disk
from tests.durability.promises import Promise
from tests.durability.wire import wired
from tests.durability.writers import Counted, Writers, count
from tests.redis_servers import Deployment, Node, cluster, sentinel, standalone

__all__ = ["CUT_OFF_S", "Load", "Tried", "attempt"]

CUT_OFF_S = 6.0
"""Longer than another takes to be the primary."""

LONG_FSYNC_MS = 5000
"""With `everysec` an fsync has a thread of its own; meanwhile Redis puts writes off, for 2 s at most."""

EACH_FSYNC_MS = 20
"""With `always` each answer waits for one."""

PUT_OFF_BYTES = 400_000
"""More than all writers have under way: most of it was acknowledged."""

CAUGHT_S = 10.0

RECOVERED_S = 60.0
PATIENCE_S = 1.0
"""Shorter than a failover: instances must find the new primary although they had given up."""


class Load(NamedTuple):
    """How much is written: `seconds` before the fault, and a third of that after it."""

    seconds: float = 1.5
    writers: int = 12
    pause_s: float = 0.004


class Tried(NamedTuple):
    """What came of it."""

    counted: Counted
    rate: float
    """Acknowledged commits a second before the fault."""
    stopped_s: float | None
    """For how long nobody could write to some game; None where nobody could until the end."""
    oldest_s: float
    """By how long the first that was lost had been acknowledged before the fault; below 0 after it."""
    newest_s: float
    """How long after the fault the last that was lost was acknowledged; below 0 before it."""


class Place(NamedTuple):
    """A deployment that is up: where to write, where to read afterwards, and what happens to it."""

    write_url: str
    read_url: str
    strike: Callable[[], Awaitable[float]]
    """Does the fault; returns when whoever can go on may, and says when (`time.monotonic()`) it happened."""
    goes_on: bool = True
    """Whether anybody can write again as long as it lasts."""


async def attempt(promise: Promise, directory: Path, load: Load) -> Tried:
    """Try a promise once."""
    async with _place(promise, directory) as place:
        async with connect(place.write_url, timeout_s=PATIENCE_S, wait=promise.wait) as store:
            writers = Writers(store, load.writers, load.pause_s)
            writers.start()
            began = time.monotonic()
            await asyncio.sleep(load.seconds)
            struck = await place.strike()
            if place.goes_on:
                await writers.go_on(RECOVERED_S)
                await asyncio.sleep(load.seconds / 3)
            await writers.stop()
        async with connect(place.read_url) as store:
            counted = await count(store, writers)
    before = [one for one in writers.acknowledged if one.at <= struck]
    lost = [one.at - struck for one in counted.lost]
    return Tried(
        counted,
        len(before) / (struck - began),
        writers.longest_pause(struck) if place.goes_on else None,
        -min(lost, default=0.0),
        max(lost, default=0.0),
    )


def _unexpected() -> None:
    raise AssertionError("nobody stopped the server")


@asynccontextmanager
async def _place(promise: Promise, directory: Path) -> AsyncIterator[Place]:
    match promise.deployment:
        case "embedded":
            with _disk(promise, directory):
                async with embedded_server(directory, on_stopped=_unexpected) as server:
                    yield Place(server.url, server.url, _killed(server, promise))
        case "standalone":
            with _disk(promise, directory) as notes:
                async with standalone(directory, settings=promise.settings) as deployment:
                    strike = _restarted(deployment.nodes[0], promise, notes)
                    yield Place(deployment.url, deployment.url, strike)
        case "sentinel":
            async with sentinel(directory, settings=promise.settings) as deployment:
                if promise.fault == "cut off":
                    async with _cut_off(deployment) as place:
                        yield place
                else:
                    enough = promise.wait is None or promise.wait.replicas < len(deployment.nodes) - 1
                    yield Place(deployment.url, deployment.url, _killed_primary(deployment), goes_on=enough)
        case "cluster":
            async with cluster(directory, settings=promise.settings) as deployment:
                enough = promise.wait is None  # else the only replica is the primary now, and has none
                yield Place(deployment.url, deployment.url, _killed_primary(deployment), goes_on=enough)


@asynccontextmanager
async def _cut_off(deployment: Deployment) -> AsyncIterator[Place]:
    """Writers and primary on one side of a network that carries nothing any more, all others on the other."""
    old = await deployment.primary()
    user = urlsplit(deployment.url).netloc.rpartition("@")[0]
    async with wired(deployment, old) as wire:

        async def strike() -> float:
            struck = time.monotonic()
            wire.cut()
            await asyncio.gather(deployment.promoted(old), asyncio.sleep(CUT_OFF_S))
            return struck

        yield Place(f"redis://{user}@{old.address}/0", deployment.url, strike, goes_on=False)


@contextmanager
def _disk(promise: Promise, directory: Path) -> Iterator[Path | None]:
    """The disk of a server; gives the file with what is synced, where a loss of power is tried."""
    with ExitStack() as stack:
        match promise.fault:
            case "power":
                yield stack.enter_context(noting(directory))
            case "kill, slow disk":
                waits = "appendfsync always" in promise.settings  # for each fsync, and others for it
                stack.enter_context(slow_disk(directory, EACH_FSYNC_MS if waits else LONG_FSYNC_MS))
                yield None
            case _:
                yield None


async def _caught_writing(promise: Promise, client: Redis) -> None:
    """With a slow disk, wait until the server has put off writes that it has acknowledged, where it ever does."""
    if promise.fault != "kill, slow disk":
        return
    loop = asyncio.get_running_loop()
    until = loop.time() + CAUGHT_S
    async with aclosing(client):
        while loop.time() < until:
            info = await client.info("persistence")
            if info["aof_pending_bio_fsync"] and info["aof_buffer_length"] >= PUT_OFF_BYTES:
                return
            await asyncio.sleep(0.005)


def _killed(server: EmbeddedServer, promise: Promise) -> Callable[[], Awaitable[float]]:
    async def strike() -> float:
        await _caught_writing(promise, Redis.from_url(server.url))
        struck = time.monotonic()
        os.kill(server.pid, signal.SIGKILL)
        await asyncio.sleep(0)
        return struck

    return strike


def _restarted(node: Node, promise: Promise, notes: Path | None) -> Callable[[], Awaitable[float]]:
    """The server is killed, and started again on what it has."""

    async def strike() -> float:
        await _caught_writing(promise, node.client())
        struck = time.monotonic()
        node.kill()
        if notes is not None:
            cut(node, notes)
        node.start()
        await node.ready()
        return struck

    return strike


def _killed_primary(deployment: Deployment) -> Callable[[], Awaitable[float]]:
    """One primary is killed, and a replica takes its place; the old one stays away."""

    async def strike() -> float:
        old = await deployment.primary()
        struck = time.monotonic()
        old.kill()
        await deployment.promoted(old)
        return struck

    return strike
