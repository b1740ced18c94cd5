"""What Redis refuses is told in plain words, and what an operator must mend is logged once."""

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
from service.store.acl import ACL
from service.store.client import connect
from service.store.connection import errors
from service.store.connection.errors import error_code, to_store_error
from tests.redis_servers import create_access, standalone
from tests.store.commits import creation
from tests.store.conftest import Alone


@pytest.fixture(autouse=True)
def _nothing_is_logged_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "_logged", set())


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
    ),
)
def test_each_refusal_has_its_meaning(error: RedisError, text: str, meaning: str) -> None:
    assert error_code(error) == text.partition(" ")[0]
    assert meaning in str(to_store_error(error))
    assert text in str(to_store_error(error))


@pytest.fixture
async def lacking(tmp_path: Path) -> AsyncIterator[str]:
    """The URL of a server whose user may do all but commit."""
    async with standalone(tmp_path, access=create_access(tmp_path, f"{ACL} -eval -evalsha")) as deployment:
        yield deployment.url


async def test_what_the_user_may_not_do_is_logged_once(lacking: str, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(lacking) as store:
        await store.ping()
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="check its ACL: NOPERM"):
                await store.commit(creation(is_public=False))
    assert len(caplog.records) == 1
    assert "evalsha" in caplog.text


async def test_a_wrong_password_is_told_and_logged_once(lacking: str, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(lacking.replace("%25@", "@")) as store:
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="does not accept this user and password: WRONGPASS"):
                await store.ping()
    assert len(caplog.records) == 1
    assert "p:" not in caplog.text


async def test_too_few_replicas(alone: Alone) -> None:
    await alone.redis.config_set("min-replicas-to-write", 1)
    try:
        with pytest.raises(StoreUnavailable, match="fewer replicas than min-replicas-to-write requires"):
            await alone.store.commit(creation())
        with pytest.raises(StoreUnavailable, match="fewer replicas"):
            await alone.store.ping()
    finally:
        await alone.redis.config_set("min-replicas-to-write", 0)


async def test_a_disk_that_cannot_be_written(alone: Alone) -> None:
    directory = Path(str((await alone.redis.config_get("dir"))["dir"]))
    in_the_way = directory / "dump.rdb"
    in_the_way.mkdir()
    await alone.redis.config_set("save", "3600 1")
    try:
        await alone.redis.bgsave()
        async with asyncio.timeout(10):
            while (await alone.redis.info("persistence"))["rdb_last_bgsave_status"] == "ok":  # noqa: ASYNC110  no event
                await asyncio.sleep(0.01)
        with pytest.raises(StoreUnavailable, match="cannot write to its disk"):
            await alone.store.commit(creation())
    finally:
        in_the_way.rmdir()
        await alone.redis.config_set("save", "")
    await alone.store.commit(creation())
