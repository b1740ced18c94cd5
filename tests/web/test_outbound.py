"""Webhooks are sent only to where they may go, bounded, with names looked up apart, and failures that look alike."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import pycares
import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from service.games.errors import WebhookUrlRejected
from service.games.ports import POSTPONED, RateLimit
from service.store.game_store import RedisStore
from service.web import outbound
from service.web import outbound as module
from service.web.limits import Limits
from service.web.outbound import (
    MAX_ADDRESSES,
    AddressBlocked,
    NameResolutionFailed,
    WebhookResolver,
    check_url,
    is_public,
    open_public_socket,
    open_webhook_sender,
    parse_nameservers,
)
from tests.polling import TIMEOUT_S, wait_until
from tests.web.name_server import Answers, NameServer, no_reply, run_name_server
from tests.web.webhook_receiver import LOCAL_LIMITS, GameOwner, WebhookReceiver, make_owner, run_instance, run_receiver


def outcomes(attempts: list[dict[str, Any]]) -> list[tuple[int | None, str | None]]:
    """Return status and error of delivery attempts."""
    return [(attempt["status"], attempt["error"]) for attempt in attempts]


@pytest.mark.parametrize(
    ("name", "timeout_s", "outcome"), (("endless", TIMEOUT_S, (200, None)), ("silent", 0.5, (None, "timeout")))
)
async def test_endless_and_missing_responses_end_in_time(
    game_owner: GameOwner,
    receiver: WebhookReceiver,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    timeout_s: float,
    outcome: tuple[int | None, str | None],
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
    hook = await game_owner.register(url=f"{receiver.url}?{name}")
    async with open_webhook_sender(LOCAL_LIMITS._replace(webhook_timeout_s=timeout_s)) as send:
        monkeypatch.setattr(game_owner.instance.deliverer, "send", send)
        await game_owner.act(game_owner.game)
    assert outcomes(await game_owner.message_deliveries(hook)) == [outcome]


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
async def test_a_failure_has_its_code(game_owner: GameOwner, receiver: WebhookReceiver, url: str, error: str) -> None:
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


async def test_no_outcome_reveals_internal_names(
    store: RedisStore, receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is inside, one is in a cloud, one is not there, and one's server does not answer."""
    received = {}
    monkeypatch.setattr(module, "LOOKUP_TIMEOUT_S", 0.5)
    async with run_name_server(answers) as names:
        limits = Limits(webhook_timeout_s=TIMEOUT_S, webhook_nameservers=(names.address,))
        async with run_instance(store, limits=limits) as one:
            owner = await make_owner("game", one, receiver, store)
            for name in ("inside", "azure", "nothing", "hang"):
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
    async with open_webhook_sender(Limits(webhook_timeout_s=TIMEOUT_S), resolver) as send:
        sent = await send(f"https://{host}:{port}/hook", {}, b"{}")
    assert (sent.status, sent.error) == (None, "dns")
    assert receiver.received == []


MESSAGE = b'{"type": "t"}'


@pytest.mark.parametrize(
    ("is_challenge", "status", "body", "error", "body_read"),
    (
        *((False, 200, b"ok", None, b""), (False, 299, b"ok", None, b""), (False, 300, b"ok", "redirect", b"")),
        *((False, 307, b"ok", "redirect", b""), (False, 399, b"ok", "redirect", b"")),
        *((False, 400, b"ok", "status", b""), (True, 200, b"ok", None, b"ok"), (True, 299, b"", None, b"")),
        *((True, 300, b"ok", "redirect", b""), (True, 404, b"ok", "status", b"")),
        (True, 200, b"x" * 1_024, None, b"x" * 1_024),
        (True, 200, b"x" * 30_000, None, b"x" * 2_048),
    ),
)
async def test_a_status_decides_and_only_the_beginning_of_a_challenges_response_is_read(
    receiver: WebhookReceiver, is_challenge: bool, status: int, body: bytes, error: str | None, body_read: bytes
) -> None:
    async def respond(_request: web.Request) -> web.Response:
        await asyncio.sleep(0.03)
        return web.Response(status=status, body=body, headers={"Content-Encoding": "gzip", "Location": "/"})

    receiver.respond = respond
    async with open_webhook_sender(LOCAL_LIMITS) as send:
        sent = await send(receiver.url, {}, MESSAGE, challenge=is_challenge)
    assert (sent.status, sent.error) == (status, error)
    assert sent.response_body in {body_read, body_read[:1_025]}
    assert sent.latency_ms >= 30


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
    async with open_webhook_sender(Limits(webhook_timeout_s=70.0)) as send:
        # What connections do not do (be reused, wait for each other) is seen in the connector only.
        for session in (send.messages, send.challenges):  # type: ignore[attr-defined]  # of this sender alone
            connector = session.connector
            assert (connector.force_close, connector.limit, connector.use_dns_cache) == (True, 0, False)
            assert session.timeout.total == 70.0


