"""Every game that is over is archived, once as it is, whoever dies meanwhile; and nobody waits for it."""

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
def objects() -> MemoryStorage:
    return MemoryStorage()


@pytest.fixture
def archiving(store: RedisStore) -> RedisStore:
    """Return a store that queues ended games for archiving."""
    store.is_archiving = True
    return store


def make_archiver(store: RedisStore, objects: ArchiveStorage, catalogue: TileSetCatalogue = CATALOGUE) -> Archiver:
    """Return the archiver of one instance, some time after the latest commits."""
    clock = Clock()
    clock.now += ARCHIVE_DELAY_S + 1
    return Archiver(store, store.archive_queue, objects, catalogue, clock)


async def list_due(store: RedisStore) -> list[str]:
    return await store.archive_queue.list_due(2**33, 10)


async def make_due(redis: Redis, game: str) -> None:
    """Make a postponed game due."""
    score = await redis.zscore(keys.ARCHIVE_SCHEDULE, game)
    assert score is not None
    assert score % 1 == 0.5
    await redis.zadd(keys.ARCHIVE_SCHEDULE, {game: 1_000_000_000.5})


@pytest.mark.parametrize("status", ("finished", "aborted"))
async def test_a_game_that_is_over_is_archived_with_all_that_proves_it(
    archiving: RedisStore, objects: MemoryStorage, status: Status
) -> None:
    kept = await store_game(archiving, status, visibility="private", webhooks=1)
    await make_archiver(archiving, objects).archive_due()
    document = objects.document()
    assert [*objects.objects] == [object_name(kept.id, document.created_at)]
    assert (document.kind, document.status, document.access, document.webhooks) == ("archive", status, None, [])
    assert validate_document(document).game.id == kept.id
    log = [msgspec.json.decode(diff) for diff in document.diffs]
    checks = verify(log, msgspec.json.decode(document.tileset, type=type(ARCHIPELAGO.tileset)))
    assert all(check.passed for check in checks), checks


async def test_there_is_no_token_no_hash_and_no_secret_in_an_archive(
    archiving: RedisStore, objects: MemoryStorage
) -> None:
    kept = await store_game(archiving, "finished", webhooks=1)
    await make_archiver(archiving, objects).archive_due()
    text = msgspec.json.encode(objects.document())
    (hook,) = await archiving.webhooks.list_by_game(kept.id)
    secrets = [
        kept.created.owner_token,
        kept.created.spectator_token,
        CREATOR,
        hook.registration.secret,
        hook.registration.url,
    ]
    assert not [secret for secret in (*secrets, USER) if secret.encode() in text]
    assert objects.document().access is None


@pytest.mark.parametrize("status", ("waiting", "active"))
async def test_a_game_that_is_not_over_is_not(archiving: RedisStore, objects: MemoryStorage, status: Status) -> None:
    await store_game(archiving, status)
    assert await list_due(archiving) == []
    await make_archiver(archiving, objects).archive_due()
    assert objects.objects == {}


async def test_without_an_archive_nothing_is_promised(store: RedisStore) -> None:
    await store_game(store, "finished")
    assert await list_due(store) == []


async def test_it_is_written_once_by_however_many(archiving: RedisStore, objects: MemoryStorage) -> None:
    await store_game(archiving, "finished")
    await asyncio.gather(*(make_archiver(archiving, objects).archive_due() for _ in range(5)))
    await make_archiver(archiving, objects).archive_due()
    assert objects.puts == 1


async def test_when_it_is_archived_nobody_looks_any_more(
    archiving: RedisStore, objects: MemoryStorage, redis: Redis
) -> None:
    kept = await store_game(archiving, "finished")
    await make_archiver(archiving, objects).archive_due()
    await make_due(redis, kept.id)
    await make_archiver(archiving, objects).archive_due()
    assert await list_due(archiving) == []
    assert objects.puts == 1


async def test_a_rematch_has_it_written_once_more_under_the_same_name(
    archiving: RedisStore, objects: MemoryStorage
) -> None:
    kept = await store_game(archiving, "finished")
    await make_archiver(archiving, objects).archive_due()
    before = objects.document().version
    await rematch(kept.context, kept.id, RematchRequest(Rematch(), kept.created.owner_token, None))
    await make_archiver(archiving, objects).archive_due()
    assert (objects.puts, objects.document().version) == (2, before + 1)
    assert (await load_whole_game(archiving, kept.id)).version == before + 1


async def test_one_that_changes_while_it_is_written_is_written_again(
    archiving: RedisStore, objects: MemoryStorage
) -> None:
    kept = await store_game(archiving, "finished")
    objects.may_finish.clear()
    writing = asyncio.create_task(make_archiver(archiving, objects).archive_due())
    await objects.put_started.wait()
    await rematch(kept.context, kept.id, RematchRequest(Rematch(), kept.created.owner_token, None))
    objects.may_finish.set()
    await writing
    await make_archiver(archiving, objects).archive_due()
    assert objects.document().version == (await load_whole_game(archiving, kept.id)).version


