"""Logs, the cache and idempotency records: what is stored, for whom, and for how long."""

import asyncio
import random
from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest
from msgspec import Raw

from schemas.commands import Act, ActionResult, SeatCommand
from schemas.lobby import Created
from service.engine import legal_moves, move_id
from service.games import repository
from service.games.commands.execute import CommandRequest, GameRequest
from service.games.commands.play import abort_game, act
from service.games.errors import (
    IdempotencyKeyReused,
    NotYourTurn,
    TooManyIdempotencyKeys,
    Unauthorized,
    VersionMismatch,
)
from service.games.idempotency import FirstResponse, ReplayableResult, idempotency_scope, new_record, read_record
from service.games.ports import (
    GameStore,
    KeyQuotaExceeded,
    Revision,
    StoredGame,
    WebhookRegistration,
    WebhookState,
    webhook_entry,
)
from service.games.repository import Context, GameCache, read_log
from service.store.game_store import RedisStore
from service.telemetry.clock import DAY_S
from tests.games.game_fixture import TABLES, create_game, human_seats, load_game, make_context
from tests.games.stored_games import CountingStore, store_game
from tests.polling import rounds
from tests.telemetry.metric_samples import grown, read_samples

GAME_EVENTS = ("created", "started", "finished", "aborted")


@pytest.mark.parametrize("version", (0, 1, 3))
async def test_a_log_is_read_up_to_a_version(store: RedisStore, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "LOG_PAGE_SIZE", 2)
    stored = await store_game(store, "finished")
    assert [diff.version for diff in await read_log(store, stored.id, version)] == [*range(1, version + 1)]


@pytest.mark.parametrize(("reset_in_s", "retry_after_s"), ((-1, 1), (0, 1), (1, 1), (2, 2), (60, 60)))
async def test_a_client_with_too_many_keys_retries_when_its_quota_is_reset(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, reset_in_s: int, retry_after_s: int
) -> None:
    """The reset may have passed when the store's answer arrives."""
    context = make_context(store, clock=lambda: 1_000.0)
    monkeypatch.setattr(store, "commit", AsyncMock(return_value=KeyQuotaExceeded(1_000 + reset_in_s)))
    with pytest.raises(TooManyIdempotencyKeys) as error:
        await create_game(context, *human_seats("Ana", "Bo"))
    assert error.value.retry_after_s == retry_after_s


async def test_a_game_aborted_in_wait_has_not_started(store: RedisStore) -> None:
    before = read_samples()
    stored = await store_game(store, "waiting")
    await abort_game(stored.context, GameRequest(id=stored.id, token=stored.created.owner_token))
    games = {event: grown(before, "games_total", event=event) for event in GAME_EVENTS}
    assert games == {"created": 1, "started": 0, "finished": 0, "aborted": 1}


@pytest.fixture
def counting(store: RedisStore) -> CountingStore:
    return CountingStore(store.client)


def instance(store: GameStore, cache: GameCache | None = None) -> Context:
    return make_context(store, cache=GameCache() if cache is None else cache)


async def created(context: Context) -> Created:
    return (await create_game(context, *human_seats("Ana", "Bo"), seed="held")).created


async def first_move(context: Context, game: str) -> str:
    return move_id(legal_moves(TABLES, await load_game(context.store, game))[0])


async def do(
    context: Context, table: Created, move: str | None = None, token: str | None = None, **more: Any
) -> ReplayableResult[ActionResult[Raw]]:
    """Act with the owner's token, by default with the first legal move."""
    body = Act(move=move or await first_move(context, table.game.id))
    return await act(context, CommandRequest(id=table.game.id, body=body, token=token or table.owner_token, **more))


async def test_a_cached_game_is_not_loaded(counting: CountingStore) -> None:
    context = instance(counting)
    table = await created(context)
    move = await first_move(context, table.game.id)
    counting.loads.clear()
    finished = await do(context, table, move, if_match=[Revision(1, bytes.fromhex(table.digest))], idempotency_key="k")
    assert (finished.response.version, counting.loads.total()) == (2, 0)


