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
from tests.cli.games import CREATOR, USER, kept_game, whole
from tests.cli.test_export_import import KEPT
from tests.games.logs import ARCHIPELAGO, CATALOGUE
from tests.games.seated import Clock


class Memory:
    """Keeps objects here; refuses, or hangs, when told."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.puts = 0
        self.refuses = False
        self.begun = asyncio.Event()
        self.hangs = asyncio.Event()
        self.hangs.set()

    async def put(self, name: str, data: bytes) -> None:
        self.puts += 1
        self.begun.set()
        if self.refuses:
            raise StorageUnavailable("no")
        await self.hangs.wait()
        self.objects[name] = data

    def document(self) -> GameDocument:
        """The only one."""
        (data,) = self.objects.values()
        return decode_document(data)


@pytest.fixture
def objects() -> Memory:
    return Memory()


@pytest.fixture
def archiving(store: RedisStore) -> RedisStore:
    """The store of instances that archive."""
    store.is_archiving = True
    return store


def archiver(store: RedisStore, objects: ArchiveStorage, catalogue: TileSetCatalogue = CATALOGUE) -> Archiver:
    """One instance's, some time after what happened lately."""
    clock = Clock()
    clock.now += ARCHIVE_DELAY_S + 1
    return Archiver(store, store.archive_queue, objects, catalogue, clock)


async def due(store: RedisStore) -> list[str]:
    return await store.archive_queue.list_due(2**33, 10)


async def ripe(redis: Redis, game: str) -> None:
    """As if what was put off had been put off for long enough."""
    score = await redis.zscore(keys.ARCHIVE_SCHEDULE, game)
    assert score is not None
    assert score % 1 == 0.5
    await redis.zadd(keys.ARCHIVE_SCHEDULE, {game: 1_000_000_000.5})


@pytest.mark.parametrize("status", ("finished", "aborted"))
async def test_a_game_that_is_over_is_archived_with_all_that_proves_it(
    archiving: RedisStore, objects: Memory, status: Status
) -> None:
    kept = await kept_game(archiving, status, visibility="private", hooks=1)
    await archiver(archiving, objects).archive_due()
    document = objects.document()
    assert [*objects.objects] == [object_name(kept.id, document.created_at)]
    assert (document.kind, document.status, document.access, document.webhooks) == ("archive", status, None, [])
    assert validate_document(document).game.id == kept.id
    log = [msgspec.json.decode(diff) for diff in document.diffs]
    checks = verify(log, msgspec.json.decode(document.tileset, type=type(ARCHIPELAGO.tileset)))
    assert all(check.passed for check in checks), checks


async def test_there_is_no_token_no_hash_and_no_secret_in_an_archive(archiving: RedisStore, objects: Memory) -> None:
    kept = await kept_game(archiving, "finished", hooks=1)
    await archiver(archiving, objects).archive_due()
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
async def test_a_game_that_is_not_over_is_not(archiving: RedisStore, objects: Memory, status: Status) -> None:
    await kept_game(archiving, status)
    assert await due(archiving) == []
    await archiver(archiving, objects).archive_due()
    assert objects.objects == {}


async def test_without_an_archive_nothing_is_promised(store: RedisStore) -> None:
    await kept_game(store, "finished")
    assert await due(store) == []


async def test_it_is_written_once_by_however_many(archiving: RedisStore, objects: Memory) -> None:
    await kept_game(archiving, "finished")
    await asyncio.gather(*(archiver(archiving, objects).archive_due() for _ in range(5)))
    await archiver(archiving, objects).archive_due()
    assert objects.puts == 1


async def test_when_it_is_archived_nobody_looks_any_more(archiving: RedisStore, objects: Memory, redis: Redis) -> None:
    kept = await kept_game(archiving, "finished")
    await archiver(archiving, objects).archive_due()
    await ripe(redis, kept.id)
    await archiver(archiving, objects).archive_due()
    assert await due(archiving) == []
    assert objects.puts == 1


async def test_a_rematch_has_it_written_once_more_under_the_same_name(archiving: RedisStore, objects: Memory) -> None:
    kept = await kept_game(archiving, "finished")
    await archiver(archiving, objects).archive_due()
    before = objects.document().version
    await rematch(kept.context, kept.id, RematchRequest(Rematch(), kept.created.owner_token, None))
    await archiver(archiving, objects).archive_due()
    assert (objects.puts, objects.document().version) == (2, before + 1)
    assert (await whole(archiving, kept.id)).version == before + 1


async def test_one_that_changes_while_it_is_written_is_written_again(archiving: RedisStore, objects: Memory) -> None:
    kept = await kept_game(archiving, "finished")
    objects.hangs.clear()
    writing = asyncio.create_task(archiver(archiving, objects).archive_due())
    await objects.begun.wait()
    await rematch(kept.context, kept.id, RematchRequest(Rematch(), kept.created.owner_token, None))
    objects.hangs.set()
    await writing
    await archiver(archiving, objects).archive_due()
    assert objects.document().version == (await whole(archiving, kept.id)).version


