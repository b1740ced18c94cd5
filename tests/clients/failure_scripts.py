"""Scripts of failing connections; each records the client's messages."""

from schemas.problems import problem
from tests.clients.scripted_service import JsonObject, Line, Socket


async def _begin(socket: Socket, heard: list[JsonObject], version: int) -> None:
    heard += [await socket.heard(), await socket.heard()]
    await socket.subscribed(version, recovered=version > 1)


def gap(heard: list[JsonObject]) -> Line:
    """Leave out a diff; then shut down."""

    async def line(socket: Socket) -> None:
        await _begin(socket, heard, 1)
        await socket.diffs(2, 3)
        await socket.diffs(5, 5)
        heard.append(await socket.heard())
        await socket.diffs(6, 7)
        await socket.snapshot(7)
        await socket.say(type="closing", retry_after_ms=50)
        await socket.close(code=1012)

    return line


def newer(heard: list[JsonObject]) -> Line:
    """Messages and events that nobody knows, and diffs that are known already; then a client that is too slow."""

    async def line(socket: Socket) -> None:
        await _begin(socket, heard, 7)
        await socket.say(type="advertisement", text="new tiles!")
        storm = {"type": "storm", "x": 0}
        await socket.say(**{**socket.script.log[7], "events": [storm], "mood": "calm"})
        await socket.diffs(7, 9)
        await socket.close(code=4429)

    return line


def busy(heard: list[JsonObject]) -> Line:
    """Report that the store is unavailable."""

    async def line(socket: Socket) -> None:
        await _begin(socket, heard, 9)
        await socket.diffs(10, 10)
        away = problem("store_unavailable", "away", retry_after_s=0)
        await socket.say(type="error", id=None, game="game-script", problem=away)
        await socket.stay()

    return line


def unanswered(heard: list[JsonObject]) -> Line:
    """Do not answer a ping."""

    async def line(socket: Socket) -> None:
        await _begin(socket, heard, 10)
        await socket.diffs(11, 11)
        await socket.close(code=4408)

    return line


def gone(heard: list[JsonObject]) -> Line:
    """There is no such game any more."""

    async def line(socket: Socket) -> None:
        heard.extend([await socket.heard(), await socket.heard()])
        await socket.close(code=4404)

    return line
