"""The registry loads bots, decides for those that fail, and never waits longer than a request may."""

import asyncio
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from importlib.metadata import entry_points
from itertools import product
from multiprocessing import active_children
from pathlib import Path
from time import time
from unittest.mock import AsyncMock

import msgspec
import pytest

from schemas.actions import Action
from schemas.bots import BotInfo
from service.engine import legal_moves
from service.fair_queue import ANONYMOUS, FairQueue, Requester
from service.games.bots import greedy, random
from service.games.bots.interface import GameState
from service.games.bots.registry import (
    ENTRY_POINT_GROUP,
    MAX_UNCLAIMED_DECISIONS,
    BotProcessPool,
    BotRegistry,
    InvalidBot,
    LoadedBot,
    load_bot,
    load_bots,
    run_bot,
)
from service.games.ports import GameStore
from service.games.scheduler import advance_due_game, make_scheduler
from service.games.tilesets import SeededRNG
from tests.games.bots.fake_bots import LAGOON, FakeBot, load_fake_bot, play_to_end, start_game
from tests.games.game_fixture import bot_seats, create_game, make_context, new_game
from tests.polling import in_background, rounds, run_ready_tasks, wait_until

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
        await asyncio.sleep(0)
        turns += 1
    assert turns > 20
    assert await thinking == legal_moves(LAGOON, game)[0]


@pytest.mark.parametrize(
    ("name", "reason"),
    (("endless", "took more than 1 s"), ("deaf", "took more than 1 s"), ("ending", "ended its process")),
)
async def test_a_bot_that_does_not_return_is_ended(
    pool: BotProcessPool, name: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = start_game(name)
    pool._timeout_s = 1.0 if "1 s" in reason else TIMEOUT_S
    registry = make_registry(name, "first", pool=pool)
    assert await registry.choose(name, LAGOON, game, None) == run_bot(greedy.BOT, LAGOON, game)
    assert f"the bot {name} {reason}" in caplog.text
    assert await registry.choose("first", LAGOON, game, None) == legal_moves(LAGOON, game)[0]


async def test_the_processes_end_with_the_pool(pool: BotProcessPool) -> None:
    """Even in the middle of a decision."""
    before = {*active_children()}
    registry = make_registry("thoughtful", pool=pool)
    assert await registry.choose("thoughtful", LAGOON, start_game("closing"), 0.0) is None
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
    registry, game = make_registry("thoughtful", pool=pool), start_game("again")
    pool.run = run = AsyncMock(wraps=pool.run)  # type: ignore[method-assign]  # it notes what it runs
    assert await registry.choose("thoughtful", LAGOON, game, 0.0) is None
    both = [registry.choose("thoughtful", LAGOON, game, TIMEOUT_S) for _ in range(2)]
    assert await asyncio.gather(*both) == [legal_moves(LAGOON, game)[0]] * 2
    assert run.await_count == 1
    await registry.choose("thoughtful", LAGOON, start_game("another"), TIMEOUT_S)
    assert run.await_count == 2
    assert pool.pending_decisions == 0


@pytest.mark.parametrize(("processes", "unattended"), ((1, 1), (2, 1), (4, 3)))
async def test_one_of_several_processes_is_reserved_for_people(processes: int, unattended: int) -> None:
    queue = BotProcessPool(processes).queue
    async with in_background(*(queue.acquire(Requester(attended=False)) for _ in range(processes))):
        await run_ready_tasks()
        assert queue.slots_in_use == unattended


async def test_unclaimed_decisions_are_evicted(pool: BotProcessPool) -> None:
    registry = make_registry("first", pool=pool)
    await registry.choose("first", LAGOON, start_game("warm"), TIMEOUT_S)
    for number in range(MAX_UNCLAIMED_DECISIONS + 20):
        asking = asyncio.create_task(registry.choose("first", LAGOON, start_game(f"seed{number}"), None))
        for _ in rounds():
            if pool.queue.slots_in_use:
                break
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        async with asyncio.timeout(TIMEOUT_S), pool.queue.slot(ANONYMOUS):
            pass
    assert len(pool._decisions) <= MAX_UNCLAIMED_DECISIONS + 1


HERE = "tests.games.bots.fake_bots"
EXAMPLE = Path(__file__).parents[3] / "examples" / "bots" / "magpie"


def install(directory: Path, name: str, source: str) -> None:
    """Write the metadata of an installed package with a bot."""
    metadata = directory / f"bots_{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: bots-{name}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\n{name} = {source}\n", encoding="utf-8")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory whose packages count as installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_package_adds_a_bot(installed: Path) -> None:
    install(installed, "first", f"{HERE}:FIRST")
    assert [loaded.bot.name for loaded in load_bots(plugins=True)] == ["expert", "first", "greedy", "random"]
    assert "first" not in [loaded.bot.name for loaded in load_bots(plugins=False)]


