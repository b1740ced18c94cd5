"""What Redis refuses is told in plain words, and what an operator must mend is logged once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.games.port import StoreUnavailable
from service.store import refusals
from service.store.client import connect
from service.store.permissions import ACL
from service.store.refusals import Refused, told
from tests.redis_servers import secured, standalone
from tests.store.commits import creation
from tests.store.conftest import Alone


@pytest.fixture(autouse=True)
def _nothing_is_logged_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "_logged", set())


@pytest.mark.parametrize(
    ("text", "code", "meaning"),
    (
        ("OOM command not allowed when used memory > 'maxmemory'.", "OOM", "is full"),
        ("LOADING Redis is loading the dataset in memory", "LOADING", "is still loading"),
        ("MASTERDOWN Link with MASTER is down", "MASTERDOWN", "has lost its primary"),
        ("CLUSTERDOWN Hash slot not served", "CLUSTERDOWN", "slots that no primary serves"),
        ("NOAUTH Authentication required.", "NOAUTH", "asks for a user and password"),
        ("ERR wrong number of arguments", "ERR", "wrong number"),
    ),
)
def test_each_refusal_has_its_meaning(text: str, code: str, meaning: str) -> None:
    assert Refused(text).code == code
    assert meaning in str(told(Refused(text)))
    assert text in str(told(Refused(text)))


@pytest.fixture
async def lacking(tmp_path: Path) -> AsyncIterator[str]:
    """The URL of a server whose user may do all but commit."""
    async with standalone(tmp_path, access=secured(tmp_path, f"{ACL} -eval -evalsha")) as deployment:
        yield deployment.url


async def test_what_the_user_may_not_do_is_logged_once(lacking: str, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(lacking) as store:
        await store.ping()
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="its ACL lacks something: NOPERM"):
                await store.commit(creation(listed=False))
    assert len(caplog.records) == 1
    assert "evalsha" in caplog.text


async def test_a_wrong_password_is_told_and_logged_once(lacking: str, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(lacking.replace("%25@", "@")) as store:
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="does not know this user and password: WRONGPASS"):
                await store.ping()
    assert len(caplog.records) == 1
    assert "p:" not in caplog.text


async def test_too_few_replicas(alone: Alone) -> None:
    await alone.redis.config_set("min-replicas-to-write", 1)
    try:
        with pytest.raises(StoreUnavailable, match="fewer replicas in reach than min-replicas-to-write"):
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