async def test_who_dies_while_writing_leaves_it_to_others(
    archiving: RedisStore, objects: MemoryStorage, redis: Redis
) -> None:
    kept = await store_game(archiving, "finished")
    objects.may_finish.clear()
    writing = asyncio.create_task(make_archiver(archiving, objects).archive_due())
    await objects.put_started.wait()
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    objects.may_finish.set()
    assert await redis.ttl(keys.archive_lease(kept.id)) > 0
    await redis.delete(keys.archive_lease(kept.id))  # as it does by itself after that time
    await make_archiver(archiving, objects).archive_due()
    assert objects.document().game == kept.id


async def test_what_is_refused_is_tried_again(
    archiving: RedisStore, objects: MemoryStorage, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    kept = await store_game(archiving, "finished")
    objects.rejects = True
    await make_archiver(archiving, objects).archive_due()
    assert f"game {kept.id} is not archived yet: no" in caplog.text
    objects.rejects = False
    assert await list_due(archiving) == [kept.id]
    await make_due(redis, kept.id)
    await make_archiver(archiving, objects).archive_due()
    assert objects.document().game == kept.id


async def test_storage_that_takes_nothing_is_not_tried_with_every_game(
    archiving: RedisStore, objects: MemoryStorage, caplog: pytest.LogCaptureFixture
) -> None:
    games = [await store_game(archiving, "aborted") for _ in range(20)]
    instance = make_archiver(archiving, objects)
    objects.rejects = True
    await instance.archive_due()
    assert objects.puts <= MAX_CONCURRENT_WRITES
    tried = objects.puts
    await instance.archive_due()
    assert objects.puts <= tried + 1
    assert len(caplog.records) == objects.puts
    objects.rejects = False
    for _ in range(3):
        await instance.archive_due()
    assert len(objects.objects) >= len(games) - tried - 1


async def test_an_instance_without_the_tile_set_leaves_it_to_others(
    archiving: RedisStore, objects: MemoryStorage, redis: Redis
) -> None:
    kept = await store_game(archiving, "finished")
    await make_archiver(archiving, objects, TileSetCatalogue([])).archive_due()
    assert objects.objects == {}
    await make_due(redis, kept.id)
    await make_archiver(archiving, objects).archive_due()
    assert objects.document().game == kept.id


async def test_a_game_that_is_gone_is_forgotten(archiving: RedisStore, objects: MemoryStorage, redis: Redis) -> None:
    kept = await store_game(archiving, "finished")
    await redis.delete(keys.game(kept.id), keys.log(kept.id))
    await make_archiver(archiving, objects).archive_due()
    await make_due(redis, kept.id)
    await make_archiver(archiving, objects).archive_due()
    assert await list_due(archiving) == []
    assert await redis.exists(keys.game(kept.id)) == 0


async def test_archived_or_not_it_expires_as_it_would(
    archiving: RedisStore, objects: MemoryStorage, redis: Redis
) -> None:
    kept = await store_game(archiving, "finished")
    await redis.expire(keys.game(kept.id), 1000)
    await make_archiver(archiving, objects).archive_due()
    assert 900 < await redis.ttl(keys.game(kept.id)) <= 1000


async def import_archive(second_store: RedisStore, objects: MemoryStorage, file: Path) -> dict[str, int]:
    """Import the only archive; return the counts."""
    (data,) = objects.objects.values()
    await asyncio.to_thread(file.write_bytes, data)
    return {**await import_files(second_store, [file], RETENTION, replace=False)}


async def test_the_archive_of_a_public_game_can_be_imported_to_be_watched(
    archiving: RedisStore, second_store: RedisStore, objects: MemoryStorage, tmp_path: Path
) -> None:
    kept = await store_game(archiving, "finished")
    await make_archiver(archiving, objects).archive_due()
    assert await import_archive(second_store, objects, tmp_path / "x.json.gz") == {"imported": 1}
    there, here = await load_whole_game(second_store, kept.id), await load_whole_game(archiving, kept.id)
    assert there._replace(access=b"") == here._replace(access=b"")


async def test_that_of_a_private_one_is_refused(
    archiving: RedisStore,
    second_store: RedisStore,
    objects: MemoryStorage,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    await store_game(archiving, "finished", visibility="private")
    await make_archiver(archiving, objects).archive_due()
    assert await import_archive(second_store, objects, tmp_path / "x.json.gz") == {"rejected": 1}
    assert "nobody could read it" in capsys.readouterr().err


async def test_in_a_directory_it_is_a_file_for_this_user_alone(archiving: RedisStore, tmp_path: Path) -> None:
    kept = await store_game(archiving, "finished")
    await make_archiver(archiving, DirectoryStorage(tmp_path / "archive")).archive_due()
    (file,) = (path for path in (tmp_path / "archive").rglob("*") if path.is_file())
    assert decode_document(file.read_bytes()).game == kept.id
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.relative_to(tmp_path / "archive").as_posix().endswith(f"Z-{kept.id}.json.gz")


async def test_a_directory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnavailable, match="Not a directory"):
        await DirectoryStorage(tmp_path / "file").put("a/b", b"")
