"""Verifying a game by its log alone: commitment, shuffle, digests, rules and result.

The log is replayed with this engine (`replay`): the patches and events of every version must be what the rules give.
Unknown members are ignored, because the API only grows. A forger can rewrite a whole log with matching digests, so only
what somebody observed during the game (`Observed`) shows that this log is the game's.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from schemas.diffs import Diff, canonical_body, next_digest
from schemas.game import GameView
from schemas.tileset import TileSet
from service.engine import TileSetIndex, build_view
from service.games.history.replay import InvalidLog, LoggedChange, Replay
from service.games.shuffle import RANDOM_SEED_BYTES, commitment, tileset_hash
from service.json_patch import apply_patch

_DRAWN_SEED = re.compile(rf"[0-9a-f]{{{2 * RANDOM_SEED_BYTES}}}")


class Check(NamedTuple):
    """The result of one check; `passed` is None if it cannot be known yet."""

    name: str
    passed: bool | None
    detail: str


class Observed(NamedTuple):
    """What somebody observed during the game."""

    commitment: str | None = None
    digests: tuple[tuple[int | None, str], ...] = ()
    """Each with its version, None if unknown."""


NOTHING_OBSERVED = Observed()

CHECKS = ("digests", "seen", "patches", "commitment", "rules", "result")
"""In the order of their execution; `seen` only if something was observed."""


def verify(log: Sequence[Mapping[str, Any]], tileset: TileSet, observed: Observed = NOTHING_OBSERVED) -> list[Check]:
    """Verify a whole log from version 1 on; each element is a DIFF, decoded from JSON.

    Return the checks in the order of CHECKS, up to the first that fails.
    """
    checks: list[Check] = []
    names = [name for name in CHECKS if name != "seen" or observed != NOTHING_OBSERVED]
    try:
        for name, detail in _run_checks(log, tileset, observed):
            checks.append(Check(name, passed=detail is not None, detail=detail or ""))
            if detail is None:
                unknown = "the seed is revealed when the game ends"
                checks[-1:] = [Check(left, passed=None, detail=unknown) for left in names[names.index(name) :]]
    except InvalidLog as broken:
        checks.append(Check(names[len(checks)], passed=False, detail=str(broken)))
    return checks


def _run_checks(
    log: Sequence[Mapping[str, Any]], tileset: TileSet, observed: Observed
) -> Iterator[tuple[str, str | None]]:
    """Yield each check's name and detail, the detail None if the seed is not known yet. Raises InvalidLog."""
    yield "digests", _check_digests(log)
    if observed != NOTHING_OBSERVED:
        yield "seen", _check_observed(log, observed)
    states = _states(log)
    yield "patches", f"{len(states)} states, the last one {states[-1]['status']}"
    seed = states[-1]["deck"]["seed"]
    if seed is None:
        yield "commitment", None
        return
    yield "commitment", _check_commitment(states[-1], seed, tileset)
    yield "rules", _check_rules(log, states, seed, tileset)
    yield "result", _describe_result(states[-1])


def _check_digests(log: Sequence[Mapping[str, Any]]) -> str:
    """Check that versions are consecutive and digests are chained."""
    if not log:
        raise InvalidLog("the log is empty")
    digests = [digest for digest, _ in chain_digests(log, log[0].get("game"))]
    return f"{len(log)} digests, the last one {digests[-1]}"


def chain_digests(
    log: Iterable[Mapping[str, Any]], game: Any, previous: str = "", invalid: type[InvalidLog] = InvalidLog
) -> Iterator[tuple[str, bytes]]:
    """Yield the digest and the canonical body of each diff of a game's whole log; `previous` is the commitment.

    Without it the first diff's is used. Raises `invalid` where the log has another version, game or digest.
    """
    for version, diff in enumerate(log, 1):
        if (diff.get("version"), diff.get("game")) != (version, game):
            raise invalid(f"the diff is version {diff.get('version')} of game {diff.get('game')}", version)
        body = canonical_body(diff)
        digest = next_digest(previous or _commitment_of(diff), body)
        if diff.get("digest") != digest:
            raise invalid(f"the digest is {diff.get('digest')}, but should be {digest}: the chain breaks", version)
        yield digest, body
        previous = digest


