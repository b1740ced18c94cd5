"""Proving a game from its log alone: commitment, shuffle, digests, rules and result.

The log is replayed with this engine (`service.games.replay`). What the log says of every version (its patch, applied,
and its events) must be what the rules give. Members that this engine does not know are left alone, since the contract
only grows; those that an earlier release did not know are what they were then. Whoever writes the whole log anew makes
all digests fit: that it is the log of the game that was played is only shown by what somebody saw of it before
(`Seen`). Source: api.md, "The provable shuffle".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from schemas.diffs import Diff, canonical_body, next_digest
from schemas.game import GameView
from schemas.tileset import TileSet
from service.engine import TileSetIndex, build_view
from service.games.replay import InvalidLog, LoggedChange, Replay
from service.games.shuffle import RANDOM_SEED_BYTES, commitment, tileset_hash
from service.json_patch import apply_patch

_DRAWN_SEED = re.compile(rf"[0-9a-f]{{{2 * RANDOM_SEED_BYTES}}}")

LATER_MEMBERS = {"turn_timeout_s": None, "on_timeout": None, "previous_game": None, "next_game": None}
"""Members of GAME that the first release did not know."""


class Check(NamedTuple):
    """One thing that was checked; `passed` is None where it can't be known yet."""

    name: str
    passed: bool | None
    detail: str


class Observed(NamedTuple):
    """What somebody saw of the game while it was played, and wrote down."""

    commitment: str | None = None
    digests: tuple[tuple[int | None, str], ...] = ()
    """Each with its version, where that is known."""


NOTHING_OBSERVED = Observed()

CHECKS = ("digests", "seen", "patches", "commitment", "rules", "result")
"""In their order; `seen` only where something was."""


def verify(log: Sequence[Mapping[str, Any]], tileset: TileSet, seen: Observed = NOTHING_OBSERVED) -> list[Check]:
    """Check a whole log, from version 1 on. Each element is a DIFF as it came, decoded from JSON.

    The checks come in the order of CHECKS; after a failed one the rest is not tried.
    """
    checks: list[Check] = []
    names = [name for name in CHECKS if name != "seen" or seen != NOTHING_OBSERVED]
    try:
        for name, detail in _checked(log, tileset, seen):
            checks.append(Check(name, passed=detail is not None, detail=detail or ""))
            if detail is None:
                unknown = "the seed is revealed when the game ends"
                checks[-1:] = [Check(left, passed=None, detail=unknown) for left in names[names.index(name) :]]
    except InvalidLog as broken:
        checks.append(Check(names[len(checks)], passed=False, detail=str(broken)))
    return checks


def _checked(log: Sequence[Mapping[str, Any]], tileset: TileSet, seen: Observed) -> Iterator[tuple[str, str | None]]:
    """Each check with what it found; None ends them where the seed is not known yet. Raises Broken."""
    yield "digests", _check_digests(log)
    if seen != NOTHING_OBSERVED:
        yield "seen", _check_seen(log, seen)
    states = _states(log)
    yield "patches", f"{len(states)} states, the last one {states[-1]['status']}"
    seed = states[-1]["deck"]["seed"]
    if seed is None:
        yield "commitment", None
        return
    yield "commitment", _check_commitment(states[-1], seed, tileset)
    yield "rules", _check_rules(log, states, seed, tileset)
    yield "result", _tell_result(states[-1])


def _check_digests(log: Sequence[Mapping[str, Any]]) -> str:
    """Versions without gap, and each digest over the one before."""
    if not log:
        raise InvalidLog("the log is empty")
    previous = ""
    for version, diff in enumerate(log, 1):
        if diff.get("version") != version:
            raise InvalidLog(f"the log goes on with version {diff.get('version')}", version)
        if diff.get("game") != log[0].get("game"):
            raise InvalidLog("the diff is another game's", version)
        previous = next_digest(previous or _commitment_of(diff), canonical_body(diff))
        if diff.get("digest") != previous:
            raise InvalidLog(f"the digest is {diff.get('digest')}, but should be {previous}", version)
    return f"{len(log)} digests, the last one {previous}"


