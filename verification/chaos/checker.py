"""Searches a history for anomalies, by the public contract alone and without the service's code."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple

import jsonpatch
import msgspec

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
)
from verification.chaos.promotions import Failover
from verification.chaos.replica import next_digest

VIOLATION_KINDS = {
    "lost": (
        "An acknowledged action is not in the log, or has another digest; a game that was created does not exist. "
        "(Where servers went back to older files, what is newer may be lost, each commit as a whole.)"
    ),
    "duplicated": "The log has an action that no client sent, or one action twice.",
    "contradicted": (
        "An action was rejected, but committed. (If the response to its first request was lost, that request "
        "may still run in a paused instance while the second is rejected.)"
    ),
    "retry": "The response to a retry differs from the first response.",
    "gap": "The versions of the log are not 1, 2, 3, ...",
    "digest": "The chain of digests is broken, or the log does not end with the game's ETag.",
    "missed": "A subscriber missed a version, or received one twice or out of order.",
    "unexpected": (
        "A subscriber received a version that is not in the log, and no snapshot corrected it or no failover "
        "took it back."
    ),
    "resync": "A subscriber received a snapshot although diffs would have been enough.",
    "diverged": (
        "At the end, a subscriber's replica differs from the game, or the log's patches do not result in the game."
    ),
    "unfinished": "A game did not finish.",
    "unnoticed": "No instance logged a fault that their probe must find.",
    "verify": "`south-seas verify` rejects a finished game.",
    "contract": (
        "A client observed something that the contract forbids, or an instance logged an error. In a rolling "
        "update: a request failed."
    ),
    "dropped": (
        "In a rolling update: a subscription was rejected, or its connection ended without a `closing` "
        "message or `retry:`."
    ),
}
"""What each means."""


FAILOVER_MARGIN_S = 4.0
"""So long before and after a failover, what it takes back may reach a client.

An instance asks the sentinels each second; on a busy machine it learns of the new primary, and delivers, later.
"""


class Violation(NamedTuple):
    """A violation of the contract."""

    kind: str
    """One of VIOLATION_KINDS."""
    subject: str
    """The client or the game."""
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}: {self.detail}"


class _Operation(msgspec.Struct):
    """An action with its outcome, if it is known."""

    invocation: Invoked
    acknowledgement: Acknowledged | None = None
    rejection: Rejected | None = None
    is_taken_back: bool = False
    """Whether it was lost with newer files. It may be in the log once all the same, after a retry."""


def check(
    records: Sequence[Record], failovers: Sequence[Failover] = (), losses: Sequence[Loss] = ()
) -> list[Violation]:
    """Return all violations in a history, during which replicas were promoted, and servers went back to older files."""
    final_states = {record.game: record for record in records if isinstance(record, FinalState)}
    ops = _operations(records)
    result = [
        Violation("contract", record.client, record.detail)
        for record in records
        if isinstance(record, ContractViolation)
    ]
    games = {op.invocation.game for op in ops.values()} | {
        record.game for record in records if isinstance(record, (DiffReceived, SnapshotReceived))
    }
    result += _check_missing(records, losses)
    missing = {record.game for record in records if isinstance(record, GameMissing)}
    result += [
        Violation("unfinished", game, "its final state is missing")
        for game in sorted(games - {*final_states} - missing)
    ]
    ended_early = set[str]()
    for game, final_state in final_states.items():
        game_ops = [op for op in ops.values() if op.invocation.game == game]
        game_losses = [loss for loss in losses if loss.may_affect(game)]
        if _is_end_lost(records, final_state, game_ops, game_losses):
            ended_early.add(game)
        result += _check_log(final_state, is_end_lost=game in ended_early)
        result += _check_operations(final_state, game_ops, game_losses)
    result += _check_subscribers(records, final_states, failovers, losses, ended_early)
    result += [
        Violation("retry", record.client, record.key)
        for record in records
        if isinstance(record, Retried)
        and not (record.is_equal or ops[record.key].is_taken_back or ops[record.key].invocation.game in missing)
    ]
    result += [
        Violation("unnoticed", record.kind, record.detail)
        for record in records
        if isinstance(record, Fault) and record.notice and not record.is_noticed
    ]
    return result


def _check_missing(records: Sequence[Record], losses: Sequence[Loss]) -> Iterator[Violation]:
    """Check that only such games do not exist as were created after the copy of their servers' files."""
    created = {record.game: record for record in records if isinstance(record, GameCreated)}
    for record in records:
        if isinstance(record, GameMissing):
            game, creation = record.game, created[record.game]
            if not any(loss.may_take_back(game, creation.invoked_at, creation.at) for loss in losses):
                yield Violation("lost", record.client, f"{game} was created, but does not exist")


