"""Games are moved between single servers and Clusters, byte for byte, archived and reindexed."""

import gzip
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import aiohttp
import msgspec
import pytest
import pytest_asyncio
from redis.asyncio import Redis

from schemas.commands import Act
from schemas.vocabulary import STATUSES, Status
from service.cli.export import MAX_CONCURRENT, ExportJob, export_games, import_files, iter_documents, make_restore
from service.engine import Game, encode_snapshot, legal_moves, move_id
from service.engine.game import READABLE_SCHEMA
from service.games.access import encode_access, hash_token
from service.games.archive import LATEST_SCHEMA, WebhookDocument, decode_document
from service.games.archiver import RestoreRequest
from service.games.commands.execute import CommandRequest
from service.games.commands.play import act
from service.games.due_work import lease
from service.games.index_repair import IndexRepairer
from service.games.ports import (
    DeliveryAttempt,
    StoredGame,
    StoreUnavailable,
    WebhookChange,
    WebhookRegistration,
    WebhookState,
    webhook_entry,
)
from service.games.repository import Context, Retention
from service.store import keys, log_entries
from service.store.game_store import RedisStore
from service.telemetry.clock import DAY_S
from tests.api_key_fixture import add_api_key
from tests.cli.test_commands import south_seas
from tests.games.game_fixture import Clock, load_game, make_context
from tests.games.game_logs import CATALOGUE, LAGOON
from tests.games.stored_games import CREATOR, OwnedGame, load_whole_game, store_game
from tests.redis_servers import CLUSTER_ACL, Deployment, cluster, connect, create_access, set_to_1
from tests.server_process import start_server
from tests.store.commits import creation, load_record
from tests.web.http_game import create_game

RETENTION = Retention(waiting=3 * DAY_S, active=5 * DAY_S, finished=7 * DAY_S)
WEBHOOK = WebhookRegistration("h", "https://bot.example/", None, None, "whsec_", "2026-11-21T21:00:00Z")
ATTEMPTS = [DeliveryAttempt(version, "decision", 1, "2026-11-21T21:00:00Z", 204, None, 12) for version in (3, 2)]


async def export_game(store: RedisStore, file: Path, **options: Any) -> OwnedGame:
    """Store a game and export it into a file."""
    stored = await store_game(store, **options)
    await export_games(store, ExportJob(CATALOGUE, file), [stored.id])
    return stored


async def moved(store: RedisStore, second_store: RedisStore, folder: Path, *, replace: bool = False) -> dict[str, int]:
    """Export all games of one store and import them into another; gives both commands' counts."""
    exported = await export_games(store, ExportJob(CATALOGUE, folder), None)
    imported = await import_files(second_store, iter_documents([folder]), RETENTION, replace=replace)
    return {**exported, **imported}


async def play_first_move(stored: OwnedGame, context: Context) -> int:
    """Play the first legal move with the owner token, and return the version."""
    (first, *_) = legal_moves(LAGOON.index, await load_game(context.store, stored.id))
    body, token = Act(move=move_id(first)), stored.created.owner_token
    request = CommandRequest(id=stored.id, body=body, token=token, idempotency_key="k" * 32)
    return (await act(context, request)).response.version


@pytest.mark.parametrize("status", STATUSES)
async def test_a_game_of_any_status_is_the_same_after_export_and_import(
    store: RedisStore, second_store: RedisStore, second_redis: Redis, tmp_path: Path, status: Status
) -> None:
    stored = await store_game(store, status, webhooks=2)
    assert await moved(store, second_store, tmp_path) == {"exported": 1, "imported": 1}
    assert await load_whole_game(second_store, stored.id) == await load_whole_game(store, stored.id)
    assert (await second_store.list_by_status([status], 10, None)).games == [stored.id]
    for secret in (stored.created.owner_token, stored.created.seats[0].token, CREATOR):
        assert (await second_store.list_by_keys([hash_token(secret).hex()], 10, None)).games == [stored.id]
    expected = {"waiting": 3, "active": 5}.get(status, 7) * DAY_S
    for key in (keys.game(stored.id), keys.log(stored.id)):
        assert expected - 60 < await second_redis.ttl(key) <= expected


