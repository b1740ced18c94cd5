"""A URL that cannot be used is refused with one sentence, which does not tell the password."""

import secrets
import socket
from pathlib import Path

import pytest
from redis.asyncio import Redis

from service.games.ports import Committed, StoreUnavailable
from service.store.client import InvalidRedisURL, check_url, connect
from service.store.connection.url import Address, Credentials, parse_url
from service.store.embedded.server import embedded_server
from tests.store.commits import creation


@pytest.mark.parametrize(
    "url",
    (
        "redis://localhost",
        "REDIS://localhost",
        "redis://localhost:6379/3",
        "redis://:secret@[::1]:6379",
        "rediss://user:secret@redis.example:6380/0?ssl_ca_path=/&ssl_cert_reqs=required",
        "redis+sentinel://sentinel-0,sentinel-1:26380,[::1]/games",
        "rediss+sentinel://user:secret@sentinel:26379/games/2?sentinel_username=u&sentinel_password=p&ssl_cert_reqs=none",
        "redis+cluster://user:secret@node-0:7000,node-1:7001",
        "rediss+cluster://node-0:7000/0?ssl_check_hostname=no",
        "unix:///run/redis/redis.sock",
        "unix:///run/redis/redis.sock?db=2",
        "unix://user:secret@/run/redis/redis.sock",
    ),
)
def test_urls_that_name_a_server(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    ("url", "reason"),
    (
        ("", "begins with none"),
        ("localhost:6379", "begins with none"),
        ("http://:secret@localhost", "begins with none"),
        ("redis://", "names no host"),
        ("redis:///0", "names no host"),
        ("redis://:secret@localhost:port", "is not a URL"),
        ("redis://:secret@localhost:70000", "is not a URL"),
        ("redis://localhost:0", "names port 0"),
        ("redis://[::1", "is not a URL"),
        ("redis://:secret/word@localhost", "is not a URL"),
        ("redis://localhost?secret=word@localhost", "an option other than"),
        ("redis://:secret@localhost/games", "a database that is not a number"),
        ("redis://localhost?db=x", "names a database that is not a number"),
        ("redis://:secret@localhost?protocol=2", "an option other than db, password, username"),
        ("unix://", "names no socket"),
        ("redis://one,two", "names several hosts"),
        ("redis+sentinel://:secret@one,two", "names no SERVICE"),
        ("redis+sentinel://:secret@one,,two/games", "names no host"),
        ("redis+sentinel://one/games/secret", "a database that is not a number"),
        ("redis+sentinel://one/games?ssl_cert_reqs=none", "other than db, password, sentinel_password, sentinel_user"),
        ("redis+cluster://:secret@one,two:port", "is not a URL"),
        ("redis+cluster://one/1", "a database other than 0"),
        ("redis+cluster://one?sentinel_password=secret", "an option other than db, password, username"),
        ("rediss://localhost?ssl_check_hostname=secret", "ssl_check_hostname other than true, yes"),
        ("rediss://localhost?ssl_keyfile=/dev/null", "a key without the certificate"),
        ("rediss://localhost?ssl_certfile=/dev/null", "by ssl_certfile no certificate with its key"),
        ("rediss://localhost?ssl_ca_certs=/dev/null", "by ssl_ca_certs or ssl_ca_path no certificates"),
        ("rediss://localhost?ssl_cert_reqs=perhaps", "ssl_cert_reqs other than"),
        ("rediss://localhost?ssl_ca_certs=/nowhere/ca.pem", "by ssl_ca_certs a file that does not exist"),
        ("redis://localhost?ssl_cert_reqs=none", "an option other than db, password, username"),
    ),
)
async def test_urls_that_name_none(url: str, reason: str) -> None:
    with pytest.raises(InvalidRedisURL, match=reason) as refused:
        async with connect(url):
            pass
    assert "secret" not in str(refused.value)


def test_what_is_understood_of_a_url_does_not_tell_its_password() -> None:
    where = parse_url("redis+sentinel://user:p%40ss@one,two:3/games/2?sentinel_password=hush")
    assert (where.credentials, where.sentinel_credentials.password) == (Credentials("user", "p@ss"), "hush")
    assert (where.addresses, where.service_name, where.database) == (
        (Address("one", 26379), Address("two", 3)),
        "games",
        2,
    )
    assert "p@ss" not in repr(where)
    assert "hush" not in repr(where)


async def test_a_store_over_tcp_with_a_password(data_dir: Path, program: Path) -> None:
    password = secrets.token_hex()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with embedded_server(data_dir, program=program) as server, Redis.from_url(server.url) as redis:
        await redis.config_set("port", port)
        await redis.config_set("requirepass", password)
        async with connect(f"redis://:{password}@127.0.0.1:{port}/1") as store:
            assert await store.commit(creation()) == Committed()
        async with connect(f"redis://:wrong@127.0.0.1:{port}/1") as store:
            with pytest.raises(StoreUnavailable, match="invalid"):
                await store.ping()
