"""A game that fails delays no other and is tried again ever later; index repair restores whatever was lost."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from time import time
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest
from prometheus_client import REGISTRY
from redis.asyncio import Redis

from schemas.actions import Action
from schemas.bots import BotInfo
from schemas.lobby import SeatRequest
from schemas.vocabulary import STATUSES, Status
from service.engine import Game
from service.games import due_work
from service.games.access import hash_token
from service.games.archiver import Archiver
from service.games.bots.interface import GameState
from service.games.bots.registry import FALLBACK_BOT, BotRegistry, LoadedBot, built_in_registry, load_bots
from service.games.due_work import BATCH_SIZE, LOG_INTERVAL_S, RETRY_S
from service.games.index_repair import IndexRepairer, RepairReport
from service.games.ports import GameStore, StoreUnavailable, UnreadableGame, webhook_entry
from service.games.repository import Context, Retention
from service.games.scheduler import make_scheduler
from service.games.tilesets import SeededRNG
from service.store import keys
from service.store.game_index import MIN_PRUNE_AGE_S
from service.store.game_store import RedisStore
from service.supervision import Supervisor
from tests.games.game_fixture import Clock, bot_seats, create_game, human_seats, make_context
from tests.games.game_logs import CATALOGUE
from tests.games.stored_games import CREATOR, CountingStore, OwnedGame, store_game
from tests.polling import TIMEOUT_S, in_background, wait_until
from tests.redis_servers import connect
from tests.snapshots import change_game

BOTS, PEOPLE = 6, 6
"""Games that must go on: of bots, and of people whose time is up."""

INSTANCES = 2
EVERY_S = 0.05


class Failing:
    """A bot that fails in games of a bot called `failing`, and is another one everywhere else."""

    version = "1"
    description = "Fails."
    heavy = False

    def __init__(self, name: str, otherwise: LoadedBot | None = None) -> None:
        self.name = name
        self._otherwise = otherwise

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        if self._otherwise is None or any(player.bot == "failing" for player in state.game.players):
            raise RuntimeError("this bot fails")
        return self._otherwise.bot.choose(state, rng)


def failing_bots() -> BotRegistry:
    """Return the built-in bots, one that always fails, and a stand-in that fails where that one plays."""
    result = {loaded.bot.name: loaded for loaded in load_bots(plugins=False)}
    failing = Failing("failing"), Failing(FALLBACK_BOT, result[FALLBACK_BOT])
    changed = {one.name: LoadedBot(one, msgspec.convert(one, BotInfo, from_attributes=True), "") for one in failing}
    return BotRegistry((result | changed).values())


def context_of(store: GameStore, ago_s: float = 0, bot_budget_s: float = TIMEOUT_S) -> Context:
    """Return the context of one instance, whose clock may be late."""
    return make_context(store, lambda: time() - ago_s, bots=failing_bots(), bot_budget_s=bot_budget_s)


async def due_game(store: GameStore, *seats: SeatRequest, timeout_s: int | None = None) -> str:
    """Create a game that has been due for a while: its first bot is on turn, or its first player is late."""
    context = context_of(store, ago_s=120, bot_budget_s=0)
    return (await create_game(context, *seats, turn_timeout_s=timeout_s)).id


async def of_bots(store: GameStore) -> str:
    """Create a due game of bots."""
    return await due_game(store, *bot_seats("random", "random"))


async def fail_every_bot(store: GameStore, redis: Redis) -> str:
    """Create a game whose bot fails, and so does the stand-in."""
    del redis
    return await due_game(store, *bot_seats("failing", "failing"))


async def damage_field(store: GameStore, redis: Redis, field: str) -> str:
    """Create a game of which a field is damaged: the snapshot, or the revision."""
    game = await of_bots(store)
    await redis.hset(keys.game(game), field, b"damaged")
    return game


async def break_rules(store: GameStore, redis: Redis) -> str:
    """Create a game whose snapshot is readable, but impossible by the rules."""
    game_id = await of_bots(store)

    def seat_nobody(game: Game) -> None:
        game.seat = len(game.players)

    await change_game(redis, game_id, seat_nobody)
    return game_id


async def replace_key(store: GameStore, redis: Redis) -> str:
    """Create a game whose key holds another type."""
    game = await of_bots(store)
    await redis.delete(keys.game(game))
    await redis.set(keys.game(game), "something else")
    return game


Failure = Callable[[GameStore, Redis], Awaitable[str]]

FAILURES: dict[str, Failure] = {
    "failing bots": fail_every_bot,
    "damaged snapshot": partial(damage_field, field="snapshot"),
    "damaged revision": partial(damage_field, field="revision"),
    "broken rules": break_rules,
    "replaced key": replace_key,
}


@asynccontextmanager
async def instances(redis_url: str) -> AsyncIterator[list[CountingStore]]:
    """Instances that move what is due, each with a store of its own; they must live to the end."""
    async with AsyncExitStack() as stack:
        stores, supervisor = [], Supervisor()
        for _ in range(INSTANCES):
            store = CountingStore((await stack.enter_async_context(connect(redis_url))).client)
            stores.append(store)
            work = make_scheduler(context_of(store), EVERY_S).run
            await stack.enter_async_context(supervisor.running("scheduler", work))
        yield stores
        assert [task.failures for task in supervisor] == [0] * INSTANCES


async def met_by_all(redis: Redis, stores: Sequence[CountingStore], game: str) -> None:
    """Have a game that is due looked at by each instance."""

    async def is_met() -> bool:
        await redis.zadd(keys.GAME_SCHEDULE, {game: 1})
        return all(game in store.loads for store in stores)

    await wait_until(is_met)


async def games_move(store: GameStore, stores: Sequence[CountingStore]) -> None:
    """Wait until instances have moved games of bots, and of people whose time is up; each must do its share."""
    games = {await due_game(store, *human_seats("Ana", "Bo"), timeout_s=60) for _ in range(PEOPLE)}
    games |= {await of_bots(store) for _ in range(BOTS)}
    for game in games:
        await wait_until(partial(is_moved, store, game))
    assert all(games & store.loads.keys() for store in stores)


async def is_moved(store: GameStore, game: str) -> bool:
    """Whether a game was moved since it was created."""
    loaded = await store.load(game)
    return loaded is not None and loaded.revision.version > 1


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
async def test_a_failing_game_delays_no_other(store: GameStore, redis: Redis, redis_url: str, fail: Failure) -> None:
    async with instances(redis_url) as stores:
        failing = await fail(store, redis)
        await met_by_all(redis, stores, failing)
        await games_move(store, stores)
        await met_by_all(redis, stores, failing)

        async def is_postponed() -> bool:
            return (await redis.zscore(keys.GAME_SCHEDULE, failing) or 0) > time()

        await wait_until(is_postponed)


async def test_many_failing_games_take_no_turns_from_others(store: GameStore, redis: Redis, redis_url: str) -> None:
    """They are the first to be due, and more than an instance looks at together; each would be tried all the time."""
    damaged = {f"damaged{number}": 1 for number in range(3 * BATCH_SIZE)}
    for game in damaged:
        await redis.set(keys.game(game), "something else")
    await redis.zadd(keys.GAME_SCHEDULE, damaged)
    async with instances(redis_url) as stores:
        await games_move(store, stores)

        async def has_failed_thrice() -> bool:
            return await redis.get(keys.failures(keys.GAME_SCHEDULE, "damaged0")) in (b"3", b"4")

        await wait_until(has_failed_thrice)
        assert sum(store.loads[game] for store in stores for game in damaged) <= 5 * INSTANCES * len(damaged)


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
async def test_pauses_grow_are_stored_and_are_logged_once_each(
    store: GameStore, redis: Redis, fail: Failure, caplog: pytest.LogCaptureFixture
) -> None:
    game = await fail(store, redis)
    clock = Clock()
    contexts = [msgspec.structs.replace(context_of(store), clock=clock) for _ in range(INSTANCES)]
    caplog.clear()
    pauses = []
    for _ in range(12):
        clock.now = await redis.zscore(keys.GAME_SCHEDULE, game) or 0
        await asyncio.gather(*(make_scheduler(context).process(game) for context in contexts))
        pauses.append((await redis.zscore(keys.GAME_SCHEDULE, game) or 0) - clock.now)
    expected = [min(2.0 * 2**number, 900.0) for number in range(12)]
    assert all(0.8 * most <= pause <= most + 1 for pause, most in zip(pauses, expected, strict=True)), pauses
    postponed = [record for record in caplog.records if "is postponed" in record.getMessage()]
    assert len(postponed) == len(pauses)
    assert all(game in record.getMessage() for record in postponed)
    assert counted("scheduler") >= len(pauses)


async def test_a_game_is_processed_soon_after_any_outage(
    store: GameStore, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the primary stores no change, since its replicas are away."""
    games = [await due_game(store, *human_seats("Ana", "Bo"), timeout_s=60), await of_bots(store)]
    clock = Clock()
    monkeypatch.setattr(store, "commit", AsyncMock(side_effect=StoreUnavailable("away")))
    context = msgspec.structs.replace(context_of(store), clock=clock)
    for game in games:
        for _ in range(12):
            clock.now = await redis.zscore(keys.GAME_SCHEDULE, game) or 0
            await make_scheduler(context).process(game)
            assert (await redis.zscore(keys.GAME_SCHEDULE, game) or 0) - clock.now == RETRY_S
    assert [await redis.get(keys.failures(keys.GAME_SCHEDULE, game)) for game in games] == [None, None]