async def test_an_imported_game_can_be_played_on_and_a_private_one_is_not_listed(
    store: RedisStore, second_store: RedisStore, tmp_path: Path
) -> None:
    stored = await store_game(store, visibility="private")
    await moved(store, second_store, tmp_path)
    assert (await second_store.list_by_status(STATUSES, 10, None)).games == []
    version = (await load_record(second_store, stored.id)).revision.version
    assert await play_first_move(stored, make_context(second_store)) == version + 1


async def test_an_imported_game_keeps_its_schedule(store: RedisStore, second_store: RedisStore, tmp_path: Path) -> None:
    stored = await store_game(store, turn_timeout_s=60, on_timeout="resign", webhooks=1)
    await moved(store, second_store, tmp_path)
    later = 2**33
    assert await second_store.due_games.list_due(later, 10) == [stored.id]
    assert [entry.split()[0] for entry in await second_store.due_webhooks.list_due(later, 10)] == [stored.id]


async def test_an_imported_webhook_is_scheduled_if_something_is_to_be_sent(store: RedisStore) -> None:
    states = {"behind": WebhookState(0), "pending": WebhookState(1, pending_client="c"), "delivered": WebhookState(1)}
    states |= {"later": WebhookState(0, 1, 2**34), "disabled": WebhookState(0, disabled_reason="too many failures")}
    for game, state in states.items():
        webhook = WebhookDocument(registration=WEBHOOK, state=state)
        await store.transfer.restore(RestoreRequest(creation(game), [webhook], replace=False))
    due = [webhook_entry(game, WEBHOOK.id) for game in ("behind", "pending")]
    assert sorted(await store.due_webhooks.list_due(2**33, 10)) == due


