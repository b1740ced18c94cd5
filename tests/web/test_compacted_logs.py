"""Logs that are no longer streams are read as before: from the archive, or from one compressed value."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import NamedTuple
from unittest.mock import AsyncMock

import msgspec
import pytest
from msgspec.structs import replace
from redis.asyncio import Redis

from service.archive_storage import DirectoryStorage
from service.cli.export import import_files
from service.games.archive import build_export, decode_document, encode_document, validate_document
from service.games.archiver import Archiver
from service.games.commands.create import RematchRequest, rematch
from service.games.ports import Revision, StoredDiff, UnreadableGame
from service.store import compacted_logs, keys
from service.store.compacted_logs import CompactedLogs
from service.store.game_store import RedisStore
from service.telemetry.clock import DAY_S
from tests.cli.test_commands import south_seas
from tests.cli.test_export_import import RETENTION
from tests.games.game_fixture import Clock, process_due
from tests.games.game_logs import CATALOGUE
from tests.games.stored_games import OwnedGame, load_whole_game, store_game
from tests.polling import TIMEOUT_S, run_ready_tasks
from tests.store.commits import load_record
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client
from tests.web.http_game import bearer_header, check_problem, create_game
from tests.web.watcher_client import GameCopy, connect_watcher, open_event_stream
from tests.web.webhook_receiver import OffsetClock, WebhookInstance, WebhookReceiver, register_webhook

MAX_BYTES = 15_000
"""Of Redis' memory, for a game of two people that has ended and was not archived."""

PATHS = (
    *("", "/diffs?since=0&limit=1000", "/diffs?since=7&limit=30", "/diffs?since=100000", "/story?since=3"),
    *("/story?since=0&limit=1000", "/board.svg?v=1", "/board.txt?v=40", "/board.svg", "/scores"),
    *("/tiles", "/legal-moves"),
)


class Compactor(NamedTuple):
    """Compacts the logs of ended games, to the archive if there is one."""

    store: RedisStore
    redis: Redis
    directory: Path | None

    async def compact(self, *games: OwnedGame) -> None:
        """Let a day pass."""
        storage = None if self.directory is None else DirectoryStorage(self.directory)
        self.store.compacted_logs.archive = storage
        clock = Clock()
        clock.now += 86_400
        for _ in range(2):
            await process_due(Archiver(self.store, self.store.compacted_logs, storage, CATALOGUE, clock).worker())
        for game in games:
            assert not await self.redis.exists(keys.log(game.id))
            assert bool(await self.redis.hget(keys.game(game.id), "log")) == (storage is None)

    def document(self) -> Path:
        """Return the file of the only archived game."""
        assert self.directory is not None
        (path,) = self.directory.rglob("*.json.gz")
        return path


@pytest.fixture(params=("archive", "compressed"))
def compactor(store: RedisStore, redis: Redis, tmp_path: Path, request: pytest.FixtureRequest) -> Compactor:
    return Compactor(store, redis, tmp_path if request.param == "archive" else None)


@pytest.fixture
def archive(store: RedisStore, redis: Redis, tmp_path: Path) -> Compactor:
    return Compactor(store, redis, tmp_path)


async def read_all(client: Client, game: OwnedGame) -> list[tuple[str, int, bytes, str | None]]:
    """Return everything that can be read of a game."""
    answers = []
    headers = bearer_header(game.created.owner_token)
    lists = ("/v1/games?status=finished", "/v1/seats/me/games")
    for path in (*(f"/v1/games/{game.id}{one}" for one in PATHS), *lists):
        async with client.get(path, headers=headers) as response:
            answers.append((path, response.status, await response.read(), response.headers.get("ETag")))
    return answers


async def test_readers_get_what_they_got_before(compactor: Compactor, client: Client) -> None:
    games = [
        await store_game(compactor.store, "finished", visibility="private"),
        await store_game(compactor.store, "finished"),
        await store_game(compactor.store, "aborted"),
    ]
    before = [await read_all(client, game) for game in games]
    whole = [await load_whole_game(compactor.store, game.id) for game in games]
    compacted = read_samples()
    await compactor.compact(*games)
    to = "compressed" if compactor.directory is None else "archive"
    assert grown(compacted, "logs_compacted_total", to=to) == len(games)
    assert [await read_all(client, game) for game in games] == before
    assert [await load_whole_game(compactor.store, game.id) for game in games] == whole
    await check_problem(await client.get(f"/v1/games/{games[0].id}/diffs"), 404, "not_found")


