"""The bot `greedy`: how it plays."""

import pytest

from schemas.actions import Action, Deliver, PlaceIslander, PlaceTile
from schemas.vocabulary import Edition
from service.engine import is_finished, legal_moves
from service.games.bots import greedy, random
from service.games.bots.deciding import ask
from tests.games.bots.games import ARCHIPELAGO, act, finish, start
from tests.rules.boards import BRIDGE_OF_TWO_SHELLS
from tests.rules.playing import BLUE, RED, Table, paid, ship

SEA_AND_ISLAND = """
  0      1
~~~~~  ~~~~~
~~~~~  ~~~~~
~~f~~  ~~bb#
~~~~~  ~~~~~
~~~~~  ~~~~~
"""
"""An unfinished sea with one fish, and an unfinished island with two bananas."""


def decide(table: Table) -> Action:
    """What greedy does at a table; it is done."""
    action = ask(greedy.BOT, table.tables, table.game)
    table.act(action)
    return action


def test_it_beats_random_in_95_of_100_games() -> None:
    won = 0
    for number in range(40):
        seat = number % 2
        points = finish(start(f"against-{number}"), [random.BOT, greedy.BOT][:: 1 if seat else -1])
        won += points[seat] > points[1 - seat]
    assert won >= 38


@pytest.mark.parametrize("edition", ("international", "german"))
@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_it_plays_every_phase_and_every_number_of_players(players: int, edition: Edition) -> None:
    game = start(f"{edition}-{players}", players, edition)
    while not is_finished(game):
        moves = legal_moves(ARCHIPELAGO, game)
        assert act(game, greedy.BOT) in moves


def test_it_completes_a_bridge_and_takes_its_shells_in_one_turn() -> None:
    table = Table(BRIDGE_OF_TWO_SHELLS)
    table.lay(RED)
    table.lay(BLUE)
    assert decide(table) == PlaceTile(2, 0, 0)
    assert decide(table) == PlaceIslander(table.segment(3, "bridge"))
    assert table.wares(RED) == {"shells": 2}


def test_in_the_last_turn_it_stands_where_most_is_paid_at_the_end() -> None:
    table = Table(SEA_AND_ISLAND, spares=0)
    assert isinstance(decide(table), PlaceTile)
    assert decide(table) == PlaceIslander(table.segment(1, "island"))
    assert table.wares(RED) == {"bananas": 2}


def test_it_delivers_to_the_ship_that_is_worth_more() -> None:
    ships = [ship("two", 2, choice=3), ship("four", 4, choice=3), ship("three", 3, choice=3)]
    table = Table(SEA_AND_ISLAND, ships=ships)
    table.give(RED, fish=3)
    table.lay(RED)
    assert decide(table) == Deliver("four", paid(fish=3))


def test_it_pays_with_what_the_other_ships_do_not_ask_for() -> None:
    ships = [ship("any", 5, choice=3), ship("fish", 4, fish=3)]
    table = Table(SEA_AND_ISLAND, ships=ships)
    table.give(RED, fish=3, shells=3)
    table.lay(RED)
    decide(table)
    assert table.ships(RED) == ["any"]
    assert table.wares(RED) == {"fish": 3}