async def test_a_stale_session_is_loaded_again(counting: CountingStore) -> None:
    one, other = instance(counting), instance(counting)
    table = await created(one)
    second = await do(other, table)
    third = await do(one, table, if_match=[Revision(2, bytes.fromhex(second.response.digest))])
    assert (third.response.version, len(one.cache)) == (3, 1)
    with pytest.raises(VersionMismatch) as rejected:
        await do(other, table, if_match=[Revision(2, b"")])
    assert rejected.value.version == 3
    assert (await do(other, table)).response.version == 4


async def test_a_cached_game_never_rejects(store: GameStore) -> None:
    one, other = instance(store), instance(store)
    table = await created(one)
    tokens = {seat.seat: seat.token for seat in table.seats}
    await do(other, table)
    await do(other, table, "pass.islander")
    assert (await do(one, table, token=tokens[1])).response.version == 4
    with pytest.raises(NotYourTurn):
        await do(one, table, "pass.islander", token=tokens[0])


async def test_a_response_of_another_instance_is_replayed(store: GameStore) -> None:
    one, other = instance(store), instance(store)
    table = await created(one)
    move = await first_move(one, table.game.id)
    answered = await do(other, table, move, idempotency_key="k")
    for context in (one, other):
        assert await do(context, table, move, idempotency_key="k") == answered._replace(replayed=True)
        with pytest.raises(IdempotencyKeyReused):
            await do(context, table, "pass.islander", idempotency_key="k")
    assert (await do(one, table)).response.version == 3


async def test_a_webhook_registered_on_another_instance_gets_the_next_change(store: GameStore) -> None:
    context = instance(store)
    table = await created(context)
    hook = WebhookRegistration("h", "https://example.com", None, None, "secret", "2026-11-22T00:00:00Z")
    await store.webhooks.add(table.game.id, hook, WebhookState(1))
    await do(context, table)
    assert context.woken_webhooks.take() == [webhook_entry(table.game.id, "h")]


@pytest.mark.parametrize("token", ("x" * 43, None))
async def test_an_unknown_token_does_not_act_on_a_cached_game(store: GameStore, token: str | None) -> None:
    context = instance(store)
    table = await created(context)
    move = await first_move(context, table.game.id)
    with pytest.raises(Unauthorized):
        await act(context, CommandRequest(id=table.game.id, body=Act(move=move), token=token))
    assert (await do(context, table, move)).response.version == 2


