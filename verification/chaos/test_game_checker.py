"""Tests that a game is checked when it is over, and again at the end of the run if it has changed."""

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from south_seas import Client
from tests.games.game_logs import LAGOON
from verification.chaos import final_state, game_checker
from verification.chaos.checker import Violation
from verification.chaos.client_context import NO_RETRIES, ClientContext, ThinkTime
from verification.chaos.game_checker import GameChecker
from verification.chaos.history import Acknowledged, FinalState, History, load
from verification.chaos.instances import UNEXPECTED
from verification.chaos.valid_history import GAME, LOG, document_at, valid_history


@pytest.fixture
def service_state(monkeypatch: pytest.MonkeyPatch) -> list[FinalState]:
    """Return the final state that the service returns, as a list with one item that a test may replace."""
    state = [record for record in valid_history() if isinstance(record, FinalState)]

    async def fetch_final_state(context: ClientContext, game: str) -> FinalState:
        del context
        assert game == GAME
        return state[0]

    monkeypatch.setattr(game_checker, "fetch_final_state", fetch_final_state)
    game_checker._set_tileset(LAGOON.tileset)
    return state


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


async def check_valid_game(directory: Path, pool: Any, violations: list[Violation]) -> tuple[GameChecker, History]:
    """Return a checker that has checked one valid game."""
    unused: Any = None
    context = ClientContext("", History(), unused, 7, ThinkTime(0), NO_RETRIES, unused)
    checker = GameChecker(context, directory, pool, (), violations.append, is_rolling=False)
    history = checker.open_history()
    for record in valid_history():
        if not isinstance(record, FinalState):
            history.add(record)
    before = checker.acknowledged
    await checker.check_history(history)
    assert (checker.games, checker.acknowledged) == (1, before)
    return checker, history


async def test_an_unchanged_game_is_checked_once(tmp_path: Path, service_state: list[FinalState], pool: Any) -> None:
    violations: list[Violation] = []
    checker, history = await check_valid_game(tmp_path, pool, violations)
    written = (tmp_path / f"{GAME}.jsonl.gz").stat().st_mtime_ns
    result = await checker.finish()
    assert (result.violations, violations) == ([], [])
    assert result.tally.counts[Acknowledged] == history.acknowledged == len(result.tally.acknowledged[GAME])
    assert (tmp_path / f"{GAME}.jsonl.gz").stat().st_mtime_ns == written
    assert load(tmp_path / f"{GAME}.jsonl.gz")[-1] == service_state[0]


async def test_a_game_that_goes_back_between_its_log_and_itself_is_fetched_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logs, tag = iter((LOG, LOG[:40])), f"40-{LOG[39]['digest']}"

    async def log(*_: object) -> AsyncIterator[dict[str, Any]]:
        for diff in next(logs):
            yield diff

    monkeypatch.setattr(Client, "log", log)
    monkeypatch.setattr(final_state, "_fetch_document", AsyncMock(return_value=(document_at(40), tag)))
    unused: Any = None
    context = ClientContext("http://game", History(), unused, 7, ThinkTime(0), NO_RETRIES, unused)
    state = await final_state.fetch_final_state(context, GAME)
    assert (state.tag, state.log) == (tag, LOG[:40])


async def test_a_loss_after_the_first_check_is_reported_at_the_end(
    tmp_path: Path, service_state: list[FinalState], pool: Any
) -> None:
    violations: list[Violation] = []
    checker, _ = await check_valid_game(tmp_path, pool, violations)
    log = service_state[0].log[:-3]
    service_state[0] = FinalState(
        game=GAME, document=document_at(len(log)), tag=f"{len(log)}-{log[-1]['digest']}", log=log, verify_errors=""
    )
    result = await checker.finish()
    assert {"lost", "unfinished"} <= {violation.kind for violation in result.violations}
    assert violations == result.violations


def test_an_instance_may_log_outages_but_no_errors() -> None:
    lines = [
        "2026-11-23 01:44:51,081 WARNING service.store.pipeline: Redis fails commands",
        "2026-11-23 01:44:52,081 ERROR service.games.channel: delivery to a subscriber of game g failed",
        "2026-11-23 01:44:53,081 WARNING service.games.channel: cannot read game g",
    ]
    assert UNEXPECTED.findall("\n".join(lines)) == [lines[1]]
