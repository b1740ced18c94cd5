"""Slow bots: no response waits for them longer than its limit; their decisions follow in later versions."""

import asyncio
from time import time

import msgspec
import pytest

from schemas.lobby import CreateGame, SeatRequest
from service.engine import decode_snapshot
from service.games.bots.plugins import load_bots
from service.games.bots.process_pool import BotProcessPool
from service.games.bots.registry import BotRegistry
from service.games.commands.create import create
from service.games.context import Context
from service.games.ports import GameStore
from service.games.scheduling.scheduler import advance_due_game, run_scheduler
from service.games.verify import verify
from tests.games.bots.fake_bots import load_fake_bot
from tests.games.game_logs import ARCHIPELAGO, CATALOGUE, decode_log


def make_context(store: GameStore, bots: BotRegistry, bot_budget_s: float) -> Context:
    return Context(
        store=store,
        tilesets=CATALOGUE,
        clock=time,
        on_committed=lambda _game, _diffs: None,
        bots=bots,
        bot_budget_s=bot_budget_s,
    )


async def test_a_game_of_heavy_bots_is_created_at_once_and_played_later(store: GameStore) -> None:
    pool = BotProcessPool(1)
    bots = BotRegistry([*load_bots(plugins=False), load_fake_bot("thoughtful")], pool)
    seats = [SeatRequest(bot="thoughtful"), SeatRequest(bot="thoughtful")]
    try:
        context = make_context(store, bots, 0.1)
        created = (await create(context, CreateGame(players=seats), key=None, include_moves=False)).response
        assert created.game.status == "active"
        assert await store.list_due(int(time()) + 60, 100) == [created.game.id]
        await advance_due_game(context, created.game.id)
        loaded = await store.load(created.game.id)
        assert loaded is not None
        assert loaded.version > created.game.version
    finally:
        await pool.aclose()


async def test_deadlines_are_kept_while_many_games_wait_for_heavy_bots(store: GameStore) -> None:
    pool = BotProcessPool(1)
    context = make_context(store, BotRegistry([*load_bots(plugins=False), load_fake_bot("thoughtful")], pool), 0.0)
    earlier = msgspec.structs.replace(context, clock=lambda: time() - 60)
    slow = CreateGame(players=[SeatRequest(bot="thoughtful"), SeatRequest(bot="thoughtful")])
    timed = CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(name="Bo")], turn_timeout_s=1, on_timeout="resign")
    for _ in range(20):
        await create(context, slow, key=None, include_moves=False)
    late = [(await create(earlier, timed, key=None, include_moves=False)).response.game.id for _ in range(4)]
    working = asyncio.create_task(run_scheduler(context, interval_s=0.02))
    for _ in range(100):
        await asyncio.sleep(0.02)
        late = [game for game in late if not await is_finished(store, game)]
        if not late:
            break
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    await pool.aclose()
    assert late == []


async def is_finished(store: GameStore, game: str) -> bool:
    loaded = await store.load(game)
    return loaded is not None and decode_snapshot(loaded.snapshot).status == "finished"


@pytest.mark.parametrize("name", ("raising", "illegal"))
async def test_a_game_goes_on_to_its_end_with_a_bot_that_fails_every_time(store: GameStore, name: str) -> None:
    bots = BotRegistry([*load_bots(plugins=False), load_fake_bot(name)])
    seats = [SeatRequest(bot=name), SeatRequest(bot="random")]
    context = make_context(store, bots, 30.0)
    created = (await create(context, CreateGame(players=seats), key=None, include_moves=False)).response
    assert created.game.status == "finished"
    log = await store.load_diffs(created.game.id, 0, 1000)
    assert all(check.passed for check in verify(decode_log(log), ARCHIPELAGO.tileset))
