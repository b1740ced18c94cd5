"""Tests that the checker reports each violation that is planted in a history, and none in a valid one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.games.game_logs import rechain
from verification.chaos.checker import VIOLATION_KINDS, check
from verification.chaos.history import (
    Acknowledged,
    ContractViolation,
    DiffReceived,
    Fault,
    FinalReplica,
    FinalState,
    GameCreated,
    GameMissing,
    Invoked,
    Loss,
    Record,
    Rejected,
    Retried,
    SnapshotReceived,
    Undetermined,
    dump,
    load,
)
from verification.chaos.promotions import Failover
from verification.chaos.valid_history import GAME, document_at, valid_history


def get_record(records: list[Record], record_type: type[Any], number: int = 20) -> Any:
    """Return one record of a type, by default in the middle of the history."""
    return [record for record in records if isinstance(record, record_type)][number]


def replace_acknowledgement(records: list[Record], record_type: type[Any], **fields: Any) -> None:
    """Replace an acknowledgement by another outcome of its action."""
    acknowledged = get_record(records, Acknowledged)
    outcome = record_type(client=acknowledged.client, key=acknowledged.key, **fields)
    records[records.index(acknowledged)] = outcome


def snapshot(of: DiffReceived, since: DiffReceived | SnapshotReceived) -> SnapshotReceived:
    """Return a snapshot of the version of one diff, received after another."""
    return SnapshotReceived(**msgspec.structs.asdict(of), since_version=since.version, since_digest=since.digest)


def final_state(records: list[Record]) -> FinalState:
    state: FinalState = get_record(records, FinalState, 0)
    return state


def test_a_valid_history_has_no_violations(tmp_path: Path) -> None:
    records = valid_history()
    assert check(records) == []
    dump(records, tmp_path / "history.jsonl.gz")
    assert load(tmp_path / "history.jsonl.gz") == records


def lose_an_action(records: list[Record]) -> None:
    """Acknowledge a version that has another digest in the log."""
    acknowledged = get_record(records, Acknowledged)
    acknowledged.digest, acknowledged.diffs = "0" * 32, [(acknowledged.version, "0" * 32)]


def lose_the_end(records: list[Record]) -> None:
    """Remove the last versions, as a failover may."""
    state = final_state(records)
    del state.log[-3:]
    state.document = document_at(len(state.log))
    state.tag = f"{len(state.log)}-{state.log[-1]['digest']}"


def replace_an_action(records: list[Record]) -> None:
    """Acknowledge another action than the log has."""
    get_record(records, Invoked).move = "p9.9.9"


def commit_an_action_that_was_not_sent(records: list[Record]) -> None:
    removed = get_record(records, Invoked)
    records[:] = [record for record in records if getattr(record, "key", None) != removed.key]


def acknowledge_two_actions_with_one_version(records: list[Record]) -> None:
    invoked, acknowledged = get_record(records, Invoked), get_record(records, Acknowledged)
    records.append(msgspec.structs.replace(invoked, key="second"))
    records.append(msgspec.structs.replace(acknowledged, key="second"))


def replace_the_log(records: list[Record]) -> None:
    """Replace the log by another one with valid digests."""
    log = final_state(records).log
    log[30]["at"] = "2030-01-01T00:00:00Z"
    rechain(log)


def receive_a_diff_twice(records: list[Record]) -> None:
    diff = get_record(records, DiffReceived)
    records.insert(records.index(diff), msgspec.structs.replace(diff))


def receive_diffs_out_of_order(records: list[Record]) -> None:
    first, second = get_record(records, DiffReceived), get_record(records, DiffReceived, 21)
    first.version, first.digest, second.version, second.digest = (
        *(second.version, second.digest),
        *(first.version, first.digest),
    )


def receive_an_unlogged_diff(records: list[Record]) -> None:
    get_record(records, DiffReceived).digest = "0" * 32


def resync_without_need(records: list[Record]) -> None:
    """Replace two diffs by a snapshot."""
    last, other = get_record(records, DiffReceived), get_record(records, DiffReceived, 22)
    start = records.index(last) + 1
    replaced = [record for record in records[start : records.index(other) + 1] if isinstance(record, DiffReceived)]
    for record in replaced:
        records.remove(record)
    records.insert(start, snapshot(other, since=last))


def fail_verification(records: list[Record]) -> None:
    final_state(records).verify_errors = "rules: no"


@pytest.mark.parametrize(
    ("plant_violation", "kind"),
    (
        (lose_an_action, "lost"),
        (lose_the_end, "lost"),
        (replace_an_action, "lost"),
        (commit_an_action_that_was_not_sent, "duplicated"),
        (acknowledge_two_actions_with_one_version, "duplicated"),
        pytest.param(
            lambda records: replace_acknowledgement(records, Rejected, code="version_mismatch"),
            "contradicted",
            id="a rejected action in the log",
        ),
        pytest.param(
            lambda records: records.append(Retried(client="owner", key="k20", is_equal=False)),
            "retry",
            id="another response to a retry",
        ),
        pytest.param(lambda records: final_state(records).log.pop(30), "gap", id="a version missing in the log"),
        pytest.param(
            lambda records: final_state(records).log[30].update(digest="0" * 32),
            "digest",
            id="a broken chain of digests",
        ),
        (replace_the_log, "lost"),
        (replace_the_log, "unexpected"),
        pytest.param(
            lambda records: setattr(final_state(records), "tag", "1-" + "0" * 32), "digest", id="another ETag"
        ),
        pytest.param(
            lambda records: final_state(records).document.update(bag=77),
            "diverged",
            id="a game that differs from its log",
        ),
        pytest.param(lambda records: records.remove(get_record(records, DiffReceived)), "missed", id="a missed diff"),
        (receive_a_diff_twice, "missed"),
        (receive_diffs_out_of_order, "missed"),
        (receive_an_unlogged_diff, "unexpected"),
        (resync_without_need, "resync"),
        pytest.param(
            lambda records: get_record(records, FinalReplica, 0).document.update(bag=77),
            "diverged",
            id="an outdated replica",
        ),
        pytest.param(
            lambda records: records.remove(get_record(records, FinalReplica, 0)), "diverged", id="a missing replica"
        ),
        pytest.param(
            lambda records: final_state(records).document.update(status="active"), "unfinished", id="an unfinished game"
        ),
        pytest.param(lambda records: records.remove(final_state(records)), "unfinished", id="no final state"),
        (fail_verification, "verify"),
        pytest.param(
            lambda records: records.append(ContractViolation(client="owner", detail="500")),
            "contract",
            id="a violation of the contract",
        ),
    ),
)
def test_each_violation_is_reported(plant_violation: Callable[[list[Record]], object], kind: str) -> None:
    records = valid_history()
    plant_violation(records)
    assert kind in {violation.kind for violation in check(records)} <= VIOLATION_KINDS.keys()


def test_an_action_with_unknown_outcome_may_be_in_the_log_or_not() -> None:
    records = valid_history()
    replace_acknowledgement(records, Undetermined, reason="no response")
    invoked = Invoked(client="owner", game=GAME, key="uncommitted", move="p1.1.1", seat=0, if_match=None)
    records += [invoked, Undetermined(client="owner", key="uncommitted", reason="no response")]
    assert check(records) == []


def test_the_first_attempt_of_an_action_may_commit_although_the_second_is_rejected() -> None:
    records = valid_history()
    replace_acknowledgement(records, Rejected, code="not_your_turn", attempts=2)
    assert check(records) == []


def failover(at: float) -> Failover:
    """Return a failover that lasted for ten seconds."""
    return Failover(at, at + 10)


def undo_a_diff(records: list[Record]) -> DiffReceived:
    """Let a subscriber receive a diff that is not in the log, and then a snapshot of what it had before; return it."""
    last, following = get_record(records, DiffReceived), get_record(records, DiffReceived, 21)
    undone = DiffReceived(at=last.at, client="subscriber", game=GAME, version=following.version, digest="0" * 32)
    start = records.index(last) + 1
    records[start:start] = [undone, snapshot(last, since=undone)]
    return undone


def test_a_subscriber_may_get_a_snapshot_after_an_undone_diff() -> None:
    """A failover may undo an unacknowledged diff that a subscriber has received."""
    records = valid_history()
    undone = undo_a_diff(records)
    assert check(records, [failover(undone.at)]) == []


@pytest.mark.parametrize("seconds", (-15, 5))
def test_what_no_failover_undid_must_be_in_the_log(seconds: int) -> None:
    records = valid_history()
    undone = undo_a_diff(records)
    (violation,) = check(records, [failover(undone.at + seconds)])
    assert (violation.kind, violation.subject) == ("unexpected", "subscriber")


@pytest.mark.parametrize(("seconds", "kinds"), ((-1, []), (1, ["resync"]), (5, ["unexpected"])))
def test_an_undone_snapshot_is_needless_for_a_client_that_the_former_primary_could_send_diffs(
    seconds: int, kinds: list[str]
) -> None:
    """That is, which had its version before the failover, and need not give it back."""
    records = valid_history()
    last, following = get_record(records, DiffReceived), get_record(records, DiffReceived, 21)
    undone = msgspec.structs.replace(snapshot(following, since=last), at=last.at, digest="0" * 32)
    start = records.index(last) + 1
    records[start:start] = [undone, snapshot(last, since=undone)]
    assert [violation.kind for violation in check(records, [failover(last.at + seconds)])] == kinds


COPIED_AFTER = 40
"""The version that the servers' files have to which they go back, in tests of a loss."""


