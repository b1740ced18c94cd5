"""The registry: the bot `greedy` decides for bots that fail, and timeouts do not lose decisions."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable
from itertools import product
from multiprocessing import active_children

import msgspec
import pytest

from schemas.actions import Action
from schemas.bots import BotInfo
from service.engine import legal_moves
from service.fair_queue import ANONYMOUS, FairQueue, Requester
from service.games.bots import greedy
from service.games.bots.interface import GameState
from service.games.bots.registry import (
    MAX_UNCLAIMED_DECISIONS,
    BotProcessPool,
    BotRegistry,
    Job,
    LoadedBot,
    _time_limit,
    load_bots,
    run_bot,
)
from service.games.tilesets import SeededRNG
from tests.games.bots.bot_games import LAGOON, start_game
from tests.games.bots.fake_bots import FakeBot, load_fake_bot

FAILING = {
    "raising": "failed: LookupError: nothing to say of turn 1, 0",
    "illegal": "failed: IllegalMove",
    "nonsense": "failed: ValidationError",
}

TIMEOUT_S = 60.0


def make_registry(*names: str, pool: BotProcessPool | None = None) -> BotRegistry:
    """Return a registry of the built-in bots and some fake ones."""
    return BotRegistry([*load_bots(plugins=False), *map(load_fake_bot, names)], pool)


@pytest.fixture
async def pool() -> AsyncIterator[BotProcessPool]:
    """Run a pool of one process."""
    pool = BotProcessPool(1)
    yield pool
    await pool.aclose()


async def test_every_bot_is_listed() -> None:
    registry = make_registry("first")
    assert [info.name for info in registry.list_bots()] == ["expert", "first", "greedy", "random"]
    assert "first" in registry
    assert "second" not in registry


@pytest.mark.parametrize("name", FAILING)
async def test_greedy_decides_when_a_bot_fails(name: str, caplog: pytest.LogCaptureFixture) -> None:
    game = start_game("failing")
    action = await make_registry(name).choose(name, LAGOON, game, TIMEOUT_S)
    assert action == run_bot(greedy.BOT, LAGOON, game)
    [record] = caplog.records
    assert f"the bot {name} {FAILING[name]}" in record.getMessage()


async def test_greedy_decides_for_a_bot_that_is_not_installed(caplog: pytest.LogCaptureFixture) -> None:
    game = start_game("absent")
    assert await make_registry().choose("absent", LAGOON, game, None) == run_bot(greedy.BOT, LAGOON, game)
    assert "the bot absent is not installed" in caplog.text


async def test_a_bot_may_change_its_state() -> None:
    game = start_game("meddling")
    action = await make_registry("meddling").choose("meddling", LAGOON, game, TIMEOUT_S)
    assert action == legal_moves(LAGOON, game)[0]
    assert game.players[0].wares == [0, 0, 0]


async def test_a_heavy_bot_decides_the_same_in_another_process(pool: BotProcessPool) -> None:
    game = start_game("elsewhere")
    for name in ("expert", "reading"):
        elsewhere = await make_registry("reading", pool=pool).choose(name, LAGOON, game, TIMEOUT_S)
        assert elsewhere == await make_registry("reading").choose(name, LAGOON, game, TIMEOUT_S)


async def test_the_event_loop_is_free_while_a_heavy_bot_decides(pool: BotProcessPool) -> None:
    game = start_game("meanwhile")
    registry = make_registry("thoughtful", pool=pool)
    await registry.choose("thoughtful", LAGOON, game, TIMEOUT_S)
    thinking = asyncio.create_task(registry.choose("thoughtful", LAGOON, game, TIMEOUT_S))
    turns = 0
    while not thinking.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 20
    assert await thinking == legal_moves(LAGOON, game)[0]


def test_no_timer_of_a_decision_outlasts_it() -> None:
    handler = signal.getsignal(signal.SIGALRM)
    try:
        with _time_limit(30.0):
            assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    finally:
        signal.signal(signal.SIGALRM, handler)


async def test_a_decision_that_times_out_gives_none(pool: BotProcessPool) -> None:
    registry = make_registry("thoughtful", pool=pool)
    assert await registry.choose("thoughtful", LAGOON, start_game("later"), 0.01) is None
    assert await registry.choose("thoughtful", LAGOON, start_game("later"), TIMEOUT_S) is not None


@pytest.mark.parametrize(
    ("name", "reason"),
    (("endless", "took more than 1 s"), ("deaf", "took more than 2 s"), ("ending", "ended its process")),
)
async def test_a_bot_that_does_not_return_is_ended(
    pool: BotProcessPool, name: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = start_game(name)
    pool._timeout_s = 1.0
    registry = make_registry(name, "first", pool=pool)
    assert await registry.choose(name, LAGOON, game, None) == run_bot(greedy.BOT, LAGOON, game)
    assert f"the bot {name} {reason}" in caplog.text
    assert await registry.choose("first", LAGOON, game, None) == legal_moves(LAGOON, game)[0]


async def test_the_processes_end_with_the_pool(pool: BotProcessPool) -> None:
    """Even in the middle of a decision."""
    before = {*active_children()}
    registry = make_registry("thoughtful", pool=pool)
    assert await registry.choose("thoughtful", LAGOON, start_game("closing"), 0.01) is None
    (process,) = {*active_children()} - before
    await pool.aclose()
    assert not process.is_alive()


async def test_decisions_that_wait_are_counted_by_class(pool: BotProcessPool) -> None:
    async with asyncio.TaskGroup() as group:
        registry = make_registry(pool=pool)
        pool.queue, registry._light_queue = FairQueue(0), FairQueue(0)
        requesters = [Requester(attended=True), *[Requester(attended=False)] * 2]
        waiting = [
            group.create_task(queue.acquire(requester))
            for queue, requester in product((pool.queue, registry._light_queue), requesters)
        ]
        await asyncio.sleep(0)
        assert [registry.queue_length(attended=attended) for attended in (True, False)] == [2, 4]
        for task in waiting:
            task.cancel()


async def test_light_bots_start_no_process(pool: BotProcessPool) -> None:
    assert await make_registry(pool=pool).choose("greedy", LAGOON, start_game("light"), None) is not None
    assert pool._executor is None


async def test_light_bots_decide_once_per_iteration_of_the_event_loop(pool: BotProcessPool) -> None:
    """One decision per iteration."""
    requested: list[int] = []
    rounds = 0

    class Noting(FakeBot):
        heavy = False

        def choose(self, state: GameState, rng: SeededRNG) -> Action:
            requested.append(rounds)
            return super().choose(state, rng)

    noting = Noting("noting")
    result = LoadedBot(noting, msgspec.convert(noting, BotInfo, from_attributes=True), "")
    registry, game = BotRegistry([*load_bots(plugins=False), result], pool), start_game("many")
    deciding = [asyncio.create_task(registry.choose("noting", LAGOON, game, None)) for _ in range(30)]
    while not all(task.done() for task in deciding):
        rounds += 1
        await asyncio.sleep(0)
    assert len(requested) == 30
    assert max(Counter(requested).values()) == 1


async def test_a_late_decision_is_returned_to_the_retry(pool: BotProcessPool) -> None:
    """A caller that timed out gets the decision on retry, as do concurrent callers."""
    registry, game, jobs = make_registry("thoughtful", pool=pool), start_game("again"), list[Job]()
    run = pool.run

    async def noted(work: Callable[[Job], Action], job: Job, time_limit_s: float) -> Action:
        jobs.append(job)
        return await run(work, job, time_limit_s)

    pool.run = noted  # type: ignore[method-assign, assignment]  # it notes what it runs
    assert await registry.choose("thoughtful", LAGOON, game, 0.01) is None
    both = [registry.choose("thoughtful", LAGOON, game, TIMEOUT_S) for _ in range(2)]
    assert await asyncio.gather(*both) == [legal_moves(LAGOON, game)[0]] * 2
    assert len(jobs) == 1
    await registry.choose("thoughtful", LAGOON, start_game("another"), TIMEOUT_S)
    assert len(jobs) == 2
    assert pool.pending_decisions == 0


async def test_unclaimed_decisions_are_evicted(pool: BotProcessPool) -> None:
    registry = make_registry("first", pool=pool)
    await registry.choose("first", LAGOON, start_game("warm"), TIMEOUT_S)
    for number in range(MAX_UNCLAIMED_DECISIONS + 20):
        asking = asyncio.create_task(registry.choose("first", LAGOON, start_game(f"seed{number}"), None))
        while True:
            if pool.queue.slots_in_use:
                break
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        async with asyncio.timeout(TIMEOUT_S), pool.queue.slot(ANONYMOUS):
            pass
    assert len(pool._decisions) <= MAX_UNCLAIMED_DECISIONS + 1
