"""The ceilings, made of the service's libraries: aiohttp and redis-py with an action's traffic, and a broadcast loop.

`python -m benchmarks.baseline REDIS_URL SNAPSHOT DIFF` listens on a free port and prints it; the numbers are sizes in
bytes. `POST /bare/{game}` reads the body, makes one commit with the store's script, as an action does, and responds
with as many bytes. `GET /watch` opens a socket, and `POST /fan-out/{size}` writes one frame of that size to each
socket, marked as compressed if that was negotiated.
"""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, cast

import uvloop
from aiohttp import web
from redis.asyncio import Redis

from benchmarks.commits import RESPONSE_EXTRA, SCRIPT, SCRIPT_SHA, Sizes, Value, arguments, keys
from benchmarks.watcher_clients import DIFF

TEXT, COMPRESSED_TEXT = 0x81, 0xC1
"""The first byte of an unfragmented frame (RFC 6455, 5.2; RFC 7692, 6)."""
CONNECTIONS = 2
"""As in the service."""
GC_THRESHOLD = 50_000
"""As in the service."""


class CommitPipeline:
    """Runs commit.lua: sends the commits of one iteration of the event loop as one pipeline of redis-py.

    While CONNECTIONS pipelines are in flight, commits wait for the next.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._waiting: list[tuple[list[Value], asyncio.Future[Any]]] = []
        self._sending: set[asyncio.Task[None]] = set()

    def commit(self, names: list[str], values: list[Value]) -> asyncio.Future[Any]:
        """Return the script's reply."""
        loop = asyncio.get_running_loop()
        if not self._waiting and len(self._sending) < CONNECTIONS:
            loop.call_soon(self._flush)
        reply: asyncio.Future[Any] = loop.create_future()
        self._waiting.append(([len(names), *names, *values], reply))
        return reply

    def _flush(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            task = asyncio.create_task(self._send(waiting))
            self._sending.add(task)
            task.add_done_callback(self._on_sent)

    def _on_sent(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        self._flush()

    async def _send(self, waiting: list[tuple[list[Value], asyncio.Future[Any]]]) -> None:
        async with self._redis.pipeline(transaction=False) as pipeline:
            for command, _ in waiting:
                pipeline.execute_command("EVALSHA", SCRIPT_SHA, *command)
            replies = await pipeline.execute(raise_on_error=False)
        for (_, reply), received in zip(waiting, replies, strict=True):
            reply.set_result(received)


class Actions:
    """`POST /bare/{game}`: one action's traffic."""

    def __init__(self, scripts: CommitPipeline, sizes: Sizes) -> None:
        self._scripts = scripts
        self._sizes = sizes
        self._body = b"a" * (sizes.diff + RESPONSE_EXTRA)
        self._versions: dict[str, int] = {}

    async def act(self, request: web.Request) -> web.Response:
        """Change, and respond with as many bytes as the service does; with 500 if the script stored nothing."""
        game = request.match_info["game"]
        await request.read()
        version = self._versions.get(game, 0)
        self._versions[game] = version + 1
        stored = await self._scripts.commit(keys(game), arguments(version, self._sizes))
        status = 200 if stored == 1 else 500
        return web.Response(status=status, body=self._body, headers={"Content-Type": "application/json"})


class Broadcast:
    """`GET /watch` and `POST /fan-out`: a loop that only writes."""

    def __init__(self) -> None:
        self._transports: dict[web.WebSocketResponse, tuple[asyncio.Transport, bool]] = {}

    async def watch(self, request: web.Request) -> web.WebSocketResponse:
        """Open a socket."""
        compressed = "permessage-deflate" in request.headers.get("Sec-WebSocket-Extensions", "")
        socket = web.WebSocketResponse(compress=compressed)
        await socket.prepare(request)
        self._transports[socket] = cast("asyncio.Transport", request.transport), compressed
        with suppress(asyncio.CancelledError):
            async for _ in socket:
                pass
        del self._transports[socket]
        return socket

    async def fan_out(self, request: web.Request) -> web.Response:
        """Write one frame to each socket."""
        await request.read()
        size = int(request.match_info["size"])
        head = bytes((size,)) if size < 126 else bytes((126,)) + size.to_bytes(2)
        frame = head + DIFF.ljust(size, b"d")
        plain, compressed = bytes((TEXT,)) + frame, bytes((COMPRESSED_TEXT,)) + frame
        for transport, is_compressed in self._transports.values():
            if not transport.is_closing():
                transport.write(compressed if is_compressed else plain)
        return web.Response(body=b"{}", content_type="application/json")


def application(redis_url: str, sizes: Sizes) -> web.Application:
    """Make an application of all ceilings."""
    redis = Redis.from_url(redis_url, protocol=3, socket_timeout=None)
    app = web.Application()
    actions, broadcast = Actions(CommitPipeline(redis), sizes), Broadcast()

    async def connected(_: web.Application) -> AsyncIterator[None]:
        async with aclosing(redis):
            await redis.script_load(SCRIPT.decode())
            yield

    app.cleanup_ctx.append(connected)
    app.router.add_post("/bare/{game}", actions.act)
    app.router.add_get("/watch", broadcast.watch)
    app.router.add_post("/fan-out/{size}", broadcast.fan_out)
    return app


async def main() -> None:
    """Serve until killed, with the garbage collector tuned as the service tunes it."""
    redis_url, *sizes = sys.argv[1:]
    runner = web.AppRunner(application(redis_url, Sizes(*map(int, sizes))), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 20, 100)
    print(f"listens on http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
