"""Tests of a replica's checks, the check of a rolling update, and the statistics."""

import pytest

from verification.chaos.checker import Violation
from verification.chaos.history import (
    Acknowledged,
    Connected,
    ContractViolation,
    Disconnected,
    Fault,
    History,
    ReconnectRequested,
)
from verification.chaos.replica import Replica, next_digest
from verification.chaos.rolling_update import check_rolling_update
from verification.chaos.statistics import NO_FAULT, TWO_FAULTS, Tally, markdown_table, recoveries
from verification.chaos.valid_history import GAME, LOG, initial_document, valid_history


def test_a_replica_reports_invalid_diffs() -> None:
    history = History()
    replica = Replica(history, "subscriber", GAME)
    replica.handle({"type": "snapshot", "game": initial_document(), "digest": LOG[0]["digest"]})
    replica.handle(LOG[2])
    replica.handle({**LOG[1], "move": "p9.9.9"})
    forged = {**LOG[1], "patch": [{"op": "remove", "path": "/nothing"}]}
    replica.handle({**forged, "digest": next_digest(LOG[0]["digest"], forged)})
    details = [record.detail for record in history.records if isinstance(record, ContractViolation)]
    assert len(details) == 3
    assert "received version 3 after 1" in details[0]
    assert "does not continue the chain" in details[1]
    assert "does not apply" in details[2]


def test_a_rolling_update_may_not_drop_a_subscriber() -> None:
    request = ReconnectRequested(client="subscriber", retry_after_ms=100)
    disconnected = Disconnected(client="subscriber", reason="closed with 1001")
    assert not [*check_rolling_update([request, disconnected, Connected(client="subscriber")])]
    assert [*check_rolling_update([request, disconnected, disconnected])] == [
        Violation("dropped", "subscriber", "closed with 1001")
    ]
    assert [*check_rolling_update([ReconnectRequested(client="other", retry_after_ms=100), disconnected])]


def test_a_recovery_lasts_from_the_fault_to_the_games_next_acknowledged_action() -> None:
    records = valid_history()
    acknowledged = [record for record in records if isinstance(record, Acknowledged)]
    for number, record in enumerate(acknowledged):
        record.at = 10.0 + number
    tally, second = Tally(), Tally()
    tally.add([*records, Fault(kind="fall", detail="", at=12.5, healed_at=20.0)])
    assert recoveries(tally) == {"fall": [0.5], NO_FAULT: [pytest.approx(0.4)]}
    assert "| fall | 1 |  | 7.5 | 0.50 | 0.50 |" in markdown_table(tally, [])
    second.add([Fault(kind="rise", detail="", at=13.75, healed_at=20.0)])
    tally.merge(second)
    assert recoveries(tally)[TWO_FAULTS] == [0.5, 0.25]
    assert "| rise |  | 1 |  |  |  |" in markdown_table(tally, [])
