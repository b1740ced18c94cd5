"""What sending to a webhook's server comes to: only where it may go, bounded, and told in a word."""

import asyncio
import socket
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from service.games.ports import POSTPONED, RateLimit
from service.store.game_store import RedisStore
from service.web import outbound
from service.web.limits import Limits
from service.web.outbound import WebhookResolver, open_webhook_sender
from tests.web.name_server import run_name_server
from tests.web.webhook_owner import GameOwner, make_owner
from tests.web.webhook_receiver import LOCAL_LIMITS, WebhookReceiver, run_instance


def outcomes(attempts: list[dict[str, Any]]) -> list[tuple[int | None, str | None]]:
    """Return status and error of delivery attempts."""
    return [(attempt["status"], attempt["error"]) for attempt in attempts]


async def test_a_redirect_is_not_followed(game_owner: GameOwner, receiver: WebhookReceiver) -> None:
    hook = await game_owner.register()
    receiver.statuses = [307]
    await game_owner.act(game_owner.game)
    assert outcomes(await game_owner.message_deliveries(hook)) == [(307, "redirect")]
    assert receiver.versions == [2]


async def test_endless_and_missing_responses_end_in_time(
    game_owner: GameOwner, receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        if request.query_string == "silent":
            await asyncio.Event().wait()
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b"x" * 65_536)
        return response

    receiver.respond = respond
    hooks = [await game_owner.register(url=f"{receiver.url}?{name}") for name in ("endless", "silent")]
    async with open_webhook_sender(LOCAL_LIMITS._replace(webhook_timeout_s=2.0)) as send:
        monkeypatch.setattr(game_owner.instance.dispatcher._resources, "send", send)
        await game_owner.act(game_owner.game)
    logs = [await game_owner.message_deliveries(hook) for hook in hooks]
    assert [outcomes(log) for log in logs] == [[(200, None)], [(None, "timeout")]]


