"""Whose time runs, and what may be taken back, where one turn has several deciders (R5.10)."""

import pytest

from schemas.actions import Action, Pass, TakeShip
from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import apply_action, mark_aborted, move_id
from service.games.automatic_turns import apply_timeout
from service.games.lifecycle import advance_version
from tests.games.game_logs import AT
from tests.rules.rules_game import GREEN, RED, Table
from tests.rules.test_r5_markets import one_market, two_markets, worth

SOON = "2026-11-21T21:00:30Z"
LATE = "2026-11-21T21:02:00Z"


def step(table: Table, action: Action, at: str = AT) -> tuple[int, int]:
    """Act, and count it as a seat's own; gives who decides then, and how much they may take back."""
    seat = table.game.decider
    finished, events = apply_action(table.index, table.game, action)
    advance_version(table.game, events, at, seat=seat, move=move_id(finished), by="seat")
    return table.game.decider, table.game.undoable


def test_a_choice_of_ships_in_anothers_turn_can_be_undone_alone() -> None:
    """R5.10: Red is owed two ships in Green's turn, and without a pile nothing is turned up."""
    table, _ = two_markets(worth(6, 6, 6, 6), players=3)
    table.give(GREEN, bananas=20)
    assert (table.game.seat, table.game.decider, table.game.undoable) == (GREEN, RED, 0)
    assert step(table, TakeShip("s0-6")) == (RED, 1)
    assert step(table, TakeShip("s1-6")) == (GREEN, 0)
    assert table.phase() == "deliver"


@pytest.mark.parametrize(("points", "undoable"), (((6, 6, 2), 1), ((6, 6, 2, 2, 2), 0)))
def test_a_ship_of_ones_own_market_is_undone_unless_another_is_revealed(points: tuple[int, ...], undoable: int) -> None:
    """R5.10, and R6.4 with a pile."""
    table, _ = one_market(worth(*points), players=2)
    table.give(RED, bananas=20)
    assert step(table, TakeShip("s0-6")) == (RED, undoable)


def timed(table: Table, policy: RequestedTimeoutPolicy = "pass") -> Table:
    """Return the board's game with a minute for each decision, the first of which began at AT."""
    table.game.turn_timeout_s, table.game.on_timeout = 60, policy
    table.game.deadline = "2026-11-21T21:01:00Z"
    table.game.version = 1
    return table


def test_a_player_who_acts_ends_a_row_of_time_outs() -> None:
    table = timed(two_markets(worth(6, 6, 6, 6), players=3)[0])
    table.give(GREEN, bananas=20)
    assert len([*apply_timeout(table.index, table.game, LATE)]) == 2
    assert table.game.consecutive_timeouts == 1
    advance_version(table.game, [], LATE, by="bot")
    assert table.game.consecutive_timeouts == 1
    advance_version(table.game, [], LATE, by="seat")
    assert table.game.consecutive_timeouts == 0


def test_the_creator_of_a_game_that_is_over_is_forgotten() -> None:
    table, _ = one_market(worth(6, 6), players=2)
    table.game.creator = b"a hash"
    advance_version(table.game, [], AT)
    assert table.game.creator == b"a hash"
    advance_version(table.game, mark_aborted(table.game), AT)
    assert table.game.creator == b""


def test_a_decision_in_anothers_turn_has_its_own_deadline() -> None:
    table = timed(two_markets(worth(6, 6, 6, 6), players=3)[0])
    table.give(GREEN, bananas=20)
    step(table, TakeShip("s0-6"), SOON)
    assert (table.game.decider, table.game.deadline) == (RED, "2026-11-21T21:01:00Z")
    step(table, TakeShip("s1-6"), SOON)
    assert (table.game.decider, table.game.deadline) == (GREEN, "2026-11-21T21:01:30Z")


def test_a_time_out_ends_at_the_next_decider() -> None:
    table = timed(two_markets(worth(6, 6, 6, 6), players=3)[0])
    table.give(GREEN, bananas=20)
    versions = [diff.version for diff in apply_timeout(table.index, table.game, LATE)]
    assert (versions, table.ships(RED)) == ([2, 3], ["s0-6", "s1-6"])
    assert (table.game.decider, table.game.phase, table.game.deadline) == (GREEN, "deliver", "2026-11-21T21:03:00Z")
    assert len([*apply_timeout(table.index, table.game, LATE)]) == 1
    assert (table.game.seat, table.ships(GREEN)) == (RED, [])


def test_who_resigns_at_the_deadline_leaves_the_choice_to_the_next() -> None:
    table = timed(one_market(worth(6, 6, 6, 6), players=3)[0], "resign")
    table.give(GREEN, bananas=20)
    assert (table.game.decider, table.game.seat) == (RED, GREEN)
    assert len([*apply_timeout(table.index, table.game, LATE)]) == 1
    assert (table.game.decider, table.game.phase, table.game.deadline) == (GREEN, "deliver", "2026-11-21T21:03:00Z")


@pytest.mark.parametrize("at", (SOON, LATE))
def test_a_deadline_is_never_before_its_version(at: str) -> None:
    table = timed(one_market(worth(6, 6, 2), players=2)[0])
    table.give(RED, bananas=20)
    assert step(table, TakeShip("s0-6"), at) == (RED, int(at == SOON))
    assert table.game.deadline == max("2026-11-21T21:01:00Z", at)
    step(table, Pass(), at)
    assert table.game.deadline == {SOON: "2026-11-21T21:01:30Z", LATE: "2026-11-21T21:03:00Z"}[at]
