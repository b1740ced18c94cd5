"""Slow bots: no response waits for them longer than its limit; their decisions follow in later versions."""

from time import time

import msgspec
import pytest

from schemas.lobby import CreateGame, SeatRequest
from service.games.bots.plugins import load_bots
from service.games.bots.process_pool import BotProcessPool
from service.games.bots.registry import BotRegistry
from service.games.commands.create import create
from service.games.history.verify import verify
from service.games.ports import GameStore
from service.games.scheduling.scheduler import advance_due_game, run_scheduler
from tests.background import in_background
from tests.games.bots.fake_bots import load_fake_bot
from tests.games.game_fixture import load_game, make_context
from tests.games.game_logs import ARCHIPELAGO, decode_log
from tests.polling import wait_until


async def test_a_game_of_heavy_bots_is_created_at_once_and_played_later(store: GameStore) -> None:
    pool = BotProcessPool(1)
    bots = BotRegistry([*load_bots(plugins=False), load_fake_bot("thoughtful")], pool)
    seats = [SeatRequest(bot="thoughtful"), SeatRequest(bot="thoughtful")]
    try:
        context = make_context(store, time, bots=bots, bot_budget_s=0.1)
        created = (await create(context, CreateGame(players=seats), key=None, include_moves=False)).response
        assert created.game.status == "active"
        assert await store.list_due(int(time()) + 60, 100) == [created.game.id]
        await advance_due_game(context, created.game.id)
        assert (await load_game(store, created.game.id)).version > created.game.version
    finally:
        await pool.aclose()


async def test_deadlines_are_kept_while_many_games_wait_for_heavy_bots(store: GameStore) -> None:
    pool = BotProcessPool(1)
    bots = BotRegistry([*load_bots(plugins=False), load_fake_bot("thoughtful")], pool)
    context = make_context(store, time, bots=bots, bot_budget_s=0.0)
    earlier = msgspec.structs.replace(context, clock=lambda: time() - 60)
    slow = CreateGame(players=[SeatRequest(bot="thoughtful"), SeatRequest(bot="thoughtful")])
    timed = CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(name="Bo")], turn_timeout_s=1, on_timeout="resign")
    for _ in range(20):
        await create(context, slow, key=None, include_moves=False)
    late = [(await create(earlier, timed, key=None, include_moves=False)).response.game.id for _ in range(4)]

    async def are_finished() -> bool:
        return all([(await load_game(store, game)).status == "finished" for game in late])

    async with in_background(run_scheduler(context, interval_s=0.02)):
        await wait_until(are_finished, 5.0)
    await pool.aclose()


@pytest.mark.parametrize("name", ("raising", "illegal"))
async def test_a_game_goes_on_to_its_end_with_a_bot_that_fails_every_time(store: GameStore, name: str) -> None:
    bots = BotRegistry([*load_bots(plugins=False), load_fake_bot(name)])
    seats = [SeatRequest(bot=name), SeatRequest(bot="random")]
    context = make_context(store, time, bots=bots, bot_budget_s=30.0)
    created = (await create(context, CreateGame(players=seats), key=None, include_moves=False)).response
    assert created.game.status == "finished"
    log = await store.load_diffs(created.game.id, 0, 1000)
    assert all(check.passed for check in verify(decode_log(log), ARCHIPELAGO.tileset))
