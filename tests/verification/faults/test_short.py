"""A short run of `make faults`: one fault that somebody must repair, and one that heals by itself."""

import pytest

from tests.tools import HAPROXY, PROMETHEUS, require
from tests.verification.faults.__main__ import run_faults
from tests.verification.faults.alerts import MAX_FOR_S, Rules
from tests.verification.faults.catalogue import FAULT_TYPES
from tests.verification.faults.run import is_promised
from tools.site.faults import load_faults

SHORT = ("Redis full", "an instance killed and started again")


@pytest.mark.timeout(240)
async def test_a_full_redis_pages_and_a_killed_instance_does_not() -> None:
    require(HAPROXY)
    require(PROMETHEUS)
    chosen = [fault for fault in FAULT_TYPES if fault.name in SHORT]
    full, killed = await run_faults(chosen, seed=3, jobs=2)
    assert (full.problems, killed.problems) == ([], [])
    assert full.moves["503"] > 0
    assert "503" not in full.reads
    assert (full.alert, full.severity, killed.alert) == ("SouthSeasRedisNotWritable", "page", "")
    assert (full.lost, killed.lost) == (0, 0)


def test_what_a_rule_waits_less_is_known() -> None:
    rules = Rules()
    assert rules.shortened_s["SouthSeasUpdateStuck"] == 20 * 60 - MAX_FOR_S
    assert rules.shortened_s["SouthSeasRedisNotWritable"] == 0


def test_in_every_row_of_the_page_somebody_is_told_who_must_act_and_nothing_is_lost() -> None:
    results, types = load_faults().results, {fault.name: fault for fault in FAULT_TYPES}
    assert [result.fault for result in results] == [name for name in types if name in {one.fault for one in results}]
    for result in results:
        fault = types[result.fault]
        assert result.problems == [], result.fault
        assert (result.alert, result.act) == (fault.alert, fault.act)
        assert not result.lost or is_promised(result.may_lose)
