"""Valid and invalid URLs. The error is one sentence, which does not contain the password."""

import secrets
import socket
from pathlib import Path

import pytest
from redis.asyncio import Redis

from service.games.ports import Committed, StoreUnavailable
from service.store.connection import InvalidRedisURL, parse_url
from service.store.embedded import embedded_server
from service.store.game_store import connect
from tests.store.commits import creation


@pytest.mark.parametrize(
    ("url", "topology", "addresses", "options"),
    (
        ("redis://localhost", "standalone", [("localhost", 6379)], {}),
        ("REDIS://localhost", "standalone", [("localhost", 6379)], {}),
        ("redis://localhost:6380/3", "standalone", [("localhost", 6380)], {"db": 3}),
        ("redis://:secret@[::1]:6379", "standalone", [("::1", 6379)], {"password": "secret"}),
        (
            "rediss://user:secret@redis.example:6380/0?ssl_ca_path=/&ssl_cert_reqs=required",
            "standalone",
            [("redis.example", 6380)],
            {
                "username": "user",
                "password": "secret",
                "db": 0,
                "ssl": True,
                "ssl_ca_path": "/",
                "ssl_cert_reqs": "required",
            },
        ),
        (
            "redis+sentinel://sentinel-0,sentinel-1:26380,[::1]/games",
            "sentinel",
            [("sentinel-0", 26379), ("sentinel-1", 26380), ("::1", 26379)],
            {},
        ),
        (
            "redis+cluster://user:secret@node-0:7000,node-1:7001",
            "cluster",
            [("node-0", 7000), ("node-1", 7001)],
            {"username": "user", "password": "secret"},
        ),
        (
            "rediss+cluster://node-0:7000/0?ssl_check_hostname=no",
            "cluster",
            [("node-0", 7000)],
            {"db": 0, "ssl": True, "ssl_check_hostname": False},
        ),
        ("unix:///run/redis.sock?db=2", "standalone", [("", 6379)], {"unix_socket_path": "/run/redis.sock", "db": 2}),
        (
            "unix://user:secret@/run/redis.sock",
            "standalone",
            [("", 6379)],
            {"unix_socket_path": "/run/redis.sock", "username": "user", "password": "secret"},
        ),
    ),
)
def test_valid_urls(url: str, topology: str, addresses: list[tuple[str, int]], options: dict[str, object]) -> None:
    parsed = parse_url(url)
    assert (parsed.topology, parsed.addresses) == (topology, addresses)
    assert dict(parsed.options) == options


def test_sentinels_have_a_service_and_a_login_of_their_own() -> None:
    parsed = parse_url(
        "rediss+sentinel://user:secret@sentinel:26379/games/2?sentinel_username=u&sentinel_password=p&ssl_cert_reqs=none"
    )
    assert (parsed.service_name, parsed.options["db"]) == ("games", 2)
    assert parsed.sentinel_login == {"username": "u", "password": "p"}
    assert (parsed.options["username"], parsed.options["password"]) == ("user", "secret")


@pytest.mark.parametrize(
    ("url", "reason"),
    (
        ("", "has an unsupported scheme"),
        ("localhost:6379", "has an unsupported scheme"),
        ("http://:secret@localhost", "has an unsupported scheme"),
        ("redis://", "has no host"),
        ("redis:///0", "has no host"),
        ("redis://:secret@localhost:port", "is not a URL"),
        ("redis://:secret@localhost:70000", "is not a URL"),
        ("redis://[::1", "is not a URL"),
        ("redis://:secret/word@localhost", "is not a URL"),
        ("redis://localhost?secret=word@localhost", "an unsupported option"),
        ("redis://:secret@localhost/games", "a database that is not a number"),
        ("redis://localhost?db=x", "an option with an invalid value"),
        ("redis://:secret#word@localhost", "a # that is not percent-encoded"),
        ("redis://:secret@localhost?protocol=2", r"an unsupported option \(not db, password, username"),
        ("unix://", "has no path of a socket"),
        ("redis://one,two", "has several hosts"),
        ("redis+sentinel://:secret@one,two", "has no SERVICE"),
        ("redis+sentinel://:secret@one,,two/games", "has no host"),
        ("redis+sentinel://one/games/secret", "a database that is not a number"),
        ("redis+sentinel://one/games?ssl_cert_reqs=none", "not db, password, sentinel_password, sentinel_user"),
        ("redis+cluster://:secret@one,two:port", "is not a URL"),
        ("redis+cluster://one/1", "a database other than 0"),
        ("redis+cluster://one?sentinel_password=secret", r"an unsupported option \(not db, password, username"),
        ("rediss://localhost?ssl_keyfile=/dev/null", "TLS options that cannot be used: certfile should be"),
        ("rediss://localhost?ssl_certfile=/dev/null", "TLS options that cannot be used: .SSL. PEM lib"),
        (
            "rediss://localhost?ssl_ca_certs=/dev/null",
            "TLS options that cannot be used: .* no certificate or crl found",
        ),
        ("rediss://localhost?ssl_cert_reqs=perhaps", "TLS options that cannot be used: Invalid SSL Cert.* perhaps"),
        ("rediss://localhost?ssl_ca_certs=/nowhere/ca.pem", "TLS options that cannot be used: .* No such file"),
        ("redis://localhost?ssl_cert_reqs=none", r"an unsupported option \(not db, password, username"),
    ),
)
async def test_invalid_urls(url: str, reason: str) -> None:
    with pytest.raises(InvalidRedisURL, match=reason) as raised:
        async with connect(url):
            pass
    assert "secret" not in str(raised.value)


def test_the_repr_of_a_parsed_url_has_no_password() -> None:
    parsed = parse_url("redis+sentinel://user:p%40ss@one,two:3/games/2?sentinel_password=hush")
    assert parsed.options == {"username": "user", "password": "p@ss", "db": 2}
    assert parsed.sentinel_login == {"username": None, "password": "hush"}
    assert (parsed.addresses, parsed.service_name) == ([("one", 26379), ("two", 3)], "games")
    assert "p@ss" not in repr(parsed)
    assert "hush" not in repr(parsed)


async def test_a_store_over_tcp_with_a_password(short_path: Path, program: Path) -> None:
    password = secrets.token_hex()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with embedded_server(short_path, program=program) as server, Redis.from_url(server.url) as redis:
        await redis.config_set("port", port)
        await redis.config_set("requirepass", password)
        async with connect(f"redis://:{password}@127.0.0.1:{port}/1") as store:
            assert await store.commit(creation()) == Committed()
        async with connect(f"redis://:wrong@127.0.0.1:{port}/1") as store:
            with pytest.raises(StoreUnavailable, match="invalid"):
                await store.ping()