async def test_a_recovered_game_starts_with_short_pauses_again(store: GameStore, redis: Redis) -> None:
    game = await fail_every_bot(store, redis)
    await make_scheduler(context_of(store)).process(game)
    failures = keys.failures(keys.GAME_SCHEDULE, game)
    assert await redis.get(failures) == b"1"
    assert 60 <= await redis.ttl(failures) <= 70
    well = msgspec.structs.replace(context_of(store), bots=built_in_registry())
    await make_scheduler(well).process(game)
    assert await is_moved(store, game)


async def test_a_persons_action_is_stored_if_a_bot_fails(store: GameStore) -> None:
    table = await create_game(context_of(store), *human_seats("Ana"), *bot_seats("failing"))
    before = counted("bots")
    await table.finish_turn()
    assert (await table.game()).decider == 1
    assert counted("bots") - before == 1
    assert await store.due_games.list_due(int(time()), 10) == [table.id]


def counted(work: str) -> float:
    """How many failures of single games were counted."""
    return REGISTRY.get_sample_value("south_seas_game_failures_total", {"work": work}) or 0


def test_every_failure_is_counted_and_a_line_is_logged_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock, before = Clock(1000.0), counted("tests")
    monkeypatch.setattr(due_work, "monotonic", clock)
    monkeypatch.setattr(due_work, "_logged", OrderedDict())
    for seconds in (0, LOG_INTERVAL_S - 1, 1):
        clock.now += seconds
        due_work.record_failure("tests", "a", UnreadableGame("damaged"), "waits")
    for error in (KeyError("a mistake"), StoreUnavailable("gone")):
        due_work.record_failure("tests", "b", error, "waits")
    assert [(record.levelname, record.getMessage(), record.exc_info is None) for record in caplog.records] == [
        *[("WARNING", "tests: game a failed and waits: damaged", True)] * 2,
        ("ERROR", "tests: game b failed and waits", False),
    ]
    assert counted("tests") - before == 5


