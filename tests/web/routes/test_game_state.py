"""The story, the pictures of boards (R8.5), and those of tiles and ships."""

import re
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from schemas.base import canonical_json
from service.web.responses import CACHE_IMMUTABLE
from tests.drawing.example_tiles import SVG, islander_spots, parse_svg
from tests.web.app_server import TILESETS, Client, FrozenClock
from tests.web.http_game import HTTPGame, check_problem, create_game
from tests.web.images.image_inspection import png_size, read_board_svg


async def story(game: HTTPGame, query: str = "", language: str = "en") -> Any:
    response = await game.get(f"/story{query}", **{"Accept-Language": language})
    assert response.status == 200, await response.text()
    assert response.headers["Content-Language"] == language
    return await response.json()


async def test_a_turn_in_sentences(timed_client: Client, clock: FrozenClock) -> None:
    game = await create_game(timed_client, seed="tides", first_seat=0)
    await game.act_successfully({"move": "p0.-1.0"})
    body = await story(game)
    assert (body["version"], body["language"], body["now"]) == (2, "en", "Ana may place an islander.")
    assert [(line["version"], line["turn"], line["seat"]) for line in body["lines"]] == [(1, None, None), (2, 1, 0)]
    assert body["lines"][0]["text"].startswith("A new game: the start tile is in place, the first ships are turned up.")
    tile = "island tip with 2 opposite bridges (2 shells, 2 fish)"
    assert body["lines"][1]["text"] == f"Ana places a tile 1 north of the start: {tile}."
    assert body["lines"][1]["at"] == "2027-01-15T08:00:00Z"
    assert clock.now == 1_800_000_000


async def test_names_are_not_escaped(client: Client) -> None:
    name = "*Zoë* {0} %s <b>"
    game = await create_game(client, [{"name": name}, {"name": "Bo"}], first_seat=0)
    for language in ("en", "fr", "de"):
        assert name in (await story(game, language=language))["now"]


async def test_a_page_may_begin_anywhere(unlimited: Client) -> None:
    """Before the start, between an action and its undo, and after the end."""
    game = await create_game(unlimited, [{"name": "Ana"}, {"open": True}], seed="reef", first_seat=0)
    joined = await game.join()
    tokens, chance = [game.owner_token, (await joined.json())["token"]], Random(6)
    while (turn := (await game.get_json())["turn"]) is not None:
        token = tokens[turn["decider"]]
        if turn["undoable"] and chance.random() < 0.3:
            assert (await game.post("/undo", token=token)).status == 200
        else:
            assert (await game.act({"move": chance.choice(await game.legal_moves())["id"]}, token)).status == 200
    assert (await game.post("/rematch")).status == 201
    whole = (await story(game, "?limit=1000"))["lines"]
    assert any(" takes back the tile " in line["text"] for line in whole)
    assert whole[-1]["turn"] == whole[-2]["turn"] is not None
    for since in range(len(whole)):
        assert (await story(game, f"?since={since}&limit=1"))["lines"] == whole[since : since + 1]
    beyond = await story(game, f"?since={len(whole)}")
    assert beyond["lines"] == []
    assert beyond["now"]


async def test_a_picture_is_at_most_4096_pixels_wide(http_game: HTTPGame) -> None:
    assert (await read_board_svg(http_game, "width=100000&region=0,0,40,0")).size[0] == 4096
    across, down = (await read_board_svg(http_game, "width=4096&region=0,0,0,40")).size
    assert across < down == 4096


async def test_a_region_shows_its_cells_only(client: Client) -> None:
    http_game = await create_game(client, seed="region")
    game = await http_game.play_randomly(Random(2), 40)
    within = [key for key in game["board"] if all(-1 <= int(number) <= 1 for number in key.split(","))]
    assert (await read_board_svg(http_game, "region=1,1,-1,-1")).count_uses("tile-") == len(within) < len(game["board"])
    assert (await read_board_svg(http_game, "region=40,40,42,41")).count_uses("tile-") == 0