async def test_a_repeated_import_changes_nothing(
    store: RedisStore, second_store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even of a game that another import stores meanwhile."""
    stored = await store_game(store)
    await moved(store, second_store, tmp_path)
    before = await load_whole_game(second_store, stored.id)
    assert await moved(store, second_store, tmp_path) == {"exported": 1, "skipped": 1}
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(second_store, "load", AsyncMock(return_value=None))
        assert await moved(store, second_store, tmp_path) == {"exported": 1, "skipped": 1}
    assert await load_whole_game(second_store, stored.id) == before


@pytest.mark.parametrize("damage", (("snapshot", b"?"), ("revision", b"?"), ("access", b"?"), ("hooks", b"\xff")))
async def test_what_cannot_be_read_is_replaced_by_an_import(
    store: RedisStore, redis: Redis, tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: tuple[str, bytes]
) -> None:
    damaged, played = await store_game(store), await store_game(store)
    assert await export_games(store, ExportJob(CATALOGUE, tmp_path), None) == {"exported": 2}
    whole = await load_whole_game(store, damaged.id)
    version = await play_first_move(played, make_context(store))
    await redis.hset(keys.game(damaged.id), *damage)
    imported = await import_files(store, iter_documents([tmp_path]), Retention(), replace=False)
    assert imported == {"imported": 1, "skipped": 1}
    assert f"game {damaged.id} is replaced: " in capsys.readouterr().err
    assert await load_whole_game(store, damaged.id) == whole
    assert (await load_record(store, played.id)).revision.version == version


async def test_a_game_that_a_later_release_wrote_is_not_replaced_by_an_import(
    store: RedisStore, redis: Redis, tmp_path: Path
) -> None:
    stored = await export_game(store, tmp_path)
    game = (await load_record(store, stored.id)).game
    later = encode_snapshot(msgspec.structs.replace(game, schema_version=READABLE_SCHEMA + 1))
    await redis.hset(keys.game(stored.id), "snapshot", later)
    assert await import_files(store, iter_documents([tmp_path]), Retention(), replace=False) == {"rejected": 1}
    assert await redis.hget(keys.game(stored.id), "snapshot") == later


async def record_attempt(store: RedisStore, game: str) -> str:
    """Store two delivery attempts of a game's only webhook, and return the webhook's id."""
    (hook,) = await store.webhooks.list_by_subject(game)
    webhook_id = hook.registration.id
    async with lease(store.due_webhooks, webhook_entry(game, webhook_id), 10) as holder:
        for attempt in reversed(ATTEMPTS):
            assert await store.webhooks.save(game, webhook_id, holder, WebhookChange(hook.state, attempt), 10)
    return webhook_id


async def test_delivery_attempts_are_imported_and_expire_with_the_game(
    store: RedisStore, second_store: RedisStore, second_redis: Redis, tmp_path: Path
) -> None:
    stored = await store_game(store, webhooks=1)
    webhook_id = await record_attempt(store, stored.id)
    await moved(store, second_store, tmp_path)
    assert await second_store.webhooks.list_attempts(stored.id, webhook_id) == ATTEMPTS
    game_ttl_s = await second_redis.ttl(keys.game(stored.id))
    assert game_ttl_s - 60 < await second_redis.ttl(keys.webhook_attempts(stored.id, webhook_id)) <= game_ttl_s


async def test_replace_overwrites_the_stored_game(
    store: RedisStore, second_store: RedisStore, second_redis: Redis, tmp_path: Path
) -> None:
    stored = await store_game(store, webhooks=1)
    await moved(store, second_store, tmp_path)
    await play_first_move(stored, make_context(second_store))
    webhook_id = await record_attempt(second_store, stored.id)
    for key in (keys.game, keys.idempotency_records):
        await second_redis.hset(key(stored.id), "field", "of the game that was there")
    assert await moved(store, second_store, tmp_path, replace=True) == {"exported": 1, "imported": 1}
    assert await load_whole_game(second_store, stored.id) == await load_whole_game(store, stored.id)
    assert await second_store.webhooks.list_attempts(stored.id, webhook_id) == []
    assert not await second_redis.hexists(keys.game(stored.id), "field")
    assert not await second_redis.exists(keys.idempotency_records(stored.id))


async def test_exports_of_a_game_are_identical_and_contain_no_token(store: RedisStore, tmp_path: Path) -> None:
    stored = await store_game(store, "finished", webhooks=1)
    for name in ("a.json.gz", "b.json.gz", "c.json"):
        await export_games(store, ExportJob(CATALOGUE, tmp_path / name), [stored.id])
    first, second, plain = ((tmp_path / name).read_bytes() for name in ("a.json.gz", "b.json.gz", "c.json"))
    assert (first, gzip.decompress(first)) == (second, plain)
    assert (tmp_path / "a.json.gz").stat().st_mode & 0o777 == 0o600
    created = stored.created
    secrets = (created.owner_token, created.spectator_token, *(seat.token for seat in created.seats), CREATOR)
    assert not [secret for secret in secrets if secret.encode() in plain]


async def test_many_games_are_moved_and_unknown_ones_are_reported(
    store: RedisStore,
    second_store: RedisStore,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("service.cli.store.REPORT_INTERVAL_S", 0)
    games = [await store_game(store, "waiting") for _ in range(30)]
    assert await moved(store, second_store, tmp_path) == {"exported": 30, "imported": 30}
    reported = re.findall(r"(\w+) (\d+) games so far", capsys.readouterr().err)
    exported = [int(number) for verb, number in reported if verb == "exported"]
    assert exported == sorted({*exported})
    assert 30 - MAX_CONCURRENT < exported[-1] <= 30
    assert [int(number) for verb, number in reported if verb == "imported"] == [*range(1, 31)]
    ids = [stored.id for stored in games]
    assert await second_store.load_versions(ids) == await store.load_versions(ids)
    assert await export_games(store, ExportJob(CATALOGUE, tmp_path), ["none"]) == {"failed": 1}
    assert "game none: there is no such game" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "reason"),
    (
        ({"digest": "0" * 32}, "its snapshot says digest"),
        ({"status": "finished"}, "its snapshot says status active"),
        ({"version": 3}, "its snapshot says version"),
        ({"game": "other"}, "its snapshot is of game"),
        ({"snapshot": "AAAA"}, "its snapshot cannot be read"),
        ({"snapshot": "!"}, "not a game document"),
        ({"access": "AAAA"}, "its access record cannot be read"),
        ({"access": None}, "nobody could continue"),
        ({"visibility": "private"}, "its access record is of another game"),
        ({"tileset_hash": "0"}, "its tile set has the hash"),
        ({"schema": LATEST_SCHEMA + 1}, "only a later release knows"),
        ({"schema": 0}, "not a game document"),
        ({"format": "other"}, "not a game document"),
        ({"created_at": "../../../etc/x"}, "not a game document"),
        ({"game": "../x"}, "not a game document"),
    ),
)
async def test_a_changed_document_is_rejected(
    store: RedisStore,
    second_store: RedisStore,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, object],
    reason: str,
) -> None:
    file = tmp_path / "game.json"
    stored = await export_game(store, file)
    file.write_bytes(msgspec.json.encode({**msgspec.json.decode(file.read_bytes()), **change}))
    assert await import_files(second_store, [file], RETENTION, replace=False) == {"rejected": 1}
    received = capsys.readouterr().err
    assert received.startswith(f"{file}: ")
    assert reason in received
    assert await second_store.load(stored.id) is None


async def test_a_broken_chain_is_rejected_with_its_version(
    store: RedisStore, second_store: RedisStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.json"
    await export_game(store, file)
    whole_file = file.read_bytes()
    document = msgspec.json.decode(whole_file)
    at = document["diffs"][6]["at"].encode()
    seventh = whole_file.index(b'"version":7')
    begin = whole_file.rindex(at, 0, seventh)
    reordered = [*document["diffs"][:6], *document["diffs"][7:], document["diffs"][6]]
    for broken, reason in (
        (whole_file[:begin] + b"2001-01-01T00:00:00Z" + whole_file[begin + len(at) :], "the chain breaks"),
        (msgspec.json.encode({**document, "diffs": reordered}), "the diff is version 8 of game"),
    ):
        file.write_bytes(broken)
        assert await import_files(second_store, [file], RETENTION, replace=False) == {"rejected": 1}
        received = capsys.readouterr().err
        assert "version 7: " in received
        assert reason in received


async def test_a_truncated_file_is_rejected(
    store: RedisStore, second_store: RedisStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.json.gz"
    await export_game(store, file)
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    (tmp_path / "x.json.gz").write_bytes(b"\x1f\x8bnonsense")
    (tmp_path / "y.json").write_bytes(b"")
    assert await import_files(second_store, iter_documents([tmp_path]), RETENTION, replace=False) == {"rejected": 3}
    assert "is truncated" in capsys.readouterr().err


async def test_a_repeated_restore_is_applied_once(store: RedisStore, second_store: RedisStore, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    stored = await export_game(store, file, webhooks=1)
    document = decode_document(file.read_bytes())
    restoring = make_restore(document, RETENTION, replace=False)
    assert [await second_store.transfer.restore(restoring) for _ in range(2)] == [True, True]
    assert await second_store.transfer.restore(make_restore(document, RETENTION, replace=False)) is False
    assert await load_whole_game(second_store, stored.id) == await load_whole_game(store, stored.id)


async def test_a_server_without_memory_stores_nothing(
    store: RedisStore, second_store: RedisStore, second_redis: Redis, tmp_path: Path
) -> None:
    await export_game(store, tmp_path / "game.json")
    async with set_to_1(second_redis):
        with pytest.raises(StoreUnavailable):
            await import_files(second_store, [tmp_path / "game.json"], RETENTION, replace=True)
        assert await second_redis.keys("*{*") == []


async def test_a_game_of_an_api_key_is_listed_and_reported_after_an_import(
    store: RedisStore, second_store: RedisStore, tmp_path: Path
) -> None:
    for one in (store, second_store):
        await add_api_key(one, "bot")
    await store.webhooks.add("key.bot", WEBHOOK, WebhookState(0))
    stored = await store_game(store, api_key="bot")
    assert await moved(store, second_store, tmp_path) == {"exported": 1, "imported": 1}
    assert (await second_store.list_by_keys(["key.bot"], 10, None)).games == [stored.id]
    assert await load_whole_game(second_store, stored.id) == await load_whole_game(store, stored.id)
    assert webhook_entry(stored.id, "h") in await second_store.due_webhooks.list_due(2**33, 10)


async def test_a_backup_links_what_has_not_changed_and_names_what_is_missing(
    store: RedisStore, redis: Redis, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same, played, noted, opened, damaged = [await store_game(store, webhooks=number == 2) for number in range(5)]
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    assert await export_games(store, ExportJob(CATALOGUE, first), None) == {"exported": 5}
    assert (first / "WHOLE").read_text() == ""
    await play_first_move(played, make_context(store))
    (webhook,) = await store.webhooks.list_by_subject(noted.id)
    state = msgspec.msgpack.encode(WebhookState(1))
    await redis.hset(keys.game(noted.id), f"hook:{webhook.registration.id}:state", state)
    access = (await load_record(store, opened.id)).access
    access.seats[0] = hash_token("another")
    await redis.hset(keys.game(opened.id), "access", encode_access(access))
    await redis.hset(keys.game(damaged.id), "snapshot", b"?")
    second.mkdir()
    (second / "WHOLE").touch()
    job = ExportJob(CATALOGUE, second, first)
    assert await export_games(store, job, None) == {"exported": 3, "unchanged": 1, "failed": 1}
    assert (second / "MISSING").read_text() == f"{damaged.id}\n"
    backup = await redis.get(keys.BACKUP)
    assert isinstance(backup, bytes)
    ended_at, missing, losses = map(int, backup.split())
    assert (abs(ended_at - time.time()) < 60, missing, losses) == (True, 1, 0)
    assert not (second / "WHOLE").exists()
    assert f"game {damaged.id}: " in capsys.readouterr().err
    linked = {file.name for file in iter_documents([second]) if file.stat().st_nlink == 2}
    assert [name.endswith(f"-{same.id}.json.gz") for name in linked] == [True]
    documents = [decode_document(file.read_bytes()) for file in iter_documents([second])]
    assert {one.game: one.version for one in documents} == {
        stored.id: (await load_record(store, stored.id)).revision.version for stored in (same, played, noted, opened)
    }
    await redis.delete(keys.game(damaged.id), keys.log(damaged.id))
    for target, before in ((third, second), (second, third)):
        assert await export_games(store, ExportJob(CATALOGUE, target, before), None) == {"unchanged": 4}
        assert {path.name for path in target.iterdir() if path.is_file() and path.name.isupper()} == {"WHOLE"}


LOSSES: dict[str, Callable[[Redis], Awaitable[object]]] = {
    "FLUSHALL": lambda redis: redis.flushall(),
    "another database": lambda redis: redis.swapdb(0, 1),
    "eviction": lambda redis: redis.delete(*(f"south-seas:{{{game}}}:game" for game in EVICTED)),
}
EVICTED: list[str] = []


async def export_backup(store: RedisStore, target: Path, **options: Any) -> set[str]:
    """Export all games, and return the files that end the export."""
    await export_games(store, ExportJob(CATALOGUE, target, **options), None)
    return {mark for mark in ("WHOLE", "MISSING", "LOSS") if (target / mark).exists()}


@pytest.mark.parametrize("loss", LOSSES)
async def test_a_backup_after_a_loss_is_marked_until_the_games_are_back_or_the_loss_is_accepted(
    store: RedisStore, redis: Redis, tmp_path: Path, capsys: pytest.CaptureFixture[str], loss: str
) -> None:
    EVICTED[:] = [(await store_game(store)).id for _ in range(10)][:2]
    good = tmp_path / "good"
    assert await export_backup(store, good) == {"WHOLE"}
    await LOSSES[loss](redis)
    lost = 2 if loss == "eviction" else 10
    for name in ("first", "second"):
        assert await export_backup(store, tmp_path / name, since=good) == {"LOSS"}
        reason = f"{lost} of 10 games of {good} are gone before their time\n"
        assert (tmp_path / name / "LOSS").read_text() == reason
        assert f"marked LOSS: {reason}" in capsys.readouterr().err
    assert str(await redis.get(keys.BACKUP)).endswith(" 0 1'")
    assert await export_backup(store, tmp_path / "accepted", since=good, accepts_loss=True) == {"LOSS", "WHOLE"}
    assert str(await redis.get(keys.BACKUP)).endswith(" 0 0'")
    assert await export_backup(store, tmp_path / "after", since=tmp_path / "accepted") == {"WHOLE"}
    assert await import_files(store, iter_documents([good]), RETENTION, replace=False) == Counter(
        imported=lost, skipped=10 - lost
    )
    assert await export_backup(store, tmp_path / "back", since=good) == {"WHOLE"}


@pytest.mark.parametrize(
    "case",
    (
        ("finished", 1, 0.5, "LOSS"),
        ("finished", 1, 1.5, "WHOLE"),
        ("active", 1, 0.5, "LOSS"),
        ("active", 1, 1.5, "WHOLE"),  # it may have ended meanwhile
        ("active", 7, 1.5, "LOSS"),
        ("waiting", 7, 30, "LOSS"),  # by a clock that is wrong, or after a month without a backup
    ),
)
async def test_games_that_may_have_expired_are_no_loss(
    store: RedisStore,
    redis: Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[Status, int, float, str],
) -> None:
    status, retention_days, days_later, mark = case
    await store_game(store, status)
    assert await export_backup(store, tmp_path / "good") == {"WHOLE"}
    await redis.flushall()
    later, retention = time.time() + days_later * DAY_S, Retention(7 * DAY_S, 60 * DAY_S, retention_days * DAY_S)
    monkeypatch.setattr("service.cli.export.time.time", lambda: later)
    assert await export_backup(store, tmp_path / "next", since=tmp_path / "good", retention=retention) == {mark}


async def test_a_redis_that_was_emptied_is_a_loss_until_games_are_imported(
    store: RedisStore, redis: Redis, tmp_path: Path
) -> None:
    """Even where no backup tells what there was."""
    assert await store.health.probe()
    await redis.flushall()
    assert await store.health.probe()
    assert await export_backup(store, tmp_path / "first") == {"LOSS"}
    assert "Redis was emptied at 20" in (tmp_path / "first" / "LOSS").read_text()
    assert await export_backup(store, tmp_path / "second", accepts_loss=True) == {"LOSS", "WHOLE"}
    assert await export_backup(store, tmp_path / "third") == {"WHOLE"}


@pytest.mark.parametrize("damage", ("without its beginning", "a digest"))
async def test_what_an_import_would_reject_is_missing_from_a_backup(
    store: RedisStore, redis: Redis, tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    stored = await store_game(store, "finished")
    key = keys.log(stored.id)
    if damage == "without its beginning":
        await redis.xtrim(key, minid="3-0", approximate=False)
    else:
        entries: Any = await redis.xrange(key)
        await redis.delete(key)
        for number, (entry_id, fields) in enumerate(entries):
            entry = bytearray(fields[b"d"])
            entry[log_entries.COMMIT_ID_BYTES] ^= number == 2
            await redis.xadd(key, {"d": bytes(entry)}, id=entry_id)
    assert await export_games(store, ExportJob(CATALOGUE, tmp_path), None) == {"failed": 1, "losses": 1}
    assert (tmp_path / "LOSS").read_text() == "1 of 1 games cannot be read\n"
    await store_game(store)
    assert await export_games(store, ExportJob(CATALOGUE, tmp_path), None) == {"exported": 1, "failed": 1}
    assert (tmp_path / "MISSING").read_text() == f"{stored.id}\n"
    assert not (tmp_path / "LOSS").exists()
    assert f"game {stored.id}: " in capsys.readouterr().err


async def test_a_webhook_that_is_delivered_during_an_export_does_not_spoil_it(
    store: RedisStore, redis: Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = await store_game(store, webhooks=1)
    (webhook,) = await store.webhooks.list_by_subject(stored.id)
    load = store.load

    async def load_and_deliver(game: str) -> StoredGame | None:
        loaded = await load(game)
        assert loaded is not None
        state = msgspec.msgpack.encode(WebhookState(loaded.revision.version + 1))
        await redis.hset(keys.game(game), f"hook:{webhook.registration.id}:state", state)
        return loaded

    monkeypatch.setattr(store, "load", load_and_deliver)
    assert await export_games(store, ExportJob(CATALOGUE, tmp_path), None) == {"exported": 1}


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
    assert await moved(clustered, second_store, tmp_path / "out") == {"exported": GAMES, "imported": GAMES}
    await deployment.clear()
    assert await moved(second_store, clustered, tmp_path / "back") == {"exported": GAMES, "imported": GAMES}
    assert {stored.id: await load_whole_game(clustered, stored.id) for stored in games} == before


async def test_deleted_indexes_are_rebuilt_from_all_primaries(clustered: RedisStore, deployment: Deployment) -> None:
    games = await games_on_all(clustered, deployment)
    for node in await deployment.primaries():
        async with aclosing(node.client()) as client:
            for key in await client.keys("south-seas:[^{]*"):
                await client.delete(key)
    assert (await clustered.list_by_status(["waiting", "active"], 100, None)).games == []
    assert (await IndexRepairer(clustered, clustered.index_repair, RETENTION, Clock()).repair_all()).games == GAMES
    ids = {stored.id for stored in games}
    assert {*(await clustered.list_by_status(["waiting", "active"], 100, None)).games} == ids
    async with connect(deployment.url) as another:  # which knows no primary yet
        assert {game async for game in another.transfer.iter_games()} == ids


@pytest.mark.parametrize("has_archive", (False, True))
async def test_a_shorter_retention_counts_for_stored_games(store: RedisStore, redis: Redis, has_archive: bool) -> None:
    """An ended game that is not archived yet stays; `reindex`, which may lack the settings, shortens nothing."""
    context = make_context(store, retention=RETENTION)
    games = {status: await store_game(store, status, context=context) for status in STATUSES}
    shorter = Retention(2 * DAY_S, 4 * DAY_S, 6 * DAY_S, until_archived=has_archive)
    pending = games["aborted"].id

    async def is_pending(game: Game) -> bool:
        return has_archive and game.id == pending

    async def days() -> dict[Status, int]:
        ttls_s = {}
        for status, one in games.items():
            ttls_s[status], log_ttl_s = [await redis.ttl(key(one.id)) for key in (keys.game, keys.log)]
            assert abs(ttls_s[status] - log_ttl_s) < 60
        return {status: round(ttl_s / DAY_S) for status, ttl_s in ttls_s.items()}

    before = {"waiting": 3, "active": 5, "finished": 7, "aborted": 7}
    await IndexRepairer(store, store.index_repair, shorter, Clock()).repair_all()
    assert await days() == before
    await IndexRepairer(store, store.index_repair, shorter, Clock(), is_pending).repair_all()
    assert await days() == {"waiting": 2, "active": 4, "finished": 6, "aborted": 7 if has_archive else 6}
    await IndexRepairer(store, store.index_repair, RETENTION, Clock(), is_pending).repair_all()
    assert (await days())["finished"] == 6


async def test_the_settings_set_the_retention(tmp_path: Path, redis: Redis, redis_url: str) -> None:
    """Of waiting, active and ended games, and of lists, whether an instance or a command stores them."""
    flags = ("--waiting-retention-days", "2", "--active-retention-days", "4", "--finished-retention-days", "6")
    async with start_server(tmp_path, redis_url, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        games = [await create_game(session, players) for players in ([{"name": "Ana"}, {"open": True}], None, None)]
        await games[2].delete()
        assert "; the games are in the Redis of --redis-url." in instance.printed
    one, file, given = games[1].id, str(tmp_path / "game.json"), ("--redis-url", redis_url)
    lists = await redis.keys(keys.game_index("*"))
    expected = {
        key(game.id): days for game, days in zip(games, (2, 4, 6), strict=True) for key in (keys.game, keys.log)
    }
    assert [await redis.ttl(key) // DAY_S for key in expected] == [*expected.values()]
    await redis.delete(*lists)
    await south_seas("reindex", *given, *flags)
    assert {round(await redis.ttl(key) / DAY_S) for key in lists} == {6 + 2}
    await south_seas("export", "--game", one, file, *given)
    await south_seas("import", "--replace", file, *given, "--active-retention-days", "3")
    assert round(await redis.ttl(keys.game(one)) / DAY_S) == 3
    await south_seas("games", "abort", one, "--yes", *given, "--finished-retention-days", "5")
    assert await redis.ttl(keys.game(one)) // DAY_S == 5
