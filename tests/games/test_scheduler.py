"""Any instance plays what is due for bots and deadlines: each exactly once, and woken games at once."""

import asyncio
from contextlib import suppress
from random import Random
from time import time
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest
from redis.asyncio import Redis

from schemas.commands import Act, IncludeQuery
from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import Game
from service.fair_queue import ANONYMOUS, FairQueue, Requester
from service.games import due_work, scheduler
from service.games.commands.execute import CommandRequest, GameRequest
from service.games.commands.play import abort_game, act
from service.games.due_work import BATCH_SIZE, DueWorker, Wakeups
from service.games.errors import GameError, NotYourTurn
from service.games.history import verify
from service.games.ports import Change, CommitOutcome, GameStore, StoredDiff, StoreUnavailable
from service.games.repository import Context
from service.games.scheduler import BotSlots, advance_due_game, make_scheduler
from service.store import keys
from service.store.game_store import RedisStore
from service.telemetry.logs import TextFormatter
from tests.games.game_fixture import (
    Clock,
    bot_seats,
    create_game,
    event_types,
    human_seats,
    load_game,
    make_context,
    new_game,
)
from tests.games.game_logs import LAGOON, decode_log
from tests.polling import TIMEOUT_S, in_background, rounds, wait_until

FULL_BATCH = [f"g{number}" for number in range(BATCH_SIZE)]

LATER = 60
"""Seconds within which a date that was put off is due."""


def context_of(store: GameStore, bot_budget_s: float = TIMEOUT_S) -> Context:
    return make_context(store, time, bot_budget_s=bot_budget_s)


async def create_bot_game(store: GameStore, number: int = 2, bot_budget_s: float = 0.0) -> str:
    """Create a game of bots, which by default have no time for a decision."""
    return (await create_game(context_of(store, bot_budget_s), *bot_seats(*number * ["random"]))).id


async def load_verified_log(store: GameStore, game: str) -> list[StoredDiff]:
    """Load the log of a finished game, which must prove it."""
    log = await store.load_diffs(game, 0, 1000)
    assert all(check.passed for check in verify(decode_log(log), LAGOON.tileset))
    return log


async def due(store: GameStore) -> list[str]:
    return await store.due_games.list_due(int(time()) + LATER, 100)


async def test_a_game_of_bots_is_played_to_its_end_at_creation(store: GameStore) -> None:
    game = await create_bot_game(store, 4, bot_budget_s=TIMEOUT_S)
    assert (await load_game(store, game)).status == "finished"
    log = await load_verified_log(store, game)
    assert {msgspec.json.decode(diff.data)["by"] for diff in log[1:]} == {"bot"}


async def test_bots_answer_in_the_same_request_each_move_its_own_version(store: GameStore) -> None:
    context = context_of(store)
    seats = [*human_seats("Ana"), *bot_seats("random", "greedy")]
    created = (await create_game(context, *seats, include_moves=True)).created
    assert created.legal_moves is not None
    moves = created.legal_moves.moves
    left = rounds()
    while True:
        next(left)
        body, query = Act(move=moves[0].id), IncludeQuery(include="legal_moves")
        request = CommandRequest(id=created.game.id, body=body, token=created.owner_token, query=query)
        result = await act(context, request)
        acted = result.response
        assert acted.legal_moves is not None
        if acted.next.seat == 0 and acted.next.phase == "place_tile":
            break
        moves = acted.legal_moves.moves
    diffs = [msgspec.json.decode(diff) for diff in acted.diffs]
    versions = [diff["version"] for diff in diffs]
    assert versions == list(range(versions[0], acted.version + 1))
    assert {diff["seat"] for diff in diffs} == {0, 1, 2}
    assert await due(store) == []


async def test_bot_moves_beyond_the_budget_are_due_and_played_later(store: GameStore) -> None:
    game = await create_bot_game(store)
    assert (await load_game(store, game)).version == 1
    assert await due(store) == [game]
    await make_scheduler(context_of(store)).process(game)
    assert await store.due_games.list_due(int(time()), 100) == []
    assert len(await load_verified_log(store, game)) == (await load_game(store, game)).version > 100


