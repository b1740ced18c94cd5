"""What is told of a run besides the checker's findings: by a copy, of an update, and in figures."""

import pytest

from tests.chaos.checker import Violation
from tests.chaos.replica import Copy, next_digest
from tests.chaos.statistics import PEACE, TOGETHER, Tally, recoveries, table
from tests.chaos.history import Acknowledged, Broke, Came, Fault, Hint, History, Lost
from tests.chaos.recorded_history import GAME, LOG, first, recorded
from tests.chaos.rolling_update import check_rolling


def test_a_copy_finds_what_it_should_not_be_told() -> None:
    history = History()
    copy = Copy(history, "watcher", GAME)
    copy.take({"type": "snapshot", "game": first(), "digest": LOG[0]["digest"]})
    copy.take(LOG[2])
    copy.take({**LOG[1], "move": "p9.9.9"})
    forged = {**LOG[1], "patch": [{"op": "remove", "path": "/nothing"}]}
    copy.take({**forged, "digest": next_digest(LOG[0]["digest"], forged)})
    told = [record.detail for record in history.records if isinstance(record, Broke)]
    assert len(told) == 3
    assert "told version 3 when it had 1" in told[0]
    assert "does not continue the chain" in told[1]
    assert "does not apply" in told[2]


def test_an_update_may_not_cut_anybody_off_without_a_word() -> None:
    lost = Lost(client="watcher", why="closed with 1012")
    assert not [*check_rolling([Hint(client="watcher", retry_after_ms=100), lost, Came(client="watcher")])]
    assert [*check_rolling([Hint(client="watcher", retry_after_ms=100), lost, lost])] == [
        Violation("failed", "watcher", "closed with 1012")
    ]
    assert [*check_rolling([Hint(client="other", retry_after_ms=100), lost])]


def test_a_recovery_lasts_from_the_fault_to_the_games_next_acknowledged_action() -> None:
    records = recorded()
    acknowledged = [record for record in records if isinstance(record, Acknowledged)]
    for number, record in enumerate(acknowledged):
        record.at = 10.0 + number
    tally, late = Tally(), Tally()
    tally.add([*records, Fault(kind="fall", detail="", at=12.5, healed=20.0)])
    assert recoveries(tally) == {"fall": [0.5], PEACE: [pytest.approx(0.4)]}
    assert "| fall | 1 |  | 7.5 | 0.50 | 0.50 |" in table(tally, [])
    late.add([Fault(kind="rise", detail="", at=13.75, healed=20.0)])
    tally.merge(late)
    assert recoveries(tally)[TOGETHER] == [0.5, 0.25]
    assert "| rise |  | 1 |  |  |  |" in table(tally, [])
