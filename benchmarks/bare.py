"""The ceilings: what aiohttp does with the same Redis traffic and no game, and what a loop that only writes does.

`python -m benchmarks.bare REDIS_URL SNAPSHOT DIFF ANSWER` listens on a free port and prints it; the numbers
are sizes in bytes. `POST /bare/{game}` reads the body, does one commit with the store's own script, as an action does,
and answers with as many bytes. `GET /watch` takes a socket, `POST /fan-out/{size}` writes one frame of that size to
each, marked as compressed where that was asked for.
"""

import argparse
import asyncio
import gc
from contextlib import suppress
from typing import cast

import uvloop
from aiohttp import web

from benchmarks.commits import Sizes, arguments, keys
from benchmarks.watchers import COMPRESSED
from service.store.batch import Batches
from service.store.script import Script
from service.store.where import Where, parse_url
from service.web.frames import text_frame
from service.web.serving import GC_THRESHOLD

CONNECTIONS = 2
PATIENCE_S = 5.0
MARK = b"md"
"""How a plain frame's content begins, and what is nowhere else in it."""


class Actions:
    """`POST /bare/{game}`: one action's traffic."""

    def __init__(self, where: Where, sizes: Sizes) -> None:
        self._commit = Script(Batches(where, CONNECTIONS, PATIENCE_S), "commit.lua")
        self._sizes = sizes
        self._body = b"a" * sizes.answer
        self._versions: dict[str, int] = {}

    async def act(self, request: web.Request) -> web.Response:
        """Commit, and answer as the service does in length; 500 where the script did not store it."""
        game = request.match_info["game"]
        await request.read()
        version = self._versions.get(game, 0)
        self._versions[game] = version + 1
        stored = await self._commit.run(keys(game, version), *arguments(game, version, self._sizes))
        return web.Response(
            status=200 if stored == 1 else 500, body=self._body, headers={"Content-Type": "application/json"}
        )


class Writing:
    """`GET /watch` and `POST /fan-out`: the loop that only writes."""

    def __init__(self) -> None:
        self._transports: dict[web.WebSocketResponse, tuple[asyncio.Transport, bool]] = {}

    async def watch(self, request: web.Request) -> web.WebSocketResponse:
        """Hold a socket."""
        asked = "permessage-deflate" in request.headers.get("Sec-WebSocket-Extensions", "")
        socket = web.WebSocketResponse(compress=asked)
        await socket.prepare(request)
        self._transports[socket] = cast("asyncio.Transport", request.transport), asked
        with suppress(asyncio.CancelledError):
            async for _ in socket:
                pass
        del self._transports[socket]
        return socket

    async def fan_out(self, request: web.Request) -> web.Response:
        """Write one frame to each."""
        await request.read()
        plain = text_frame(MARK + b"d" * (int(request.match_info["size"]) - len(MARK)))
        compressed = bytes((plain[0] | COMPRESSED,)) + plain[1:]
        for transport, asked in self._transports.values():
            if not transport.is_closing():
                transport.write(compressed if asked else plain)
        return web.Response(body=b"{}", content_type="application/json")


def application(where: Where, sizes: Sizes) -> web.Application:
    """All ceilings."""
    actions, writing = Actions(where, sizes), Writing()
    app = web.Application()
    app.add_routes(
        [
            web.post("/bare/{game}", actions.act),
            web.get("/watch", writing.watch),
            web.post("/fan-out/{size}", writing.fan_out),
        ]
    )
    return app


async def main() -> None:
    """Serve until killed, with the garbage collector tuned as the service tunes it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bare", description=__doc__)
    parser.add_argument("redis_url")
    for name in Sizes._fields:
        parser.add_argument(name, type=int)
    options = parser.parse_args()
    sizes = Sizes(*(getattr(options, name) for name in Sizes._fields))
    runner = web.AppRunner(application(parse_url(options.redis_url), sizes), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 20, 100)
    print(f"listens on http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