async def test_an_ended_game_takes_little_memory(compactor: Compactor) -> None:
    games = [await store_game(compactor.store, "finished") for _ in range(3)]
    before = [await memory(compactor.redis, game.id) for game in games]
    await compactor.compact(*games)
    after = [await memory(compactor.redis, game.id) for game in games]
    assert max(after) <= (MAX_BYTES if compactor.directory is None else MAX_BYTES // 4) < min(before)


async def memory(redis: Redis, game: str) -> int:
    """Return how many bytes the keys of a game take."""
    sizes = [await redis.memory_usage(key, samples=0) async for key in redis.scan_iter(f"*{{{game}}}*")]
    return sum(filter(None, sizes))


async def test_a_rematch_goes_on_behind_the_compacted_log(compactor: Compactor, client: Client) -> None:
    game = await store_game(compactor.store, "finished")
    first = await compactor.store.load_diffs(game.id, 0, 1000)
    await compactor.compact(game)
    async with open_event_stream(client, game.id, f"?since={len(first)}") as events:
        events.copy = GameCopy(len(first), first[-1].digest.hex())
        await rematch(game.context, RematchRequest(id=game.id, token=game.created.owner_token))
        await events.receive("diff")
    log = await compactor.store.load_diffs(game.id, 0, 1000)
    assert log[:-1] == first
    assert Revision(len(first), first[-1].digest).is_followed_by(log[-1:])
    for since, limit in product(range(len(log) + 2), (1, 10)):
        assert await compactor.store.load_diffs(game.id, since, limit) == log[since : since + limit]
    for one in log:
        loaded = await load_record(compactor.store, game.id, since=one.version)
        assert loaded.since == Revision(one.version, one.digest)
    before = await read_all(client, game)
    await compactor.compact(game)
    assert await read_all(client, game) == before
    if compactor.directory is not None:
        assert decode_document(compactor.document().read_bytes()).version == len(log)


async def test_a_log_compacted_in_a_read_is_read_once(compactor: Compactor, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await store_game(compactor.store, "finished")
    await compactor.compact(game)
    await rematch(game.context, RematchRequest(id=game.id, token=game.created.owner_token))
    log = await compactor.store.load_diffs(game.id, 0, 1000)
    load = compactor.store.compacted_logs.load

    async def compact_and_load(game_id: str, since: int) -> tuple[Sequence[StoredDiff], Revision] | None:
        monkeypatch.undo()
        await compactor.compact(game)
        return await load(game_id, since)

    monkeypatch.setattr(compactor.store.compacted_logs, "load", compact_and_load)
    assert await compactor.store.load_diffs(game.id, 3, 1000) == log[3:]
    assert not await compactor.redis.exists(keys.log(game.id))


async def test_a_log_stays_until_the_archive_has_this_version(archive: Compactor) -> None:
    game = await store_game(archive.store, "finished")
    loaded = await load_record(archive.store, game.id)
    version, digest = loaded.revision
    logs, key = archive.store.compacted_logs, keys.game(game.id)
    await logs.compact(game.id, loaded.revision, "name", [], DAY_S)
    await archive.redis.hset(key, "archived", version - 1)
    await logs.compact(game.id, loaded.revision, "name", [], DAY_S)
    await archive.redis.hset(key, "archived", version)
    await logs.compact(game.id, Revision(version, bytes(16)), "name", [], DAY_S)
    await logs.compact(game.id, Revision(version - 1, digest), "name", [], DAY_S)
    assert await archive.redis.exists(keys.log(game.id))
    await logs.compact(game.id, loaded.revision, "name", [], DAY_S)
    assert not await archive.redis.exists(keys.log(game.id))


async def test_a_log_is_compacted_when_its_time_has_come(compactor: Compactor) -> None:
    """The index repair queues a game until then, and no longer."""
    game = await store_game(compactor.store, "finished")
    clock, storage = Clock(), None if compactor.directory is None else DirectoryStorage(compactor.directory)
    archiver = Archiver(compactor.store, compactor.store.compacted_logs, storage, CATALOGUE, clock, log_ttl_s=900)
    delay_s = 300 if storage is None else 900
    loaded = await load_record(compactor.store, game.id)
    for passed_s in (0, 10, delay_s - 1, delay_s):
        assert await archiver.is_pending(loaded.game)
        assert await compactor.redis.exists(keys.log(game.id))
        clock.now = game.context.clock() + passed_s
        await compactor.redis.zadd(keys.ARCHIVE_SCHEDULE, {game.id: 0})
        await process_due(archiver.worker())
    assert not await compactor.redis.exists(keys.log(game.id))
    assert not await archiver.is_pending(loaded.game)


async def test_an_archive_that_is_away_is_a_problem_of_these_games_alone(
    archive: Compactor, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    game, other = await store_game(archive.store, "finished"), await store_game(archive.store)
    await archive.compact(game)
    document = archive.document()
    data = document.read_bytes()
    document.unlink()
    url = f"/v1/games/{game.id}"
    for path in ("/diffs", "/story", "/board.svg?v=3"):
        response = await client.get(f"{url}{path}")
        problem = await check_problem(response, 503, "store_unavailable")
        assert problem["detail"] == "the archive that has the log of this game does not respond"
        assert response.headers["Retry-After"] == "5"
    assert f"archive: game {game.id} failed" in caplog.text
    for path in ("", "/board.svg", "/scores", "/tiles", "/legal-moves"):
        assert (await client.get(f"{url}{path}")).status == 200
    assert (await client.get(f"/v1/games/{other.id}/diffs")).status == 200
    await asyncio.to_thread(document.write_bytes, data)
    assert (await client.get(f"{url}/diffs")).status == 200


async def test_whoever_has_the_whole_log_needs_no_archive(
    archive: Compactor, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """They still see the rematch."""
    game = await store_game(archive.store, "finished")
    log = await archive.store.load_diffs(game.id, 0, 1000)
    await archive.compact(game)
    archive.document().unlink()
    archive.store.compacted_logs = CompactedLogs(archive.store.client)
    async with open_event_stream(client, game.id, f"?since={len(log)}") as events, connect_watcher(client) as watcher:
        events.copy = GameCopy(len(log), log[-1].digest.hex())
        await watcher.subscribe(game.id)
        await watcher.receive_until(game.id, len(log))
        await rematch(game.context, RematchRequest(id=game.id, token=game.created.owner_token))
        await events.receive("diff")
        assert (await watcher.receive_until(game.id, len(log) + 1)).snapshots == 1
    for since in (len(log), len(log) + 1):
        diffs = await archive.store.load_diffs(game.id, since, 10)
        assert [diff.version for diff in diffs] == [*range(since + 1, len(log) + 2)]
    assert (await client.get(f"/v1/games/{game.id}/diffs?since={len(log)}")).status == 200
    assert "failed" not in caplog.text


async def test_a_game_deleted_during_a_read_has_no_log(compactor: Compactor, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await store_game(compactor.store, "finished")
    await compactor.compact(game)
    read = compactor.store.compacted_logs._read

    async def delete_and_read(game_id: str) -> list[StoredDiff]:
        await compactor.store.transfer.delete(game_id, [], [])
        return await read(game_id)

    monkeypatch.setattr(compactor.store.compacted_logs, "_read", delete_and_read)
    assert await compactor.store.load_diffs(game.id, 0, 10) == []


@pytest.mark.parametrize("damage", ("emptied", "torn", "older"))
async def test_a_log_stays_while_the_archive_does_not_return_its_document(
    archive: Compactor, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Its document is written again, as long as Redis has what it is made of."""
    assert archive.directory is not None
    game = await store_game(archive.store, "finished")
    clock, storage = Clock(), DirectoryStorage(archive.directory)
    archiver = Archiver(archive.store, archive.store.compacted_logs, storage, CATALOGUE, clock)
    clock.now = game.context.clock() + 60
    await process_due(archiver.worker())
    path = archive.document()
    data = path.read_bytes()
    match damage:
        case "emptied":
            path.unlink()
        case "torn":
            path.write_bytes(data[:-9])
        case _:
            path.write_bytes(encode_document(replace(decode_document(data), diffs=decode_document(data).diffs[:-1])))
    clock.now += 3600
    await process_due(archiver.worker())
    assert path.read_bytes() == data
    assert f"the archive does not return the document of game {game.id}" in caplog.text
    assert await archive.redis.exists(keys.log(game.id))
    assert await archive.store.due_archives.list_due(int(clock.now), 10) == [], "it is not tried without a pause"
    clock.now += 60
    await process_due(archiver.worker())
    assert not await archive.redis.exists(keys.log(game.id))


async def test_an_archive_that_hangs_takes_no_threads_from_others(tmp_path: Path) -> None:
    storage = DirectoryStorage(tmp_path)
    os.mkfifo(tmp_path / "hangs")  # whoever opens it to read waits for a writer
    reads = [asyncio.create_task(storage.get("hangs")) for _ in range(40)]
    try:
        await run_ready_tasks()
        async with asyncio.timeout(TIMEOUT_S):
            assert await asyncio.to_thread(lambda: True)
    finally:
        for read in reads:
            read.cancel()
        with suppress(OSError):
            while True:
                os.close(os.open(tmp_path / "hangs", os.O_WRONLY | os.O_NONBLOCK))
                await asyncio.sleep(0)


@pytest.mark.parametrize("damage", ("torn", "of another game", "too short", "of another end", "edited"))
async def test_a_damaged_document_is_a_damaged_log(archive: Compactor, client: Client, damage: str) -> None:
    game = await store_game(archive.store, "finished")
    await archive.compact(game)
    path = archive.document()
    data = path.read_bytes()
    document = decode_document(data)
    if damage == "of another game":
        another = await store_game(archive.store, "finished")
        found = await build_export(archive.store, CATALOGUE, another.id)
        assert found is not None
        document.diffs[:] = found.diffs
    elif damage == "too short":
        document.diffs.pop()
    elif damage == "of another end":
        document.diffs[-1] = document.diffs[-2]
    elif damage == "edited":
        edited = bytes(document.diffs[3]).replace(b'"by":"', b'"by":"x', 1)
        assert edited != bytes(document.diffs[3])
        document.diffs[3] = msgspec.Raw(edited)
    path.write_bytes(data[:-9] if damage == "torn" else encode_document(document))
    problem = await check_problem(await client.get(f"/v1/games/{game.id}/diffs"), 503, "store_unavailable")
    assert problem["detail"] == "this instance cannot read the stored game"


@pytest.mark.parametrize("value", (b"", b"\x01torn", None))
async def test_a_damaged_compressed_log_is_a_damaged_log(
    store: RedisStore, redis: Redis, client: Client, value: bytes | None
) -> None:
    game = await store_game(store, "finished")
    await Compactor(store, redis, None).compact(game)
    await (redis.hdel(keys.game(game.id), "log") if value is None else redis.hset(keys.game(game.id), "log", value))
    problem = await check_problem(await client.get(f"/v1/games/{game.id}/story"), 503, "store_unavailable")
    assert problem["detail"] == "this instance cannot read the stored game"


async def test_a_log_that_cannot_be_read_stays_a_stream(store: RedisStore, redis: Redis) -> None:
    game = await store_game(store, "finished")
    log = await store.load_diffs(game.id, 0, 1000)
    loaded = await load_record(store, game.id)
    for damaged in ([], log[1:], log[:-1], [*log[:3], replace(log[3], data=log[3].data + b"\n"), *log[4:]]):
        with pytest.raises(UnreadableGame):
            await store.compacted_logs.compact(game.id, loaded.revision, "", damaged, DAY_S)
    assert await redis.xlen(keys.log(game.id)) == len(log)


async def test_readers_share_a_read_and_a_bounded_cache(archive: Compactor, monkeypatch: pytest.MonkeyPatch) -> None:
    games = [await store_game(archive.store, "finished") for _ in range(3)]
    await archive.compact(*games)
    logs = archive.store.compacted_logs
    assert isinstance(logs.archive, DirectoryStorage)
    get = AsyncMock(wraps=logs.archive.get)
    monkeypatch.setattr(logs.archive, "get", get)
    await asyncio.gather(*(logs.load(game.id, 0) for game in games for _ in range(20)))
    assert get.await_count == len(games)
    cached = logs._bytes
    loaded = [await archive.store.load_diffs(game.id, 0, 1000) for game in games]
    assert cached == sum(len(diff.data) for log in loaded for diff in log)
    monkeypatch.setattr(compacted_logs, "MAX_CACHED_BYTES", cached - 1)
    logs = archive.store.compacted_logs = CompactedLogs(archive.store.client)
    logs.archive = DirectoryStorage(archive.directory or Path())
    for game in games:
        await logs.load(game.id, 0)
    assert [game for game, _ in logs._logs] == [game.id for game in games[1:]]
    assert logs._bytes < cached


async def test_a_reader_that_leaves_does_not_end_the_read_of_others(archive: Compactor) -> None:
    game = await store_game(archive.store, "finished")
    await archive.compact(game)
    readers = [asyncio.create_task(archive.store.load_diffs(game.id, 0, 10)) for _ in range(2)]
    while not archive.store.compacted_logs._reads:  # noqa: ASYNC110  no event says that the read has begun
        await asyncio.sleep(0)
    readers[0].cancel()
    assert len(await readers[1]) == 10


async def test_subscribers_resume_in_a_compacted_log(compactor: Compactor, client: Client) -> None:
    game = await store_game(compactor.store, "finished")
    log = await compactor.store.load_diffs(game.id, 0, 1000)
    await compactor.compact(game)
    async with open_event_stream(client, game.id, "?since=5") as events:
        events.copy = GameCopy(5, log[4].digest.hex())
        for _ in log[5:]:
            await events.receive("diff")
        assert events.copy.digest == log[-1].digest.hex()
    async with connect_watcher(client) as watcher:
        watcher.copies[game.id] = GameCopy(5, log[4].digest.hex())
        await watcher.subscribe(game.id, since=5, digest=log[4].digest.hex())
        copy = await watcher.receive_until(game.id, len(log))
        assert (copy.digest, copy.snapshots) == (log[-1].digest.hex(), 0)


async def test_webhooks_that_are_behind_get_the_compacted_log(
    compactor: Compactor, one: WebhookInstance, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    game = await create_game(one.client)
    await register_webhook(game, receiver.url)
    await one.deliver()
    receiver.statuses.append(500)
    aborted = await (await game.delete()).json()
    await one.deliver()
    await compactor.compact()
    assert not await compactor.redis.exists(keys.log(game.id))
    receiver.received.clear()
    later.offset_s += 60
    await one.deliver()
    assert receiver.versions == [aborted["version"]]


async def test_a_compacted_game_can_be_exported_and_imported(
    compactor: Compactor, second_store: RedisStore, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    game = await store_game(compactor.store, "finished", webhooks=1)
    before = await load_whole_game(compactor.store, game.id)
    await compactor.compact(game)
    target = tmp_path_factory.mktemp("exported") / "game.json.gz"
    archive = ("--archive-url", f"file://{compactor.directory}") if compactor.directory else ()
    exported = await south_seas("export", "--game", game.id, str(target), "--redis-url", redis_url, *archive)
    assert exported.returncode == 0, exported.stderr
    assert validate_document(decode_document(target.read_bytes()))[0].id == game.id
    for store in (second_store, compactor.store):
        assert await import_files(store, [target], RETENTION, replace=True)
        assert (await load_whole_game(store, game.id)) == before
    assert not await compactor.redis.hexists(keys.game(game.id), "compacted")


async def test_a_compressed_log_goes_to_a_later_archive(store: RedisStore, redis: Redis, tmp_path: Path) -> None:
    game = await store_game(store, "finished")
    before = await load_whole_game(store, game.id)
    await Compactor(store, redis, None).compact(game)
    await redis.zadd(keys.ARCHIVE_SCHEDULE, {game.id: 0})
    await Compactor(store, redis, tmp_path).compact(game)
    assert await load_whole_game(store, game.id) == before