def _is_end_lost(
    records: Sequence[Record], final_state: FinalState, ops: Sequence[_Operation], losses: Sequence[Loss]
) -> bool:
    """Return whether players may have ended a game before its servers went back, and none has seen that.

    A clock may have ended it again.
    """
    log = {(diff["version"], diff["digest"]) for diff in final_state.log}
    game = final_state.game
    messages = [one for one in records if isinstance(one, (DiffReceived, SnapshotReceived)) and one.game == game]
    last_at = max((one.at for one in messages if (one.version, one.digest) not in log), default=0.0)
    return any(
        loss.copied_at < last_at and max((op.invocation.at for op in ops), default=loss.stopped_at) < loss.stopped_at
        for loss in losses
    )


def _operations(records: Sequence[Record]) -> dict[str, _Operation]:
    ops: dict[str, _Operation] = {}
    for record in records:
        match record:
            case Invoked():
                ops[record.key] = _Operation(record)
            case Acknowledged():
                ops[record.key].acknowledgement = record
            case Rejected():
                ops[record.key].rejection = record
            case _:
                pass
    return ops


def _check_log(final_state: FinalState, *, is_end_lost: bool) -> Iterator[Violation]:
    """Check that the log verifies, that the game equals the end of its log, and that it has finished."""
    versions = [diff["version"] for diff in final_state.log]
    if versions != [*range(1, final_state.document["version"] + 1)]:
        missing = sorted({*range(1, final_state.document["version"] + 1)} - {*versions})
        yield Violation(
            "gap", final_state.game, f"the log of {final_state.document['version']} versions lacks {missing[:10]}"
        )
    document: dict[str, Any] = {}
    digest = ""
    for diff in msgspec.json.decode(msgspec.json.encode(final_state.log)):
        try:
            document = jsonpatch.apply_patch(document, diff["patch"], in_place=True)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            yield Violation("diverged", final_state.game, f"the patch of version {diff['version']} does not apply")
            return
        digest = next_digest(digest or document["deck"]["commitment"], diff)
        if digest != diff["digest"]:
            yield Violation(
                "digest", final_state.game, f"the digest of version {diff['version']} does not continue the chain"
            )
            digest = diff["digest"]
    if final_state.tag != f"{final_state.document['version']}-{digest}":
        yield Violation("digest", final_state.game, f"the game's tag is {final_state.tag}, its log ends with {digest}")
    if document != final_state.document:
        yield Violation("diverged", final_state.game, "the log's patches do not result in the game")
    if final_state.document["status"] != "finished" and not is_end_lost:
        yield Violation("unfinished", final_state.game, f"its status is {final_state.document['status']}")
    if final_state.verify_errors:
        yield Violation("verify", final_state.game, final_state.verify_errors)


def _check_operations(
    final_state: FinalState, ops: Sequence[_Operation], losses: Sequence[Loss]
) -> Iterator[Violation]:
    """Check that the log has each acknowledged action once, and no action that no client sent.

    Of a commit that was taken back, no version may be left.
    """
    log = {diff["version"]: diff for diff in final_state.log}
    claimed: Counter[int] = Counter()
    for op in ops:
        if op.acknowledgement is None:
            continue
        diffs = op.acknowledgement.diffs or [(op.acknowledgement.version, op.acknowledgement.digest)]
        lost = [version for version, digest in diffs if log.get(version, {}).get("digest") != digest]
        committed = [version for version, _ in diffs if _is_commit_of(log.get(version), op.invocation)]
        if len(lost) == len(diffs) and any(
            loss.may_take_back(final_state.game, op.invocation.at, op.acknowledgement.at) for loss in losses
        ):
            op.is_taken_back = True
            continue
        if lost or not committed:
            yield Violation(
                "lost", op.invocation.client, f"{op.invocation.key} of version {diffs[0][0]} of {final_state.game}"
            )
        claimed.update(committed[:1])
    yield from _check_claims(final_state, ops, claimed)


