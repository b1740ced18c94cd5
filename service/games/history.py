"""A game from its log: replaying it, and verifying commitment, shuffle, digests, rules and result.

Bag and ships are ordered by the seed, and the rules apply each decision again.

Decisions come from the log; their results are computed, not copied.

To verify, the log is replayed with this engine: the patches and events of every version must be what the rules give.
Unknown members are ignored, because the API only grows. A forger can rewrite a whole log with matching digests, so only
what somebody observed during the game (`Observed`) shows that this log is the game's.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import msgspec

from schemas import events as facts
from schemas.actions import Action, Pass
from schemas.diffs import Diff
from schemas.game import GameView
from schemas.tileset import TileSet
from schemas.vocabulary import RequestedTimeoutPolicy
from service import engine
from service.games.automatic_turns import minimal_action, resign_on_timeout, substitute_on_timeout, timeout_event
from service.games.diffs import canonical_body, next_digest
from service.games.lifecycle import CLOCK, PLAYER_ROLES, advance_version, is_played_by_bot, may_return, take_seat_back
from service.games.tilesets import RANDOM_SEED_BYTES, commitment, shuffled_bag, shuffled_ships, tileset_hash
from service.i18n.events import LoggedChange
from service.json_patch import apply_patch


class InvalidLog(Exception):
    """The log contradicts the rules or itself: at a version, or as a whole."""

    def __init__(self, reason: str, version: int | None = None) -> None:
        super().__init__(reason if version is None else f"version {version}: {reason}")


class UndoPoint(NamedTuple):
    """A state that an undo restores, and the action that it takes back."""

    snapshot: bytes
    move: str


class Replay:
    """A game that is replayed from its second version on. Its methods raise InvalidLog for an impossible change."""

    def __init__(
        self, index: engine.TileSetIndex, first: GameView, seed: str, first_seat: int, creator: bytes = b""
    ) -> None:
        self._index = index
        self.game, self.events = _first_version(index, first, seed, first_seat)
        """The game so far, and the events of its last version."""
        self.game.creator = creator  # not in the log
        self._open = [player.seat for player in first.players if player.kind == "open"]
        self._advance(1, first.updated_at)
        self.undo_points: list[UndoPoint] = []
        """States that the decider can undo to, latest last."""
        self._clock_decides: tuple[int, int] | None = None
        """The turn and the seat for which the clock decides."""

    def step(self, change: LoggedChange) -> None:
        """Apply a logged change."""
        before = engine.encode_snapshot(self.game) if change.move is not None and change.by in PLAYER_ROLES else b""
        self.events = self._apply_action(change, change.move) if change.move is not None else self._apply_events(change)
        game = self.game
        self._clock_decides = (
            (game.turn_number, change.seat or 0) if change.move is not None and change.by == CLOCK else None
        )
        self._advance(change.version, change.at, seat=change.seat, move=change.move, by=change.by)
        if game.undoable > len(self.undo_points):
            self.undo_points.append(UndoPoint(before, change.move or ""))
        del self.undo_points[game.undoable :]

    def _advance(
        self, version: int, at: str, *, seat: int | None = None, move: str | None = None, by: str | None = None
    ) -> None:
        """Count the last events as a version."""
        try:
            advance_version(self.game, self.events, at, seat=seat, move=move, by=by)
        except (ValueError, OverflowError) as error:
            raise InvalidLog(f"{at} is not a timestamp: {error}", version) from error

    def _apply_action(self, change: LoggedChange, move: str) -> list[facts.AnyEvent]:
        """Apply an action of the decider, a bot or the clock."""
        game = self.game
        action = engine.parse_move_id(move)
        if action is None or game.status != "active" or change.seat != game.decider:
            raise InvalidLog(f"seat {change.seat} could not play {move}", change.version)
        first = self._timeout_events(change, action) if change.by == CLOCK else []
        if change.by in PLAYER_ROLES and is_played_by_bot(game, game.decider):
            raise InvalidLog(f"a bot decided for seat {change.seat}", change.version)
        try:
            return [*first, *engine.apply_action(self._index, game, action)[1]]
        except engine.IllegalMove as error:
            raise InvalidLog(f"{move} is illegal: {error.reason} ({error.rule})", change.version) from error

    def _timeout_events(self, change: LoggedChange, action: Action) -> list[facts.AnyEvent]:
        """Return the event before the clock's first decision of a turn; nothing before its next ones."""
        game = self.game
        if isinstance(minimal_action(self._index, game), Pass) and not isinstance(action, Pass):
            raise InvalidLog("the clock did not make the minimal decision", change.version)
        if self._clock_decides == (game.turn_number, game.decider):
            return []
        self._check_overdue(change, "pass")
        return [timeout_event(game)]

    def _check_overdue(self, change: LoggedChange, policy: str) -> None:
        """Check that the decider is late, and that the game has this policy."""
        game = self.game
        if game.deadline is None or change.at <= game.deadline:
            raise InvalidLog("no deadline had passed", change.version)
        if (game.on_timeout, change.seat) != (policy, game.decider):
            raise InvalidLog(f"at seat {game.decider}'s deadline the policy is {game.on_timeout}", change.version)

    def _apply_events(self, change: LoggedChange) -> list[facts.AnyEvent]:
        """Apply a change that is not an action."""
        game, index, seat = self.game, self._index, change.seat
        match [event for event in change.events if not isinstance(event, facts.GameResumed)]:
            case [facts.PlayerJoined(seat=joined, name=name, color=color), *_] if joined == engine.next_open_seat(game):
                return engine.take_seat(index, game, joined, name, color)
            case [facts.PlayerLeft(seat=left)] if game.status == "waiting" and self._has_joined(left):
                return engine.vacate_seat(game, left)
            case [facts.GameAborted()] if not engine.is_finished(game):
                return engine.mark_aborted(game)
            case [facts.TurnTimedOut(), facts.PlayerReplaced(bot=bot), *_] if seat is not None:
                self._check_overdue(change, "bot")
                return substitute_on_timeout(game, seat, bot)
            case [facts.TurnTimedOut(), facts.PlayerResigned(), *_] if seat is not None:
                self._check_overdue(change, "resign")
                return resign_on_timeout(index, game, seat)
            case [facts.PlayerResigned(), *_] if self._plays(change):
                return engine.resign(index, game, seat or 0)
            case [facts.PlayerReturned()] | [] if self._plays(change) and may_return(game, seat or 0):
                return take_seat_back(game, seat or 0)
            case [facts.MoveUndone(move=move)] if (
                self.undo_points and self._plays(change) and move == self.undo_points[-1].move
            ):
                return self._undo()
            case [facts.RematchCreated(game=rematch)] if engine.is_finished(game) and game.next_game is None:
                game.next_game = rematch
                return [*change.events]
            case _:
                raise InvalidLog("these events were impossible", change.version)

    def _has_joined(self, seat: int) -> bool:
        """Return whether a seat was open at creation and is taken."""
        return seat in self._open and self.game.players[seat].kind == "human"

    def _plays(self, change: LoggedChange) -> bool:
        """Return whether a player who has not resigned made this change."""
        seat, players = change.seat, self.game.players
        there = seat in range(len(players)) and not players[seat or 0].resigned
        return there and self.game.status == "active" and change.by in PLAYER_ROLES

    def _undo(self) -> list[facts.AnyEvent]:
        """Restore the last undo point."""
        point = self.undo_points[-1]
        self.game = restore(self.game, point)
        return [facts.MoveUndone(seat=self.game.decider, move=point.move)]


