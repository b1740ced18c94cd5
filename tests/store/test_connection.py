"""URLs of Redis, error replies, and connections that are opened again."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from prometheus_client import REGISTRY
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    OutOfMemoryError,
    RedisError,
    ResponseError,
)

from service.games.ports import Committed, StoreUnavailable
from service.store import health
from service.store.connection import InvalidRedisURL, error_code, parse_url, to_store_error
from service.store.topology import SOLE_PRIMARY
from service.telemetry import metrics
from tests.polling import INTERVAL_S, TIMEOUT_S, in_background, wait_until
from tests.redis_servers import (
    ACL,
    SERVICE_USER,
    cluster,
    connect,
    create_access,
    create_certificate,
    sentinel,
    standalone,
)
from tests.store.commits import commit_until_answered, creation
from tests.store.conftest import SingleServer
from tests.store.test_topology import execute_on


@pytest.mark.parametrize(
    ("error", "text", "meaning"),
    (
        (OutOfMemoryError("used memory > 'maxmemory'.", status_code="OOM"), "OOM used memory", "has reached maxmemory"),
        (BusyLoadingError("is loading", status_code="LOADING"), "LOADING is loading", "is still loading"),
        (MasterDownError("Link is down", status_code="MASTERDOWN"), "MASTERDOWN Link", "without a link to its primary"),
        (ClusterDownError("not served", status_code="CLUSTERDOWN"), "CLUSTERDOWN not", "slots that no primary serves"),
        (AuthenticationError("required.", status_code="NOAUTH"), "NOAUTH required.", "requires a user and a password"),
        (ResponseError("NOREPLICAS Not enough good replicas"), "NOREPLICAS Not", "fewer replicas than"),
        (ResponseError("ERR wrong number of arguments"), "ERR wrong number", "wrong number"),
        (ResponseError("ERR ACL failure in script: no"), "ERR ACL failure", "check its ACL"),
        (ResponseError("ERR The user executing the script can't"), "ERR The user", "check its ACL"),
    ),
)
def test_error_replies_are_explained(error: RedisError, text: str, meaning: str) -> None:
    assert error_code(error) == text.partition(" ")[0]
    assert meaning in str(to_store_error(error))
    assert text in str(to_store_error(error))


@pytest.fixture
async def restricted_url(tmp_path: Path) -> AsyncIterator[str]:
    """Yield the URL of a server whose user may execute no scripts."""
    async with standalone(tmp_path, access=create_access(tmp_path, f"{ACL} -eval -evalsha")) as deployment:
        yield deployment.url


async def test_a_missing_permission_is_logged_once(restricted_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(restricted_url) as store:
        await store.ping()
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="check its ACL: NOPERM"):
                await store.commit(creation(is_public=False))
    assert len(caplog.records) == 1
    assert "evalsha" in caplog.text


async def test_a_wrong_password_is_logged_once(restricted_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(restricted_url.replace("%25@", "@"), timeout_s=3600) as store, asyncio.timeout(TIMEOUT_S):
        store.client.outage_tolerance_s = 3600  # it does not wait for the end of one
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="does not accept this user and password: WRONGPASS"):
                await store.ping()
    assert [record.getMessage().partition(", so")[0] for record in caplog.records] == ["Redis fails commands"]
    assert "p:" not in caplog.text


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
    assert (parsed.topology, parsed.addresses, dict(parsed.options)) == (topology, addresses, options)


def test_sentinels_have_a_service_and_a_login_and_no_repr_has_a_password() -> None:
    parsed = parse_url(
        "rediss+sentinel://user:p%40ss@sentinel:26379/games/2?sentinel_username=u&sentinel_password=hush&ssl_cert_reqs=none"
    )
    assert (parsed.service_name, parsed.options["db"]) == ("games", 2)
    assert parsed.sentinel_login == {"username": "u", "password": "hush"}
    assert (parsed.options["username"], parsed.options["password"]) == ("user", "p@ss")
    assert "p@ss" not in repr(parsed)
    assert "hush" not in repr(parsed)


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


async def test_a_connection_that_was_closed_is_opened_by_its_pool(
    single_server: SingleServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself it would go back to the address that it had, which may be a former primary's."""
    store = single_server.store
    await store.load("unknown")
    pool = store.client.topology.client_for(SOLE_PRIMARY).connection_pool
    monkeypatch.setattr(pool, "ensure_connection", ensure := AsyncMock(wraps=pool.ensure_connection))
    await pool.disconnect()
    assert await store.load("unknown") is None
    assert ensure.await_count == 1


async def test_a_name_that_moves_to_the_promoted_server_is_followed_while_the_old_one_lives(short_path: Path) -> None:
    """The name is of a unix socket, which a link takes to another server."""
    one, two = short_path / "one", short_path / "two"
    one.mkdir()
    two.mkdir()
    settings = (f"unixsocket {short_path}/one.sock",), (f"unixsocket {short_path}/two.sock",)
    async with standalone(one, settings=settings[0]) as former, standalone(two, settings=settings[1]) as promoted:
        name = short_path / "name.sock"
        name.symlink_to("one.sock")
        async with connect(f"unix://{former.access.userinfo}{name}") as store:
            assert await store.commit(creation(is_public=False)) == Committed()
            await execute_on(former.nodes[0], "REPLICAOF", "127.0.0.1", promoted.nodes[0].port)
            await execute_on(promoted.nodes[0], "ACL", "SETUSER", SERVICE_USER, "on", f">{former.access.password}")
            committing = asyncio.create_task(store.commit(creation("h", is_public=False)))
            await wait_until(lambda: store.client.topology.refreshing is not None)
            name.unlink()
            name.symlink_to("two.sock")
            assert await committing == Committed()


@pytest.mark.parametrize(
    "start",
    (standalone, partial(sentinel, replicas=1, sentinels=1), cluster),
    ids=("standalone", "sentinel", "cluster"),
)
async def test_a_new_certificate_authority_is_read_without_a_restart(
    tmp_path: Path, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "MEASURE_INTERVAL_S", INTERVAL_S)
    metrics.REDIS_CERTIFICATE_END.set(0)
    end = partial(REGISTRY.get_sample_value, "south_seas_redis_certificate_end_seconds")
    access = create_access(tmp_path, tls=True)
    async with (
        start(tmp_path, access=access) as servers,
        connect(servers.url) as store,
        in_background(store.monitor.run()),
    ):
        await wait_until(end)
        first = end() or 0
        create_certificate(tmp_path, days=9)  # another one in the same file
        for node in (*servers.nodes, *servers.sentinels):
            node.kill()
        for node in (*servers.nodes, *servers.sentinels):
            node.start()
        assert await commit_until_answered(store, creation()) == Committed()
        await wait_until(lambda: (end() or 0) > first)
