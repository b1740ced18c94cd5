"""Waiting where there is no event: for another process, a buffer of the kernel, a counter, tasks that are ready.

Background tasks of a test. Loops that have an end.

Waiting until a Redis server has written its append-only file; killed before that, it loses the end (everysec).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from typing import Any

from redis.asyncio import Redis

from service.supervision import CANCEL_INTERVAL_S

TIMEOUT_S = 180.0
"""A passing test never waits for it: only a failing one does, however busy the machine."""
INTERVAL_S = 0.01


async def wait_until(condition: Callable[[], object | Awaitable[object]], timeout_s: float = TIMEOUT_S) -> None:
    """Poll until the condition, which may be awaitable, is true; fail after `timeout_s`."""
    async with asyncio.timeout(timeout_s):
        while True:
            result = condition()
            if await result if isinstance(result, Awaitable) else result:
                return
            await asyncio.sleep(INTERVAL_S)


async def wait_until_unchanged(measure: Callable[[], int], for_s: float = 0.3) -> None:
    """Poll until a number has stayed the same for `for_s`; fail after TIMEOUT_S. For what must come to an end."""
    loop = asyncio.get_running_loop()
    before, since = measure(), loop.time()
    async with asyncio.timeout(TIMEOUT_S):
        while loop.time() - since < for_s:
            await asyncio.sleep(INTERVAL_S)
            if (now := measure()) != before:
                before, since = now, loop.time()


def rounds(number: int = 1_000) -> Iterator[None]:
    """Yield so often, or to `next` in a loop, which breaks when it is done; then fail: it makes no progress."""
    for _ in range(number):
        yield
    raise AssertionError(f"the loop has not ended after {number} rounds")


async def run_ready_tasks() -> None:
    """Run every task that is ready."""
    for _ in range(10):
        await asyncio.sleep(0)


@asynccontextmanager
async def in_background(*coroutines: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """Run coroutines during the context, and cancel them at its end, until they end: a library may swallow it once."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        yield
    finally:
        while not all(task.done() for task in tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=CANCEL_INTERVAL_S)
        await asyncio.gather(*tasks, return_exceptions=True)


async def wait_for_aof_flush(url: str) -> None:
    """Wait until the server's append-only buffer is empty, which takes up to two seconds with a busy disk."""
    async with Redis.from_url(url) as redis, asyncio.timeout(TIMEOUT_S):
        while (await redis.info("persistence"))["aof_buffer_length"]:  # noqa: ASYNC110  Redis sends no event
            await asyncio.sleep(0.02)
