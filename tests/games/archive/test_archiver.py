"""The archiver: every ended game is archived once per version, despite crashes and failing storage."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from redis.asyncio import Redis

from schemas.lobby import Rematch
from schemas.vocabulary import Status
from service.archive_storage.object_storage import DirectoryStorage
from service.cli.importer import import_files
from service.games.archive.archiver import ARCHIVE_DELAY_S, MAX_CONCURRENT_WRITES, Archiver
from service.games.archive.document import GameDocument, decode_document
from service.games.archive.object_names import object_name
from service.games.archive.port import ArchiveStorage, StorageUnavailable
from service.games.archive.validation import validate_document
from service.games.commands.rematch import RematchRequest, rematch
from service.games.tilesets import TileSetCatalogue
from service.games.verify import verify
from service.store import keys
from service.store.game_store import RedisStore
from tests.cli.test_export_import import RETENTION
from tests.games.game_fixture import Clock
from tests.games.game_logs import ARCHIPELAGO, CATALOGUE
from tests.games.stored_games import CREATOR, USER, load_whole_game, store_game


class MemoryStorage:
    """Stores objects in memory; rejects or delays them on request."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.puts = 0
        self.rejects = False
        self.put_started = asyncio.Event()
        self.may_finish = asyncio.Event()
        self.may_finish.set()

    async def put(self, name: str, data: bytes) -> None:
        self.puts += 1
        self.put_started.set()
        if self.rejects:
            raise StorageUnavailable("no")
        await self.may_finish.wait()
        self.objects[name] = data

    def document(self) -> GameDocument:
        """Return the only document."""
        (data,) = self.objects.values()
        return decode_document(data)


@pytest.fixture
def storage() -> MemoryStorage:
    return MemoryStorage()


@pytest.fixture
def archiving(store: RedisStore) -> RedisStore:
    """Return a store that queues ended games for archiving."""
    store.is_archiving = True
    return store


def make_archiver(store: RedisStore, storage: ArchiveStorage, catalogue: TileSetCatalogue = CATALOGUE) -> Archiver:
    """Return the archiver of one instance, some time after the latest commits."""
    clock = Clock()
    clock.now += ARCHIVE_DELAY_S + 1
    return Archiver(store, store.archive_queue, storage, catalogue, clock)


async def list_due(store: RedisStore) -> list[str]:
    return await store.archive_queue.list_due(2**33, 10)


async def make_due(redis: Redis, game: str) -> None:
    """Make a postponed game due."""
    score = await redis.zscore(keys.ARCHIVE_SCHEDULE, game)
    assert score is not None
    assert score % 1 == 0.5
    await redis.zadd(keys.ARCHIVE_SCHEDULE, {game: 1_000_000_000.5})


@pytest.mark.parametrize("status", ("finished", "aborted"))
async def test_an_ended_game_is_archived_with_its_proof(
    archiving: RedisStore, storage: MemoryStorage, status: Status
) -> None:
    stored = await store_game(archiving, status, visibility="private", webhooks=1)
    await make_archiver(archiving, storage).archive_due()
    document = storage.document()
    assert [*storage.objects] == [object_name(stored.id, document.created_at)]
    assert (document.kind, document.status, document.access, document.webhooks) == ("archive", status, None, [])
    assert validate_document(document).game.id == stored.id
    log = [msgspec.json.decode(diff) for diff in document.diffs]
    checks = verify(log, msgspec.json.decode(document.tileset, type=type(ARCHIPELAGO.tileset)))
    assert all(check.passed for check in checks), checks


async def test_an_archive_has_no_token_hash_or_secret(archiving: RedisStore, storage: MemoryStorage) -> None:
    stored = await store_game(archiving, "finished", webhooks=1)
    await make_archiver(archiving, storage).archive_due()
    text = msgspec.json.encode(storage.document())
    (hook,) = await archiving.webhooks.list_by_game(stored.id)
    secrets = [
        stored.created.owner_token,
        stored.created.spectator_token,
        CREATOR,
        hook.registration.secret,
        hook.registration.url,
    ]
    assert not [secret for secret in (*secrets, USER) if secret.encode() in text]
    assert storage.document().access is None


