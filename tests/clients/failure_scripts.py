"""Scripts of failing connections; each records the client's messages."""

from schemas.problems import problem
from tests.clients.scripted_service import ConnectionScript, JsonObject, ServerSocket


async def _begin(socket: ServerSocket, messages: list[JsonObject], version: int) -> None:
    messages += [await socket.receive_message(), await socket.receive_message()]
    await socket.send_subscribed(version, recovered=version > 1)


def skip_a_diff(messages: list[JsonObject]) -> ConnectionScript:
    """Skip a diff; then shut down."""

    async def connection(socket: ServerSocket) -> None:
        await _begin(socket, messages, 1)
        await socket.send_diffs(2, 3)
        await socket.send_diffs(5, 5)
        messages.append(await socket.receive_message())
        await socket.send_diffs(6, 7)
        await socket.send_snapshot(7)
        await socket.send_message(type="closing", retry_after_ms=50)
        await socket.close(code=1012)

    return connection


def send_unknown_content(messages: list[JsonObject]) -> ConnectionScript:
    """Send unknown messages and events, and earlier diffs; then close because the client is too slow."""

    async def connection(socket: ServerSocket) -> None:
        await _begin(socket, messages, 7)
        await socket.send_message(type="advertisement", text="new tiles!")
        storm = {"type": "storm", "x": 0}
        await socket.send_message(**{**socket.script.log[7], "events": [storm], "mood": "calm"})
        await socket.send_diffs(7, 9)
        await socket.close(code=4429)

    return connection


def report_unavailable(messages: list[JsonObject]) -> ConnectionScript:
    """Report that the store is unavailable."""

    async def connection(socket: ServerSocket) -> None:
        await _begin(socket, messages, 9)
        await socket.send_diffs(10, 10)
        document = problem("store_unavailable", "away", retry_after_s=0)
        await socket.send_message(type="error", id=None, game="game-script", problem=document)
        await socket.wait_until_closed()

    return connection


def miss_a_pong(messages: list[JsonObject]) -> ConnectionScript:
    """Close because the client missed a pong."""

    async def connection(socket: ServerSocket) -> None:
        await _begin(socket, messages, 10)
        await socket.send_diffs(11, 11)
        await socket.close(code=4408)

    return connection


def report_missing_game(messages: list[JsonObject]) -> ConnectionScript:
    """Close because the game does not exist."""

    async def connection(socket: ServerSocket) -> None:
        messages.extend([await socket.receive_message(), await socket.receive_message()])
        await socket.close(code=4404)

    return connection
