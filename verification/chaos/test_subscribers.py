"""Only clients that retry give up an instance that is silent for a while, as on a busy machine."""

import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from south_seas import Backoff
from verification.chaos.client_context import HEARTBEAT_S, NO_RETRIES, RETRIES, GameEnd, client_context
from verification.chaos.history import Connected, Disconnected, ReconnectRequested
from verification.chaos.rolling_update import check_rolling_update
from verification.chaos.subscribers import SocketSubscriber


async def answer_late(request: web.Request) -> web.WebSocketResponse:
    """Serve a socket that is not read before it is closed as on a shutdown."""
    socket = web.WebSocketResponse(timeout=0.1)
    await socket.prepare(request)
    await socket.send_json({"type": "subscribed"})
    await asyncio.sleep(2 * HEARTBEAT_S)
    await socket.send_json({"type": "closing", "retry_after_ms": 100})
    await socket.close(code=1001)
    return socket


@pytest.mark.parametrize(
    ("backoff", "received", "reason"),
    (
        (NO_RETRIES, [Connected, ReconnectRequested], "closed with 1001"),
        (RETRIES, [Connected], "closed with 1006: No PONG received after 0.5 seconds"),
    ),
    ids=("patient", "impatient"),
)
async def test_a_patient_subscriber_is_disconnected_by_the_service_alone(
    backoff: Backoff, received: list[type], reason: str
) -> None:
    app = web.Application()
    app.router.add_get("/v1/games/game/ws", answer_late)
    async with TestServer(app) as server, client_context(str(server.make_url("")), 1, 0.0, backoff) as context:
        await SocketSubscriber(context, GameEnd(), "subscriber", "game")._subscribe()
    records = context.history.records
    *before, last = records
    assert [type(record) for record in before] == received
    assert isinstance(last, Disconnected)
    assert last.reason == reason
    assert [violation.detail for violation in check_rolling_update(records)] == ([] if len(before) > 1 else [reason])