async def test_who_dies_while_writing_leaves_it_to_others(archiving: RedisStore, objects: Memory, redis: Redis) -> None:
    kept = await kept_game(archiving, "finished")
    objects.hangs.clear()
    writing = asyncio.create_task(archiver(archiving, objects).archive_due())
    await objects.begun.wait()
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    objects.hangs.set()
    assert await redis.ttl(keys.archive_lease(kept.id)) > 0
    await redis.delete(keys.archive_lease(kept.id))  # as it does by itself after that time
    await archiver(archiving, objects).archive_due()
    assert objects.document().game == kept.id


async def test_what_is_refused_is_tried_again(
    archiving: RedisStore, objects: Memory, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    kept = await kept_game(archiving, "finished")
    objects.refuses = True
    await archiver(archiving, objects).archive_due()
    assert f"game {kept.id} is not archived yet: no" in caplog.text
    objects.refuses = False
    assert await due(archiving) == [kept.id]
    await ripe(redis, kept.id)
    await archiver(archiving, objects).archive_due()
    assert objects.document().game == kept.id


async def test_storage_that_takes_nothing_is_not_tried_with_every_game(
    archiving: RedisStore, objects: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    games = [await kept_game(archiving, "aborted") for _ in range(20)]
    instance = archiver(archiving, objects)
    objects.refuses = True
    await instance.archive_due()
    assert objects.puts <= MAX_CONCURRENT_WRITES
    tried = objects.puts
    await instance.archive_due()
    assert objects.puts <= tried + 1
    assert len(caplog.records) == objects.puts
    objects.refuses = False
    for _ in range(3):
        await instance.archive_due()
    assert len(objects.objects) >= len(games) - tried - 1


async def test_an_instance_without_the_tile_set_leaves_it_to_others(
    archiving: RedisStore, objects: Memory, redis: Redis
) -> None:
    kept = await kept_game(archiving, "finished")
    await archiver(archiving, objects, TileSetCatalogue([])).archive_due()
    assert objects.objects == {}
    await ripe(redis, kept.id)
    await archiver(archiving, objects).archive_due()
    assert objects.document().game == kept.id


async def test_a_game_that_is_gone_is_forgotten(archiving: RedisStore, objects: Memory, redis: Redis) -> None:
    kept = await kept_game(archiving, "finished")
    await redis.delete(keys.game(kept.id), keys.log(kept.id))
    await archiver(archiving, objects).archive_due()
    await ripe(redis, kept.id)
    await archiver(archiving, objects).archive_due()
    assert await due(archiving) == []
    assert await redis.exists(keys.game(kept.id)) == 0


async def test_archived_or_not_it_expires_as_it_would(archiving: RedisStore, objects: Memory, redis: Redis) -> None:
    kept = await kept_game(archiving, "finished")
    await redis.expire(keys.game(kept.id), 1000)
    await archiver(archiving, objects).archive_due()
    assert 900 < await redis.ttl(keys.game(kept.id)) <= 1000


async def imported(other: RedisStore, objects: Memory, file: Path) -> dict[str, int]:
    """What comes of importing the only archive."""
    (data,) = objects.objects.values()
    await asyncio.to_thread(file.write_bytes, data)
    return {**await import_files(other, [file], KEPT, replace=False)}


async def test_the_archive_of_a_public_game_can_be_imported_to_be_watched(
    archiving: RedisStore, other: RedisStore, objects: Memory, tmp_path: Path
) -> None:
    kept = await kept_game(archiving, "finished")
    await archiver(archiving, objects).archive_due()
    assert await imported(other, objects, tmp_path / "x.json.gz") == {"imported": 1}
    there, here = await whole(other, kept.id), await whole(archiving, kept.id)
    assert there._replace(access=b"") == here._replace(access=b"")


async def test_that_of_a_private_one_is_refused(
    archiving: RedisStore, other: RedisStore, objects: Memory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await kept_game(archiving, "finished", visibility="private")
    await archiver(archiving, objects).archive_due()
    assert await imported(other, objects, tmp_path / "x.json.gz") == {"rejected": 1}
    assert "nobody could read it" in capsys.readouterr().err


async def test_in_a_directory_it_is_a_file_for_this_user_alone(archiving: RedisStore, tmp_path: Path) -> None:
    kept = await kept_game(archiving, "finished")
    await archiver(archiving, DirectoryStorage(tmp_path / "archive")).archive_due()
    (file,) = (path for path in (tmp_path / "archive").rglob("*") if path.is_file())
    assert decode_document(file.read_bytes()).game == kept.id
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.relative_to(tmp_path / "archive").as_posix().endswith(f"Z-{kept.id}.json.gz")


async def test_a_directory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnavailable, match="Not a directory"):
        await DirectoryStorage(tmp_path / "file").put("a/b", b"")