def test_the_remembered_lines_are_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due_work, "MAX_LOGGED", 2)
    monkeypatch.setattr(due_work, "_logged", OrderedDict())
    for game in ("a", "b", "a", "c"):
        due_work.record_failure("tests", game, UnreadableGame("damaged"), "waits")
    assert [game for _, game, _ in due_work._logged] == ["b", "c"]


EVERY = 2**33


def make_repairer(store: RedisStore, *, archive: bool = False) -> IndexRepairer:
    """Return the repairer of one instance."""
    archiver = Archiver(store, store.compacted_logs, None, CATALOGUE, Clock())
    return IndexRepairer(store, store.index_repair, Retention(), Clock(), archiver.is_pending if archive else None)


async def list_lobby(store: RedisStore, *statuses: Status) -> list[str]:
    return sorted((await store.list_by_status(statuses or STATUSES, 100, None)).games)


async def store_old_games(store: RedisStore, number: int, status: Status = "active") -> list[OwnedGame]:
    """Store games that are too old for their creation to be in progress."""
    clock = Clock()
    clock.now -= MIN_PRUNE_AGE_S + 10
    return [await store_game(store, status, context=make_context(store, clock)) for _ in range(number)]


async def delete_games(redis: Redis, games: Sequence[OwnedGame]) -> None:
    """Delete games as if they had expired."""
    await redis.delete(*(key(stored.id) for stored in games for key in (keys.game, keys.log)))