def _check_seen(log: Sequence[Mapping[str, Any]], seen: Observed) -> str:
    """Whether this is the log that somebody saw."""
    found = []
    if seen.commitment is not None:
        told = _commitment_of(log[0])
        if told != seen.commitment:
            raise InvalidLog(
                f"this log's commitment is {told}, not {seen.commitment}: it is another game's, or made anew"
            )
        found.append("the commitment")
    versions = {str(diff["digest"]): int(diff["version"]) for diff in log}
    for version, digest in seen.digests:
        if (there := versions.get(digest)) is None or version not in (None, there):
            raise InvalidLog(
                f"no version of this log has the digest {digest}: it is another game's, or made anew", version
            )
        found.append(f"the digest of version {there}")
    return " and ".join(found)


def _commitment_of(first: Mapping[str, Any]) -> str:
    try:
        return str(apply_patch({}, first["patch"])["deck"]["commitment"])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidLog("the first patch builds no game", 1) from error


def _states(log: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """GAME of every version."""
    states: list[dict[str, Any]] = []
    state: dict[str, Any] = {}
    for version, diff in enumerate(log, 1):
        try:
            state = apply_patch(state, diff["patch"])
            msgspec.convert(upgrade_state(state), GameView)
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
        raise InvalidLog(f"seed and tile set give {expected}, but {state['deck']['commitment']} was promised")
    if state["deck"]["seed_chosen"]:
        return f"seed {seed} (chosen by somebody)"
    if _DRAWN_SEED.fullmatch(seed) is None:
        digits = 2 * RANDOM_SEED_BYTES
        raise InvalidLog(
            f"the seed {seed} is said not to be chosen, but is none that the service draws: {digits} hex digits"
        )
    return f"seed {seed} (not chosen)"


def _check_rules(
    log: Sequence[Mapping[str, Any]], states: Sequence[dict[str, Any]], seed: str, tileset: TileSet
) -> str:
    """Replay everything with the engine; every state and every event must come out the same."""
    index = TileSetIndex(tileset)
    starts = [event["seat"] for diff in log for event in diff["events"] if event["type"] == "game_started"]
    replay = Replay(index, msgspec.convert(upgrade_state(states[0]), GameView), seed, starts[0] if starts else 0)
    moves = 0
    for raw, state in zip(log, states, strict=True):
        told = msgspec.convert(raw, LoggedChange)
        if told.version > 1:
            replay.step(told)
        if "next_game" not in state:
            replay.game.undoable = 0  # nothing could be taken back then
        moves += told.move is not None
        if (where := _difference(raw["events"], msgspec.to_builtins(replay.events))) is not None:
            raise InvalidLog(f"by the rules the events are different at {where}", told.version)
        if (
            where := _difference(upgrade_state(state), msgspec.to_builtins(build_view(index, replay.game)))
        ) is not None:
            raise InvalidLog(f"by the rules the game is different at {where}", told.version)
    return f"{moves} moves in {replay.game.turn_number} turns"


def upgrade_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """GAME with the members that an earlier release did not know."""
    turn = state["turn"]
    return {
        **LATER_MEMBERS,
        **state,
        "players": [{"resigned": False, **player} for player in state["players"]],
        "turn": None if turn is None else {"undoable": 0, **turn},
    }


def _difference(told: Any, expected: Any, path: str = "$") -> str | None:
    """Where `told` is not what is expected; members that are not expected are left alone."""
    if isinstance(expected, dict) and isinstance(told, dict):
        for name, value in expected.items():
            if name not in told:
                return f"{path}.{name}"
            if (where := _difference(told[name], value, f"{path}.{name}")) is not None:
                return where
        extra = set(told) - set(expected) if path == "$.board" else set()
        return f"{path}.{min(extra)}" if extra else None
    if isinstance(expected, list) and isinstance(told, list) and len(expected) == len(told):
        pairs = enumerate(zip(told, expected, strict=True))
        return next((found for i, (a, b) in pairs if (found := _difference(a, b, f"{path}[{i}]")) is not None), None)
    return None if told == expected else path


def _tell_result(state: Mapping[str, Any]) -> str:
    result = state["result"]
    if result is None:
        return f"{state['status']}, no result"
    scores = ", ".join(f"seat {score['seat']} {score['total']}" for score in result["scores"])
    return f"{result['reason']}; {scores}"