def _check_observed(log: Sequence[Mapping[str, Any]], observed: Observed) -> str:
    """Check that the log has what somebody observed."""
    details = []
    if observed.commitment is not None:
        committed = _commitment_of(log[0])
        if committed != observed.commitment:
            raise InvalidLog(
                f"this log's commitment is {committed}, not {observed.commitment}: it is of another game, "
                "or was rewritten"
            )
        details.append("the commitment")
    versions = {str(diff["digest"]): int(diff["version"]) for diff in log}
    for version, digest in observed.digests:
        if (logged_version := versions.get(digest)) is None or version not in (None, logged_version):
            raise InvalidLog(
                f"no version of this log has the digest {digest}: it is of another game, or was rewritten", version
            )
        details.append(f"the digest of version {logged_version}")
    return " and ".join(details)


def _commitment_of(first: Mapping[str, Any]) -> str:
    try:
        return str(apply_patch({}, first["patch"])["deck"]["commitment"])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidLog("the first patch builds no game", 1) from error


def _states(log: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return GAME of every version, by applying the patches."""
    states: list[dict[str, Any]] = []
    state: dict[str, Any] = {}
    for version, diff in enumerate(log, 1):
        try:
            state = apply_patch(state, diff["patch"])
            msgspec.convert(state, GameView)
            msgspec.convert(diff, Diff)
        except (KeyError, IndexError, TypeError, ValueError, msgspec.ValidationError) as error:
            raise InvalidLog(f"the patch does not give a game: {error}", version) from error
        if state["version"] != version:
            raise InvalidLog(f"the patch says version {state['version']}", version)
        states.append(state)
    return states


def _check_commitment(state: Mapping[str, Any], seed: str, tileset: TileSet) -> str:
    expected = commitment(state["id"], seed, tileset_hash(tileset))
    if state["tileset"] != tileset.id:
        raise InvalidLog(f"the game was played with the tile set {state['tileset']}, but {tileset.id} was given")
    if state["deck"]["commitment"] != expected:
        raise InvalidLog(f"seed and tile set give {expected}, but the commitment is {state['deck']['commitment']}")
    if state["deck"]["seed_chosen"]:
        return f"seed {seed} (chosen by somebody)"
    if _DRAWN_SEED.fullmatch(seed) is None:
        digits = 2 * RANDOM_SEED_BYTES
        raise InvalidLog(
            f"the seed {seed} is not marked as chosen, but is not {digits} hex digits as the service draws"
        )
    return f"seed {seed} (not chosen)"


def _check_rules(
    log: Sequence[Mapping[str, Any]], states: Sequence[dict[str, Any]], seed: str, tileset: TileSet
) -> str:
    """Replay the game, and compare every state and every event."""
    index = TileSetIndex(tileset)
    starts = [event["seat"] for diff in log for event in diff["events"] if event["type"] == "game_started"]
    replay = Replay(index, msgspec.convert(states[0], GameView), seed, starts[0] if starts else 0)
    moves = 0
    for raw, state in zip(log, states, strict=True):
        change = msgspec.convert(raw, LoggedChange)
        if change.version > 1:
            replay.step(change)
        moves += change.move is not None
        if (where := _difference(raw["events"], msgspec.to_builtins(replay.events))) is not None:
            raise InvalidLog(f"the rules give different events at {where}", change.version)
        if (where := _difference(state, msgspec.to_builtins(build_view(index, replay.game)))) is not None:
            raise InvalidLog(f"the rules give a different game at {where}", change.version)
    return f"{moves} moves in {replay.game.turn_number} turns"


def _difference(logged: Any, expected: Any, path: str = "$") -> str | None:
    """Return the path at which the log differs, None for nowhere; ignore members that are not expected."""
    if isinstance(expected, dict) and isinstance(logged, dict):
        for name, value in expected.items():
            if name not in logged:
                return f"{path}.{name}"
            if (difference := _difference(logged[name], value, f"{path}.{name}")) is not None:
                return difference
        extra = set(logged) - set(expected) if path == "$.board" else set()
        return f"{path}.{min(extra)}" if extra else None
    if isinstance(expected, list) and isinstance(logged, list) and len(expected) == len(logged):
        pairs = enumerate(zip(logged, expected, strict=True))
        differences = (_difference(a, b, f"{path}[{i}]") for i, (a, b) in pairs)
        return next((difference for difference in differences if difference is not None), None)
    return None if logged == expected else path


def _describe_result(state: Mapping[str, Any]) -> str:
    result = state["result"]
    if result is None:
        return f"{state['status']}, no result"
    scores = ", ".join(f"seat {score['seat']} {score['total']}" for score in result["scores"])
    return f"{result['reason']}; {scores}"