@pytest.mark.parametrize("status", ("waiting", "active"))
async def test_an_active_game_is_not_archived(archiving: RedisStore, storage: MemoryStorage, status: Status) -> None:
    await store_game(archiving, status)
    assert await list_due(archiving) == []
    await make_archiver(archiving, storage).archive_due()
    assert storage.objects == {}


async def test_without_an_archive_nothing_is_queued(store: RedisStore) -> None:
    await store_game(store, "finished")
    assert await list_due(store) == []


async def test_concurrent_archivers_write_a_game_once(archiving: RedisStore, storage: MemoryStorage) -> None:
    await store_game(archiving, "finished")
    await asyncio.gather(*(make_archiver(archiving, storage).archive_due() for _ in range(5)))
    await make_archiver(archiving, storage).archive_due()
    assert storage.puts == 1


async def test_an_archived_game_leaves_the_queue(archiving: RedisStore, storage: MemoryStorage, redis: Redis) -> None:
    stored = await store_game(archiving, "finished")
    await make_archiver(archiving, storage).archive_due()
    await make_due(redis, stored.id)
    await make_archiver(archiving, storage).archive_due()
    assert await list_due(archiving) == []
    assert storage.puts == 1


async def test_a_rematch_archives_the_game_again_under_the_same_name(
    archiving: RedisStore, storage: MemoryStorage
) -> None:
    stored = await store_game(archiving, "finished")
    await make_archiver(archiving, storage).archive_due()
    before = storage.document().version
    await rematch(stored.context, stored.id, RematchRequest(Rematch(), stored.created.owner_token, None))
    await make_archiver(archiving, storage).archive_due()
    assert (storage.puts, storage.document().version) == (2, before + 1)
    assert (await load_whole_game(archiving, stored.id)).version == before + 1


async def test_a_game_that_changes_while_it_is_written_is_written_again(
    archiving: RedisStore, storage: MemoryStorage
) -> None:
    stored = await store_game(archiving, "finished")
    storage.may_finish.clear()
    writing = asyncio.create_task(make_archiver(archiving, storage).archive_due())
    await storage.put_started.wait()
    await rematch(stored.context, stored.id, RematchRequest(Rematch(), stored.created.owner_token, None))
    storage.may_finish.set()
    await writing
    await make_archiver(archiving, storage).archive_due()
    assert storage.document().version == (await load_whole_game(archiving, stored.id)).version


async def test_another_instance_archives_after_a_crash(
    archiving: RedisStore, storage: MemoryStorage, redis: Redis
) -> None:
    stored = await store_game(archiving, "finished")
    storage.may_finish.clear()
    writing = asyncio.create_task(make_archiver(archiving, storage).archive_due())
    await storage.put_started.wait()
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    storage.may_finish.set()
    assert await redis.ttl(keys.archive_lease(stored.id)) > 0
    await redis.delete(keys.archive_lease(stored.id))  # as it would expire
    await make_archiver(archiving, storage).archive_due()
    assert storage.document().game == stored.id