def _check_claims(final_state: FinalState, ops: Sequence[_Operation], claimed: Counter[int]) -> Iterator[Violation]:
    """Check that each action of the log was sent once. An action with an unknown outcome may be in the log once."""
    for version, count in claimed.items():
        if count > 1:
            yield Violation("duplicated", final_state.game, f"{count} actions were acknowledged with version {version}")
    open_ops = [op for op in ops if op.acknowledgement is None or op.is_taken_back]
    for diff in final_state.log:
        if diff["by"] not in ("seat", "owner") or diff["version"] in claimed or diff["move"] is None:
            continue
        candidates = [op for op in open_ops if _is_commit_of(diff, op.invocation)]
        committed = next((op for op in candidates if _may_have_committed(op)), None)
        if committed is not None:
            open_ops.remove(committed)
        elif candidates:
            rejected = candidates[0].invocation
            yield Violation("contradicted", rejected.client, f"{rejected.key} is version {diff['version']}")
        else:
            yield Violation("duplicated", final_state.game, f"no client sent the action of version {diff['version']}")


def _may_have_committed(op: _Operation) -> bool:
    """Return whether an action without an acknowledgement may be in the log.

    Its first request may run in a paused instance while the second is rejected: a rejection is not stored with the key.
    """
    return op.rejection is None or op.rejection.attempts > 1


def _is_commit_of(diff: dict[str, Any] | None, invocation: Invoked) -> bool:
    """Return whether a diff may be the result of an action."""
    if diff is None or (diff["move"], diff["seat"]) != (invocation.move, invocation.seat):
        return False
    return invocation.if_match is None or invocation.if_match.startswith(f"{diff['version'] - 1}-")


def _check_subscribers(
    records: Sequence[Record],
    final_states: dict[str, FinalState],
    failovers: Sequence[Failover],
    losses: Sequence[Loss],
    ended_early: Container[str],
) -> Iterator[Violation]:
    """Check what subscribers of each game received, except that they left games whose end was lost later."""
    received: dict[tuple[str, str], list[DiffReceived | SnapshotReceived]] = defaultdict(list)
    replicas: dict[tuple[str, str], FinalReplica] = {}
    for record in records:
        if isinstance(record, (DiffReceived, SnapshotReceived)):
            received[record.client, record.game].append(record)
        elif isinstance(record, FinalReplica):
            replicas[record.client, record.game] = record
    for (client, game), messages in received.items():
        if game not in final_states:
            continue
        if game in ended_early:
            continue
        taking_back = [Failover(loss.copied_at, loss.stopped_at) for loss in losses if loss.may_affect(game)]
        yield from _check_subscriber(client, final_states[game], messages, [*failovers, *taking_back])
        final_state, replica = final_states[game], replicas.get((client, game))
        tag = "nothing" if replica is None else f"{replica.version}-{replica.digest}"
        if replica is None or replica.document != final_state.document or tag != final_state.tag:
            yield Violation("diverged", client, f"has {tag} of {game}, whose final state is {final_state.tag}")


def _check_subscriber(
    client: str,
    final_state: FinalState,
    messages: Sequence[DiffReceived | SnapshotReceived],
    failovers: Sequence[Failover],
) -> Iterator[Violation]:
    """Check that each version came once and in order, and a snapshot only where diffs would not do.

    Only a failover takes back what was received, which then was not acknowledged: another check reports what was.
    """
    game, digests = final_state.game, {diff["version"]: diff["digest"] for diff in final_state.log}
    last_snapshot = max((n for n, message in enumerate(messages) if isinstance(message, SnapshotReceived)), default=0)
    for number, message in enumerate(messages):
        version, before = message.version, messages[max(0, number - 1)]
        is_logged = digests.get(version) == message.digest
        undoing = [failover for failover in failovers if _may_undo(failover, message)]
        if not is_logged and (number >= last_snapshot or not undoing):
            yield Violation("unexpected", client, f"received version {version} of {game}, which is not in its log")
        if isinstance(message, DiffReceived):
            if number and version != before.version + 1:
                yield Violation("missed", client, f"received version {version} of {game} after {before.version}")
        elif message.since_version is not None:
            since = message.since_version
            # What the client had before the failover, the former primary had too, and could have gone on from there.
            is_needless = is_logged or (undoing and before.at < min(failover.begun_at for failover in undoing))
            if is_needless and since <= version and digests.get(since) == message.since_digest:
                yield Violation("resync", client, f"had version {since} of {game}, got a snapshot of {version}")


def _may_undo(failover: Failover, message: DiffReceived | SnapshotReceived) -> bool:
    """Return whether a message came so near to a failover that this may take back what it brings."""
    return failover.begun_at - FAILOVER_MARGIN_S <= message.at <= failover.ended_at + FAILOVER_MARGIN_S
