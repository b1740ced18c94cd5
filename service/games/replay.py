"""Playing a game again from its log: the order of bag and ships from the seed, each change as its diff says.

What was decided is taken from the log and done again by the rules; what follows from it is not believed but made anew.
"""

from typing import Any, NamedTuple, get_args

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
    EngineError,
    Game,
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
    """The log does not prove what it says; `version` is where (None for the whole log)."""

    def __init__(self, reason: str, version: int | None = None) -> None:
        super().__init__(reason if version is None else f"version {version}: {reason}")
        self.reason = reason
        self.version = version


class LoggedChange(msgspec.Struct, frozen=True):
    """What a diff says of a decision: all of it but the patch and the digest's proof."""

    version: int
    digest: str
    at: Timestamp
    seat: int | None
    move: str | None
    by: str | None
    events: list[AnyEvent]


class UndoPoint(NamedTuple):
    """A state that may be gone back to, and the action that was done then."""

    snapshot: bytes
    move: str


class Replay:
    """A game that is played again, from its second version on. All of it raises Broken where that cannot be."""

    def __init__(self, index: TileSetIndex, first: GameView, seed: str, first_seat: int, creator: bytes = b"") -> None:
        self._index = index
        self.game, self.events = _first_version(index, first, seed, first_seat)
        self.game.creator = creator  # of which the log says nothing
        """The game so far, and what happened in its last version."""
        self._open = [player.seat for player in first.players if player.kind == "open"]
        self._advance(1, first.updated_at)
        self.past: list[UndoPoint] = []
        """What the decider may go back to, the latest last."""
        self._clock_decides: tuple[int, int] | None = None
        """The turn and the seat that the clock decides for."""

    def step(self, told: LoggedChange) -> None:
        """Do again what a diff says was done."""
        before = encode_snapshot(self.game) if told.move is not None and told.by in PLAYER_ROLES else b""
        self.events = self._act(told, told.move) if told.move is not None else self._happen(told)
        game = self.game
        self._clock_decides = (game.turn_number, told.seat or 0) if told.move is not None and told.by == CLOCK else None
        self._advance(told.version, told.at, seat=told.seat, move=told.move, by=told.by)
        game.digest = told.digest
        if game.undoable > len(self.past):
            self.past.append(UndoPoint(before, told.move or ""))
        del self.past[game.undoable :]

    def _advance(self, version: int, at: str, **acted: Any) -> None:
        try:
            advance_version(self.game, self.events, at=at, **acted)
        except (ValueError, OverflowError) as error:
            raise InvalidLog(f"{at} is no time: {error}", version) from error

    def _act(self, told: LoggedChange, move: str) -> list[AnyEvent]:
        """An action of the decider, or of whoever decided for them."""
        game = self.game
        action = parse_move_id(move)
        if action is None or game.status != "active" or told.seat != game.decider:
            raise InvalidLog(f"seat {told.seat} could not do {move}", told.version)
        first = self._clock_begins(told, action) if told.by == CLOCK else []
        if told.by in PLAYER_ROLES and is_played_by_bot(game, game.decider):
            raise InvalidLog(f"a bot decided for seat {told.seat}", told.version)
        try:
            return [*first, *apply_action(self._index, game, action)[1]]
        except EngineError as error:
            raise InvalidLog(f"{move} is refused: {error}", told.version) from error

    def _clock_begins(self, told: LoggedChange, action: Action) -> list[AnyEvent]:
        """What the clock's first decision begins with; nothing where it goes on."""
        game = self.game
        if isinstance(minimal_action(self._index, game), Pass) and not isinstance(action, Pass):
            raise InvalidLog("the clock did more than it had to", told.version)
        if self._clock_decides == (game.turn_number, game.decider):
            return []
        self._check_overdue(told, "pass")
        return [timeout_event(game)]

    def _check_overdue(self, told: LoggedChange, policy: str) -> None:
        """Whoever decides is too late, and this is what then happens."""
        game = self.game
        if game.status != "active" or game.deadline is None or told.at <= game.deadline:
            raise InvalidLog("nobody's time was up", told.version)
        if (game.on_timeout, told.seat) != (policy, game.decider):
            raise InvalidLog(f"at seat {game.decider}'s deadline the policy is {game.on_timeout}", told.version)

    def _happen(self, told: LoggedChange) -> list[AnyEvent]:
        """A change without an action."""
        game, index, seat = self.game, self._index, told.seat
        match told.events:
            case [PlayerJoined(seat=joined, name=name, color=color), *_] if joined == next_open_seat(game):
                return take_seat(index, game, joined, name, color)
            case [PlayerLeft(seat=left)] if game.status == "waiting" and left in self._joined(game):
                return vacate_seat(game, left)
            case [GameAborted()] if not is_finished(game):
                return mark_aborted(game)
            case [TurnTimedOut(), PlayerReplaced(bot=bot), *_] if seat is not None:
                self._check_overdue(told, "bot")
                return substitute_on_timeout(game, seat, bot)
            case [TurnTimedOut(), PlayerResigned(), *_] if seat is not None:
                self._check_overdue(told, "resign")
                return resign_on_timeout(index, game, seat)
            case [PlayerResigned(), *_] if self._plays(told):
                return resign(index, game, seat or 0)
            case [PlayerReturned()] if self._plays(told) and is_played_by_bot(game, seat or 0):
                return return_player(game, seat or 0)
            case [MoveUndone(move=move)] if self.past and self._plays(told) and move == self.past[-1].move:
                return self._undo()
            case [RematchCreated(game=rematch)] if is_finished(game) and game.next_game is None:
                game.next_game = rematch
                return [*told.events]
            case _:
                raise InvalidLog("nothing like this could happen", told.version)

    def _joined(self, game: Game) -> list[int]:
        """The seats that were open at creation, and are taken."""
        return [seat for seat in self._open if game.players[seat].kind == "human"]

    def _plays(self, told: LoggedChange) -> bool:
        """Whether a seat did this itself that may still do something."""
        seat, players = told.seat, self.game.players
        there = seat in range(len(players)) and not players[seat or 0].resigned
        return there and self.game.status == "active" and told.by in PLAYER_ROLES

    def _undo(self) -> list[AnyEvent]:
        """Go one action back."""
        past = self.past[-1]
        self.game = restore(self.game, past)
        return [MoveUndone(seat=self.game.decider, move=past.move)]


def restore(game: Game, past: UndoPoint) -> Game:
    """The game as it was, with the history that it has now."""
    earlier = decode_snapshot(past.snapshot)
    earlier.version, earlier.digest = game.version, game.digest
    return earlier


def _first_version(index: TileSetIndex, first: GameView, seed: str, first_seat: int) -> tuple[Game, list[AnyEvent]]:
    """The game as the seed and its players give it."""
    if first.on_timeout not in (None, *get_args(RequestedTimeoutPolicy)):
        raise InvalidLog(f"nobody knows the policy {first.on_timeout}", 1)
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