async def test_a_rejected_document_is_retried(
    archiving: RedisStore, storage: MemoryStorage, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    stored = await store_game(archiving, "finished")
    storage.rejects = True
    await make_archiver(archiving, storage).archive_due()
    assert f"game {stored.id} is not archived yet: no" in caplog.text
    storage.rejects = False
    assert await list_due(archiving) == [stored.id]
    await make_due(redis, stored.id)
    await make_archiver(archiving, storage).archive_due()
    assert storage.document().game == stored.id


async def test_failing_storage_is_not_tried_with_every_game(
    archiving: RedisStore, storage: MemoryStorage, caplog: pytest.LogCaptureFixture
) -> None:
    games = [await store_game(archiving, "aborted") for _ in range(20)]
    instance = make_archiver(archiving, storage)
    storage.rejects = True
    await instance.archive_due()
    assert storage.puts <= MAX_CONCURRENT_WRITES
    attempted = storage.puts
    await instance.archive_due()
    assert storage.puts <= attempted + 1
    assert len(caplog.records) == storage.puts
    storage.rejects = False
    for _ in range(3):
        await instance.archive_due()
    assert len(storage.objects) >= len(games) - attempted - 1


async def test_an_instance_without_the_tile_set_leaves_the_game_queued(
    archiving: RedisStore, storage: MemoryStorage, redis: Redis
) -> None:
    stored = await store_game(archiving, "finished")
    await make_archiver(archiving, storage, TileSetCatalogue([])).archive_due()
    assert storage.objects == {}
    await make_due(redis, stored.id)
    await make_archiver(archiving, storage).archive_due()
    assert storage.document().game == stored.id


async def test_a_deleted_game_leaves_the_queue(archiving: RedisStore, storage: MemoryStorage, redis: Redis) -> None:
    stored = await store_game(archiving, "finished")
    await redis.delete(keys.game(stored.id), keys.log(stored.id))
    await make_archiver(archiving, storage).archive_due()
    await make_due(redis, stored.id)
    await make_archiver(archiving, storage).archive_due()
    assert await list_due(archiving) == []
    assert await redis.exists(keys.game(stored.id)) == 0


async def test_archiving_does_not_change_a_games_expiry(
    archiving: RedisStore, storage: MemoryStorage, redis: Redis
) -> None:
    stored = await store_game(archiving, "finished")
    await redis.expire(keys.game(stored.id), 1000)
    await make_archiver(archiving, storage).archive_due()
    assert 900 < await redis.ttl(keys.game(stored.id)) <= 1000


async def import_archive(second_store: RedisStore, storage: MemoryStorage, file: Path) -> dict[str, int]:
    """Import the only archive; return the counts."""
    (data,) = storage.objects.values()
    await asyncio.to_thread(file.write_bytes, data)
    return {**await import_files(second_store, [file], RETENTION, replace=False)}


async def test_the_archive_of_a_public_game_can_be_imported(
    archiving: RedisStore, second_store: RedisStore, storage: MemoryStorage, tmp_path: Path
) -> None:
    stored = await store_game(archiving, "finished")
    await make_archiver(archiving, storage).archive_due()
    assert await import_archive(second_store, storage, tmp_path / "x.json.gz") == {"imported": 1}
    there, actual = await load_whole_game(second_store, stored.id), await load_whole_game(archiving, stored.id)
    assert there._replace(access=b"") == actual._replace(access=b"")


async def test_the_archive_of_a_private_game_is_rejected_on_import(
    archiving: RedisStore,
    second_store: RedisStore,
    storage: MemoryStorage,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    await store_game(archiving, "finished", visibility="private")
    await make_archiver(archiving, storage).archive_due()
    assert await import_archive(second_store, storage, tmp_path / "x.json.gz") == {"rejected": 1}
    assert "nobody could read it" in capsys.readouterr().err


async def test_directory_storage_writes_files_for_this_user_only(archiving: RedisStore, tmp_path: Path) -> None:
    stored = await store_game(archiving, "finished")
    await make_archiver(archiving, DirectoryStorage(tmp_path / "archive")).archive_due()
    (file,) = (path for path in (tmp_path / "archive").rglob("*") if path.is_file())
    assert decode_document(file.read_bytes()).game == stored.id
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.relative_to(tmp_path / "archive").as_posix().endswith(f"Z-{stored.id}.json.gz")


async def test_an_unwritable_directory_raises_storage_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnavailable, match="Not a directory"):
        await DirectoryStorage(tmp_path / "file").put("a/b", b"")
