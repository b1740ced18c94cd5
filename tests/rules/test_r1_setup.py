"""R1: components and set-up."""

import msgspec
import pytest

from schemas.game import GameView
from schemas.lobby import CreateGame
from schemas.tileset import Sea
from schemas.vocabulary import COLORS
from service.engine import build_view
from service.games.tilesets import first_seat, load_catalogue, shuffled_bag, shuffled_ships
from tests.engine.lockstep import start_game
from tests.rules.rules_game import BLUE, BOARDS, GREEN, RED, Table

LAGOON = load_catalogue(None).get("lagoon").index

ROW = """
  0      1      2      3      4
"""


def beginning(seed: str) -> GameView:
    """Return the view of a new game of two players with the default tile set."""
    return build_view(LAGOON, start_game(LAGOON, seed=seed)[0])


def names(seats: int) -> bytes:
    return msgspec.json.encode({"players": [{"name": f"Player {seat}"} for seat in range(seats)]})


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_r1_1_2_to_5_players_have_five_colours(players: int) -> None:
    """R1.1: 2 to 5 players; colours red, blue, green, yellow, black."""
    assert COLORS == ("red", "blue", "green", "yellow", "black")
    assert len(msgspec.json.decode(names(players), type=CreateGame).players) == players
    table = Table(ROW, players=players)
    assert [player.color for player in table.view().players] == [*COLORS[:players]]
    assert table.phase() == "place_tile"


@pytest.mark.parametrize("players", (0, 1, 6))
def test_r1_1_neither_fewer_nor_more_players(players: int) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(names(players), type=CreateGame)


def test_r1_2_the_start_tile_lies_and_the_other_72_are_shuffled_into_the_bag() -> None:
    """R1.2: 73 tiles, the start tile at (0, 0) with rotation 0; the other 72 shuffled."""
    tiles = LAGOON.tileset.tiles
    bag = shuffled_bag(LAGOON, "tides")
    assert sum(tile.count for tile in tiles) == 73
    assert len(bag) == 72
    assert {index: bag.count(index) for index in {*bag}} == {
        index: tile.count - (tile.id == LAGOON.tileset.start) for index, tile in enumerate(tiles)
    }
    assert bag != sorted(bag)
    assert bag != shuffled_bag(LAGOON, "winds")
    (cell,) = beginning("tides").board.items()
    assert cell[0] == "0,0"
    assert (cell[1].tile, cell[1].rotation, cell[1].order) == (LAGOON.tileset.start, 0, 0)


def test_r1_3_of_24_ships_4_are_turned_up() -> None:
    """R1.3: 24 ships, shuffled; 4 are turned up as the display."""
    ships = shuffled_ships(LAGOON, "tides")
    assert sorted(ships) == [*range(24)]
    assert ships != sorted(ships)
    view = beginning("tides")
    assert view.display == [LAGOON.ship_ids[ship] for ship in ships[:4]]
    assert view.ship_pile == 20


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_r1_4_each_player_has_4_islanders_in_supply(players: int) -> None:
    assert Table(ROW, players=players).supply() == [4] * players


def test_r1_5_19_tiles_are_boat_tiles() -> None:
    """R1.5: 19 fishing-boat tokens, hence 19 boat tiles."""
    boats = [
        tile.count
        for tile in LAGOON.tileset.tiles
        if any(isinstance(segment, Sea) and segment.boat for segment in tile.segments)
    ]
    assert sum(boats) == 19


def test_r1_5_wares_do_not_run_out() -> None:
    """R1.5: the 60 ware tokens are counters; a player with 60 bananas gets three more."""
    table = Table(BOARDS["islet"])
    table.give(RED, bananas=60)
    table.lay(RED, "island")
    assert table.wares(RED) == {"bananas": 63}


def test_r1_6_the_named_seat_begins_and_play_is_clockwise() -> None:
    """R1.6: the seat the creator names; play is clockwise, which is ascending seat order."""
    table = Table(ROW, players=3, first=GREEN)
    for seat in (GREEN, RED, BLUE, GREEN):
        table.lay(seat)


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_r1_6_at_random_every_seat_may_be_the_first(players: int) -> None:
    assert {first_seat(f"seed-{number}", players) for number in range(60)} == {*range(players)}
