"""The checker finds each violation that is put into a history, and nothing in one that is right."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.chaos.checker import MEANINGS, check
from tests.chaos.history import (
    Acknowledged,
    ContractViolation,
    DiffReceived,
    FinalReplica,
    FinalState,
    Invoked,
    Record,
    Rejected,
    Retried,
    SnapshotReceived,
    Undetermined,
    dump,
    load,
)
from tests.chaos.recorded_history import GAME, document_at, recorded
from tests.games.game_logs import rechain


def find_record(records: list[Record], kind: type[Any], number: int = 20) -> Any:
    """One record of a kind in the middle of a history."""
    return [record for record in records if isinstance(record, kind)][number]


def final_state(records: list[Record]) -> FinalState:
    result: FinalState = find_record(records, FinalState, 0)
    return result


def kinds(records: list[Record]) -> set[str]:
    return {violation.kind for violation in check(records)}


def test_a_history_that_is_right_has_no_violation(tmp_path: Path) -> None:
    records = recorded()
    assert check(records) == []
    dump(records, tmp_path / "history.jsonl.gz")
    assert load(tmp_path / "history.jsonl.gz") == records


def lose_an_action(records: list[Record]) -> None:
    """Acknowledge a version whose log has a different history."""
    one = find_record(records, Acknowledged)
    one.digest, one.diffs = "0" * 32, [(one.version, "0" * 32)]


def lose_the_end(records: list[Record]) -> None:
    """Remove the last versions, as a failover may."""
    received = final_state(records)
    del received.log[-3:]
    received.document = document_at(len(received.log))
    received.tag = f"{len(received.log)}-{received.log[-1]['digest']}"


def lose_and_play_another(records: list[Record]) -> None:
    """In the place of an acknowledged action there is another."""
    find_record(records, Invoked).move = "p9.9.9"


def double_an_action(records: list[Record]) -> None:
    """Two versions of the log, one of which was asked for."""
    removed = find_record(records, Invoked)
    records[:] = [record for record in records if getattr(record, "key", None) != removed.key]


def answer_two_with_one(records: list[Record]) -> None:
    """Two actions that were acknowledged by the same version."""
    requested, acknowledged = find_record(records, Invoked), find_record(records, Acknowledged)
    records.append(msgspec.structs.replace(requested, key="again"))
    records.append(msgspec.structs.replace(acknowledged, key="again"))


def reject_a_committed_action(records: list[Record]) -> None:
    """Reject an action that was committed."""
    one = find_record(records, Acknowledged)
    records[records.index(one)] = Rejected(client=one.client, key=one.key, code="version_mismatch")


def change_the_past(records: list[Record]) -> None:
    """Replace the log by another one with valid digests."""
    log = final_state(records).log
    log[30]["at"] = "2030-01-01T00:00:00Z"
    rechain(log)


def tag_wrongly(records: list[Record]) -> None:
    final_state(records).tag = "1-" + "0" * 32


def see_twice(records: list[Record]) -> None:
    one = find_record(records, DiffReceived)
    records.insert(records.index(one), msgspec.structs.replace(one))


def see_out_of_order(records: list[Record]) -> None:
    one, other = find_record(records, DiffReceived), find_record(records, DiffReceived, 21)
    one.version, one.digest, other.version, other.digest = other.version, other.digest, one.version, one.digest


def receive_an_unlogged_diff(records: list[Record]) -> None:
    find_record(records, DiffReceived).digest = "0" * 32


def resync_without_need(records: list[Record]) -> None:
    """Send a subscriber a snapshot where diffs would have been enough."""
    one, other = find_record(records, DiffReceived), find_record(records, DiffReceived, 22)
    whole = SnapshotReceived(
        client="watcher",
        game=GAME,
        version=other.version,
        digest=other.digest,
        since_version=one.version,
        since_digest=one.digest,
    )
    begin = records.index(one) + 1
    observed = [record for record in records[begin : records.index(other) + 1] if isinstance(record, DiffReceived)]
    for record in observed:
        records.remove(record)
    records.insert(begin, whole)


def verify_badly(records: list[Record]) -> None:
    final_state(records).verified = "rules: no"


@pytest.mark.parametrize(
    ("spoil", "kind"),
    (
        (lose_an_action, "lost"),
        (lose_the_end, "lost"),
        (lose_and_play_another, "lost"),
        (double_an_action, "doubled"),
        (answer_two_with_one, "doubled"),
        (reject_a_committed_action, "contradicted"),
        pytest.param(
            lambda records: records.append(Retried(client="owner", key="k20", is_equal=False)),
            "repeated",
            id="a second response that differs",
        ),
        pytest.param(lambda records: final_state(records).log.pop(30), "gap", id="a version missing in the log"),
        pytest.param(
            lambda records: final_state(records).log[30].update(digest="0" * 32),
            "digest",
            id="a digest that does not follow",
        ),
        (change_the_past, "lost"),
        (change_the_past, "strange"),
        (tag_wrongly, "digest"),
        pytest.param(
            lambda records: final_state(records).document.update(bag=77), "view", id="a game that its log does not make"
        ),
        pytest.param(lambda records: records.remove(find_record(records, DiffReceived)), "missed", id="a diff missed"),
        (see_twice, "missed"),
        (see_out_of_order, "missed"),
        (receive_an_unlogged_diff, "strange"),
        (resync_without_need, "resync"),
        pytest.param(
            lambda records: find_record(records, FinalReplica, 0).document.update(bag=77),
            "view",
            id="an outdated replica at the end",
        ),
        pytest.param(
            lambda records: records.remove(find_record(records, FinalReplica, 0)), "view", id="no replica at the end"
        ),
        pytest.param(
            lambda records: final_state(records).document.update(status="active"),
            "unfinished",
            id="a game that does not end",
        ),
        pytest.param(lambda records: records.remove(final_state(records)), "unfinished", id="no final state"),
        (verify_badly, "verify"),
        pytest.param(
            lambda records: records.append(ContractViolation(client="owner", detail="500")),
            "broke",
            id="what the contract forbids",
        ),
    ),
)
def test_each_violation_is_found(spoil: Callable[[list[Record]], object], kind: str) -> None:
    records = recorded()
    spoil(records)
    assert kind in kinds(records)
    assert kinds(records) <= {*MEANINGS}


def test_an_action_that_was_given_up_may_have_been_done_or_not() -> None:
    records = recorded()
    one = find_record(records, Acknowledged)
    records[records.index(one)] = Undetermined(client=one.client, key=one.key, reason="no answer")
    requested = Invoked(client="owner", game=GAME, key="never", move="p1.1.1", seat=0, if_match=None)
    records += [requested, Undetermined(client="owner", key="never", reason="no answer")]
    assert check(records) == []


def test_a_second_request_that_was_refused_says_nothing_of_the_first_which_may_be_at_work_still() -> None:
    records = recorded()
    one = find_record(records, Acknowledged)
    records[records.index(one)] = Rejected(client=one.client, key=one.key, code="not_your_turn", attempts=2)
    assert check(records) == []


def test_a_watcher_of_what_was_taken_back_gets_the_whole_game() -> None:
    """A failover may take back what was never acknowledged, though a watcher has seen it."""
    records = recorded()
    one, following = find_record(records, DiffReceived), find_record(records, DiffReceived, 21)
    strange = DiffReceived(client="watcher", game=GAME, version=following.version, digest="0" * 32)
    whole = SnapshotReceived(
        client="watcher",
        game=GAME,
        version=one.version,
        digest=one.digest,
        since_version=strange.version,
        since_digest=strange.digest,
    )
    begin = records.index(one) + 1
    records[begin:begin] = [strange, whole]
    assert check(records) == []
