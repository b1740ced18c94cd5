"""Error replies are explained, and those that an operator must resolve are logged once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    OutOfMemoryError,
    RedisError,
    ResponseError,
)

from service.games.ports import StoreUnavailable
from service.store.connection import error_code, to_store_error
from service.store.game_store import connect
from tests.redis_servers import create_access, standalone
from tests.redis_servers.acl import ACL
from tests.store.commits import creation
from tests.store.conftest import SingleServer


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
    async with connect(restricted_url.replace("%25@", "@")) as store:
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="does not accept this user and password: WRONGPASS"):
                await store.ping()
    assert [record.getMessage().partition(", so")[0] for record in caplog.records] == ["Redis fails commands"]
    assert "p:" not in caplog.text


async def test_a_wrong_password_does_not_wait_for_an_outage_to_end(restricted_url: str) -> None:
    async with connect(restricted_url.replace("%25@", "@"), timeout_s=3600) as store, asyncio.timeout(10):
        store._client.outage_tolerance_s = 3600
        with pytest.raises(StoreUnavailable, match="does not accept this user and password: WRONGPASS"):
            await store.ping()


async def test_too_few_replicas(single_server: SingleServer) -> None:
    await single_server.redis.config_set("min-replicas-to-write", 1)
    try:
        with pytest.raises(StoreUnavailable, match="fewer replicas than min-replicas-to-write requires"):
            await single_server.store.commit(creation())
        await single_server.store.ping()
    finally:
        await single_server.redis.config_set("min-replicas-to-write", 0)


async def test_a_disk_that_cannot_be_written(single_server: SingleServer) -> None:
    directory = Path(str((await single_server.redis.config_get("dir"))["dir"]))
    in_the_way = directory / "dump.rdb"
    in_the_way.mkdir()
    await single_server.redis.config_set("save", "3600 1")
    try:
        await single_server.redis.bgsave()
        async with asyncio.timeout(10):
            while (await single_server.redis.info("persistence"))["rdb_last_bgsave_status"] == "ok":  # noqa: ASYNC110  no event
                await asyncio.sleep(0.01)
        with pytest.raises(StoreUnavailable, match="cannot write to its disk"):
            await single_server.store.commit(creation())
    finally:
        in_the_way.rmdir()
        await single_server.redis.config_set("save", "")
    await single_server.store.commit(creation())
