"""Connection scripts for subscriptions, and a reader of their diffs."""

import asyncio
from typing import Any

from south_seas import Subscription
from tests.clients.scripted_service import Line, Socket


async def versions(game: Subscription, last: int) -> list[int]:
    """Return the versions of all diffs up to `last`; assert that each matches its state."""
    observed = []
    async with asyncio.timeout(10):
        async for diff in game:
            assert (diff.version, diff.digest) == (game.version, game.digest)
            observed.append(diff.version)
            if diff.version == last:
                break
    return observed


def closing(first: int, last: int, code: int, **message: Any) -> Line:
    """Return a script that sends some diffs, and closes with a code."""

    async def line(socket: Socket) -> None:
        await socket.subscribed(first, recovered=first > 1)
        await socket.diffs(first + 1, last)
        if message:
            await socket.say(**message)
        await socket.close(code=code)

    return line


def staying(first: int, last: int) -> Line:
    """Return a script that sends some diffs, and stays open."""

    async def line(socket: Socket) -> None:
        await socket.subscribed(first, recovered=first > 1)
        await socket.diffs(first + 1, last)
        await socket.stay()

    return line