async def test_endless_provisional_responses_are_cut_off() -> None:
    async def provisional(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 5000 + b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(provisional, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with server, open_webhook_sender(LOCAL_LIMITS._replace(webhook_timeout_s=0.5)) as send:
        answered = await send(url, {}, b"{}")
    assert (answered.status, answered.error) == (None, "timeout")


@pytest.mark.parametrize(
    ("url", "error"),
    (("http://127.0.0.1:1/", "connect"), ("http://no-such-host.invalid/", "dns"), ("https://127.0.0.1:{port}/", "tls")),
)
async def test_a_failed_delivery_has_its_error_code(
    game_owner: GameOwner, receiver: WebhookReceiver, url: str, error: str
) -> None:
    port = receiver.url.split(":")[2].split("/")[0]
    hook = await game_owner.register(url=url.format(port=port))
    assert outcomes(await game_owner.deliveries(hook)) == [(None, error)]


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


async def test_no_outcome_reveals_internal_names(store: RedisStore, receiver: WebhookReceiver) -> None:
    received = {}
    async with run_name_server(_names) as names:
        limits = Limits(webhook_timeout_s=1, webhook_nameservers=(names.address,))
        async with run_instance(store, limits=limits) as one:
            owner = await make_owner("game", one, receiver, store)
            for name in ("inside", "cloud", "nothing", "hanging"):
                hook = await owner.register(url=f"https://{name}.example/")
                while not (attempts := await owner.deliveries(hook)):
                    await owner.deliver()
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


MESSAGE = b'{"type": "t"}'


@pytest.mark.parametrize(
    ("is_challenge", "status", "body", "error", "body_read"),
    (
        (False, 200, b"ok", None, b""),
        (False, 299, b"ok", None, b""),
        (False, 300, b"ok", "redirect", b""),
        (False, 399, b"ok", "redirect", b""),
        (False, 400, b"ok", "status", b""),
        (True, 200, b"ok", None, b"ok"),
        (True, 299, b"", None, b""),
        (True, 300, b"ok", "redirect", b""),
        (True, 404, b"ok", "status", b""),
        (True, 200, b"x" * 1_024, None, b"x" * 1_024),
        (True, 200, b"x" * 30_000, None, b"x" * 2_048),
    ),
)
async def test_a_status_decides_and_only_the_beginning_of_a_challenges_response_is_read(
    receiver: WebhookReceiver, is_challenge: bool, status: int, body: bytes, error: str | None, body_read: bytes
) -> None:
    async def respond(_request: web.Request) -> web.Response:
        return web.Response(status=status, body=body, headers={"Content-Encoding": "gzip"})

    receiver.respond = respond
    async with open_webhook_sender(LOCAL_LIMITS) as send:
        sent = await send(receiver.url, {}, MESSAGE, challenge=is_challenge)
    assert (sent.status, sent.error) == (status, error)
    assert sent.response_body in {body_read, body_read[:1_025]}
    assert 0 <= sent.latency_ms < 10_000


async def test_a_request_has_its_headers_its_body_and_no_cookies(receiver: WebhookReceiver) -> None:
    received: list[Any] = []

    async def respond(request: web.Request) -> web.Response:
        received.append((dict(request.headers), request.method, await request.read()))
        return web.Response(headers={"Set-Cookie": "a=b"})

    receiver.respond = respond
    async with open_webhook_sender(LOCAL_LIMITS) as send:
        for _ in range(2):
            assert (await send(receiver.url, {"webhook-id": "1"}, MESSAGE)).status == 200
    headers, *others = received[1]
    assert headers.pop("Host") in receiver.url
    assert headers == {
        "webhook-id": "1",
        "User-Agent": "south-seas-webhooks",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Content-Length": "13",
        "Content-Type": "application/octet-stream",
        "Connection": "close",
    }
    assert others == ["POST", MESSAGE]


async def test_challenges_of_one_address_are_limited_and_messages_are_not(
    receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "CHALLENGES_PER_ADDRESS", RateLimit(2, 7200))
    async with open_webhook_sender(LOCAL_LIMITS) as send:
        errors = [(await send(receiver.url, {}, MESSAGE, challenge=True)).error for _ in range(3)]
        assert errors == [None, None, POSTPONED]
        assert (await send(receiver.url, {}, MESSAGE)).error is None


def test_the_limit_of_challenges_is_for_an_address_or_an_ipv6_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "CHALLENGES_PER_ADDRESS", RateLimit(1, 3600))
    opened = [Mock() for _ in range(6)]
    limited = outbound._limit_challenges(Mock(side_effect=opened))
    rejected = []
    for address in ("192.0.2.1", "192.0.2.2", "192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"):
        try:
            limited((0, 0, 0, "", (address, 443)))
        except outbound.ChallengeLimitReached as error:
            rejected.append((address, str(error)))
    assert rejected == [(address, "too many challenges to one address") for address in ("192.0.2.1", "2001:db8::2")]
    assert [one.close.called for one in opened] == [False, False, True, False, True, False]


@pytest.mark.parametrize(("timeout_s", "lookup_s"), ((10.0, 2.5), (4.0, 2.0)))
async def test_names_are_resolved_within_half_the_timeout(
    monkeypatch: pytest.MonkeyPatch, timeout_s: float, lookup_s: float
) -> None:
    made = Mock(return_value=Mock(spec=WebhookResolver, close=AsyncMock()))
    monkeypatch.setattr(outbound, "WebhookResolver", made)
    limits = Limits(webhook_timeout_s=timeout_s, webhook_nameservers=("192.0.2.53",), webhooks_allow_private=True)
    async with open_webhook_sender(limits):
        made.return_value.close.assert_not_awaited()
    made.assert_called_once_with(allow_private=True, nameservers=("192.0.2.53",), timeout_s=lookup_s)
    made.return_value.close.assert_awaited_once_with()


def test_what_is_read_of_a_response_is_bounded() -> None:
    reader, transport = Mock(), Mock()
    transport.is_closing.side_effect = [False, True]
    protocol = outbound._BoundedProtocol(reader, transport)
    for _ in range(2):
        protocol.data_received(b"x" * 16_383)
    transport.pause_reading.assert_not_called()
    protocol.data_received(b"abc")
    assert [len(read.args[0]) for read in reader.data_received.call_args_list] == [16_383, 16_383, 2]
    transport.pause_reading.assert_called_once_with()
    protocol.data_received(b"abc")
    assert reader.data_received.call_count == 3
    transport.pause_reading.assert_called_once_with()


async def test_connections_are_not_reused_and_one_that_hangs_delays_no_other() -> None:
    async with open_webhook_sender(Limits(webhook_timeout_s=7.0)) as send:
        # What connections do not do (be reused, wait for each other) is seen in the connector only.
        for session in (send._message_session, send._challenge_session):  # type: ignore[attr-defined]
            connector = session.connector
            assert (connector.force_close, connector.limit, connector.use_dns_cache) == (True, 0, False)
            assert session.timeout.total == 7.0