def go_back(records: list[Record], loss: Loss) -> None:
    """Undo the versions after COPIED_AFTER: what was acknowledged of them is in no log, and players then ended."""
    undone = {record.key for record in records if isinstance(record, Acknowledged) and record.version > COPIED_AFTER}
    for record in records:
        is_late = getattr(record, "key", None) in undone or getattr(record, "version", 0) > COPIED_AFTER
        record.at = (loss.stopped_at if is_late else loss.copied_at) - 1
    state = final_state(records)
    del state.log[COPIED_AFTER:]
    state.document = document_at(COPIED_AFTER)
    state.tag = f"{COPIED_AFTER}-{state.log[-1]['digest']}"


LOSS = Loss("node0", copied_at=100, stopped_at=110, slots=[])


def test_servers_that_go_back_lose_what_is_newer_than_their_files() -> None:
    records = valid_history()
    go_back(records, LOSS)
    acknowledged = get_record(records, Acknowledged, -1)
    records.append(Retried(client="owner", key=acknowledged.key, is_equal=False))
    assert check(records, (), [LOSS]) == []


def acknowledge_before_the_copy(records: list[Record]) -> None:
    get_record(records, Acknowledged, -1).at = LOSS.copied_at - 1


def send_after_the_stop(records: list[Record]) -> None:
    get_record(records, Invoked, -1).at = LOSS.stopped_at + 1