async def test_concurrent_commands_of_one_instance_are_serialized(store: GameStore) -> None:
    context = instance(store)
    table = await created(context)
    move = await first_move(context, table.game.id)
    outcomes = await asyncio.gather(
        *(do(context, table, move, if_match=[Revision(1, b"")]) for _ in range(8)), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ReplayableResult", *["VersionMismatch"] * 7]
    assert (await do(context, table)).response.version == 3


async def test_a_whole_game_on_instances_with_small_caches(store: GameStore) -> None:
    chance = random.Random(7)
    contexts = [instance(store), instance(store, GameCache(max_size=1)), instance(store)]
    table, other = await created(contexts[0]), await created(contexts[1])
    version, digest = 1, table.digest
    for _ in rounds():
        context = chance.choice(contexts)
        if version % 10 == 0:
            await do(contexts[1], other)  # takes the only place of the small cache
        if chance.random() < 0.1:
            context.cache.pop(table.game.id)
        expected = [Revision(version, bytes.fromhex(digest))] if chance.random() < 0.5 else None
        acted = (await do(context, table, if_match=expected, idempotency_key=f"k{version}")).response
        assert acted.version == version + 1
        version, digest = acted.version, acted.digest
        if acted.next.seat is None:
            break
    assert all(len(context.cache) <= 1 for context in contexts)
    log = await store.load_diffs(table.game.id, 0, 1000)
    assert [msgspec.json.decode(diff.data)["version"] for diff in log] == [*range(1, version + 1)]


def cached_session(context: Context, table: Created, version: int) -> StoredGame:
    result = context.cache.pop(table.game.id)
    assert result is not None
    result.game.version = version
    return result


async def test_the_least_recently_committed_session_is_evicted_first(store: GameStore) -> None:
    context = instance(store, GameCache(max_size=2))
    tables = [await created(context) for _ in range(2)]
    await do(context, tables[0])
    tables.append(await created(context))
    result: Sequence[bool] = [context.cache.pop(table.game.id) is not None for table in tables]
    assert result == [True, False, True]


async def test_an_older_session_does_not_replace_a_newer_one(store: GameStore) -> None:
    context = instance(store)
    table = await created(context)
    early = cached_session(context, table, 5)
    late = msgspec.structs.replace(early)
    late.game = msgspec.structs.replace(early.game, version=6)
    context.cache.put(late)
    context.cache.put(early)
    assert context.cache.pop(table.game.id) is late


async def test_another_session_of_the_same_version_replaces_a_cached_one(store: GameStore) -> None:
    """After a failover another instance may have stored another action with this version."""
    context = instance(store)
    lost = cached_session(context, await created(context), 5)
    stored = msgspec.structs.replace(lost)
    stored.game = lost.game
    context.cache.put(lost)
    context.cache.put(stored)
    assert context.cache.pop(lost.game.id) is stored


async def test_a_session_is_evicted_when_another_instance_changes_its_game(store: GameStore) -> None:
    context = instance(store)
    table = await created(context)
    context.cache.put(cached_session(context, table, 5))
    context.cache.evict_older("another", 9)
    context.cache.evict_older(table.game.id, 5)
    assert len(context.cache) == 1
    context.cache.evict_older(table.game.id, 6)
    assert len(context.cache) == 0


NOW = 1_800_000_000
SCOPE = idempotency_scope("key", "/path", "token", SeatCommand(seat=1))


def test_a_record_has_the_format_that_the_store_reads() -> None:
    """Byte 2 is the token's, bytes 3 to 6 are the time."""
    record = new_record(SCOPE, NOW + 0.9, 7, 3)
    assert record is not None
    assert SCOPE is not None
    times = NOW.to_bytes(4), (7).to_bytes(4), (3).to_bytes(2)
    assert record.record == b"\x01" + sha256(b"token").digest()[:1] + b"".join(times) + SCOPE.request_hash[:4]
    assert record.key == SCOPE.key_hash


@pytest.mark.parametrize(
    ("age_s", "version", "detail", "expected"),
    (
        (0, 7, 3, FirstResponse(7, 3)),
        (DAY_S - 1, 1, 0, FirstResponse(1, 0)),
        (DAY_S, 1, 0, None),
        (0, 2**32 - 1, 2**16, FirstResponse(2**32 - 1, 2**16 - 1)),
    ),
)
def test_a_record_is_read_for_a_day(age_s: int, version: int, detail: int, expected: FirstResponse | None) -> None:
    record = new_record(SCOPE, NOW, version, detail)
    assert record is not None
    assert read_record(SCOPE, record.record, NOW + age_s) == expected
    assert read_record(SCOPE, b"\x02" + record.record[1:], NOW) is None, "of a later release"
    assert read_record(SCOPE, None, NOW) is None
    assert read_record(None, record.record, NOW) is None


def test_without_a_key_there_is_neither_a_scope_nor_a_record() -> None:
    assert idempotency_scope(None, "/path", "token", SeatCommand(seat=1)) is None
    assert new_record(None, NOW, 1) is None


def test_a_key_belongs_to_its_path_and_token() -> None:
    others = ("other", "/path", "token"), ("key", "/other", "token"), ("key", "/path", "other"), ("key", "/path", None)
    scopes = [SCOPE, *(idempotency_scope(key, path, token, SeatCommand(seat=1)) for key, path, token in others)]
    assert len({scope.key_hash for scope in scopes if scope is not None}) == 5


def test_a_key_is_not_reused_for_another_request() -> None:
    record, other = new_record(SCOPE, NOW, 1), idempotency_scope("key", "/path", "token", SeatCommand(seat=2))
    assert record is not None
    with pytest.raises(IdempotencyKeyReused):
        read_record(other, record.record, NOW)
    assert read_record(other, record.record, NOW + DAY_S) is None