async def list_indexes(redis: Redis) -> list[str]:
    result = [key.decode() if isinstance(key, bytes) else key for key in await redis.keys("south-seas:[^{]*")]
    return [key for key in result if await redis.type(key) == b"zset"]


async def test_deleted_games_are_removed_without_a_reader(store: RedisStore, redis: Redis) -> None:
    removed, stays = await store_old_games(store, 30), await store_old_games(store, 3)
    await delete_games(redis, removed)
    await make_repairer(store).repair_all()
    assert await redis.zcard(keys.lobby("active")) == 3
    assert await redis.zcard(keys.game_index(hash_token(CREATOR).hex())) == 3
    assert await list_lobby(store) == sorted(stored.id for stored in stays)
    indexes = [key for key in await list_indexes(redis) if key.startswith(keys.game_index(""))]
    indexed = {game for key in indexes for game in await redis.zrange(key, 0, -1)}
    assert indexed == {stored.id.encode() for stored in stays}


async def test_a_long_list_is_pruned_to_its_games(store: RedisStore, redis: Redis) -> None:
    await redis.zadd(keys.lobby("finished"), {f"gone-{number}": 1_700_000_000 + number for number in range(1500)})
    stays = await store_old_games(store, 1, "aborted")
    assert (await make_repairer(store).repair_all()).removed == 1500
    assert await list_lobby(store) == [stays[0].id]


async def test_a_creation_in_progress_is_not_pruned(store: RedisStore, redis: Redis) -> None:
    young = await store_game(store)
    await delete_games(redis, [young])
    await make_repairer(store).repair_all()
    assert await list_lobby(store) == [young.id]
    assert (await store.list_by_keys([hash_token(CREATOR).hex()], 100, None)).games == [young.id]


async def test_emptied_indexes_are_rebuilt(store: RedisStore, redis: Redis) -> None:
    games = [await store_game(store, status, turn_timeout_s=600, on_timeout="pass", webhooks=1) for status in STATUSES]
    private = await store_game(store, visibility="private", api_key="bot", turn_timeout_s=600, on_timeout="pass")
    before = {key: await redis.zrange(key, 0, -1) for key in await list_indexes(redis)}
    assert len(before) > 10
    await redis.delete(*before)
    repaired = await make_repairer(store, archive=True).repair_all()
    after = {key: await redis.zrange(key, 0, -1) for key in await list_indexes(redis)}
    assert repaired == RepairReport(games=5, added=sum(map(len, after.values())))
    due = {keys.GAME_SCHEDULE, keys.WEBHOOK_SCHEDULE, keys.ARCHIVE_PENDING, keys.ARCHIVE_SCHEDULE}
    assert {*after[keys.ARCHIVE_SCHEDULE]} == {*before[keys.ARCHIVE_SCHEDULE]}  # in the order of other times
    assert {key: after[key] for key in after if key not in due} == {
        key: before[key] for key in before if key not in due
    }
    assert await list_lobby(store) == sorted(stored.id for stored in games)
    active = [stored.id for stored in (*games, private) if stored is games[1] or stored is private]
    assert sorted(await store.due_games.list_due(EVERY, 10)) == sorted(active)
    due_webhooks = await store.due_webhooks.list_due(EVERY, 10)
    assert {entry.partition(" ")[0] for entry in due_webhooks} <= {stored.id for stored in games}
    for key in after:
        if key.startswith(keys.game_index("")):
            assert await redis.ttl(key) > Retention().finished
    assert (await make_repairer(store).repair_all()).added == 0


