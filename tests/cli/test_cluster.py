"""What walks over all games does so over all primaries of a Cluster, with no more rights than the service asks for."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio

from service.archive_storage import DirectoryStorage
from service.cli.export import ExportJob, export_games, import_files, iter_documents
from service.games.archiver import ARCHIVE_DELAY_S, Archiver
from service.games.index_repair import IndexRepairer
from service.store.game_store import RedisStore, connect
from tests.cli.test_export_import import RETENTION
from tests.games.game_fixture import Clock
from tests.games.game_logs import CATALOGUE
from tests.games.stored_games import OwnedGame, load_whole_game, store_game
from tests.redis_servers import Deployment, cluster, create_access
from tests.redis_servers.acl import CLUSTER_ACL

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
    archive = clustered.archive_queue
    await Archiver(clustered, archive, DirectoryStorage(tmp_path), CATALOGUE, clock).archive_due()
    assert len([*iter_documents([tmp_path])]) == len(games)
