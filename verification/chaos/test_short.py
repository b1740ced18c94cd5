"""A short run of `make chaos`: faults of each component, with all checks of a long run."""

from pathlib import Path

import pytest

from tests.tools import LIBFAKETIME, require
from verification.chaos.history import Acknowledged, Fault
from verification.chaos.progress import Progress
from verification.chaos.run import Plan, run
from verification.chaos.scenarios import SCENARIOS

QUICK = [scenario for scenario in SCENARIOS if scenario.request.turn_timeout_s is None]
"""Scenarios that wait for no timeout of a player."""

FLAGS = ("--drain-time-s", "2", "--close-window-s", "0.5", "--rate-limits", "off")


@pytest.mark.timeout(600)
async def test_faults_of_all_components_cause_no_violation(short_path: Path) -> None:
    require(LIBFAKETIME)
    faults = ("kill an instance", "kill Redis", "disconnect clients", "shift a clock")
    plan = Plan(6, 4, "sentinel", faults, games=4, scenarios=QUICK, flags=FLAGS)
    result = await run(plan, short_path, Progress(lambda _: None))
    assert result.violations == []
    assert result.tally.counts[Fault] >= 2
    assert result.tally.counts[Acknowledged] > 300


@pytest.mark.timeout(600)
async def test_older_files_lose_what_is_newer_and_an_instance_notices(short_path: Path) -> None:
    plan = Plan(3, 4, "sentinel", ("restore older files",), games=4, scenarios=QUICK, flags=FLAGS)
    result = await run(plan, short_path, Progress(lambda _: None))
    assert result.violations == []
    assert [fault.is_noticed for fault in result.tally.faults] == [True]