INSIDE = (
    *("0.0.0.0", "0.1.2.3", "10.0.0.7", "127.0.0.1", "127.8.9.10"),  # noqa: S104 (refused)
    *("100.64.0.1", "100.127.255.254", "100.100.100.200", "168.63.129.16"),
    *("169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.9", "192.0.0.192"),
    *("192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.7", "::ffff:1.1.1.1", "::ffff:168.63.129.16"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:7", "64:ff9b::a83f:8110", "64:ff9b:1::1", "100::1"),
    *("2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1", "2001:db8::1", "2002:7f00:1::1"),
    *("3fff::1", "4000::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254"),
    *("fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1"),
)

OUTSIDE = (
    *("1.1.1.1", "8.8.8.8", "93.184.216.34", "168.63.129.15", "168.63.129.17"),
    *("2606:4700:4700::1111", "2a00:1450::1", "64:ff9b::101:101"),
)


@pytest.mark.parametrize("text", INSIDE)
def test_an_inner_address_is_not_public(text: str) -> None:
    assert not is_public(ip_address(text))
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    with pytest.raises(AddressBlocked, match="is not a public address"):
        open_public_socket((family, socket.SOCK_STREAM, 0, "", (text, 443)))


@pytest.mark.parametrize("text", OUTSIDE)
def test_a_public_address_is(text: str) -> None:
    assert is_public(ip_address(text))
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    open_public_socket((family, socket.SOCK_STREAM, 0, "", (text, 443))).close()


@pytest.mark.parametrize(
    "url",
    (
        *(f"https://{f'[{text}]' if ':' in text else text}/hook" for text in INSIDE),
        *("https://0x7f000001/", "https://0x7f.0.0.1/", "https://2130706433/", "https://017700000001/"),
        *("https://0177.0.0.1/", "https://127.1/", "https://127.0.0.0x1/", "https://127.0.0.1./", "https://1.1.1.1.1/"),
        *("https://\uff11\uff12\uff17.0.0.1/", "https://①②⑦.⓪.⓪.①/"),
        *("https://localhost/", "https://LOCALHOST./", "https://redis/", "https://redis.default.svc.cluster.local/"),
        *("https://metadata.google.internal/", "https://1.0.0.127.in-addr.arpa/"),
        *(f"https://bot.example:{port}/" for port in ("22", "0", "6379x", "70000")),
        *("https://ana:secret@bot.example/", "https://@bot.example/", "https://bot.example@10.0.0.7/"),
        *("https://bot.example\\@10.0.0.7/", "https://bot.example#@10.0.0.7/", "https://bot.example/#part"),
        *("https://bot.example/a b", "https://bot.example/\r\nX: y"),
        *("https://", "https:///hook"),
        *("http://bot.example/", "ftp://bot.example/", "file:///etc/passwd", "gopher://bot.example/"),
        *("//bot.example/", "bot.example/hook", "/hook"),
        *("https://[::1/", "https://[::1]@", "https://[::1]@/", "https://[fe80::1%25eth0]/"),
    ),
)
def test_a_url_that_leads_inside_or_nowhere_is_rejected(url: str) -> None:
    with pytest.raises(WebhookUrlRejected) as refusal:
        check_url(url, allow_private=False)
    assert refusal.value.reason


@pytest.mark.parametrize(
    "url",
    (
        *("https://bot.example/", "https://bot.example", "https://BOT.example./hook?key=1"),
        *("https://bot.example:443/", "https://bot.example:8443/a/b", "https://1.1.1.1/hook"),
        *("https://[2606:4700:4700::1111]/hook", "https://bücher.example/hook", "https://7seas.example/hook"),
    ),
)
def test_a_public_url_is_accepted(url: str) -> None:
    check_url(url, allow_private=False)


@pytest.mark.parametrize(
    "url", ("http://127.0.0.1:9/hook", "http://localhost/", "https://[::1]:8443/", "http://redis:22/")
)
def test_development_may_send_anywhere(url: str) -> None:
    check_url(url, allow_private=True)


@pytest.mark.parametrize("url", ("ftp://127.0.0.1/", "http://a:b@localhost/", "http:///", "gopher://redis/"))
def test_development_may_not_use_any_scheme(url: str) -> None:
    with pytest.raises(WebhookUrlRejected):
        check_url(url, allow_private=True)


NAMES = {
    "public.example": ["192.0.2.1", "1.1.1.1", "2606:4700:4700::1111"],
    "inside.example": ["10.0.0.7", "fd00::7"],
    "both.example": ["10.0.0.7", "1.1.1.1"],
    "azure.example": ["168.63.129.16"],
    "many.example": [f"1.1.1.{number}" for number in range(1, 60)],
    "quick.org": ["1.1.1.1"],
}


def answers(name: str) -> list[str] | None:
    """Return what the name server knows; a name that hangs gets no answer."""
    return None if name.endswith("hang.example") else NAMES.get(name, [])


@asynccontextmanager
async def resolving(
    answered: Answers = answers, timeout_s: float = TIMEOUT_S, *, allow_private: bool = False
) -> AsyncIterator[tuple[WebhookResolver, NameServer]]:
    """Create a resolver with a name server of its own."""
    async with run_name_server(answered) as server:
        resolver = WebhookResolver(allow_private=allow_private, nameservers=[server.address], timeout_s=timeout_s)
        try:
            yield resolver, server
        finally:
            await resolver.close()


async def test_only_the_public_addresses_of_a_name_are_returned() -> None:
    async with resolving() as (resolver, _):
        result = await resolver.resolve("public.example", 443)
        both = await resolver.resolve("both.example", 443)
    assert {one["host"] for one in result} == {"1.1.1.1", "2606:4700:4700::1111"}
    assert [one["host"] for one in both] == ["1.1.1.1"]
    assert {(one["hostname"], one["port"]) for one in result} == {("public.example", 443)}


async def test_only_a_few_of_many_addresses_are_tried() -> None:
    async with resolving() as (resolver, _):
        assert len(await resolver.resolve("many.example", 443)) == MAX_ADDRESSES


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return how long lookups pause after they have failed; they do not."""
    recorded: list[float] = []

    async def sleep(pause_s: float) -> None:
        recorded.append(pause_s)

    monkeypatch.setattr(module, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": sleep}))
    return recorded


async def test_all_failures_of_a_name_look_the_same_and_take_the_same_time(pauses: list[float]) -> None:
    failures, names = set(), ("nothing.example", "inside.example", "azure.example", "hang.example", "a..b", "x" * 300)
    async with resolving(timeout_s=0.3) as (resolver, _):
        for name in names:
            now = (loop := asyncio.get_running_loop()).time()
            resolver._loop = Mock(wraps=loop, time=Mock(side_effect=(now, now + 0.1)))
            with pytest.raises(NameResolutionFailed) as failure:
                await resolver.resolve(name, 443)
            failures.add(str(failure.value))
    assert len(failures) == 1
    assert pauses == [pytest.approx(0.2)] * len(names)


async def test_development_may_look_up_inner_names() -> None:
    async with resolving(allow_private=True) as (resolver, _):
        result = await resolver.resolve("inside.example", 80)
        local = await resolver.resolve("localhost", 80, socket.AF_INET)
    assert {one["host"] for one in result} == {"10.0.0.7", "fd00::7"}
    assert [one["host"] for one in local] == ["127.0.0.1"]


@pytest.mark.usefixtures("pauses")
async def test_a_name_is_queried_literally_and_cached() -> None:
    async with resolving() as (resolver, server):
        for _ in range(3):
            await resolver.resolve("public.example", 443)
        with pytest.raises(NameResolutionFailed):
            await resolver.resolve("redis.default", 443)
    assert server.queried_names == ["public.example", "redis.default"]


async def test_the_number_of_cached_names_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED_LOOKUPS", 2)
    async with resolving() as (resolver, server), asyncio.timeout(TIMEOUT_S):
        while server.queried_names.count("public.example") < 3:
            await resolver.resolve("public.example", 443)


async def test_names_are_cached_again_after_the_cache_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED_LOOKUPS", 2)
    reinit = Mock()
    async with resolving() as (resolver, _):
        monkeypatch.setattr(resolver._channel, "reinit", reinit)
        for _ in range(6):
            await resolver.resolve("public.example", 443)
    assert reinit.call_count == 2


async def test_a_site_that_does_not_answer_delays_no_other() -> None:
    async with resolving(timeout_s=1_000) as (resolver, server):
        hanging = [asyncio.create_task(resolver.resolve(f"{number}.hang.example", 443)) for number in range(200)]
        await wait_until(lambda: server.queried_names)
        async with asyncio.timeout(TIMEOUT_S):
            await resolver.resolve("quick.org", 443)
        assert len({*server.queried_names}) <= module.MAX_LOOKUPS_PER_SITE + 1
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
    assert not resolver._lookups._used


async def test_no_lookup_outlives_a_cancellation_or_the_shutdown() -> None:
    async with asyncio.timeout(TIMEOUT_S), resolving(no_reply, timeout_s=1_000) as (resolver, server):
        waiting = [asyncio.create_task(resolver.resolve(f"{number}.org", 443)) for number in range(10)]
        await wait_until(lambda: len({*server.queried_names}) >= 10)
        for task in waiting[:5]:
            task.cancel()
        await asyncio.gather(*waiting[:5], return_exceptions=True)
        assert all(task.cancelled() for task in waiting[:5])
    for task in waiting[5:]:
        task.cancel()
    await asyncio.gather(*waiting[5:], return_exceptions=True)


async def test_no_thread_of_other_pools_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, before = asyncio.get_running_loop(), threading.active_count()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the loop's own resolver or pool was used")

    async with run_receiver() as receiver, run_name_server(lambda _: ["127.0.0.1"]) as server:
        monkeypatch.setattr(loop, "getaddrinfo", refuse)
        monkeypatch.setattr(loop, "run_in_executor", refuse)
        limits = Limits(webhooks_allow_private=True, webhook_nameservers=(server.address,))
        async with open_webhook_sender(limits) as send:
            url = receiver.url.replace("127.0.0.1", "bot.test")
            sent = await send(url, {}, b'{"type": "challenge", "challenge": ""}')
        monkeypatch.undo()
    assert (sent.status, server.queried_names) == (200, ["bot.test"])
    assert threading.active_count() - before <= 1, "c-ares' own thread that closes"


@pytest.mark.parametrize("text", ("bot.example", "192.0.2.53:", "192.0.2.53:0", "192.0.2.53:70000", "[::1"))
def test_a_name_server_must_be_an_address(text: str) -> None:
    with pytest.raises(ValueError, match="is neither ADDRESS nor ADDRESS:PORT"):
        parse_nameservers(text)


@pytest.mark.parametrize(("allow_private", "nameservers"), ((True, ("192.0.2.53",)), (False, ())))
async def test_names_are_queried_so_often_and_for_so_long(
    monkeypatch: pytest.MonkeyPatch, allow_private: bool, nameservers: tuple[str, ...]
) -> None:
    """Search domains are tried where private addresses are allowed, in development."""
    channel = Mock()
    monkeypatch.setattr(pycares, "Channel", channel)
    resolver = WebhookResolver(allow_private=allow_private, nameservers=nameservers)
    searched = 0 if allow_private else pycares.ARES_FLAG_NOSEARCH
    flags = pycares.ARES_FLAG_EDNS | pycares.ARES_FLAG_IGNTC | searched
    channel.assert_called_once_with(flags=flags, timeout=1.0, tries=4, servers=nameservers or None)
    await resolver.close()
    assert [one[0] for one in channel.return_value.method_calls] == ["cancel", "close"]
