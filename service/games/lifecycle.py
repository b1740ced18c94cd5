"""What each new version means for the decider: bot or person, the deadline, and how many actions can be undone.

A deadline is set when a person's time begins: with each turn, and when another player decides within it (R5.10). The
decider can undo their own last actions of the turn, back to the last that revealed something hidden or that somebody
else did. A late action cannot be undone: otherwise a player could act and undo for ever without a time-out.

A game pauses when the clock has played a turn of each person since one of them last acted. Then nobody has a deadline,
and only bots decide, until a person acts.

It also says which games have people: a game is attended while some person has a seat, has not left it to a bot, has not
resigned, and they are not all absent. Watchers do not count: anybody can watch any number of games
at no cost.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from schemas import events as facts
from service.engine import Game, is_finished, return_player
from service.fair_queue import Requester
from service.telemetry.clock import timestamp, unix_seconds

REVEALING_EVENTS = frozenset({facts.TileDrawn, facts.TileDiscarded, facts.ShipRevealed, facts.GameFinished})
"""These events reveal what was hidden."""

CLOCK = "clock"
"""A diff's `by` for a decision after a time-out."""

PLAYER_ROLES = ("seat", "owner")
"""Values of a diff's `by` whose actions can be undone; those of bots and of the clock cannot."""


def advance_version(
    game: Game,
    events: list[facts.AnyEvent],
    at: str,
    *,
    seat: int | None = None,
    move: str | None = None,
    by: str | None = None,
) -> None:
    """Make a change the game's next version.

    `at` is the time as a timestamp, `seat` who acted and was the decider (None if nobody did), `move` the move's id,
    and `by` who decided for the seat: `owner`, `seat`, `bot` or `clock`. `events` get `game_paused` or `game_resumed`.
    """
    game.version += 1
    game.updated_at = at
    same = move is not None and game.status == "active" and game.decider == seat and not reveals_hidden(events)
    if not (events and type(events[0]) is facts.MoveUndone):
        late = game.deadline is not None and game.deadline < at
        game.undoable = game.undoable + 1 if same and by in PLAYER_ROLES and not late else 0
    if is_finished(game):
        game.creator = b""
    if game.turn_timeout_s is None:
        return
    _update_absence(game, events, by, has_ended=not same)
    if game.paused or game.status != "active" or game.players[game.decider].bot is not None or (same and by == CLOCK):
        game.deadline = None
    elif game.deadline is None or _begins_decision(game, events, None if move is None else seat):
        game.deadline = _deadline_after(at, game.turn_timeout_s)
    else:
        game.deadline = max(game.deadline, at)  # timestamps compare as strings


def reveals_hidden(events: Iterable[facts.AnyEvent]) -> bool:
    """Return whether the events reveal anything hidden."""
    return not REVEALING_EVENTS.isdisjoint(map(type, events))  # `isinstance` is slow for Structs that are no instance


def is_played_by_bot(game: Game, seat: int) -> bool:
    """Return whether a bot decides for a person."""
    player = game.players[seat]
    return player.kind == "human" and player.bot is not None


def may_return(game: Game, seat: int) -> bool:
    """Return whether a person may take a seat back, or resume a paused game."""
    return game.paused or is_played_by_bot(game, seat)


def take_seat_back(game: Game, seat: int) -> list[facts.AnyEvent]:
    """Let a person decide for their seat again, and return the events; that a game resumes is no event of this."""
    return return_player(game, seat) if is_played_by_bot(game, seat) else []


def is_abandoned(game: Game) -> bool:
    """Return whether bots play all seats of people in an active game: then it waits until somebody returns."""
    people = [player for player in game.players if player.kind == "human" and not player.resigned]
    return game.status == "active" and bool(people) and all(player.bot is not None for player in people)


def is_overdue(game: Game, now: int) -> bool:
    """Return whether the decider's time is up; the deadline's own second still counts as in time."""
    return game.deadline is not None and now > unix_seconds(game.deadline)


def bot_on_turn(game: Game) -> str | None:
    """Return the bot that must decide now; None for a person, or while the game rests."""
    bot = game.players[game.decider].bot if game.status == "active" else None
    return None if bot is None or is_abandoned(game) else bot


def next_due_at(game: Game, now: float) -> int | None:
    """Return when the scheduler must process a game: now if a bot is on turn, else right after the deadline, if any."""
    if bot_on_turn(game) is not None:
        return int(now)
    return None if game.deadline is None else unix_seconds(game.deadline) + 1


def _update_absence(game: Game, events: list[facts.AnyEvent], by: str | None, *, has_ended: bool) -> None:
    """Note whom the clock played, and pause the game once it has played for all; an action of a person resumes it."""
    if by in PLAYER_ROLES:
        game.absent = 0
        if game.paused:
            game.paused = False
            events.insert(0, facts.GameResumed())
    elif events and isinstance(events[0], facts.TurnTimedOut) and events[0].policy == "pass":
        game.absent |= 1 << events[0].seat
    if by == CLOCK and has_ended and game.status == "active" and game.absent and not is_attended(game):
        game.paused = True
        events.append(facts.GamePaused())


def _begins_decision(game: Game, events: Iterable[facts.AnyEvent], acted: int | None) -> bool:
    """Return whether a new decision has begun: another player's, or one in another turn."""
    return acted not in (None, game.decider) or any(isinstance(event, facts.TurnStarted) for event in events)


@lru_cache(maxsize=64)
def _deadline_after(at: str, seconds: int) -> str:
    return timestamp(unix_seconds(at) + seconds)


CREATOR_HASH_BYTES = 3
"""Short enough that hundreds of IPv4 addresses share each hash, so that it identifies nobody."""


def is_attended(game: Game) -> bool:
    """Return whether a person plays in the game."""
    return any(
        player.kind == "human" and player.bot is None and not player.resigned and not game.absent >> seat & 1
        for seat, player in enumerate(game.players)
    )


def upcoming_bots(game: Game) -> list[str]:
    """Return the bots that decide before the next person does, one entry per seat."""
    ahead: list[str] = []
    if bot_on_turn(game) is None:
        return ahead
    for step in range(len(game.players)):
        player = game.players[(game.decider + step) % len(game.players)]
        if player.bot is not None:
            ahead.append(player.bot)
        elif not player.resigned:
            break
    return ahead


def requester_of(game: Game) -> Requester:
    """Return the requester for decisions of the game's bots."""
    return Requester(game.creator, is_attended(game))


def hash_creator(client: str) -> bytes:
    """Return the hash of a client's address that is stored with a game until it ends.

    >>> hash_creator("192.0.2.1") == hash_creator("192.0.2.1") != hash_creator("192.0.2.2")
    True
    """
    return blake2b(client.encode(), digest_size=CREATOR_HASH_BYTES, person=b"creator").digest()
