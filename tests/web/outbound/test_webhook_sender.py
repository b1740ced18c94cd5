"""What sending to a webhook's server comes to: only where it may go, bounded, and told in a word."""

import asyncio
import socket

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from service.store.game_store import RedisStore
from service.web.limits import Limits
from service.web.outbound.webhook_sender import open_webhook_sender
from tests.web.http_game import create_game
from tests.web.name_server import run_name_server
from tests.web.webhook_receiver import (
    LOCAL_LIMITS,
    WebhookInstance,
    WebhookReceiver,
    list_attempts,
    list_message_attempts,
    register_webhook,
    run_instance,
)


async def test_a_redirect_is_not_followed(one: WebhookInstance, receiver: WebhookReceiver) -> None:
    game = await create_game(one.client)
    hook = await register_webhook(game, receiver.url)
    receiver.statuses = [307]
    await game.act_successfully()
    await one.deliver()
    assert [(attempted["status"], attempted["error"]) for attempted in await list_message_attempts(game, hook)] == [
        (307, "redirect")
    ]
    assert receiver.versions == [2]


async def test_endless_and_missing_responses_end_in_time(one: WebhookInstance, receiver: WebhookReceiver) -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        if request.query_string == "silent":
            await asyncio.sleep(5)
            return web.Response()
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b"x" * 65_536)
            await asyncio.sleep(0.01)
        return response

    receiver.respond = respond
    game = await create_game(one.client)
    hooks = [await register_webhook(game, f"{receiver.url}?{name}") for name in ("endless", "silent")]
    await game.act_successfully()
    async with asyncio.timeout(10):
        while not all(logs := [await list_message_attempts(game, hook) for hook in hooks]):
            await one.deliver()
    assert [(log[0]["status"], log[0]["error"]) for log in logs] == [(200, None), (None, "timeout")]


async def test_endless_provisional_responses_are_cut_off() -> None:
    async def provisional(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 5000 + b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(provisional, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with server, open_webhook_sender(LOCAL_LIMITS) as send:
        answered = await send(url, {}, b"{}")
    assert (answered.status, answered.error) == (None, "timeout")


@pytest.mark.parametrize(
    ("url", "error"),
    (
        ("http://127.0.0.1:1/", "connect"),
        ("http://no-such-host.invalid/", "dns"),
        ("https://127.0.0.1:{port}/", "tls"),
    ),
)
async def test_a_failed_delivery_has_its_error_code(
    one: WebhookInstance, receiver: WebhookReceiver, url: str, error: str
) -> None:
    game = await create_game(one.client)
    port = receiver.url.split(":")[2].split("/")[0]
    hook = await register_webhook(game, url.format(port=port))
    await one.deliver()
    assert [(attempted["status"], attempted["error"]) for attempted in await list_attempts(game, hook)] == [
        (None, error)
    ]


class Turning(AbstractResolver):
    """A name that leads to another address than it did when it was looked at."""

    def __init__(self, address: str) -> None:
        self.address = address

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [ResolveResult(hostname=host, host=self.address, port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        pass


def _names(name: str) -> list[str] | None:
    """One is inside, one is in a cloud, one is not there, and one's server does not answer."""
    return {"inside.example": ["10.0.0.7"], "cloud.example": ["168.63.129.16"], "nothing.example": []}.get(name)


async def test_no_outcome_reveals_internal_names(store: RedisStore) -> None:
    received = {}
    async with run_name_server(_names) as names:
        limits = Limits(webhook_timeout_s=1, webhook_nameservers=(names.address,))
        async with run_instance(store, limits=limits) as one:
            game = await create_game(one.client)
            for name in ("inside", "cloud", "nothing", "hanging"):
                hook = await register_webhook(game, f"https://{name}.example/")
                while not (attempts := await list_attempts(game, hook)):
                    await one.deliver()
                received[name] = {name: attempts[0][name] for name in ("error", "status", "delivered", "latency_ms")}
        assert {*names.queried_names} == {f"{name}.example" for name in received}
    assert received["inside"] == {"error": "dns", "status": None, "delivered": False, "latency_ms": 0}
    assert all(one == received["inside"] for one in received.values())


@pytest.mark.parametrize(
    ("host", "resolver"),
    (
        *(("rebound.example", Turning(address)) for address in ("127.0.0.1", "10.0.0.7", "169.254.169.254")),
        *((host, None) for host in ("127.0.0.1", "[::1]", "localhost", "0x7f000001", "2130706433", "127.1")),
    ),
)
async def test_a_name_that_leads_inside_is_not_connected_to(
    receiver: WebhookReceiver, host: str, resolver: Turning | None
) -> None:
    port = receiver.url.split(":")[2].split("/")[0]
    async with open_webhook_sender(Limits(webhook_timeout_s=2), resolver) as send:
        sent = await send(f"https://{host}:{port}/hook", {}, b"{}")
    assert (sent.status, sent.error) == (None, "dns")
    assert receiver.received == []