@pytest.mark.parametrize("reason", ("full queue", "slow queue", "slow bot"))
async def test_a_game_without_people_that_waits_too_long_is_deferred(
    store: GameStore, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    game, slots, clock = await create_bot_game(store), BotSlots(), Clock()
    monkeypatch.setattr(scheduler, "BotSlots", lambda: slots)
    context = make_context(store, clock, bot_budget_s=TIMEOUT_S)
    if reason == "slow bot":
        monkeypatch.setattr(context.bots, "choose", AsyncMock(return_value=None))
    elif reason == "full queue":
        slots.queue = FairQueue(0, max_waiting=0)
    else:
        slots.queue = FairQueue(0)
        monkeypatch.setattr(scheduler, "UNATTENDED_TIMEOUT_S", 0.0)
    await make_scheduler(context).process(game)
    assert (await load_game(store, game)).version == 1
    assert [await store.due_games.list_due(int(clock.now) + later, 100) for later in (4, 5)] == [[], [game]]
    assert slots.queue.slots_in_use == slots.queue.queue_length(attended=False) == 0


@pytest.mark.parametrize("is_bots_turn", (True, False))
async def test_a_game_of_people_waits_for_its_slot_and_a_clock_as_the_bots_of_games_without_people_do(
    store: GameStore, monkeypatch: pytest.MonkeyPatch, *, is_bots_turn: bool
) -> None:
    table, slots = await new_game(store, 1, ["random"], timeout_s=60, bot_budget_s=0.0), BotSlots()
    if is_bots_turn:
        monkeypatch.setattr(scheduler, "UNATTENDED_TIMEOUT_S", 0.0)
        await table.finish_turn()
    version, slots.queue = (await table.game()).version, FairQueue(1)
    table.clock.now += 61
    held = await slots.queue.acquire(ANONYMOUS)
    context = msgspec.structs.replace(table.context, bot_budget_s=TIMEOUT_S)
    async with in_background(advance_due_game(context, table.id, slots)):
        await wait_until(lambda: slots.queue.queue_length(attended=is_bots_turn))
        slots.queue.release(ANONYMOUS, held)
        await wait_until(lambda: slots.queue.queue_length(attended=is_bots_turn) == slots.queue.slots_in_use == 0)
    assert (await table.game()).version > version


async def test_a_game_of_people_whose_bot_got_no_turn_is_due_at_once(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await new_game(store, 1, ["random"], bot_budget_s=0.0)
    await table.finish_turn()
    monkeypatch.setattr(table.context.bots, "choose", AsyncMock(return_value=None))
    await make_scheduler(msgspec.structs.replace(table.context, bot_budget_s=TIMEOUT_S)).process(table.id)
    assert await store.due_games.list_due(int(table.clock()), 10) == [table.id]


async def test_between_two_decisions_a_slot_goes_to_another_creator_who_waits(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many bots and games the one has."""
    context, slots = context_of(store, bot_budget_s=0.0), BotSlots()
    slots.queue, order = FairQueue(1), list[bytes]()
    tables = [
        await create_game(context, *human_seats("Ana"), *bot_seats("random", "random", "random"), client=client)
        for client in (b"one", b"one", b"two")
    ]
    for table in tables:
        await table.finish_turn()
    patient, choose = context_of(store), context.bots.choose

    async def note(bot: str, index: Any, game: Game, timeout_s: float | None, requester: Requester) -> Any:
        order.append(requester.client)
        return await choose(bot, index, game, timeout_s, requester)

    monkeypatch.setattr(patient.bots, "choose", note)
    await asyncio.gather(*(advance_due_game(patient, table.id, slots) for table in tables))
    assert order[:2] == [b"one", b"two"]


async def test_a_game_whose_bot_hangs_fails_and_frees_a_slot(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    context, slots = context_of(store, bot_budget_s=0.0), BotSlots()
    table = await create_game(context, *human_seats("Ana"), *bot_seats("random"))
    await table.finish_turn()
    monkeypatch.setattr(context.bots, "choose", lambda *_: asyncio.Event().wait())
    monkeypatch.setattr(scheduler, "MOVE_TIMEOUT_S", 0.01)
    with pytest.raises(TimeoutError):
        await advance_due_game(context_of(store), table.id, slots)
    assert slots.queue.slots_in_use == 0


def test_deferred_games_become_due_a_few_each_second() -> None:
    slots = BotSlots()
    delays_s = [slots.next_delay_s(1000.0) for _ in range(65)]
    assert (delays_s[0], int(delays_s[-1])) == (5, 8)
    assert slots.next_delay_s(2000.0) == 5


async def test_an_unreadable_game_is_left_to_other_instances(
    store: GameStore, redis: Redis, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", TextFormatter("%(message)s"))
    game = await create_bot_game(store)
    await redis.hset(keys.game(game), "snapshot", "of another age")
    await make_scheduler(context_of(store)).process(game)
    assert caplog.text.endswith(f" [game={game}]\n")
    assert await store.due_games.list_due(int(time()), 100) == []
    assert await due(store) == [game]


async def test_a_game_that_does_not_exist_is_unscheduled(store: GameStore) -> None:
    await store.due_games.reschedule("gone", int(time()), int(time()) - 1)
    await make_scheduler(context_of(store)).process("gone")
    assert await store.due_games.list_due(int(time()), 100) == []


async def test_a_woken_game_is_processed_before_a_query(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next query is an hour away."""
    context = context_of(store, bot_budget_s=0.0)
    table = await create_game(context, *human_seats("Ana"), *bot_seats("random", "random"))

    async def is_third_turn() -> bool:
        game = await table.game()
        return game.decider == 0 and game.turn_number > 3

    has_queried, list_due = asyncio.Event(), store.due_games.list_due

    async def list_and_record(now: int, limit: int) -> list[str]:
        games = await list_due(now, limit)
        has_queried.set()
        return games

    monkeypatch.setattr(store.due_games, "list_due", list_and_record)
    async with in_background(make_scheduler(msgspec.structs.replace(context, bot_budget_s=TIMEOUT_S), 3600.0).run()):
        await has_queried.wait()
        await table.finish_turn()
        await wait_until(is_third_turn)


@pytest.mark.parametrize(
    ("answers", "limits", "interval_s"),
    (
        ([FULL_BATCH, [*FULL_BATCH, "last"]], [BATCH_SIZE, BATCH_SIZE + 30], 3600.0),
        ([StoreUnavailable("gone"), [*FULL_BATCH[1:], "last"]], [BATCH_SIZE] * 2, 0.01),
    ),
)
async def test_the_query_for_due_games_is_repeated_at_once_after_a_full_batch_and_later_after_an_outage(
    store: GameStore,
    monkeypatch: pytest.MonkeyPatch,
    answers: list[list[str] | StoreUnavailable],
    limits: list[int],
    interval_s: float,
) -> None:
    asked, started, left = list[int](), list[str](), [*answers]

    async def list_due(now: int, limit: int) -> list[str]:
        del now
        if not left:
            await asyncio.Event().wait()
        asked.append(limit)
        if isinstance(answer := left.pop(0), StoreUnavailable):
            raise answer
        return answer

    async def process(_worker: DueWorker, game_id: str) -> None:
        started.append(game_id)
        await asyncio.Event().wait()

    monkeypatch.setattr(store.due_games, "list_due", list_due)
    monkeypatch.setattr(DueWorker, "process", process)
    monkeypatch.setattr(due_work, "MAX_IN_PROGRESS", BATCH_SIZE + 30)
    async with in_background(make_scheduler(context_of(store), interval_s).run()):
        await wait_until(lambda: "last" in started)
    assert asked == limits
    assert sorted(started) == sorted({game for answer in answers if isinstance(answer, list) for game in answer})


async def test_a_woken_game_does_not_repeat_the_query(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    list_due, process = AsyncMock(return_value=[]), AsyncMock()
    monkeypatch.setattr(store.due_games, "list_due", list_due)
    monkeypatch.setattr(DueWorker, "process", process)
    context = context_of(store)
    async with in_background(make_scheduler(context, 3600.0).run()):
        for number in range(3):
            context.woken_games.add(f"g{number}")
            await wait_until(lambda count=number + 1: process.await_count == count)  # type: ignore[misc]
    list_due.assert_awaited_once()


async def test_a_game_woken_while_in_progress_is_done_again(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is woken meanwhile."""
    started, ended, proceed = asyncio.Queue[str](), asyncio.Queue[str](), asyncio.Semaphore(0)

    async def process(_worker: DueWorker, game_id: str) -> None:
        started.put_nowait(game_id)
        await proceed.acquire()
        ended.put_nowait(game_id)

    monkeypatch.setattr(DueWorker, "process", process)
    context = context_of(store)
    async with in_background(make_scheduler(context, 3600.0).run()), asyncio.timeout(TIMEOUT_S):
        context.woken_games.add("a")
        assert await started.get() == "a"
        for game in ("a", "a", "b"):
            context.woken_games.add(game)
        assert await started.get() == "b"
        proceed.release()
        assert (await ended.get(), await started.get()) == ("a", "a")
        for _ in range(2):
            proceed.release()
            await ended.get()
        for game in ("c", "a"):
            context.woken_games.add(game)
            assert await started.get() == game


POLICIES: tuple[RequestedTimeoutPolicy, ...] = ("pass", "bot", "resign")


@pytest.mark.parametrize("policy", POLICIES)
async def test_a_deadline_while_every_instance_was_down(store: GameStore, policy: RequestedTimeoutPolicy) -> None:
    """Nobody looks for a day; then three instances come up at once, and find the game by themselves."""
    table = await new_game(store, 3, timeout_s=60, policy=policy, ago_s=86_400)
    await table.follow()
    table.clock.now += 86_400

    async def is_timed_out() -> bool:
        return (await table.game()).version > 1

    instances = [make_context(store, table.clock) for _ in range(3)]
    async with in_background(*(make_scheduler(context, 0.02).run() for context in instances)):
        await wait_until(is_timed_out)
        for context in instances:
            await make_scheduler(context).process(table.id)
    diffs = await table.follow()
    assert sum(kind == "turn_timed_out" for diff in diffs for kind in event_types(diff)) == 1
    assert diffs[0]["at"] == diffs[-1]["at"]


@pytest.mark.parametrize("clock_first", (True, False))
async def test_a_race_between_the_player_and_the_clock_has_one_winner(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, *, clock_first: bool
) -> None:
    table = await new_game(store, timeout_s=60)
    move = (await table.moves())[0]
    table.clock.now += 61
    is_committing, stored, late_store = asyncio.Event(), asyncio.Event(), RedisStore(store.client)

    async def commit_last(change: Change) -> CommitOutcome:
        is_committing.set()
        await stored.wait()
        return await store.commit(change)

    monkeypatch.setattr(late_store, "commit", commit_last)
    late = msgspec.structs.replace(table.context, store=late_store)
    player, clock = (late, table.context) if clock_first else (table.context, late)
    acting = act(player, CommandRequest(id=table.id, body=Act(move=move), token=table.tokens[0]))
    if clock_first:
        task = asyncio.create_task(acting)
        await is_committing.wait()
        await make_scheduler(clock).process(table.id)
        stored.set()
        with pytest.raises(NotYourTurn):
            await task
    else:
        looking = asyncio.create_task(make_scheduler(clock).process(table.id))
        await is_committing.wait()
        await acting
        stored.set()
        await looking
    diffs = await table.follow()
    assert {diff["by"] for diff in diffs[1:]} == ({"clock"} if clock_first else {"seat"})


async def test_many_simultaneous_deadlines_are_all_met(store: GameStore) -> None:
    tables = [await new_game(store, timeout_s=60, policy="resign", seed=None, ago_s=3600) for _ in range(120)]

    async def are_finished() -> bool:
        clock.now += 1  # those that find no place in the queue are due again later
        return all([(await table.game()).status == "finished" for table in tables])

    clock = Clock()
    async with in_background(make_scheduler(make_context(store, clock), 0.02).run()):
        await wait_until(are_finished)


@pytest.mark.parametrize("policy", POLICIES)
async def test_players_clocks_and_undo_on_several_instances_leave_one_history(
    store: GameStore, policy: RequestedTimeoutPolicy
) -> None:
    """Four players in a hurry, who take back, return and give up, and three instances that look at the clock."""
    table = await new_game(store, 4, timeout_s=3, policy=policy, bot_budget_s=0.0)
    chance = Random(policy)

    async def play() -> None:
        for _ in range(60):
            if not (moves := await table.moves()):
                return
            with suppress(GameError):
                await table.act(chance.choice(moves))
                await chance.choices((table.undo, table.return_to_seat, table.resign), (20, 10, 0.1))[0]()

    async def look() -> None:
        context = make_context(store, table.clock, bot_budget_s=0.0)
        for _ in range(60):
            table.clock.now += chance.choice((0, 0, 0.5, 1))
            await make_scheduler(context).process(table.id)

    await table.act((await table.moves())[0])
    table.clock.now += 4
    await make_scheduler(table.context).process(table.id)
    await asyncio.gather(*(play() for _ in range(4)), *(look() for _ in range(3)))
    game = await table.game()
    if game.status == "active":
        await abort_game(table.context, GameRequest(id=table.id, token=table.owner))
    await table.verify()
    assert {"turn_timed_out", "tile_placed"} <= {kind for diff in table.log for kind in event_types(diff)}


def test_a_woken_game_is_taken_once_of_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due_work, "MAX_WAKEUPS", 2)
    wakeups = Wakeups()
    for game in ("a", "a", "b", "c"):
        wakeups.add(game)
    assert (wakeups.take(), wakeups.take()) == (["a", "b"], [])
