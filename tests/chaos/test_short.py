"""Short forms of `make chaos`: faults of each part, and a rolling update, with every check of the long one."""

import tempfile
from pathlib import Path

import pytest

from tests.chaos.history import Acknowledged, Came, Fault, Hint, Saw
from tests.chaos.run import Plan, Result, run
from tests.chaos.tables import KINDS
from tests.tools import LIBFAKETIME, require

QUICK = [kind for kind in KINDS if kind.asked.turn_timeout_s is None]
"""Games that wait for nobody's time to be up."""


FLAGS = ("--drain-s", "1", "--close-spread-s", "0.5", "--rate-limits", "off")


async def ran(plan: Plan) -> Result:
    with tempfile.TemporaryDirectory(prefix="chaos-") as directory:
        return await run(plan, Path(directory), lambda _: None)


def count(result: Result, kind: type) -> int:
    return sum(isinstance(record, kind) for record in result.records)


@pytest.mark.timeout(240)
async def test_nothing_acknowledged_is_lost_or_done_twice_and_every_watcher_sees_all_of_it_whatever_breaks() -> None:
    faults = ("kill an instance", "kill Redis", "cut clients")
    result = await ran(Plan(6, 4, "sentinel", faults, tables=4, games=QUICK, flags=FLAGS))
    assert result.violations == []
    assert count(result, Fault) >= 2
    assert count(result, Acknowledged) > 300


@pytest.mark.timeout(240)
async def test_the_same_holds_where_the_clock_of_an_instance_jumps() -> None:
    require(LIBFAKETIME)
    result = await ran(Plan(3, 4, "standalone", ("put a clock wrong",), tables=2, games=QUICK, flags=FLAGS))
    assert result.violations == []
    assert count(result, Fault) >= 1
    assert count(result, Acknowledged) > 50


@pytest.mark.timeout(240)
async def test_an_update_of_all_instances_fails_no_request_and_interrupts_no_watcher() -> None:
    result = await ran(Plan(0, 1, "standalone", tables=4, games=QUICK, flags=FLAGS, rolling=1))
    assert result.violations == []
    updates = [record for record in result.records if isinstance(record, Fault)]
    assert len(updates) == 3
    hints = [record for record in result.records if isinstance(record, Hint)]
    assert len(hints) >= 3
    for update in updates:  # each instance spreads its own; those of others may be told the same
        told = [hint.retry_after_ms for hint in hints if update.at <= hint.at <= update.healed]
        assert len({*told}) > len(told) / 2 or not told
    assert count(result, Came) > 0
    assert count(result, Saw) > 300
