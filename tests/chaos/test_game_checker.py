"""The judge checks a game when it is over, and once more at the end, by what it is then."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from service.store.connection import errors
from tests.chaos import game_checker as judging
from tests.chaos.checker import Violation
from tests.chaos.client_context import IMPATIENT, ClientContext, Pace
from tests.chaos.game_checker import GameChecker
from tests.chaos.history import Acknowledged, FinalState, History, load
from tests.chaos.instances import UNEXPECTED
from tests.chaos.recorded_history import GAME, document_at, recorded
from tests.games.game_logs import ARCHIPELAGO


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[FinalState]:
    """Return the game's final state, which a test may change."""
    (truth,) = [record for record in recorded() if isinstance(record, FinalState)]
    now = [truth]

    async def fetch_truth(world: ClientContext, game: str) -> FinalState:
        del world
        assert game == GAME
        return now[0]

    monkeypatch.setattr(judging, "fetch_final_state", fetch_truth)
    judging._set_tileset(ARCHIPELAGO.tileset)
    return now


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


async def judged(directory: Path, pool: Any, violations: list[Violation]) -> tuple[GameChecker, History]:
    """Return a checker that has checked one correct game."""
    unused: Any = None
    world = ClientContext("", History(), unused, unused, Pace(0), IMPATIENT, unused)
    judge = GameChecker(world, directory, pool, violations.append, rolling=False)
    history = judge.open()
    for record in recorded():
        if not isinstance(record, FinalState):
            history.add(record)
    before = judge.acknowledged
    await judge.close(history)
    assert (judge.games, judge.acknowledged) == (1, before)
    return judge, history


async def test_a_game_that_stays_as_it_was_is_judged_once(tmp_path: Path, told: list[FinalState], pool: Any) -> None:
    violations: list[Violation] = []
    judge, history = await judged(tmp_path, pool, violations)
    written = (tmp_path / f"{GAME}.jsonl.gz").stat().st_mtime_ns
    result = await judge.finish()
    assert (result.violations, violations) == ([], [])
    assert result.tally.counts[Acknowledged] == history.acknowledged == len(result.tally.times())
    assert (tmp_path / f"{GAME}.jsonl.gz").stat().st_mtime_ns == written
    assert load(tmp_path / f"{GAME}.jsonl.gz")[-1] == told[0]


async def test_what_is_lost_after_a_game_was_judged_is_found_at_the_end(
    tmp_path: Path, told: list[FinalState], pool: Any
) -> None:
    violations: list[Violation] = []
    judge, _ = await judged(tmp_path, pool, violations)
    log = told[0].log[:-3]
    told[0] = FinalState(
        game=GAME, document=document_at(len(log)), tag=f"{len(log)}-{log[-1]['digest']}", log=log, verified=""
    )
    result = await judge.finish()
    assert {"lost", "unfinished"} <= {one.kind for one in result.violations}
    assert violations == result.violations


def test_only_what_redis_refuses_is_an_error_that_an_instance_may_log() -> None:
    lines = [
        f"2026-11-23 01:44:51,081 ERROR {errors.logger.name}: Redis does not know this user and password",
        "2026-11-23 01:44:52,081 ERROR service.games.realtime.broadcaster: delivery to a subscriber of game g failed",
        "2026-11-23 01:44:53,081 WARNING service.games.realtime.stream_reader: cannot read game g",
    ]
    assert UNEXPECTED.findall("\n".join(lines)) == [lines[1]]