def test_a_package_cannot_reuse_a_name(installed: Path) -> None:
    install(installed, "greedy", f"{HERE}:FIRST")
    with pytest.raises(InvalidBot, match="has this name too"):
        load_bots(plugins=True)


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    (
        ("absent", "tests.games.bots.absent:BOT", "ModuleNotFoundError"),
        ("absent", f"{HERE}:ABSENT", "AttributeError"),
        ("nameless", f"{HERE}:NAMELESS", "name"),
        ("renamed", f"{HERE}:RENAMED", "has the name another"),
        ("versionless", f"{HERE}:VERSIONLESS", "version"),
        ("speechless", f"{HERE}:SPEECHLESS", "no method"),
    ),
)
def test_a_faulty_bot_is_rejected_by_name(name: str, source: str, reason: str) -> None:
    with pytest.raises(InvalidBot, match=reason) as raised:
        load_bot(name, source)
    assert str(raised.value).startswith(f"bot {name} ({source}): ")


def test_the_example_is_loaded_from_its_metadata_and_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    shutil.copytree(EXAMPLE, source)
    options = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation")
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", target, source], check=True)
    monkeypatch.syspath_prepend(str(target))
    assert [offered.name for offered in entry_points(group=ENTRY_POINT_GROUP)] == ["magpie"]
    magpie = next(loaded for loaded in load_bots(plugins=True) if loaded.bot.name == "magpie")
    service, others = play_to_end(start_game("glitter"), [magpie.bot, random.BOT])
    assert service > 2 * others
    sys.modules.pop("south_seas_magpie")


async def test_a_game_of_heavy_bots_is_created_at_once_and_played_later(store: GameStore, pool: BotProcessPool) -> None:
    context = make_context(store, time, bots=make_registry("thoughtful", pool=pool), bot_budget_s=0.1)
    table = await create_game(context, *bot_seats("thoughtful", "thoughtful"))
    assert table.created.game.status == "active"
    assert await store.due_games.list_due(int(time()) + 60, 100) == [table.id]
    await advance_due_game(context, table.id)
    assert (await table.game()).version > table.created.game.version


async def test_deadlines_are_kept_while_many_games_wait_for_heavy_bots(store: GameStore, pool: BotProcessPool) -> None:
    context = make_context(store, time, bots=make_registry("thoughtful", pool=pool), bot_budget_s=0.0)
    for _ in range(20):
        await create_game(context, *bot_seats("thoughtful", "thoughtful"))
    late = [await new_game(store, timeout_s=1, policy="resign", seed=None, ago_s=60) for _ in range(4)]

    async def are_finished() -> bool:
        return all([(await table.game()).status == "finished" for table in late])

    async with in_background(make_scheduler(context, 0.02).run()):
        await wait_until(are_finished)


@pytest.mark.parametrize("name", ("raising", "illegal"))
async def test_a_game_goes_on_to_its_end_with_a_bot_that_fails_every_time(store: GameStore, name: str) -> None:
    context = make_context(store, time, bots=make_registry(name), bot_budget_s=TIMEOUT_S)
    table = await create_game(context, *bot_seats(name, "random"))
    assert table.created.game.status == "finished"
    await table.verify()
