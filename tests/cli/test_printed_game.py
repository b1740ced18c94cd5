"""What `south-seas tileset check` says a set lacks of the printed game."""

import json

from schemas.tileset import TileSet
from service.cli.tileset import list_gaps
from service.engine.tileset_validation import parse_tileset
from tests.reference.pieces import Json
from tests.reference.tileset_builder import island, sea, ship, tileset

SEA_EDGES = dict.fromkeys("nesw", "sea")
ISLET: Json = {"id": "islet", "count": 2, "edges": SEA_EDGES, "segments": [island(""), sea(range(8), (1,))]}


def parse(*tiles: Json, ships: int = 1) -> TileSet:
    listed = tileset("islet", [*tiles], [ship(f"s{number}", 6, any_ware=6) for number in range(ships)])
    return parse_tileset(json.dumps(listed).encode())


def test_a_set_of_two_tiles_lacks_nearly_everything() -> None:
    assert [*list_gaps(parse(ISLET))] == [
        "tiles, with the start tile: 2; the printed game has 73 (R1.2)",
        "ships: 1; the printed game has 24 (R1.3)",
        "tiles with a boat: 0; the printed game has 19 (R1.5)",
        "tiles with a junction of 3 bridges or more: 0; the printed game has at least 1 (R5.1)",
        "tiles with a bridge that ends at an island: 0; the printed game has at least 1 (R5.1)",
        "tiles with a bridge that ends at a market: 0; the printed game has at least 1 (R5.1)",
        "groups of two fish: 0; the printed game has at least 1 (R5.7)",
        "tiles with a bridge, a market and a sea: 0; the printed game has at least 1 (R9)",
        "tiles with a bridge, an island and a sea: 0; the printed game has at least 1 (R9)",
        "tiles with an island from one side to the opposite one and 2 seas: 0; the printed game has at least 1 (R9)",
        "tiles with 2 islands and 3 seas: 0; the printed game has at least 1 (R9)",
        "ships of 5 points for 2 shells, 1 fish and 1 banana: 0; the printed game has at least 1 (R9)",
        "ships of 5 points for 6 wares of any kind: 0; the printed game has at least 1 (R9)",
        "ships of 4 points for 5 wares of any kind: 0; the printed game has at least 1 (R9)",
        "ships of 3 points for 4 identical wares: 0; the printed game has at least 1 (R9)",
        "ships of 3 points for 3 identical wares and 1 of another kind: 0; the printed game has at least 1 (R9)",
        "ships of 2 points: 0; the printed game has at least 1 (R9)",
        "ships of 6 points: 1; the printed game has at least 2 (R9)",
    ]


def test_r1_2_another_tile_may_have_the_start_tiles_picture_and_other_wares() -> None:
    alone = "tiles with the start tile's picture: 1; the printed game has at least 2 (R1.2)"
    start = {**ISLET, "count": 1}
    assert alone in list_gaps(parse(start, {"id": "sea", "count": 1, "edges": SEA_EDGES, "segments": [sea(range(8))]}))
    richer = {**start, "id": "richer", "segments": [island("", 3), sea(range(8), (2,))]}
    assert alone not in list_gaps(parse(start, richer))


def test_more_than_the_printed_game_has_is_told_where_its_number_is_known() -> None:
    gaps = [*list_gaps(parse({**ISLET, "count": 80}, ships=25))]
    assert gaps[:2] == [
        "tiles, with the start tile: 80; the printed game has 73 (R1.2)",
        "ships: 25; the printed game has 24 (R1.3)",
    ]
    assert not [gap for gap in gaps if "6 points" in gap]
