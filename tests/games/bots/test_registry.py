"""The registry: the bot `greedy` decides for bots that fail, and timeouts do not lose decisions."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

import msgspec
import pytest

from schemas.actions import Action
from schemas.bots import BotInfo
from service.engine import legal_moves
from service.games.bots import greedy
from service.games.bots.fair_queue import ANONYMOUS
from service.games.bots.interface import GameState, SeededRNG
from service.games.bots.plugins import LoadedBot, load_bots
from service.games.bots.process_pool import MAX_UNCLAIMED_DECISIONS, BotProcessPool, Job
from service.games.bots.registry import BotRegistry
from service.games.bots.runner import run_bot
from tests.games.bots.bot_games import ARCHIPELAGO, start_game
from tests.games.bots.fake_bots import FakeBot, load_fake_bot
from tests.games.bots.queue_slot import acquired_slot

FAILING = {
    "raising": "failed: LookupError: nothing to say of turn 1, 0",
    "illegal": "failed: IllegalMove",
    "nonsense": "failed: ValidationError",
}

TIMEOUT_S = 60.0


def make_registry(*names: str, workers: BotProcessPool | None = None) -> BotRegistry:
    """Return a registry of the built-in bots and some fake ones."""
    return BotRegistry([*load_bots(plugins=False), *map(load_fake_bot, names)], workers)


@asynccontextmanager
async def process_pool(limit_s: float = 3.0) -> AsyncIterator[BotProcessPool]:
    """Run a pool of one process."""
    workers = BotProcessPool(1, limit_s)
    try:
        yield workers
    finally:
        await workers.aclose()


async def test_every_bot_is_listed_and_known() -> None:
    table = make_registry("first")
    assert [info.name for info in table.list_bots()] == ["expert", "first", "greedy", "random"]
    assert "first" in table
    assert "second" not in table


@pytest.mark.parametrize("name", FAILING)
async def test_greedy_decides_where_a_bot_fails(name: str, caplog: pytest.LogCaptureFixture) -> None:
    game = start_game("failing")
    action = await make_registry(name).choose(name, ARCHIPELAGO, game, TIMEOUT_S)
    assert action == run_bot(greedy.BOT, ARCHIPELAGO, game)
    [record] = caplog.records
    assert f"the bot {name} {FAILING[name]}" in record.getMessage()


async def test_greedy_decides_for_a_bot_that_is_not_here(caplog: pytest.LogCaptureFixture) -> None:
    game = start_game("absent")
    assert await make_registry().choose("absent", ARCHIPELAGO, game, None) == run_bot(greedy.BOT, ARCHIPELAGO, game)
    assert "the bot absent is not installed here" in caplog.text


async def test_a_bot_may_do_with_its_position_what_it_likes() -> None:
    game = start_game("meddling")
    action = await make_registry("meddling").choose("meddling", ARCHIPELAGO, game, TIMEOUT_S)
    assert action == legal_moves(ARCHIPELAGO, game)[0]
    assert game.players[0].wares == [0, 0, 0]


async def test_a_heavy_bot_thinks_elsewhere_and_decides_the_same() -> None:
    game = start_game("elsewhere")
    async with process_pool() as workers:
        for name in ("expert", "reading"):
            elsewhere = await make_registry("reading", workers=workers).choose(name, ARCHIPELAGO, game, TIMEOUT_S)
            assert elsewhere == await make_registry("reading").choose(name, ARCHIPELAGO, game, TIMEOUT_S)


async def test_everybody_else_is_served_while_one_thinks() -> None:
    game = start_game("meanwhile")
    async with process_pool() as workers:
        table = make_registry("thoughtful", workers=workers)
        await table.choose("thoughtful", ARCHIPELAGO, game, TIMEOUT_S)
        thinking = asyncio.create_task(table.choose("thoughtful", ARCHIPELAGO, game, TIMEOUT_S))
        waits = []
        while not thinking.done():
            asked = perf_counter()
            await asyncio.sleep(0.001)
            waits.append(perf_counter() - asked)
        assert len(waits) > 20
        assert await thinking == legal_moves(ARCHIPELAGO, game)[0]


async def test_what_does_not_come_in_time_is_left_for_later() -> None:
    async with process_pool() as workers:
        table = make_registry("thoughtful", workers=workers)
        assert await table.choose("thoughtful", ARCHIPELAGO, start_game("later"), 0.01) is None
        assert await table.choose("thoughtful", ARCHIPELAGO, start_game("later"), TIMEOUT_S) is not None


@pytest.mark.parametrize("name", ("endless", "deaf"))
async def test_a_bot_that_does_not_end_is_ended(name: str, caplog: pytest.LogCaptureFixture) -> None:
    game = start_game("endless")
    async with process_pool(limit_s=0.2) as workers:
        table = make_registry(name, "first", workers=workers)
        assert await table.choose(name, ARCHIPELAGO, game, None) == run_bot(greedy.BOT, ARCHIPELAGO, game)
        assert f"the bot {name}" in caplog.text
        assert await table.choose("first", ARCHIPELAGO, game, None) == legal_moves(ARCHIPELAGO, game)[0]


async def test_a_process_that_ends_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    game = start_game("ending")
    async with process_pool() as workers:
        table = make_registry("ending", "first", workers=workers)
        assert await table.choose("ending", ARCHIPELAGO, game, None) == run_bot(greedy.BOT, ARCHIPELAGO, game)
        assert "the bot ending ended its process" in caplog.text
        assert await table.choose("first", ARCHIPELAGO, game, None) == legal_moves(ARCHIPELAGO, game)[0]


async def test_nothing_is_started_for_bots_that_are_not_heavy(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    workers = BotProcessPool(1)
    assert await make_registry(workers=workers).choose("greedy", ARCHIPELAGO, start_game("light"), None) is not None
    assert workers._executor is None
    await workers.aclose()


async def test_light_bots_of_many_games_leave_the_event_loop_to_others_in_between() -> None:
    """Each time that it comes round, one of them decides; before, all did."""
    asked: list[int] = []
    rounds = 0

    class Noting(FakeBot):
        heavy = False

        def choose(self, state: GameState, rng: SeededRNG) -> Action:
            asked.append(rounds)
            return super().choose(state, rng)

    noting = Noting("noting")
    async with process_pool() as workers:
        found = LoadedBot(noting, msgspec.convert(noting, BotInfo, from_attributes=True), "")
        table, game = BotRegistry([*load_bots(plugins=False), found], workers), start_game("many")
        deciding = [asyncio.create_task(table.choose("noting", ARCHIPELAGO, game, None)) for _ in range(30)]
        while not all(task.done() for task in deciding):
            rounds += 1
            await asyncio.sleep(0)
    assert len(asked) == 30
    assert max(Counter(asked).values()) == 1


async def test_what_was_decided_too_late_is_not_decided_again() -> None:
    """Whoever gave up gets it when they ask again, as does who asks at the same time."""
    async with process_pool() as workers:
        table, game, jobs = make_registry("thoughtful", workers=workers), start_game("again"), list[Job]()
        ask_process = workers._run_in_process

        async def noted(job: Job) -> Action:
            jobs.append(job)
            return await ask_process(job)

        workers._run_in_process = noted  # type: ignore[method-assign]
        assert await table.choose("thoughtful", ARCHIPELAGO, game, 0.01) is None
        both = [table.choose("thoughtful", ARCHIPELAGO, game, TIMEOUT_S) for _ in range(2)]
        assert await asyncio.gather(*both) == [legal_moves(ARCHIPELAGO, game)[0]] * 2
        assert len(jobs) == 1
        await table.choose("thoughtful", ARCHIPELAGO, start_game("another"), TIMEOUT_S)
        assert len(jobs) == 2
        assert workers.pending_decisions == 0


async def test_decisions_that_nobody_wants_any_more_are_forgotten() -> None:
    async with process_pool() as workers:
        table = make_registry("first", workers=workers)
        await table.choose("first", ARCHIPELAGO, start_game("warm"), TIMEOUT_S)
        for number in range(MAX_UNCLAIMED_DECISIONS + 20):
            asking = asyncio.create_task(table.choose("first", ARCHIPELAGO, start_game(f"seed{number}"), None))
            while True:
                if workers.queue.slots_in_use:
                    break
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            async with asyncio.timeout(TIMEOUT_S), acquired_slot(workers.queue, ANONYMOUS):
                pass
        assert len(workers._decisions) <= MAX_UNCLAIMED_DECISIONS + 1
