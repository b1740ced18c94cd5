"""Reads a history, and finds what must not be in it. It knows the contract, and nothing of the service's code."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jsonpatch
import msgspec

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
)
from tests.chaos.replica import next_digest

__all__ = ["MEANINGS", "Violation", "check"]


MEANINGS = {
    "lost": "an action that was acknowledged is not in the game's log as it was acknowledged",
    "doubled": "an action is in the log that nobody asked for, or that answers two",
    "contradicted": "an action that was refused for good is in the log all the same",
    "repeated": "a second answer to the same key differs from the first",
    "gap": "the log's versions are not 1, 2, 3, ...",
    "digest": "the log's chain of digests is broken, or the game's tag is not its end",
    "missed": "a watcher was not told a version, or was told one twice or out of order",
    "strange": "a watcher was told, and left believing, what is not in the log",
    "resync": "a watcher was told the whole game where it could have gone on from what it had",
    "view": "a watcher's copy at the end is not the game, or the log does not make the game",
    "unfinished": "a game did not come to its end",
    "verify": "a finished game does not prove itself",
    "broke": "a client met what the contract forbids, or an instance logged an error",
    "failed": "in an update: somebody was refused, or lost a connection without a word before it",
}
"""Every kind of violation."""


class Violation(NamedTuple):
    """Something that must not be."""

    kind: str
    who: str
    """A client, or a game."""
    detail: str


class _Operation(msgspec.Struct):
    """An action from its request to its end."""

    asked: Invoked
    acknowledged: Acknowledged | None = None
    refused: Rejected | None = None


def check(records: Sequence[Record]) -> list[Violation]:
    """All violations in a history."""
    truths = {record.game: record for record in records if isinstance(record, FinalState)}
    ops = _operations(records)
    result = [
        Violation("broke", record.client, record.detail) for record in records if isinstance(record, ContractViolation)
    ]
    result += [
        Violation("repeated", record.client, record.key)
        for record in records
        if isinstance(record, Retried) and not record.is_equal
    ]
    games = {op.asked.game for op in ops} | {
        record.game for record in records if isinstance(record, (DiffReceived, SnapshotReceived))
    }
    result += [Violation("unfinished", game, "nobody knows how it ended") for game in sorted(games - {*truths})]
    for game, truth in truths.items():
        result += _check_log(truth)
        result += _check_operations(truth, [op for op in ops if op.asked.game == game])
    result += _check_subscribers(records, truths)
    return result


def _operations(records: Sequence[Record]) -> list[_Operation]:
    ops: dict[str, _Operation] = {}
    for record in records:
        match record:
            case Invoked():
                ops[record.key] = _Operation(record)
            case Acknowledged():
                ops[record.key].acknowledged = record
            case Rejected():
                ops[record.key].refused = record
            case _:
                pass
    return [*ops.values()]


def _check_log(truth: FinalState) -> Iterator[Violation]:
    """Check that the log verifies, that the game equals the end of its log, and that it has finished."""
    versions = [diff["version"] for diff in truth.log]
    if versions != [*range(1, truth.document["version"] + 1)]:
        missing = sorted({*range(1, truth.document["version"] + 1)} - {*versions})
        yield Violation("gap", truth.game, f"the log has not {missing[:10]} of {truth.document['version']} versions")
    document: dict[str, Any] = {}
    digest = ""
    for diff in msgspec.json.decode(msgspec.json.encode(truth.log)):
        try:
            document = jsonpatch.apply_patch(document, diff["patch"], in_place=True)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            yield Violation("view", truth.game, f"the patch of version {diff['version']} does not apply")
            return
        digest = next_digest(digest or document["deck"]["commitment"], diff)
        if digest != diff["digest"]:
            yield Violation("digest", truth.game, f"that of version {diff['version']} does not continue the chain")
            digest = diff["digest"]
    if truth.tag != f"{truth.document['version']}-{digest}":
        yield Violation("digest", truth.game, f"the game's tag is {truth.tag}, its log ends with {digest}")
    if document != truth.document:
        yield Violation("view", truth.game, "the log's patches do not make the game")
    if truth.document["status"] != "finished":
        yield Violation("unfinished", truth.game, f"it is {truth.document['status']}")
    if truth.verified:
        yield Violation("verify", truth.game, truth.verified)


def _check_operations(truth: FinalState, ops: Sequence[_Operation]) -> Iterator[Violation]:
    """Each acknowledged action is there, once; and nothing that nobody asked for."""
    log = {diff["version"]: diff for diff in truth.log}
    claimed: Counter[int] = Counter()
    for op in ops:
        if op.acknowledged is None:
            continue
        received = op.acknowledged.diffs or [(op.acknowledged.version, op.acknowledged.digest)]
        lost = [version for version, digest in received if log.get(version, {}).get("digest") != digest]
        mine = [version for version, _ in received if _is_commit_of(log.get(version), op.asked)]
        if lost or not mine:
            yield Violation("lost", op.asked.client, f"{op.asked.key} of version {received[0][0]} of {truth.game}")
        claimed.update(mine[:1])
    yield from _check_claims(truth, ops, claimed)


def _check_claims(truth: FinalState, ops: Sequence[_Operation], claimed: Counter[int]) -> Iterator[Violation]:
    """Every action of the log has been asked for once; whose end is not known may have been done, once."""
    for version, count in claimed.items():
        if count > 1:
            yield Violation("doubled", truth.game, f"version {version} answers {count} actions")
    open_ops = [op for op in ops if op.acknowledged is None]
    for diff in truth.log:
        if diff["by"] not in ("seat", "owner") or diff["version"] in claimed or diff["move"] is None:
            continue
        candidates = [op for op in open_ops if _is_commit_of(diff, op.asked)]
        unknown = next((op for op in candidates if _may_have_committed(op)), None)
        if unknown is not None:
            open_ops.remove(unknown)
        elif candidates:
            rejected = candidates[0].asked
            yield Violation("contradicted", rejected.client, f"{rejected.key} is version {diff['version']}")
        else:
            yield Violation("doubled", truth.game, f"version {diff['version']} was asked for by nobody")


def _may_have_committed(op: _Operation) -> bool:
    """Whether an action without an acknowledgement may be in the log.

    Its first request may be in a paused instance while the second is refused; only successes are kept under a key.
    """
    return op.refused is None or op.refused.attempts > 1


def _is_commit_of(diff: dict[str, Any] | None, asked: Invoked) -> bool:
    """Whether a diff may be what an action did."""
    if diff is None or (diff["move"], diff["seat"]) != (asked.move, asked.seat):
        return False
    return asked.if_match is None or asked.if_match.startswith(f"{diff['version'] - 1}-")


def _check_subscribers(records: Sequence[Record], truths: dict[str, FinalState]) -> Iterator[Violation]:
    received: dict[tuple[str, str], list[DiffReceived | SnapshotReceived]] = defaultdict(list)
    cached: dict[tuple[str, str], FinalReplica] = {}
    for record in records:
        if isinstance(record, (DiffReceived, SnapshotReceived)):
            received[record.client, record.game].append(record)
        elif isinstance(record, FinalReplica):
            cached[record.client, record.game] = record
    for (client, game), messages in received.items():
        if game not in truths:
            continue
        yield from _check_subscriber(client, truths[game], messages)
        end = cached.get((client, game))
        if end is None or end.document != truths[game].document or f"{end.version}-{end.digest}" != truths[game].tag:
            where = "nothing" if end is None else f"{end.version}-{end.digest}"
            yield Violation("view", client, f"holds {where} of {game}, which is at {truths[game].tag}")


def _check_subscriber(
    client: str, truth: FinalState, heard: Sequence[DiffReceived | SnapshotReceived]
) -> Iterator[Violation]:
    """Every version once and in order; the whole game only where there is no way on from what was told before."""
    digests = {diff["version"]: diff["digest"] for diff in truth.log}
    believed: list[DiffReceived | SnapshotReceived] = []
    """What was told since the last whole game that replaced another history."""
    for record in heard:
        if isinstance(record, SnapshotReceived):
            if record.since_version is not None:
                had = digests.get(record.since_version) == record.since_digest
                if had and record.version >= record.since_version:
                    yield Violation(
                        "resync",
                        client,
                        f"had version {record.since_version} of {truth.game}, got all of {record.version}",
                    )
                # What is taken back here was never acknowledged, or it is lost: that is another check.
                believed = []
        elif believed and record.version != believed[-1].version + 1:
            yield Violation(
                "missed", client, f"told version {record.version} of {truth.game} after {believed[-1].version}"
            )
        believed.append(record)
    for record in believed:
        if digests.get(record.version) != record.digest:
            yield Violation(
                "strange", client, f"told a version {record.version} of {truth.game} that is not in its log"
            )