async def test_coordinates_last_and_side_add_their_parts(client: Client) -> None:
    game = await create_game(client, seed="added")
    await game.play_randomly(Random(2), 20)
    plain = await read_board_svg(game)
    assert (await read_board_svg(game, "theme=dark")).text != plain.text
    for option, default in (("coordinates", False), ("last", True), ("side", False), ("candidates", False)):
        texts = {value: (await read_board_svg(game, f"{option}={value}")).text for value in ("true", "1", "false", "0")}
        assert (texts["true"], texts["false"]) == (texts["1"], texts["0"]) != (plain.text, plain.text)
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


SET = "/v1/tilesets/lagoon"
LAGOON = TILESETS.get("lagoon").tileset


async def test_every_tile_and_ship_has_its_picture(client: Client) -> None:
    for tile in LAGOON.tiles:
        response = await client.get(f"{SET}/tiles/{tile.id}.svg")
        assert response.content_type == "image/svg+xml"
        assert len(islander_spots(parse_svg(await response.text()))) == len(tile.segments)
    for ship in LAGOON.ships:
        response = await client.get(f"{SET}/ships/{ship.id}.svg")
        parse_svg(await response.text())


async def test_all_tiles_are_one_picture_which_never_changes_for_the_pages_digest(client: Client) -> None:
    async with client.get("/", headers={"Accept": "text/html"}) as page:
        (digest,) = re.findall(r'<meta name="drawing" content="(\w+)"', await page.text())
    expected = {f"tile-{tile.id}-{rotation}" for tile in LAGOON.tiles for rotation in range(4)}
    for query, caching in ((f"?drawing={digest}", CACHE_IMMUTABLE), ("?drawing=0", "no-cache"), ("", "no-cache")):
        async with client.get(f"{SET}/tiles.svg{query}") as response:
            assert response.headers["Cache-Control"] == caching
            symbols = parse_svg(await response.text()).findall(f"{SVG}symbol")
        assert {symbol.get("id") for symbol in symbols} == expected


@pytest.mark.parametrize("picture", ("board", "tiles/start", "ships/s01"))
async def test_a_png_has_the_requested_width(client: Client, picture: str) -> None:
    folder = (await create_game(client)).path if picture == "board" else SET
    for width in (16, 400, 2000):
        response = await client.get(f"{folder}/{picture}.png?width={width}")
        assert response.content_type == "image/png"
        assert png_size(await response.read())[0] == width


async def test_a_tile_can_be_rotated(client: Client) -> None:
    upright, turned = [
        islander_spots(parse_svg(await (await client.get(f"{SET}/tiles/start.svg?rotation={rotation}")).text()))
        for rotation in (0, 3)
    ]
    for one, other in zip(upright, turned, strict=True):
        assert one.at.rotated(3).distance_to(other.at) < 0.01


@pytest.mark.parametrize("path", ("tiles/none.svg", "tiles/none.png", "ships/none.svg", "ships/none.png"))
async def test_an_unknown_piece_is_not_found(client: Client, path: str) -> None:
    await check_problem(await client.get(f"{SET}/{path}"), 404, "not_found")
    await check_problem(await client.get(f"/v1/tilesets/atoll/{path}"), 404, "not_found")


PATH = "/v1/tilesets/lagoon"


async def test_every_tile_set_is_listed(client: Client) -> None:
    listed = (await (await client.get("/v1/tilesets")).json())["tilesets"]
    assert [one["id"] for one in listed] == ["archipelago", "lagoon"]
    assert listed[1] == await (await client.get(PATH)).json()


async def test_a_commitment_contains_the_digest_of_the_response(client: Client) -> None:
    answer = await (await client.get(PATH)).json()
    game = await create_game(client, seed="tides")
    made_of = f"{game.id}:tides:{sha256(canonical_json(answer)).hexdigest()}"
    assert (await game.get_json())["deck"]["commitment"] == sha256(made_of.encode()).hexdigest()


async def test_an_unknown_tile_set_is_rejected(client: Client) -> None:
    await check_problem(await client.get("/v1/tilesets/atoll"), 404, "not_found")
    await check_problem(await client.get("/v1/tilesets/At_oll"), 404, "not_found")
    body = {"players": [{"name": "Ana"}, {"name": "Bo"}], "tileset": "atoll"}
    await check_problem(await client.post("/v1/games", json=body), 422, "unknown_tileset", "$.tileset")