def keep_half_of_a_commit(records: list[Record]) -> None:
    kept, acknowledged = final_state(records).log[-1], get_record(records, Acknowledged, -1)
    acknowledged.diffs.append((kept["version"], kept["digest"]))


def create_before_the_copy(records: list[Record]) -> None:
    records.append(GameMissing(client="owner", game=GAME))


def answer_otherwise_what_is_kept(records: list[Record]) -> None:
    records.append(Retried(client="owner", key=get_record(records, Acknowledged, 0).key, is_equal=False))


def overlook(records: list[Record]) -> None:
    records.append(Fault(kind="older files", detail="", healed_at=115, notice="went back"))


@pytest.mark.parametrize(
    ("plant_violation", "kind"),
    (
        (acknowledge_before_the_copy, "lost"),
        (send_after_the_stop, "lost"),
        (send_after_the_stop, "unfinished"),
        (keep_half_of_a_commit, "lost"),
        (create_before_the_copy, "lost"),
        (answer_otherwise_what_is_kept, "retry"),
        (overlook, "unnoticed"),
        pytest.param(lambda records: final_state(records).log.pop(20), "gap", id="a gap"),
    ),
)
def test_servers_that_go_back_lose_nothing_else(plant_violation: Callable[[list[Record]], object], kind: str) -> None:
    records = valid_history()
    go_back(records, LOSS)
    plant_violation(records)
    assert kind in {violation.kind for violation in check(records, (), [LOSS])} <= VIOLATION_KINDS.keys()


@pytest.mark.parametrize(("slots", "kinds"), (((0, 16383), set()), ((0, 0), {"lost", "unfinished", "unexpected"})))
def test_only_games_of_servers_that_go_back_lose_anything(slots: tuple[int, int], kinds: set[str]) -> None:
    records, loss = valid_history(), msgspec.structs.replace(LOSS, slots=[slots])
    go_back(records, loss)
    assert kinds <= {violation.kind for violation in check(records, (), [loss])}
    assert bool(kinds) == bool(check(records, (), [loss]))


def test_a_game_that_was_created_after_the_copy_may_be_missing() -> None:
    created = GameCreated(game=GAME, scenario="test", at=LOSS.copied_at + 1)
    records: list[Record] = [created, GameMissing(client="owner", game=GAME)]
    assert check(records, (), [LOSS]) == []
    assert [violation.kind for violation in check(records)] == ["lost"]
