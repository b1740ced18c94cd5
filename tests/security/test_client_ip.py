"""The client's address, behind proxies and with forged headers."""

from collections.abc import AsyncIterator
from ipaddress import ip_network
from typing import Any

import pytest
from aiohttp import ClientSession
from multidict import CIMultiDict, CIMultiDictProxy

from service.store.game_store import RedisStore
from service.web import client_ip
from service.web.client_ip import TrustedProxies, get_site_network, parse_networks
from tests.security.limited_client import count_statuses, make_limits, read_status, request_game
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS

TRUSTED = parse_networks("10.0.0.0/8, 127.0.0.1, fd00::/8")


def forwarded_client(*lines: str, peer: str = "10.0.0.1") -> str:
    """Return the client that a request of a trusted peer names."""
    headers = CIMultiDict(("X-Forwarded-For", line) for line in lines)
    return TrustedProxies(TRUSTED).forwarded_client(peer, CIMultiDictProxy(headers))


@pytest.mark.parametrize(
    ("lines", "client"),
    (
        *(((line,), "192.0.2.1") for line in ("192.0.2.1", "192.0.2.1:8080", "::ffff:192.0.2.1")),
        *(((line,), "192.0.2.1") for line in ("192.0.2.1, 10.1.1.1", "6.6.6.6, 192.0.2.1")),
        (("6.6.6.6, 192.0.2.1, 10.1.1.1, 10.1.1.2",), "192.0.2.1"),
        (("6.6.6.6", "192.0.2.1"), "192.0.2.1"),
        (("10.3.3.3, 10.2.2.2",), "10.3.3.3"),
        (("[2001:db8::1]:80",), "2001:db8::"),
        (("2001:db8:0:1:dead::1",), "2001:db8:0:1::"),
        (("::ffff:10.0.0.9, ::ffff:10.0.0.8",), "10.0.0.9"),
        (("192.0.2.1, unknown, 10.1.1.1",), "10.1.1.1"),
        *(((line,), "10.0.0.1") for line in ("192.0.2.1, _hidden", "192.0.2.1, <script>", "")),
        ((), "10.0.0.1"),
        (("fe80::1%eth0",), "fe80::"),
    ),
)
def test_the_client_is_the_last_address_that_is_no_trusted_proxy(lines: tuple[str, ...], client: str) -> None:
    assert forwarded_client(*lines) == client


@pytest.mark.parametrize(
    ("value", "cached"), (("192.0.2.1".ljust(64), 1), ("192.0.2.1".ljust(65), 0), ("192.0.2.1, \u00fc", 0))
)
def test_only_short_headers_are_cached(value: str, cached: int) -> None:
    """Many long ones would fill the memory."""
    proxies = TrustedProxies(TRUSTED)
    headers = CIMultiDictProxy(CIMultiDict({"x-forwarded-for": value}))
    for _ in range(2):
        proxies.forwarded_client("10.0.0.1", headers)
    assert proxies._cached_last_untrusted.cache_info()[:] == (cached, cached, client_ip.MAX_CACHED_HEADERS, cached)
    assert client_ip._site_network.cache_info().maxsize == client_ip.MAX_CACHED_HEADERS


def test_the_network_of_an_ipv6_client_is_its_site() -> None:
    assert get_site_network("2001:db8:1:ffff::") == "2001:db8:1::/48"
    assert get_site_network("192.0.2.1") == "192.0.2.1"


def test_a_connection_that_closed_has_an_unknown_client() -> None:
    assert forwarded_client(peer="") == "unknown"


def test_the_direct_client_is_the_peer_unless_it_is_a_trusted_proxy() -> None:
    proxies = TrustedProxies(TRUSTED)
    assert proxies.direct_client("192.0.2.1") == "192.0.2.1"
    assert proxies.direct_client("2001:db8:1:2:3::4") == "2001:db8:1:2::"
    assert proxies.direct_client("10.7.7.7") is None
    assert proxies.direct_client("::ffff:10.7.7.7") is None
    assert proxies.direct_client("") == "unknown"


@pytest.fixture
async def proxied(store: RedisStore) -> AsyncIterator[Client]:
    """Start an instance that trusts this machine as a proxy."""
    async with serve(store, make_limits(rate_creations=5, trusted_proxies=(ip_network("127.0.0.1"),))) as client:
        yield client


async def test_clients_of_a_trusted_proxy_have_limits_of_their_own(proxied: Client) -> None:
    assert (await count_statuses(10, lambda: request_game(proxied, **{"X-Forwarded-For": "192.0.2.1"})))[201] <= 6
    assert await read_status(await request_game(proxied, **{"X-Forwarded-For": "192.0.2.1"})) == 429
    assert await read_status(await request_game(proxied, **{"X-Forwarded-For": "192.0.2.2"})) == 201
    assert await read_status(await request_game(proxied, **{"X-Forwarded-For": "192.0.2.2, 192.0.2.1"})) == 429


async def test_forwarding_headers_of_untrusted_peers_are_ignored(
    store: RedisStore, caplog: pytest.LogCaptureFixture
) -> None:
    trusted = (ip_network("10.0.0.0/8"),)
    async with serve(store, make_limits(rate_creations=5, trusted_proxies=trusted)) as client:
        numbers = iter(range(100))

        def ask() -> Any:
            lie = f"192.0.2.{next(numbers)}"
            return request_game(client, **{"X-Forwarded-For": lie, "Forwarded": f"for={lie}", "X-Real-IP": lie})

        assert (await count_statuses(20, ask))[201] <= 6
    (warned,) = [record for record in caplog.records if record.name == "service.web.middleware"]
    assert "--trusted-proxies" in warned.getMessage()


async def test_no_response_contains_the_host_or_scheme_of_the_request(store: RedisStore) -> None:
    lies = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "evil"}
    lies["Forwarded"] = "host=evil.example;proto=evil"
    paths = ("/", "/openapi.json", "/asyncapi.json", "/docs", "/docs/", "/problems/malformed", "/v1/games")
    async with serve(store) as client, ClientSession(client.make_url("/")) as session:
        created = await session.post("/v1/games", json={"players": TWO_PLAYERS}, headers=lies)
        assert created.headers["Location"].startswith("/v1/games/")
        for answer in [created, *[await session.get(path, headers=lies, allow_redirects=False) for path in paths]]:
            assert "evil" not in await answer.text()
            assert "evil" not in str(answer.headers)


def test_only_the_nearest_forwarded_addresses_are_read() -> None:
    """A client may send thousands, and all of them may be a trusted proxy's."""
    value = "192.0.2.1, " + ", ".join(["10.0.0.1"] * 5_000)
    assert client_ip._split_addresses(value) == ["10.0.0.1"] * client_ip.MAX_FORWARDED_ADDRESSES
    assert forwarded_client(value) == "10.0.0.1"
