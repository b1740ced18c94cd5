"""Slow bots: no response waits for them longer than its limit; their decisions follow in later versions."""

from time import time

import pytest

from service.games.bots.registry import BotProcessPool, BotRegistry, load_bots
from service.games.ports import GameStore
from service.games.scheduler import advance_due_game, run_scheduler
from tests.background import in_background
from tests.games.bots.fake_bots import load_fake_bot
from tests.games.game_fixture import bot_seats, create_game, make_context, new_game
from tests.polling import wait_until


async def test_a_game_of_heavy_bots_is_created_at_once_and_played_later(store: GameStore) -> None:
    pool = BotProcessPool(1)
    registry = BotRegistry([*load_bots(plugins=False), load_fake_bot("thoughtful")], pool)
    try:
        context = make_context(store, time, bots=registry, bot_budget_s=0.1)
        table = await create_game(context, *bot_seats("thoughtful", "thoughtful"))
        assert table.created.game.status == "active"
        assert await store.list_due(int(time()) + 60, 100) == [table.id]
        await advance_due_game(context, table.id)
        assert (await table.game()).version > table.created.game.version
    finally:
        await pool.aclose()


async def test_deadlines_are_kept_while_many_games_wait_for_heavy_bots(store: GameStore) -> None:
    pool = BotProcessPool(1)
    registry = BotRegistry([*load_bots(plugins=False), load_fake_bot("thoughtful")], pool)
    context = make_context(store, time, bots=registry, bot_budget_s=0.0)
    for _ in range(20):
        await create_game(context, *bot_seats("thoughtful", "thoughtful"))
    late = [await new_game(store, timeout_s=1, policy="resign", seed=None, ago_s=60) for _ in range(4)]

    async def are_finished() -> bool:
        return all([(await table.game()).status == "finished" for table in late])

    async with in_background(run_scheduler(context, interval_s=0.02)):
        await wait_until(are_finished)
    await pool.aclose()


@pytest.mark.parametrize("name", ("raising", "illegal"))
async def test_a_game_goes_on_to_its_end_with_a_bot_that_fails_every_time(store: GameStore, name: str) -> None:
    registry = BotRegistry([*load_bots(plugins=False), load_fake_bot(name)])
    context = make_context(store, time, bots=registry, bot_budget_s=30.0)
    table = await create_game(context, *bot_seats(name, "random"))
    assert table.created.game.status == "finished"
    await table.verify()
