"""What is told of a run besides the checker's findings: by a copy, of an update, and in figures."""

import pytest

from tests.chaos.checker import Violation
from tests.chaos.history import (
    Acknowledged,
    Connected,
    ContractViolation,
    Disconnected,
    Fault,
    History,
    ReconnectRequested,
)
from tests.chaos.recorded_history import GAME, LOG, initial_document, recorded
from tests.chaos.replica import Replica, next_digest
from tests.chaos.rolling_update import check_rolling
from tests.chaos.statistics import NO_FAULT, TWO_FAULTS, Tally, markdown_table, recoveries


def test_a_copy_finds_what_it_should_not_be_told() -> None:
    history = History()
    copy = Replica(history, "watcher", GAME)
    copy.handle({"type": "snapshot", "game": initial_document(), "digest": LOG[0]["digest"]})
    copy.handle(LOG[2])
    copy.handle({**LOG[1], "move": "p9.9.9"})
    forged = {**LOG[1], "patch": [{"op": "remove", "path": "/nothing"}]}
    copy.handle({**forged, "digest": next_digest(LOG[0]["digest"], forged)})
    received = [record.detail for record in history.records if isinstance(record, ContractViolation)]
    assert len(received) == 3
    assert "told version 3 when it had 1" in received[0]
    assert "does not continue the chain" in received[1]
    assert "does not apply" in received[2]


def test_an_update_may_not_cut_anybody_off_without_a_word() -> None:
    missing = Disconnected(client="watcher", reason="closed with 1012")
    assert not [
        *check_rolling([ReconnectRequested(client="watcher", retry_after_ms=100), missing, Connected(client="watcher")])
    ]
    assert [*check_rolling([ReconnectRequested(client="watcher", retry_after_ms=100), missing, missing])] == [
        Violation("failed", "watcher", "closed with 1012")
    ]
    assert [*check_rolling([ReconnectRequested(client="other", retry_after_ms=100), missing])]


def test_a_recovery_lasts_from_the_fault_to_the_games_next_acknowledged_action() -> None:
    records = recorded()
    acknowledged = [record for record in records if isinstance(record, Acknowledged)]
    for number, record in enumerate(acknowledged):
        record.at = 10.0 + number
    tally, late = Tally(), Tally()
    tally.add([*records, Fault(kind="fall", detail="", at=12.5, healed=20.0)])
    assert recoveries(tally) == {"fall": [0.5], NO_FAULT: [pytest.approx(0.4)]}
    assert "| fall | 1 |  | 7.5 | 0.50 | 0.50 |" in markdown_table(tally, [])
    late.add([Fault(kind="rise", detail="", at=13.75, healed=20.0)])
    tally.merge(late)
    assert recoveries(tally)[TWO_FAULTS] == [0.5, 0.25]
    assert "| rise |  | 1 |  |  |  |" in markdown_table(tally, [])
