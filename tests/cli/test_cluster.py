"""What walks over all games does so over all primaries of a Cluster, with no more rights than the service asks for.

Instances as processes, which keep the games beside serving them, whatever becomes of each.
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest
import pytest_asyncio
from redis.asyncio import Redis

from service.archive_storage import DirectoryStorage
from service.cli.export import ExportJob, export_games, import_files, iter_documents
from service.games.archive import decode_document, validate_document
from service.games.archiver import ARCHIVE_DELAY_S, Archiver
from service.games.index_repair import IndexRepairer
from service.store import keys
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore, connect
from service.telemetry.clock import DAY_S
from tests.cli.test_export_import import RETENTION
from tests.games.game_fixture import Clock, process_due
from tests.games.game_logs import CATALOGUE
from tests.games.stored_games import OwnedGame, load_whole_game, store_game
from tests.polling import wait_until
from tests.redis_servers import Deployment, cluster, create_access
from tests.redis_servers.access import CLUSTER_ACL
from tests.server_process import start_server
from tests.web.http_game import create_game

GAMES = 30
PATIENT_MS = 15_000


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def deployment(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deployment]:
    """Start a Cluster of three primaries."""
    directory = tmp_path_factory.mktemp("cluster")
    access = create_access(directory, CLUSTER_ACL)
    async with cluster(directory, replicas=0, access=access, node_timeout_ms=PATIENT_MS) as started:
        yield started


@pytest.fixture
async def clustered(deployment: Deployment) -> AsyncIterator[RedisStore]:
    """Return an empty store on the Cluster."""
    await deployment.clear()
    async with connect(deployment.url) as store:
        yield store


async def games_on_all(store: RedisStore, deployment: Deployment) -> list[OwnedGame]:
    games = [await store_game(store, "active" if number % 2 else "waiting", webhooks=1) for number in range(GAMES)]
    assert len({(await deployment.primary(stored.id)).port for stored in games}) == 3
    return games


async def test_all_games_of_a_cluster_are_moved_to_a_single_server_and_back(
    clustered: RedisStore, second_store: RedisStore, deployment: Deployment, tmp_path: Path
) -> None:
    games = await games_on_all(clustered, deployment)
    before = {stored.id: await load_whole_game(clustered, stored.id) for stored in games}
    assert await export_games(clustered, ExportJob(CATALOGUE, tmp_path / "out"), None) == {"exported": GAMES}
    assert await import_files(second_store, iter_documents([tmp_path / "out"]), RETENTION, replace=False) == {
        "imported": GAMES
    }
    await deployment.clear()
    assert await export_games(second_store, ExportJob(CATALOGUE, tmp_path / "back"), None) == {"exported": GAMES}
    assert await import_files(clustered, iter_documents([tmp_path / "back"]), RETENTION, replace=False) == {
        "imported": GAMES
    }
    assert {stored.id: await load_whole_game(clustered, stored.id) for stored in games} == before


async def test_deleted_indexes_are_rebuilt_from_the_games_of_all_primaries(
    clustered: RedisStore, deployment: Deployment
) -> None:
    games = await games_on_all(clustered, deployment)
    for node in await deployment.primaries():
        async with aclosing(node.client()) as client:
            for key in await client.keys("south-seas:[^{]*"):
                await client.delete(key)
    assert (await clustered.list_by_status(["waiting", "active"], 100, None)).games == []
    repaired = await IndexRepairer(clustered, clustered.index_repair, RETENTION, Clock()).repair_all()
    assert repaired.games == GAMES
    assert sorted((await clustered.list_by_status(["waiting", "active"], 100, None)).games) == sorted(
        stored.id for stored in games
    )


async def test_games_of_all_primaries_are_archived(clustered: RedisStore, tmp_path: Path) -> None:
    games = [await store_game(clustered, "aborted") for _ in range(10)]
    clock = Clock()
    clock.now += ARCHIVE_DELAY_S + 1
    archiver = Archiver(clustered, clustered.compacted_logs, DirectoryStorage(tmp_path), CATALOGUE, clock)
    await process_due(archiver.worker())
    assert len([*iter_documents([tmp_path])]) == len(games)


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
        await wait_until(lambda: redis.exists(keys.INDEX_REPAIR_LEASE), ARCHIVED_S)
        await instance.stop(signal.SIGKILL)
    assert not await asyncio.to_thread(archive.exists)
    assert await redis.delete(keys.lobby("aborted"), keys.INDEX_REPAIR_LEASE) == 2
    async with start_server(tmp_path, redis_url, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        await wait_until(lambda: asyncio.to_thread(_documents, archive), ARCHIVED_S)

        async def is_listed() -> bool:
            return await _list_aborted(session) == [game.id]

        await wait_until(is_listed, ARCHIVED_S)
    (file,) = _documents(archive)
    document = decode_document(file.read_bytes())
    assert (document.game, document.status, document.version) == (game.id, "aborted", ended["version"])
    assert validate_document(document)[0].id == game.id


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
