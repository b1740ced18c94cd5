"""Bots answer in the commit of the action before them; what time did not allow, any instance plays later."""

import asyncio
from collections.abc import Sequence
from time import time

import msgspec
from redis.asyncio import Redis

from schemas.commands import Act
from schemas.lobby import Created, CreateGame, SeatRequest
from schemas.vocabulary import BotKind
from service.engine import Game, decode_snapshot, legal_moves, move_id
from service.games.commands.act import act
from service.games.commands.active_game import CommandRequest
from service.games.commands.create import create
from service.games.context import Context
from service.games.ports import GameStore, StoredDiff
from service.games.scheduling.scheduler import advance_due_game, process_due_game, run_scheduler
from service.games.verify import verify
from service.store import keys
from tests.games.game_logs import ARCHIPELAGO, CATALOGUE, decode_log

LATER = 60
"""Seconds within which a date that was put off is due."""


def context_of(store: GameStore, bot_budget_s: float = 5.0) -> Context:
    def committed(game: str, diffs: Sequence[StoredDiff]) -> None:
        del game, diffs

    return Context(store=store, tilesets=CATALOGUE, clock=time, on_committed=committed, bot_budget_s=bot_budget_s)


async def new_table(context: Context, *bots: BotKind) -> Created:
    seats = [SeatRequest(name="Ana"), *(SeatRequest(bot=bot) for bot in bots)]
    return (await create(context, CreateGame(players=seats, first_seat=0), key=None, include_moves=True)).response


async def due(store: GameStore) -> list[str]:
    return await store.list_due(int(time()) + LATER, 100)


async def test_a_game_of_bots_is_played_to_its_end_at_creation(store: GameStore) -> None:
    seats = [SeatRequest(bot="random") for _ in range(4)]
    created = (await create(context_of(store), CreateGame(players=seats), key=None, include_moves=False)).response
    assert created.game.status == "finished"
    assert created.seats == []
    log = await store.load_diffs(created.game.id, 0, 1000)
    assert all(check.passed for check in verify(decode_log(log), ARCHIPELAGO.tileset))
    assert {msgspec.json.decode(diff.data)["by"] for diff in log[1:]} == {"bot"}


async def test_bots_answer_in_the_same_request_each_move_its_own_version(store: GameStore) -> None:
    context = context_of(store)
    created = await new_table(context, "random", "greedy")
    assert created.legal_moves is not None
    moves = created.legal_moves.moves
    while True:
        result = await act(
            context, created.game.id, CommandRequest(Act(move=moves[0].id), created.owner_token, include_moves=True)
        )
        acted = result.response
        assert acted.legal_moves is not None
        if acted.next.seat == 0 and acted.next.phase == "place_tile":
            break
        moves = acted.legal_moves.moves
    diffs = msgspec.json.decode(result.encode())["diffs"]
    versions = [diff["version"] for diff in diffs]
    assert versions == list(range(versions[0], acted.version + 1))
    assert {diff["seat"] for diff in diffs} == {0, 1, 2}
    assert await due(store) == []


async def test_bot_moves_beyond_the_budget_are_due_and_played_later(store: GameStore) -> None:
    hurried = context_of(store, bot_budget_s=0.0)
    seats = [SeatRequest(bot="greedy"), SeatRequest(bot="random")]
    created = (await create(hurried, CreateGame(players=seats), key=None, include_moves=False)).response
    assert created.game.version == 1
    assert await due(store) == [created.game.id]
    await advance_due_game(context_of(store), created.game.id)
    loaded = await store.load(created.game.id)
    assert loaded is not None
    log = await store.load_diffs(created.game.id, 0, 1000)
    assert len(log) == loaded.version > 100
    assert all(check.passed for check in verify(decode_log(log), ARCHIPELAGO.tileset))


async def test_exactly_one_instance_commits_each_version(store: GameStore) -> None:
    hurried = context_of(store, bot_budget_s=0.0)
    seats = [SeatRequest(bot="random"), SeatRequest(bot="random")]
    created = (await create(hurried, CreateGame(players=seats), key=None, include_moves=False)).response
    for _ in range(3):
        await asyncio.gather(
            *(advance_due_game(context_of(store, bot_budget_s=0.01), created.game.id) for _ in range(4))
        )
    await advance_due_game(context_of(store), created.game.id)
    log = await store.load_diffs(created.game.id, 0, 1000)
    assert [diff.version for diff in log] == list(range(1, len(log) + 1))
    assert all(check.passed for check in verify(decode_log(log), ARCHIPELAGO.tileset))


async def test_the_scheduler_processes_due_games(store: GameStore) -> None:
    hurried = context_of(store, bot_budget_s=0.0)
    seats = [SeatRequest(bot="random"), SeatRequest(bot="random")]
    created = (await create(hurried, CreateGame(players=seats), key=None, include_moves=False)).response
    worker = asyncio.create_task(run_scheduler(context_of(store), interval_s=0.02))
    loaded = None
    for _ in range(1000):
        await asyncio.sleep(0.02)
        loaded = await store.load(created.game.id)
        if loaded is not None and loaded.version > 100:
            break
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    assert loaded is not None
    assert loaded.version > 100


async def test_an_unreadable_game_is_left_to_other_instances(store: GameStore, redis: Redis) -> None:
    hurried = context_of(store, bot_budget_s=0.0)
    seats = [SeatRequest(bot="random"), SeatRequest(bot="random")]
    created = (await create(hurried, CreateGame(players=seats), key=None, include_moves=False)).response
    await redis.hset(keys.game(created.game.id), "snapshot", "of another age")
    await process_due_game(context_of(store), created.game.id)
    assert await store.list_due(int(time()), 100) == []
    assert await due(store) == [created.game.id]


async def test_a_game_that_does_not_exist_is_unscheduled(store: GameStore) -> None:
    await store.reschedule("gone", int(time()) - 1)
    await advance_due_game(context_of(store), "gone")
    assert await store.list_due(int(time()), 100) == []


async def test_a_woken_game_is_processed_before_the_next_query(store: GameStore) -> None:
    """Though the next look is an hour away."""
    context = context_of(store, bot_budget_s=0.0)
    created = await new_table(context, "random", "random")
    worker = asyncio.create_task(run_scheduler(msgspec.structs.replace(context, bot_budget_s=5.0), interval_s=3600.0))
    await asyncio.sleep(0.1)
    game = await stored_game(store, created.game.id)
    while game.decider == 0:
        move = move_id(legal_moves(ARCHIPELAGO.index, game)[0])
        await act(context, created.game.id, CommandRequest(Act(move=move), created.owner_token))
        game = await stored_game(store, created.game.id)
    async with asyncio.timeout(LATER):
        while True:
            game = await stored_game(store, created.game.id)
            if game.decider == 0 and game.turn_number > 3:
                break
            await asyncio.sleep(0.02)
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)


async def stored_game(store: GameStore, game: str) -> Game:
    loaded = await store.load(game)
    assert loaded is not None
    return decode_snapshot(loaded.snapshot)
