"""What each change means for whoever decides next: until when they may, and how much of it they may take back.

A deadline is set when a person's time begins: with each turn, and whenever another decides within it (R5.10). What may
be taken back are the decider's own last actions of this turn, since anything hidden was revealed, or anybody else did
something. What was done too late is not taken back: else the time of whoever acts and takes back for ever would never
be up.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from schemas.events import (
    AnyEvent,
    GameFinished,
    MoveUndone,
    ShipRevealed,
    TileDiscarded,
    TileDrawn,
    TurnStarted,
    TurnTimedOut,
)
from service.engine import Game, is_finished
from service.games.timestamps import timestamp, unix_seconds

REVEALING_EVENTS = (TileDrawn, TileDiscarded, ShipRevealed, GameFinished)
"""After these somebody knows what was hidden before."""

CLOCK = "clock"
"""A diff's `by` where nobody decided in time."""

PLAYER_ROLES = ("seat", "owner")
"""Who may take back what they did; bots and the clock never do."""


def advance_version(
    game: Game,
    events: Sequence[AnyEvent],
    *,
    at: str,
    seat: int | None = None,
    move: str | None = None,
    by: str | None = None,
) -> None:
    """Make the change that `events` tell the game's next version; who acted, if anybody did, was the decider."""
    game.version += 1
    game.updated_at = at
    same = move is not None and game.status == "active" and game.decider == seat and not reveals_hidden(events)
    if not (events and isinstance(events[0], MoveUndone)):
        late = game.deadline is not None and game.deadline < at
        game.undoable = game.undoable + 1 if same and by in PLAYER_ROLES and not late else 0
    if is_finished(game):
        game.creator = b""
    if game.turn_timeout_s is None:
        return
    _count_passes(game, events, by)
    if game.status != "active" or game.players[game.decider].bot is not None or (same and by == CLOCK):
        game.deadline = None
    elif game.deadline is None or _another_decides(game, events, None if move is None else seat):
        game.deadline = _later(at, game.turn_timeout_s)
    else:
        game.deadline = max(game.deadline, at)  # in order as texts; late, but before the clock


def reveals_hidden(events: Iterable[AnyEvent]) -> bool:
    """Whether anything hidden was revealed."""
    return any(isinstance(event, REVEALING_EVENTS) for event in events)


def is_played_by_bot(game: Game, seat: int) -> bool:
    """Whether a bot decides for a person."""
    player = game.players[seat]
    return player.kind == "human" and player.bot is not None


def is_abandoned(game: Game) -> bool:
    """Whether nobody is left at an active game: bots stand in for all its people, so it waits until one returns."""
    people = [player for player in game.players if player.kind == "human" and not player.resigned]
    return game.status == "active" and bool(people) and all(player.bot is not None for player in people)


def is_overdue(game: Game, now: int) -> bool:
    """Whether the decider's time is up; the second that the deadline names is still theirs."""
    return game.deadline is not None and now > unix_seconds(game.deadline)


def overdue_at(game: Game) -> int | None:
    """The first Unix second at which the decider's time is up."""
    return None if game.deadline is None else unix_seconds(game.deadline) + 1


def _count_passes(game: Game, events: Sequence[AnyEvent], by: str | None) -> None:
    """Count the deadlines at which the clock passed for somebody, until a person does anything."""
    if by in PLAYER_ROLES:
        game.consecutive_timeouts = 0
    elif events and isinstance(events[0], TurnTimedOut) and events[0].policy == "pass":
        game.consecutive_timeouts += 1


def _another_decides(game: Game, events: Iterable[AnyEvent], acted: int | None) -> bool:
    """Whether a decision has begun that is not the same player's in the same turn."""
    return acted not in (None, game.decider) or any(isinstance(event, TurnStarted) for event in events)


@lru_cache(maxsize=64)
def _later(at: str, seconds: int) -> str:
    return timestamp(unix_seconds(at) + seconds)
