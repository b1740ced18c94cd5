"""`GET /metrics` on a port of its own: it tells of everybody, so that it is nobody's who only plays."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from socket import socket

from aiohttp import hdrs, web

from service.telemetry.rendering import exposition

__all__ = ["exposing"]

BACKLOG = 16


@asynccontextmanager
async def exposing(sockets: Sequence[socket]) -> AsyncIterator[None]:
    """Answer `/metrics` on these sockets for the length of a `with`."""

    async def metrics(request: web.Request) -> web.Response:
        # Beside the event loop: it takes some ten milliseconds, in which others are served.
        body, media_type = await asyncio.to_thread(exposition, request.headers.get(hdrs.ACCEPT, ""))
        return web.Response(body=body, headers={hdrs.CONTENT_TYPE: media_type})

    app = web.Application()
    app.router.add_get("/metrics", metrics)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        for listening in sockets:
            await web.SockSite(runner, listening, backlog=BACKLOG).start()
        yield
    finally:
        await runner.cleanup()
