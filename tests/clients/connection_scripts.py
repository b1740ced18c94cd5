"""Scripts of connections, and a reader of a subscription's diffs."""

import asyncio
from typing import Any

from south_seas import Subscription
from tests.clients.scripted_service import ConnectionScript, ServerSocket


async def read_versions(game: Subscription, last: int) -> list[int]:
    """Return the versions of all diffs up to `last`; assert that each matches its state."""
    versions = []
    async with asyncio.timeout(10):
        async for diff in game:
            assert (diff.version, diff.digest) == (game.version, game.digest)
            versions.append(diff.version)
            if diff.version == last:
                break
    return versions


def send_and_close(first: int, last: int, code: int, **message: Any) -> ConnectionScript:
    """Return a script that sends some diffs, and closes with a code."""

    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(first, recovered=first > 1)
        await socket.send_diffs(first + 1, last)
        if message:
            await socket.send_message(**message)
        await socket.close(code=code)

    return connection


def send_and_stay(first: int, last: int, **message: Any) -> ConnectionScript:
    """Return a script that sends some diffs, and stays open."""

    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(first, recovered=first > 1)
        await socket.send_diffs(first + 1, last)
        if message:
            await socket.send_message(**message)
        await socket.wait_until_closed()

    return connection
