"""The archiver: every ended game is archived once per version, despite crashes and failing storage."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest.mock import AsyncMock

import msgspec
import pytest
from redis.asyncio import Redis

from schemas.vocabulary import Status
from service.archive_storage import DirectoryStorage
from service.cli.export import import_files
from service.games import archiver
from service.games.archive import GameDocument, decode_document, object_name, validate_document
from service.games.archiver import (
    ARCHIVE_DELAY_S,
    COMPRESSION_DELAY_S,
    LEASE_TTL_S,
    MAX_CONCURRENT_WRITES,
    RETRY_DELAY_S,
    Archiver,
    ArchiveStorage,
    StorageUnavailable,
)
from service.games.commands.create import RematchRequest, rematch
from service.games.due_work import BATCH_SIZE
from service.games.history import verify
from service.games.repository import Retention
from service.games.tilesets import TileSetCatalogue
from service.store import health, keys
from service.store.game_store import RedisStore
from service.store.schedule import GRACE_S
from service.telemetry.clock import DAY_S
from tests.cli.test_export_import import RETENTION
from tests.games.game_fixture import Clock, make_context, process_due
from tests.games.game_logs import CATALOGUE, LAGOON
from tests.games.stored_games import CREATOR, USER, load_whole_game, store_game
from tests.polling import in_background, wait_until
from tests.telemetry.metric_samples import read_samples, sum_samples


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

    async def get(self, name: str) -> bytes:
        if self.rejects:
            raise StorageUnavailable("no")
        return self.objects[name]

    def document(self) -> GameDocument:
        """Return the only document."""
        (data,) = self.objects.values()
        return decode_document(data)


class ArchiveFixture(NamedTuple):
    """A store that queues ended games for archiving, and where they go."""

    store: RedisStore
    redis: Redis
    storage: MemoryStorage

    def archiver(self, storage: ArchiveStorage | None = None, catalogue: TileSetCatalogue = CATALOGUE) -> Archiver:
        """Return the archiver of one instance, some time after the latest commits."""
        later = Clock(Clock().now + ARCHIVE_DELAY_S + 1)
        return Archiver(self.store, self.store.compacted_logs, storage or self.storage, catalogue, later)

    async def archive_due(self) -> None:
        """Archive what is due on an instance of its own."""
        await process_due(self.archiver().worker())

    async def list_due(self) -> list[str]:
        return await self.store.due_archives.list_due(2**33, 10)

    async def make_due(self, game: str) -> None:
        """Make a postponed game due."""
        assert await self.redis.zscore(keys.ARCHIVE_SCHEDULE, game) is not None
        await self.redis.zadd(keys.ARCHIVE_SCHEDULE, {game: 1_000_000_000.5})


@pytest.fixture
def archive(store: RedisStore, redis: Redis) -> ArchiveFixture:
    return ArchiveFixture(store, redis, MemoryStorage())


@pytest.mark.parametrize("status", ("finished", "aborted"))
async def test_an_ended_game_is_archived_with_its_proof(archive: ArchiveFixture, status: Status) -> None:
    stored = await store_game(archive.store, status, visibility="private", webhooks=1)
    await archive.archive_due()
    document = archive.storage.document()
    assert [*archive.storage.objects] == [object_name(stored.id, document.created_at)]
    assert (document.kind, document.status, document.access, document.webhooks) == ("archive", status, None, [])
    assert validate_document(document)[0].id == stored.id
    log = [msgspec.json.decode(diff) for diff in document.diffs]
    checks = verify(log, msgspec.json.decode(document.tileset, type=type(LAGOON.tileset)))
    assert all(check.passed for check in checks), checks


async def test_an_archive_has_no_token_hash_or_secret(archive: ArchiveFixture) -> None:
    stored = await store_game(archive.store, "finished", webhooks=1)
    await archive.archive_due()
    text = msgspec.json.encode(archive.storage.document())
    (hook,) = await archive.store.webhooks.list_by_subject(stored.id)
    created, registered = stored.created, hook.registration
    secrets = (created.owner_token, created.spectator_token, CREATOR, USER, registered.secret, registered.url)
    assert not [secret for secret in secrets if secret.encode() in text]
    assert archive.storage.document().access is None


@pytest.mark.parametrize("status", ("waiting", "active"))
async def test_an_active_game_is_not_archived(archive: ArchiveFixture, status: Status) -> None:
    await store_game(archive.store, status)
    assert await archive.list_due() == []
    await archive.archive_due()
    assert archive.storage.objects == {}


async def test_concurrent_archivers_write_a_game_once(archive: ArchiveFixture) -> None:
    await store_game(archive.store, "finished")
    await asyncio.gather(*(archive.archive_due() for _ in range(5)))
    await archive.archive_due()
    assert archive.storage.puts == 1


async def test_an_archived_game_leaves_the_queue_when_its_log_is_moved(archive: ArchiveFixture) -> None:
    stored, instance = await store_game(archive.store, "finished"), archive.archiver()
    instance.log_ttl_s = 0
    for _ in range(2):
        await process_due(instance.worker())
        assert await archive.list_due() == [stored.id]
    await archive.make_due(stored.id)
    await process_due(instance.worker())
    assert await archive.list_due() == []
    assert archive.storage.puts == 1


async def test_a_rematch_archives_the_game_again_under_the_same_name(archive: ArchiveFixture) -> None:
    stored = await store_game(archive.store, "finished")
    await archive.archive_due()
    before = archive.storage.document().version
    await rematch(stored.context, RematchRequest(id=stored.id, token=stored.created.owner_token))
    await archive.archive_due()
    assert (archive.storage.puts, archive.storage.document().version) == (2, before + 1)
    assert (await load_whole_game(archive.store, stored.id)).version == before + 1


async def test_a_game_that_changes_while_it_is_written_is_written_again(archive: ArchiveFixture) -> None:
    stored = await store_game(archive.store, "finished")
    archive.storage.may_finish.clear()
    writing = asyncio.create_task(archive.archive_due())
    await archive.storage.put_started.wait()
    await rematch(stored.context, RematchRequest(id=stored.id, token=stored.created.owner_token))
    archive.storage.may_finish.set()
    await writing
    await archive.archive_due()
    assert archive.storage.document().version == (await load_whole_game(archive.store, stored.id)).version


async def test_an_instance_archives_after_a_crash(archive: ArchiveFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = await store_game(archive.store, "finished")
    archive.storage.may_finish.clear()
    writing = asyncio.create_task(archive.archive_due())
    await archive.storage.put_started.wait()
    with monkeypatch.context() as crash:
        crash.setattr(archive.store.due_archives, "release_lease", AsyncMock())
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    archive.storage.may_finish.set()
    await archive.archive_due()
    assert not archive.storage.objects
    assert LEASE_TTL_S - 60 < await archive.redis.ttl(keys.lease(keys.ARCHIVE_SCHEDULE, stored.id)) <= LEASE_TTL_S
    await archive.redis.delete(keys.lease(keys.ARCHIVE_SCHEDULE, stored.id))  # as it would expire
    await archive.make_due(stored.id)
    await archive.archive_due()
    assert archive.storage.document().game == stored.id


async def test_a_rejected_document_is_retried(archive: ArchiveFixture, caplog: pytest.LogCaptureFixture) -> None:
    stored = await store_game(archive.store, "finished")
    archive.storage.rejects = True
    await archive.archive_due()
    assert f"game {stored.id} is not archived yet: no" in caplog.text
    archive.storage.rejects = False
    assert await archive.list_due() == [stored.id]
    await archive.make_due(stored.id)
    await archive.archive_due()
    assert archive.storage.document().game == stored.id


async def test_failing_storage_is_tried_by_one_game(archive: ArchiveFixture, caplog: pytest.LogCaptureFixture) -> None:
    games = [await store_game(archive.store, "aborted") for _ in range(20)]
    worker = archive.archiver().worker()
    archive.storage.rejects = True
    await process_due(worker)
    assert archive.storage.puts <= MAX_CONCURRENT_WRITES
    attempted = archive.storage.puts
    await process_due(worker)
    assert archive.storage.puts <= attempted + 1
    assert len(caplog.records) == archive.storage.puts
    archive.storage.rejects = False
    for _ in range(3):
        await process_due(worker)
    assert len(archive.storage.objects) >= len(games) - attempted - 1


async def test_after_a_failure_of_the_storage_the_archiver_pauses_and_tries_a_single_game(
    archive: ArchiveFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, list_due = archive.archiver().worker(), AsyncMock(wraps=archive.store.due_archives.list_due)
    monkeypatch.setattr(archive.store.due_archives, "list_due", list_due)
    monkeypatch.setattr(archiver, "RETRY_DELAY_S", 0.2)
    worker.interval_s, archive.storage.rejects = 0.01, True
    for _ in range(MAX_CONCURRENT_WRITES + 3):
        await store_game(archive.store, "aborted")

    def limits() -> list[int]:
        return [call.args[1] for call in list_due.await_args_list]

    async with in_background(worker.run()):
        await wait_until(lambda: 1 in limits())
        assert min(limits()[: limits().index(1)]) >= BATCH_SIZE  # in progress come on top
        assert archive.storage.puts <= MAX_CONCURRENT_WRITES + 1
        archive.storage.rejects = False
        await wait_until(lambda: archive.storage.objects and limits()[-1] >= BATCH_SIZE)


async def test_a_hanging_write_is_a_storage_failure(archive: ArchiveFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = await store_game(archive.store, "finished")
    monkeypatch.setattr(archiver, "STORAGE_TIMEOUT_S", 0.01)
    archive.storage.may_finish.clear()
    worker = archive.archiver().worker()
    assert await process_due(worker) == 1
    assert worker._pause_ends_at
    monkeypatch.undo()
    archive.storage.may_finish.set()
    await archive.make_due(stored.id)
    await process_due(worker)
    assert archive.storage.document().game == stored.id


@pytest.mark.parametrize("error", (StorageUnavailable("no"), KeyError("a mistake of ours")))
async def test_a_leased_or_failing_game_is_due_again_later(
    archive: ArchiveFixture, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """The lease of the failing one has ended."""
    stored = await store_game(archive.store, "finished")
    clock, queue = Clock(Clock().now + ARCHIVE_DELAY_S + 1), archive.store.due_archives
    instance = replace(archive.archiver(), clock=clock)
    another = await queue.acquire_lease(stored.id, 60)
    assert another is not None
    for _ in range(3):  # whoever has the lease may end
        now = int(clock())
        await process_due(instance.worker())
        assert [await queue.list_due(due_by, 10) for due_by in (now, now + LEASE_TTL_S)] == [[], [stored.id]]
        clock.now += GRACE_S + 1
    assert archive.storage.puts == 0
    await queue.release_lease(stored.id, another)
    await archive.make_due(stored.id)
    monkeypatch.setattr(archive.storage, "put", AsyncMock(side_effect=error))
    now = int(clock())
    await process_due(instance.worker())
    assert [await queue.list_due(due_by, 10) for due_by in (now, now + RETRY_DELAY_S)] == [[], [stored.id]]
    assert await queue.acquire_lease(stored.id, 60)


async def test_an_instance_without_the_tile_set_leaves_the_game_queued(archive: ArchiveFixture) -> None:
    stored = await store_game(archive.store, "finished")
    await process_due(archive.archiver(catalogue=TileSetCatalogue([])).worker())
    assert archive.storage.objects == {}
    await archive.make_due(stored.id)
    await archive.archive_due()
    assert archive.storage.document().game == stored.id


async def test_a_deleted_game_leaves_the_queue(archive: ArchiveFixture) -> None:
    stored = await store_game(archive.store, "finished")
    await archive.redis.delete(keys.game(stored.id), keys.log(stored.id))
    await archive.archive_due()
    await archive.make_due(stored.id)
    await archive.archive_due()
    assert await archive.list_due() == []
    assert await archive.redis.exists(keys.game(stored.id)) == 0


async def test_archiving_does_not_change_a_games_expiry(archive: ArchiveFixture) -> None:
    stored = await store_game(archive.store, "finished")
    await archive.redis.expire(keys.game(stored.id), 1000)
    await archive.archive_due()
    assert 900 < await archive.redis.ttl(keys.game(stored.id)) <= 1000


async def test_the_archive_of_a_private_game_is_rejected_on_import(
    archive: ArchiveFixture, second_store: RedisStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await store_game(archive.store, "finished", visibility="private")
    await archive.archive_due()
    (data,) = archive.storage.objects.values()
    await asyncio.to_thread((tmp_path / "x.json.gz").write_bytes, data)
    assert await import_files(second_store, [tmp_path / "x.json.gz"], RETENTION, replace=False) == {"rejected": 1}
    assert "nobody could read it" in capsys.readouterr().err


async def test_an_unwritable_directory_raises_storage_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnavailable, match="Not a directory"):
        await DirectoryStorage(tmp_path / "file").put("a/b", b"")


def pending() -> tuple[float, float]:
    """Return the gauges: how many games are pending, and for how many seconds the oldest has been."""
    samples = read_samples()
    return sum_samples(samples, "archive_pending_games"), sum_samples(samples, "archive_pending_seconds")


@pytest.mark.parametrize("shorter", (0, 1))
async def test_a_game_expires_only_after_it_is_archived(archive: ArchiveFixture, shorter: int) -> None:
    """An archive that cannot be written must not lose the only copy."""
    context = make_context(archive.store, retention=Retention(finished=100, until_archived=True))
    stored = await store_game(archive.store, "finished", context=context)
    instance, names = archive.archiver(), (keys.game(stored.id), keys.log(stored.id))
    instance.ended_ttl_s = 100
    archive.storage.rejects = True
    await process_due(instance.worker())
    assert [await archive.redis.ttl(name) > 365 * DAY_S for name in names] == [True, True]
    archive.storage.rejects = False
    await archive.make_due(stored.id)
    await archive.redis.expire(names[shorter], 50)
    await process_due(instance.worker())
    assert archive.storage.document().game == stored.id
    assert 50 < await archive.redis.ttl(names[not shorter]) <= 100
    assert 0 < await archive.redis.ttl(names[shorter]) <= 50


async def test_a_game_that_ended_before_there_was_an_archive_waits_for_it_too(archive: ArchiveFixture) -> None:
    context = make_context(archive.store, retention=Retention(finished=DAY_S))
    stored = await store_game(archive.store, "finished", context=context)
    await archive.redis.delete(keys.ARCHIVE_PENDING)
    archive.storage.rejects = True
    await archive.archive_due()
    names = keys.game(stored.id), keys.log(stored.id)
    assert [await archive.redis.ttl(name) > 365 * DAY_S for name in names] == [True, True]
    assert await archive.redis.zrange(keys.ARCHIVE_PENDING, 0, -1) == [stored.id.encode()]


async def test_a_game_no_longer_waits_for_an_archive_that_is_no_longer_set(archive: ArchiveFixture) -> None:
    context = make_context(archive.store, retention=Retention(finished=DAY_S, until_archived=True))
    stored = await store_game(archive.store, "finished", context=context)
    assert await archive.redis.ttl(keys.game(stored.id)) > 365 * DAY_S
    later = Clock(Clock().now + COMPRESSION_DELAY_S + 1)
    instance = Archiver(archive.store, archive.store.compacted_logs, None, CATALOGUE, later, ended_ttl_s=DAY_S)
    await process_due(instance.worker())
    assert await archive.redis.zcard(keys.ARCHIVE_PENDING) == 0
    assert DAY_S - 60 < await archive.redis.ttl(keys.game(stored.id)) <= DAY_S


async def test_a_failure_without_an_archive_lets_no_game_live_longer(
    archive: ArchiveFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = await store_game(archive.store, "finished")
    await archive.redis.expire(keys.game(stored.id), DAY_S)
    monkeypatch.setattr("service.games.archiver.read_log", AsyncMock(side_effect=KeyError))
    later = Clock(Clock().now + COMPRESSION_DELAY_S + 1)
    await process_due(Archiver(archive.store, archive.store.compacted_logs, None, CATALOGUE, later).worker())
    assert 0 < await archive.redis.ttl(keys.game(stored.id)) <= DAY_S


async def test_games_that_are_not_archived_are_counted_with_their_age(
    archive: ArchiveFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "MEASURE_INTERVAL_S", 0.01)
    async with in_background(archive.store.monitor.run()):
        stored = await store_game(archive.store, "finished")
        archive.storage.rejects = True
        await archive.archive_due()
        await archive.redis.zincrby(keys.ARCHIVE_PENDING, -3600, stored.id)  # as if an hour had passed
        await wait_until(lambda: pending()[0] == 1 and pending()[1] > 3500)
        archive.storage.rejects = False
        await archive.make_due(stored.id)
        await archive.archive_due()
        await wait_until(lambda: pending() == (0, 0))
        await store_game(archive.store, "active")
        await wait_until(lambda: pending() == (0, 0))
