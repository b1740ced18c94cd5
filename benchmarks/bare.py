"""The ceilings: what aiohttp does with the same Redis traffic and no game, and what a loop that only writes does.

`python -m benchmarks.bare REDIS_URL SNAPSHOT_BYTES DIFF_BYTES ANSWER_BYTES` listens on a free port and prints it.
`POST /bare/{game}` does the two round trips of one action with as many bytes. `GET /watch` takes a socket,
`POST /fan-out` writes one frame of DIFF_BYTES to each of them.
"""

import asyncio
import os
import sys
from contextlib import suppress
from typing import cast

import uvloop
from aiohttp import web
from redis.asyncio import Redis

from service.store.batch import Batches
from service.store.client import client
from service.store.script import Script
from service.web.frames import text_frame

DIGEST = "0" * 32
ACCESS_BYTES = 300


def application(redis: Redis, snapshot: int, diff: int, answer: int) -> web.Application:
    """The two ceilings."""
    batches = Batches(redis, 2, 5.0)
    commit = Script(batches, "commit.lua")
    kept, body = b"k" * (answer + 60), b"a" * answer
    stored, data, access = b"s" * snapshot, b"d" * diff, b"x" * ACCESS_BYTES
    frame = text_frame(b"m" + data[1:])
    versions: dict[str, int] = {}
    transports: dict[web.WebSocketResponse, asyncio.Transport] = {}

    async def act(request: web.Request) -> web.Response:
        game = request.match_info["game"]
        await request.read()
        version = versions.get(game, 0)
        keys = [f"bare:{{{game}}}:game", f"bare:{{{game}}}:log", f"bare:{{{game}}}:answer:{version}"]
        await asyncio.gather(
            batches.send("HMGET", keys[0], "version", "digest", "snapshot", "access"), batches.send("GET", keys[2])
        )
        versions[game] = version + 1
        on = ("", "") if version == 0 else (version, DIGEST)
        await commit.run(
            keys,
            *(os.urandom(16).hex(), *on, stored, access if version == 0 else b"", 3600, "bare", game, kept, 3600),
            *(version + 1, DIGEST, DIGEST, data),
        )
        return web.Response(body=body, content_type="application/json")

    async def watch(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        transports[socket] = cast("asyncio.Transport", request.transport)
        with suppress(asyncio.CancelledError):
            async for _ in socket:
                pass
        del transports[socket]
        return socket

    async def fan_out(request: web.Request) -> web.Response:
        await request.read()
        for transport in transports.values():
            if not transport.is_closing():
                transport.write(frame)
        return web.Response(body=b"{}", content_type="application/json")

    app = web.Application()
    app.add_routes([web.post("/bare/{game}", act), web.get("/watch", watch), web.post("/fan-out", fan_out)])
    return app


async def main() -> None:
    """Serve until killed."""
    url, snapshot, diff, answer = sys.argv[1], *map(int, sys.argv[2:5])
    runner = web.AppRunner(application(client(url), snapshot, diff, answer), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"listens on http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
