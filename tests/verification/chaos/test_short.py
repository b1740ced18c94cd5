"""Short runs of `make chaos`: a fault of each component, and a rolling update, with all checks of a long run."""

from pathlib import Path

import pytest

from tests.tools import LIBFAKETIME, ROOT, require
from tests.verification.chaos.history import Acknowledged, Connected, DiffReceived, Fault
from tests.verification.chaos.progress import Progress
from tests.verification.chaos.run import Plan, run
from tests.verification.chaos.scenarios import SCENARIOS
from tests.verification.chaos.statistics import Tally

pytestmark = [pytest.mark.usefixtures("slow_gate"), pytest.mark.timeout(240)]

QUICK = [scenario for scenario in SCENARIOS if scenario.request.turn_timeout_s is None]
"""Scenarios that wait for no timeout of a player."""

FLAGS = ("--drain-time-s", "1", "--close-window-s", "0.5", "--rate-limits", "off")


async def run_without_violation(plan: Plan, directory: Path) -> Tally:
    result = await run(plan, directory, Progress(lambda _: None))
    assert result.violations == []
    return result.tally


async def test_faults_of_all_components_cause_no_violation(short_path: Path) -> None:
    faults = ("kill an instance", "kill Redis", "disconnect clients")
    plan = Plan(6, 4, "sentinel", faults, games=4, scenarios=QUICK, flags=FLAGS)
    tally = await run_without_violation(plan, short_path)
    assert tally.counts[Fault] >= 2
    assert tally.counts[Acknowledged] > 300


async def test_a_shifted_clock_causes_no_violation(short_path: Path) -> None:
    require(LIBFAKETIME)
    plan = Plan(3, 4, "standalone", ("shift a clock",), games=2, scenarios=QUICK, flags=FLAGS)
    tally = await run_without_violation(plan, short_path)
    assert tally.counts[Fault] >= 1
    assert tally.counts[Acknowledged] > 50


async def test_a_rolling_update_fails_no_request_and_drops_no_subscriber(short_path: Path) -> None:
    plan = Plan(0, 1, "standalone", games=4, scenarios=QUICK, flags=FLAGS, releases=(ROOT, ROOT))
    tally = await run_without_violation(plan, short_path)
    restarts, requests = tally.faults, tally.reconnect_requests
    assert len(restarts) == 3
    assert len(requests) >= 3
    for restart in restarts:  # an instance spreads the delays of its own subscribers only
        delays = [request.retry_after_ms for request in requests if restart.at <= request.at <= restart.healed_at]
        assert len({*delays}) > len(delays) / 2 or not delays
    assert tally.counts[Connected] > 0
    assert tally.counts[DiffReceived] > 300
