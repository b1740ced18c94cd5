"""A random game in which everything may happen, played without a store."""

from random import Random

from schemas.events import AnyEvent, MoveUndone
from schemas.vocabulary import COLORS, RequestedTimeoutPolicy
from service.engine import (
    Game,
    Player,
    apply_action,
    build_view,
    decode_snapshot,
    encode_snapshot,
    legal_moves,
    move_id,
    next_open_seat,
    resign,
    return_player,
    take_seat,
    vacate_seat,
)
from service.games.automatic_turns import apply_timeout
from service.games.bots import greedy
from service.games.bots.registry import run_bot
from service.games.commands.play import compute_undo_point
from service.games.diffs import record_change
from service.games.history import restore
from service.games.lifecycle import is_played_by_bot
from service.games.ports import StoredDiff
from service.games.tilesets import commitment
from service.telemetry.clock import timestamp, unix_seconds
from tests.engine.lockstep import start_game
from tests.games.game_fixture import Clock
from tests.games.game_logs import LAGOON
from tests.games.test_diffs import Follower

TABLES = LAGOON.index


def strip_history(game: Game) -> bytes:
    """Encode a game without its version, digest and time, and without who is absent."""
    same = decode_snapshot(encode_snapshot(game))
    same.version, same.digest, same.updated_at, same.absent, same.paused = 0, b"", "", 0, False
    return encode_snapshot(same)


class RandomGame:
    """A random game and its log; an undo must restore the state before."""

    def __init__(
        self, seed: str, players: int, timeout_s: int | None, policy: RequestedTimeoutPolicy | None, open_seats: int = 0
    ) -> None:
        self.clock = Clock()
        self.random = Random(seed)
        self.open_seats = range(players - open_seats, players)
        people = [Player(name=color.title(), color=color, kind="human") for color in COLORS[: players - open_seats]]
        self.game, events = start_game(
            TABLES,
            [*people, *open_seats * [Player(name=None, color=None, kind="open")]],
            game_id="course",
            edition=self.random.choice(("international", "german")),
            seed=seed,
            commitment=commitment("course", seed, LAGOON.hash),
            created_at=timestamp(int(self.clock.now)),
            turn_timeout_s=timeout_s,
            on_timeout=policy,
        )
        self.log: list[StoredDiff] = []
        self.follower = Follower()
        self.states: list[bytes] = []
        """States that the decider can undo to."""
        self.append(record_change(TABLES, self.game, events, self.game.created_at))

    def append(self, diff: StoredDiff) -> None:
        """Append a diff to the log, and check it."""
        self.log.append(diff)
        self.follower.follow(self.game, diff)
        if self.game.deadline is not None:
            assert self.game.deadline >= self.game.updated_at
            assert not self.game.players[self.game.decider].bot
        assert self.game.undoable <= len(self.states)
        del self.states[self.game.undoable :]

    def join(self) -> None:
        """Take the next open seat."""
        if (seat := next_open_seat(self.game)) is not None:
            events = take_seat(TABLES, self.game, seat, f"P{seat}", COLORS[seat])
            self.append(record_change(TABLES, self.game, events, self.advance_clock()))

    def leave(self) -> None:
        """Let a random player who joined leave, if there is one."""
        if joined := [seat for seat in self.open_seats if self.game.players[seat].kind == "human"]:
            events = vacate_seat(self.game, self.random.choice(joined))
            self.append(record_change(TABLES, self.game, events, self.advance_clock()))

    def advance_clock(self) -> str:
        """Advance the clock by up to three seconds and return the time."""
        self.clock.now += self.random.choice((0, 0, 1, 3))
        return timestamp(int(self.clock.now))

    def act(self) -> None:
        """Play a random move of the decider, or the move of the bot that plays for them."""
        game, seat = self.game, self.game.decider
        self.states.append(strip_history(game))
        if is_played_by_bot(game, seat):
            action, by = run_bot(greedy.BOT, TABLES, game), "bot"
        else:
            moves = legal_moves(TABLES, game)
            action, by = self.random.choice(moves[:-1] or moves), "seat"
        finished, events = apply_action(TABLES, game, action)
        self.append(record_change(TABLES, game, events, self.advance_clock(), seat=seat, move=move_id(finished), by=by))

    def undo(self) -> None:
        """Undo the decider's last move, if there is one."""
        past = compute_undo_point(TABLES, self.game, self.log)
        if not self.game.undoable:
            assert past is None
            return
        assert past is not None
        before, deadline = build_view(TABLES, self.game), self.game.deadline
        self.game = restore(self.game, past)
        events: list[AnyEvent] = [MoveUndone(seat=self.game.decider, move=past.move)]
        at, expected = self.advance_clock(), self.states[-1]
        self.append(record_change(TABLES, self.game, events, at, seat=self.game.decider, by="seat", before=before))
        assert self.game.deadline == (None if deadline is None else max(deadline, at))
        self.game.deadline, stored = decode_snapshot(expected).deadline, self.game.deadline
        assert strip_history(self.game) == expected
        self.game.deadline = stored

    def resign(self) -> None:
        """Resign a random seat."""
        seat = self.random.choice([seat for seat, player in enumerate(self.game.players) if not player.resigned])
        events = resign(TABLES, self.game, seat)
        self.append(record_change(TABLES, self.game, events, self.advance_clock(), seat=seat, by="seat"))

    def return_to_seat(self) -> None:
        """Return a player to a seat that a bot plays, if there is one."""
        left = [seat for seat in range(len(self.game.players)) if is_played_by_bot(self.game, seat)]
        if left:
            seat = self.random.choice(left)
            events = return_player(self.game, seat)
            self.append(record_change(TABLES, self.game, events, self.advance_clock(), seat=seat, by="seat"))

    def time_out(self) -> None:
        """Let the decider's time run out."""
        if self.game.deadline is not None:
            self.clock.now = max(self.clock.now, unix_seconds(self.game.deadline) + 1)
            for diff in apply_timeout(TABLES, self.game, self.advance_clock()):
                self.append(diff)
