"""`GET /v1/games/{id}/board.svg`, `.png` and `.txt` (R8.5)."""

from random import Random

import pytest

from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, create_game
from tests.web.images.image_inspection import png_size, read_board_svg

FIVE = [{"name": name} for name in ("Ana", "Bo", "Chloé", "Дмитрий", "Eve")]


async def test_the_board_shows_every_tile_islander_and_covered_fish(client: Client) -> None:
    http_game = await create_game(client, FIVE, seed="pictured")
    game = await http_game.play_randomly(Random(5), 80)
    observed = await read_board_svg(http_game)
    board = game["board"].values()
    assert observed.count_uses("tile-") == len(board)
    standing = [islander for tile in board for islander in tile["islanders"]]
    assert len(standing) > 3
    for player in game["players"]:
        mine = sum(islander["seat"] == player["seat"] for islander in standing)
        assert observed.count_uses(f"{player['color']}-") == mine
    assert observed.count_uses("cover") == sum(len(tile["covered"]) for tile in board)


async def test_fishermen_lie_and_others_stand(client: Client) -> None:
    http_game = await create_game(client, seed="pictured")
    game = await http_game.play_randomly(Random(5), 40)
    tiles = {tile["id"]: tile for tile in (await (await client.get("/v1/tilesets/lagoon")).json())["tiles"]}
    kinds = [
        tiles[tile["tile"]]["segments"][islander["segment"]]["kind"]
        for tile in game["board"].values()
        for islander in tile["islanders"]
    ]
    observed = await read_board_svg(http_game)
    lying = sum(observed.count_uses(f"{color}-lying") for color in ("red", "blue"))
    assert 0 < kinds.count("sea") == lying < len(kinds)


@pytest.mark.parametrize("width", (16, 400, 2000))
async def test_a_png_has_the_requested_width(http_game: HTTPGame, width: int) -> None:
    response = await http_game.get(f"/board.png?width={width}")
    assert response.content_type == "image/png"
    assert png_size(await response.read())[0] == width


async def test_a_picture_is_at_most_4096_pixels_wide(http_game: HTTPGame) -> None:
    assert (await read_board_svg(http_game, "width=100000")).size[0] == 4096
    across, down = (await read_board_svg(http_game, "width=4096&region=0,0,0,40")).size
    assert across < down == 4096


async def test_a_region_shows_its_cells_only(client: Client) -> None:
    http_game = await create_game(client, seed="region")
    game = await http_game.play_randomly(Random(2), 40)
    within = [key for key in game["board"] if all(-1 <= int(number) <= 1 for number in key.split(","))]
    assert (await read_board_svg(http_game, "region=1,1,-1,-1")).count_uses("tile-") == len(within) < len(game["board"])
    assert (await read_board_svg(http_game, "region=40,40,42,41")).count_uses("tile-") == 0


async def test_a_region_has_at_most_60_columns_and_rows(http_game: HTTPGame) -> None:
    widest = await read_board_svg(http_game, "region=-30,-30,29,29")
    for region in ("-30,-30,30,30", "30,30,-30,-30", "-30,9999,9999,-30"):
        assert (await read_board_svg(http_game, f"region={region}")).text == widest.text


async def test_coordinates_last_and_side_add_their_parts(client: Client) -> None:
    game = await create_game(client, seed="added")
    await game.play_randomly(Random(2), 20)
    plain = await read_board_svg(game)
    for option in ("coordinates=1", "last=0", "side=1", "theme=dark"):
        observed = await read_board_svg(game, option)
        assert observed.text != plain.text, option
    for option, default in (("coordinates", False), ("last", True), ("side", False), ("candidates", False)):
        texts = {value: (await read_board_svg(game, f"{option}={value}")).text for value in ("true", "1", "false", "0")}
        assert (texts["true"], texts["false"]) == (texts["1"], texts["0"])
        assert texts["true" if default else "false"] == plain.text
    wide, tall = (await read_board_svg(game, "coordinates=1")).size
    assert wide == plain.size[0]
    assert tall != plain.size[1]


async def test_player_names_are_escaped(client: Client) -> None:
    evil = "<script>&\"'</g>"
    game = await create_game(client, [{"name": evil}, {"name": "]]> 漢字 🐚"}])
    observed = await read_board_svg(game, "side=1")
    assert "script" not in observed.text
    response = await game.get("/board.svg?side=1")
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert evil in await (await game.get("/board.txt?side=1")).text()


async def test_a_waiting_game_has_a_picture(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"open": True}])
    assert (await read_board_svg(game, "side=1&candidates=1&last=1")).count_uses("tile-start") == 1


async def test_hidden_information_is_not_shown(client: Client) -> None:
    """Two games that differ only in their hidden order have the same picture."""
    http_game = await create_game(client, seed="hidden", first_seat=0)
    game = await http_game.get_json()
    observed = await read_board_svg(http_game, "side=1&candidates=1")
    text = await (await http_game.get("/board.txt?side=1")).text()
    displayed = {game["turn"]["tile"], *game["display"], "start"}
    tileset = await (await client.get("/v1/tilesets/lagoon")).json()
    for one in (*tileset["tiles"], *tileset["ships"]):
        if one["id"] not in displayed:
            assert f'tile-{one["id"]}"' not in observed.text
            assert f"ship {one['id']}:" not in text
            assert f": {one['id']}\n" not in text
