"""Scripts of failing connections; each records the client's messages.

Scripts of connections, and a reader of a subscription's diffs.
"""

import asyncio
from typing import Any

from schemas.problems import problem
from south_seas import Subscription
from tests.clients.scripted_service import ConnectionScript, JsonObject, ServerSocket
from tests.polling import TIMEOUT_S


async def _begin(messages: list[JsonObject], socket: ServerSocket, version: int) -> None:
    messages.append(await socket.receive_message())
    await socket.send_subscribed(version, recovered=version > 1)
    messages.append(socket.script.subscriptions[-1])


async def skip_a_diff(messages: list[JsonObject], socket: ServerSocket) -> None:
    """Skip a diff; then shut down, with a code that some libraries report for another."""
    await _begin(messages, socket, 1)
    await socket.send_diffs(2, 3)
    await socket.send_diffs(5, 5)
    messages.append(await socket.receive_message())
    await socket.send_diffs(6, 7)
    await socket.send_snapshot(7)
    await socket.send_message(type="closing", retry_after_ms=50)
    await socket.close(code=1002)


async def send_unknown_content(messages: list[JsonObject], socket: ServerSocket) -> None:
    """Send unknown messages and events, and earlier diffs; then close because the client is too slow."""
    await _begin(messages, socket, 7)
    await socket.send_message(type="advertisement", text="new tiles!")
    storm = {"type": "storm", "x": 0}
    await socket.send_message(**{**socket.script.log[7], "events": [storm], "mood": "calm"})
    await socket.send_diffs(7, 9)
    await socket.close(code=4429)


async def report_unavailable(messages: list[JsonObject], socket: ServerSocket) -> None:
    """Report that the store is unavailable; then close because the client missed a pong."""
    await _begin(messages, socket, 9)
    await socket.send_diffs(10, 10)
    document = problem("store_unavailable", "away", retry_after_s=0)
    await socket.send_message(type="error", id=None, game="game-script", problem=document)
    await _begin(messages, socket, 10)
    await socket.send_diffs(11, 11)
    await socket.close(code=4408)


async def close_without_welcome(socket: ServerSocket) -> None:
    """Close as another application does, to which messages are nothing that it knows."""
    await socket.close(code=1008)


async def report_missing_game(messages: list[JsonObject], socket: ServerSocket) -> None:
    """Close because the game does not exist."""
    messages.extend([await socket.receive_message(), await socket.receive_message()])
    await socket.close(code=4404)


async def read_versions(game: Subscription, last: int) -> list[int]:
    """Return the versions of all diffs up to `last`; assert that each matches its state."""
    versions = []
    async with asyncio.timeout(TIMEOUT_S):
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