async def test_pending_webhooks_are_scheduled_again(store: RedisStore, redis: Redis) -> None:
    """Those with changes to deliver, and those with a challenge alone."""
    games = [await store_game(store, status, webhooks=2) for status in ("active", "waiting")]
    await redis.delete(keys.WEBHOOK_SCHEDULE)
    await make_repairer(store).repair_all()
    hooks = {stored.id: await store.webhooks.list_by_subject(stored.id) for stored in games}
    entries = sorted(webhook_entry(game, one.registration.id) for game, some in hooks.items() for one in some)
    assert sorted(await store.due_webhooks.list_due(EVERY, 10)) == entries


async def test_dates_that_are_set_stay(store: RedisStore) -> None:
    stored = await store_game(store, turn_timeout_s=600, on_timeout="pass")
    assert await store.due_games.list_due(EVERY, 10) == [stored.id]
    later = EVERY - 1
    await store.due_games.defer(stored.id, EVERY, later)
    assert (await make_repairer(store).repair_all()).added == 0
    assert await store.due_games.list_due(later - 1, 10) == []


async def test_ended_games_that_the_queue_lost_are_queued(store: RedisStore, redis: Redis) -> None:
    over = await store_game(store, "finished")
    await store_game(store)
    await redis.delete(keys.ARCHIVE_SCHEDULE)
    await make_repairer(store).repair_all()
    assert await store.due_archives.list_due(EVERY, 10) == []
    assert (await make_repairer(store, archive=True).repair_all()).added == 1
    assert await store.due_archives.list_due(EVERY, 10) == [over.id]


async def test_a_game_that_fails_is_reported_and_skipped(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unreadable, failing, other = [await store_game(store, "waiting") for _ in range(3)]
    await redis.hset(keys.game(unreadable.id), "snapshot", b"\x00")
    await redis.delete(keys.lobby("waiting"))
    add_missing = store.index_repair.add_missing

    async def fail_for_one(game: str, entries: Any) -> int:
        if game == failing.id:
            raise KeyError("a mistake of ours")
        return await add_missing(game, entries)

    monkeypatch.setattr(store.index_repair, "add_missing", fail_for_one)
    assert await make_repairer(store).repair_all() == RepairReport(games=3, added=1, unreadable=2)
    assert await list_lobby(store, "waiting") == [other.id]
    for stored in (unreadable, failing):
        assert f"index-repair: game {stored.id} failed and is skipped" in caplog.text
    assert other.id not in caplog.text


async def test_one_instance_at_a_time_scans(store: RedisStore, redis_url: str, redis: Redis) -> None:
    async with connect(redis_url) as other:
        turns = [await one.index_repair.try_acquire_turn(60) for one in (store, other, store)]
    assert turns == [True, False, False]
    assert 50_000 < await redis.pttl(keys.INDEX_REPAIR_LEASE) <= 60_000
    await store.index_repair.extend_turn(600)
    assert 500_000 < await redis.pttl(keys.INDEX_REPAIR_LEASE) <= 600_000


async def test_lost_entries_are_restored_in_the_background(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In several batches, and by every scan again."""
    monkeypatch.setattr("service.games.index_repair.SCAN_BATCH_SIZE", 10)
    games = sorted([(await store_game(store, turn_timeout_s=600, on_timeout="pass")).id for _ in range(20)])

    async def is_scheduled() -> bool:
        return sorted(await store.due_games.list_due(EVERY, 100)) == games

    with caplog.at_level("INFO"):
        async with in_background(make_repairer(store).run(0.1)):
            for _ in range(2):
                await redis.delete(keys.GAME_SCHEDULE)
                await wait_until(is_scheduled)
    assert "entries added, 0 removed" in caplog.text
