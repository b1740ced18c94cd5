"""Pictures of tiles and ships."""

import re

import pytest

from service.web.responses import CACHE_IMMUTABLE
from tests.drawing.example_tiles import SVG, islander_spots, parse_svg
from tests.web.app_server import TILESETS, Client
from tests.web.http_game import check_problem
from tests.web.images.image_inspection import png_size

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


@pytest.mark.parametrize("piece", ("tiles/start", "ships/s01"))
async def test_a_png_has_the_requested_width(client: Client, piece: str) -> None:
    for width in (32, 400, 1000):
        response = await client.get(f"{SET}/{piece}.png?width={width}")
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
