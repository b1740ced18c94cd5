"""Short forms of `make chaos`: faults of each part, and a rolling update, with every check of the long one."""

from pathlib import Path

import pytest

from tests.chaos.game_checker import Findings
from tests.chaos.history import Acknowledged, Connected, DiffReceived, Fault
from tests.chaos.progress import Progress
from tests.chaos.run import Plan, run
from tests.chaos.scenarios import SCENARIOS
from tests.tools import LIBFAKETIME, require

QUICK = [kind for kind in SCENARIOS if kind.request.turn_timeout_s is None]
"""Games that wait for nobody's time to be up."""


FLAGS = ("--drain-time-s", "1", "--close-window-s", "0.5", "--rate-limits", "off")


async def ran(plan: Plan, directory: Path) -> Findings:
    return await run(plan, directory, Progress(lambda _: None))


@pytest.mark.timeout(240)
async def test_nothing_acknowledged_is_lost_or_done_twice_and_every_watcher_sees_all_of_it_whatever_breaks(
    short_path: Path,
) -> None:
    faults = ("kill an instance", "kill Redis", "cut clients")
    result = await ran(Plan(6, 4, "sentinel", faults, tables=4, games=QUICK, flags=FLAGS), short_path)
    assert result.violations == []
    assert result.tally.counts[Fault] >= 2
    assert result.tally.counts[Acknowledged] > 300


@pytest.mark.timeout(240)
async def test_the_same_holds_where_the_clock_of_an_instance_jumps(short_path: Path) -> None:
    require(LIBFAKETIME)
    result = await ran(Plan(3, 4, "standalone", ("put a clock wrong",), tables=2, games=QUICK, flags=FLAGS), short_path)
    assert result.violations == []
    assert result.tally.counts[Fault] >= 1
    assert result.tally.counts[Acknowledged] > 50


@pytest.mark.timeout(240)
async def test_an_update_of_all_instances_fails_no_request_and_interrupts_no_watcher(short_path: Path) -> None:
    result = await ran(Plan(0, 1, "standalone", tables=4, games=QUICK, flags=FLAGS, rolling=1), short_path)
    assert result.violations == []
    updates, hints = result.tally.faults, result.tally.hints
    assert len(updates) == 3
    assert len(hints) >= 3
    for update in updates:  # each instance spreads its own; those of others may be told the same
        received = [hint.retry_after_ms for hint in hints if update.at <= hint.at <= update.healed]
        assert len({*received}) > len(received) / 2 or not received
    assert result.tally.counts[Connected] > 0
    assert result.tally.counts[DiffReceived] > 300
