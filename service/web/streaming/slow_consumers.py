"""Slow consumers: clients that do not read what they are sent, and are disconnected so that memory stays bounded."""

import asyncio
from typing import Literal

from aiohttp import web

from service.telemetry.metrics import SLOW_READERS_DROPPED
from service.web.connections.protocol import record_unsent

__all__ = ["is_slow_consumer"]


def is_slow_consumer(
    request: web.Request, transport: asyncio.Transport, kind: Literal["socket", "stream"], max_unsent_bytes: int
) -> bool:
    """Return whether a client has more than `max_unsent_bytes` to read, and must be disconnected.

    Fewer bytes count towards the send buffers of all connections; that budget, too, may drop the connection.
    """
    unsent_bytes = transport.get_write_buffer_size()
    if unsent_bytes > max_unsent_bytes:
        SLOW_READERS_DROPPED.labels(kind).inc()
        return True
    record_unsent(request, unsent_bytes)
    return False
