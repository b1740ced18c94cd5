"""Replaying a game from its log: bag and ships are ordered by the seed, and the rules apply each decision again.

Decisions come from the log; their results are computed, not copied.
"""

from typing import NamedTuple, get_args

import msgspec

from schemas.actions import Action, Pass
from schemas.events import (
    AnyEvent,
    GameAborted,
    MoveUndone,
    PlayerJoined,
    PlayerLeft,
    PlayerReplaced,
    PlayerResigned,
    PlayerReturned,
    RematchCreated,
    TurnTimedOut,
)
from schemas.game import GameView, Timestamp
from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import (
    Game,
    IllegalMove,
    Player,
    TileSetIndex,
    apply_action,
    decode_snapshot,
    encode_snapshot,
    is_finished,
    mark_aborted,
    next_open_seat,
    parse_move_id,
    resign,
    return_player,
    set_up,
    take_seat,
    vacate_seat,
)
from service.games.lifecycle import CLOCK, PLAYER_ROLES, advance_version, is_played_by_bot
from service.games.shuffle import shuffled_bag, shuffled_ships
from service.games.timeouts import minimal_action, resign_on_timeout, substitute_on_timeout, timeout_event


class InvalidLog(Exception):
    """The log contradicts the rules or itself: at a version, or as a whole."""

    def __init__(self, reason: str, version: int | None = None) -> None:
        super().__init__(reason if version is None else f"version {version}: {reason}")


class LoggedChange(msgspec.Struct, frozen=True):
    """A diff without its patch."""

    version: int
    digest: str
    at: Timestamp
    seat: int | None
    move: str | None
    by: str | None
    events: list[AnyEvent]


class UndoPoint(NamedTuple):
    """A state that an undo restores, and the action that it takes back."""

    snapshot: bytes
    move: str


class Replay:
    """A game that is replayed from its second version on. Its methods raise InvalidLog for an impossible change."""

    def __init__(self, index: TileSetIndex, first: GameView, seed: str, first_seat: int, creator: bytes = b"") -> None:
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
        before = encode_snapshot(self.game) if change.move is not None and change.by in PLAYER_ROLES else b""
        self.events = self._apply_action(change, change.move) if change.move is not None else self._apply_events(change)
        game = self.game
        self._clock_decides = (
            (game.turn_number, change.seat or 0) if change.move is not None and change.by == CLOCK else None
        )
        self._advance(change.version, change.at, seat=change.seat, move=change.move, by=change.by)
        game.digest = change.digest
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

    def _apply_action(self, change: LoggedChange, move: str) -> list[AnyEvent]:
        """Apply an action of the decider, a bot or the clock."""
        game = self.game
        action = parse_move_id(move)
        if action is None or game.status != "active" or change.seat != game.decider:
            raise InvalidLog(f"seat {change.seat} could not play {move}", change.version)
        first = self._timeout_events(change, action) if change.by == CLOCK else []
        if change.by in PLAYER_ROLES and is_played_by_bot(game, game.decider):
            raise InvalidLog(f"a bot decided for seat {change.seat}", change.version)
        try:
            return [*first, *apply_action(self._index, game, action)[1]]
        except IllegalMove as error:
            raise InvalidLog(f"{move} is illegal: {error.reason} ({error.rule})", change.version) from error

    def _timeout_events(self, change: LoggedChange, action: Action) -> list[AnyEvent]:
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
        if game.status != "active" or game.deadline is None or change.at <= game.deadline:
            raise InvalidLog("no deadline had passed", change.version)
        if (game.on_timeout, change.seat) != (policy, game.decider):
            raise InvalidLog(f"at seat {game.decider}'s deadline the policy is {game.on_timeout}", change.version)

    def _apply_events(self, change: LoggedChange) -> list[AnyEvent]:
        """Apply a change that is not an action."""
        game, index, seat = self.game, self._index, change.seat
        match change.events:
            case [PlayerJoined(seat=joined, name=name, color=color), *_] if joined == next_open_seat(game):
                return take_seat(index, game, joined, name, color)
            case [PlayerLeft(seat=left)] if game.status == "waiting" and left in self._joined(game):
                return vacate_seat(game, left)
            case [GameAborted()] if not is_finished(game):
                return mark_aborted(game)
            case [TurnTimedOut(), PlayerReplaced(bot=bot), *_] if seat is not None:
                self._check_overdue(change, "bot")
                return substitute_on_timeout(game, seat, bot)
            case [TurnTimedOut(), PlayerResigned(), *_] if seat is not None:
                self._check_overdue(change, "resign")
                return resign_on_timeout(index, game, seat)
            case [PlayerResigned(), *_] if self._plays(change):
                return resign(index, game, seat or 0)
            case [PlayerReturned()] if self._plays(change) and is_played_by_bot(game, seat or 0):
                return return_player(game, seat or 0)
            case [MoveUndone(move=move)] if (
                self.undo_points and self._plays(change) and move == self.undo_points[-1].move
            ):
                return self._undo()
            case [RematchCreated(game=rematch)] if is_finished(game) and game.next_game is None:
                game.next_game = rematch
                return [*change.events]
            case _:
                raise InvalidLog("these events were impossible", change.version)

    def _joined(self, game: Game) -> list[int]:
        """Return the seats that were open at creation and are taken."""
        return [seat for seat in self._open if game.players[seat].kind == "human"]

    def _plays(self, change: LoggedChange) -> bool:
        """Return whether a player who has not resigned made this change."""
        seat, players = change.seat, self.game.players
        there = seat in range(len(players)) and not players[seat or 0].resigned
        return there and self.game.status == "active" and change.by in PLAYER_ROLES

    def _undo(self) -> list[AnyEvent]:
        """Restore the last undo point."""
        point = self.undo_points[-1]
        self.game = restore(self.game, point)
        return [MoveUndone(seat=self.game.decider, move=point.move)]


def restore(game: Game, point: UndoPoint) -> Game:
    """Return the game at an undo point, with its current version and digest."""
    earlier = decode_snapshot(point.snapshot)
    earlier.version, earlier.digest = game.version, game.digest
    return earlier


def _first_version(index: TileSetIndex, first: GameView, seed: str, first_seat: int) -> tuple[Game, list[AnyEvent]]:
    """Set up the game from the seed and its players."""
    if first.on_timeout not in (None, *get_args(RequestedTimeoutPolicy)):
        raise InvalidLog(f"unknown time-out policy {first.on_timeout}", 1)
    game, events = set_up(
        index,
        game_id=first.id,
        edition=first.edition,
        players=[
            Player(name=player.name, color=player.color, kind=player.kind, bot=player.bot) for player in first.players
        ],
        first_seat=first_seat,
        bag=shuffled_bag(index, seed),
        ships=shuffled_ships(index, seed),
        seed=seed,
        seed_chosen=first.deck.seed_chosen,
        commitment=first.deck.commitment,
        created_at=first.created_at,
        turn_timeout_s=first.turn_timeout_s,
        on_timeout=msgspec.convert(first.on_timeout, RequestedTimeoutPolicy | None),
    )
    game.previous_game = first.previous_game
    return game, events
