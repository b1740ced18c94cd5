"""Instances as processes, which keep the games beside serving them, whatever becomes of each."""

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest
import pytest_asyncio
from redis.asyncio import Redis

from service.cli.export import iter_documents
from service.games.archive import decode_document, validate_document
from service.store import keys
from service.store.embedded import embedded_server
from service.telemetry.clock import DAY_S
from tests.polling import wait_until
from tests.server_process import start_server
from tests.web.http_game import create_game

ARCHIVED_S = 60


class Kept(NamedTuple):
    """An instance, and the Redis that nobody else has."""

    url: str
    redis_url: str


async def test_another_instance_archives_and_reindexes_after_kill_9(
    tmp_path: Path, redis: Redis, redis_url: str
) -> None:
    archive = tmp_path / "archive"
    flags = ("--archive-url", archive.as_uri())
    async with start_server(tmp_path, redis_url, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        game = await create_game(session)
        ended = await (await game.delete()).json()
        async with asyncio.timeout(ARCHIVED_S):
            while not await redis.exists(keys.INDEX_REPAIR_LEASE):  # noqa: ASYNC110  another process makes it
                await asyncio.sleep(0.02)
        await instance.stop(signal.SIGKILL)
    assert not await asyncio.to_thread(archive.exists)
    assert await redis.delete(keys.lobby("aborted"), keys.INDEX_REPAIR_LEASE) == 2
    async with start_server(tmp_path, redis_url, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        await wait_until(lambda: asyncio.to_thread(_documents, archive), ARCHIVED_S)
        async with asyncio.timeout(ARCHIVED_S):
            while await _list_aborted(session) != [game.id]:  # noqa: ASYNC110  another process repairs the index
                await asyncio.sleep(0.02)
    (file,) = _documents(archive)
    document = decode_document(file.read_bytes())
    assert (document.game, document.status, document.version) == (game.id, "aborted", ended["version"])
    assert validate_document(document).game.id == game.id


@pytest.mark.parametrize(
    ("players", "aborts", "days"),
    (
        ([{"name": "Ana"}, {"open": True}], False, 2),
        ([{"name": "Ana"}, {"name": "Bo"}], False, 4),
        ([{"name": "Ana"}, {"name": "Bo"}], True, 6),
    ),
    ids=("waiting", "active", "aborted"),
)
async def test_the_settings_set_the_retention(
    kept_for_days: Kept, players: list[dict[str, Any]], days: int, *, aborts: bool
) -> None:
    async with aiohttp.ClientSession(kept_for_days.url) as session:
        game = await create_game(session, players)
        if aborts:
            assert await (await game.delete()).json()
    async with Redis.from_url(kept_for_days.redis_url) as redis:
        for key in (keys.game(game.id), keys.log(game.id)):
            assert days * DAY_S - 60 < await redis.ttl(key) <= days * DAY_S + 600


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def kept_for_days(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kept]:
    """Run an instance with a retention of 2, 4 and 6 days for waiting, active and finished games."""
    flags = ("--waiting-retention-days", "2", "--active-retention-days", "4", "--finished-retention-days", "6")
    directory = tmp_path_factory.mktemp("stored")
    async with embedded_server(directory) as server, start_server(directory, server.url, *flags) as instance:
        yield Kept(instance.url, server.url)


def _documents(archive: Path) -> list[Path]:
    return [*iter_documents([archive])] if archive.exists() else []


async def _list_aborted(session: aiohttp.ClientSession) -> list[str]:
    async with session.get("/v1/games?status=aborted") as response:
        return [one["id"] for one in (await response.json())["games"]]