def restore(game: engine.Game, point: UndoPoint) -> engine.Game:
    """Return the game at an undo point, with its current version, digest and clock."""
    earlier = engine.decode_snapshot(point.snapshot)
    earlier.version, earlier.digest = game.version, game.digest
    earlier.deadline, earlier.absent, earlier.paused = game.deadline, game.absent, game.paused
    return earlier


def _first_version(
    index: engine.TileSetIndex, first: GameView, seed: str, first_seat: int
) -> tuple[engine.Game, list[facts.AnyEvent]]:
    """Set up the game from the seed and its players."""
    if first.on_timeout not in (None, *get_args(RequestedTimeoutPolicy)):
        raise InvalidLog(f"unknown time-out policy {first.on_timeout}", 1)
    game, events = engine.set_up(
        index,
        game_id=first.id,
        edition=first.edition,
        players=[
            engine.Player(name=player.name, color=player.color, kind=player.kind, bot=player.bot)
            for player in first.players
        ],
        first_seat=first_seat,
        bag=shuffled_bag(index, seed),
        ships=shuffled_ships(index, seed),
        seed=seed,
        seed_chosen=first.deck.seed_chosen,
        commitment=bytes.fromhex(first.deck.commitment),
        created_at=first.created_at,
        turn_timeout_s=first.turn_timeout_s,
        on_timeout=msgspec.convert(first.on_timeout, RequestedTimeoutPolicy | None),
    )
    game.previous_game = first.previous_game
    return game, events


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
    return f"{len(log)} digests, the last one {digests[-1].hex()}"


def chain_digests(
    log: Iterable[Mapping[str, Any]], game: Any, previous: bytes = b"", invalid: type[InvalidLog] = InvalidLog
) -> Iterator[tuple[bytes, bytes]]:
    """Yield the digest and the canonical body of each diff of a game's whole log; `previous` is the commitment.

    Without it the first diff's is used. Raises `invalid` where the log has another version, game or digest.
    """
    for version, diff in enumerate(log, 1):
        if (diff.get("version"), diff.get("game")) != (version, game):
            raise invalid(f"the diff is version {diff.get('version')} of game {diff.get('game')}", version)
        body = canonical_body(diff)
        digest = next_digest(previous or _commitment_of(diff), body)
        if diff.get("digest") != digest.hex():
            named = f"the digest is {diff.get('digest')}, but should be {digest.hex()}"
            raise invalid(f"{named}: the chain breaks", version)
        yield digest, body
        previous = digest


def _check_observed(log: Sequence[Mapping[str, Any]], observed: Observed) -> str:
    """Check that the log has what somebody observed."""
    details = []
    if observed.commitment is not None:
        committed = _commitment_of(log[0]).hex()
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


def _commitment_of(first: Mapping[str, Any]) -> bytes:
    try:
        return bytes.fromhex(apply_patch({}, first["patch"])["deck"]["commitment"])
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
    expected = commitment(state["id"], seed, tileset_hash(tileset)).hex()
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
    index = engine.TileSetIndex(tileset)
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
        if (where := _difference(state, msgspec.to_builtins(engine.build_view(index, replay.game)))) is not None:
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
