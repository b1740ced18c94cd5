"""Images of tiles load even if the first requests fail, and what stands on a tile stands where its image says."""

import re
from collections import Counter
from typing import Any

from playwright.async_api import Route, expect

from tests.page.game_fixture import KEEP_WARES, prepare_game
from tests.page.page_states import DRAWN
from tests.page.visitor import Visitors
from tests.web.drawing.example_tiles import parse_svg

TILES = 6
SIZE = 100
"""The side of a tile, in the units of its image."""
MAX_REQUESTS = 3
"""The limit of `board/pictures.ts`."""

BREAK_FIRST_RESPONSES = """
  const broken = new Set();
  const { fetch } = window;
  window.fetch = async (...request) => {
    const response = await fetch(...request);
    if (!/tiles.+svg/.test(response.url) || broken.has(response.url)) return response;
    broken.add(response.url);
    return new Response(new ReadableStream({ start: body => body.error(new TypeError("connection lost")) }));
  };
"""
"""Loses the connection after the head of the first response to each request for a tile's image."""

ISLANDERS = """() => [...document.querySelectorAll(".islanders > g")].map(one => one.getAttribute("transform"))"""


async def test_rejected_image_requests_are_retried(visitors: Visitors) -> None:
    visitors.expect_error("429")
    http_game = await prepare_game(visitors, "pictures-1")
    game = await http_game.play(KEEP_WARES, lambda game, _moves: len(game["board"]) >= TILES)
    requests: Counter[str] = Counter()
    max_concurrent = concurrent = 0

    async def reject_first(route: Route) -> None:
        nonlocal max_concurrent, concurrent
        concurrent += 1
        max_concurrent = max(max_concurrent, concurrent)
        requests[route.request.url] += 1
        if requests[route.request.url] == 1:
            await route.fulfill(status=429, headers={"Retry-After": "1"}, body="")
        else:
            await route.continue_()
        concurrent -= 1

    player = await visitors.open(f"{visitors.url}#")
    await player.page.route("**/tiles/*.svg*", reject_first)
    await player.page.goto(f"{visitors.url}#{http_game.id}")
    images = {(placed["tile"], placed["rotation"]) for placed in game["board"].values()}
    for tile, rotation in images:
        await expect(player.page.locator(f"symbol[id$='-{tile}-{rotation}']")).to_have_count(1)
    assert max_concurrent <= MAX_REQUESTS


async def test_images_whose_connection_is_lost_are_requested_again_and_islanders_stand_on_them(
    visitors: Visitors,
) -> None:
    http_game = await prepare_game(visitors, "pictures-1")
    game = await http_game.play(KEEP_WARES, lambda game, _moves: len(game["board"]) >= TILES)
    player = await visitors.open(f"{visitors.url}#")
    await player.page.add_init_script(BREAK_FIRST_RESPONSES)
    await player.page.goto(f"{visitors.url}#{http_game.id}")
    await player.page.reload()
    await player.page.wait_for_function(DRAWN)
    expected = sorted([await _islander_transform(visitors, *islander) for islander in _islanders(game)])
    assert len(expected) > 1
    await player.page.wait_for_function(f"expected => `${{({ISLANDERS})().sort()}}` === `${{expected}}`", arg=expected)


def _islanders(game: dict[str, Any]) -> list[tuple[str, dict[str, Any], int]]:
    """Return the cell, the tile and the segment of each islander on the board."""
    return [(cell, tile, one["segment"]) for cell, tile in game["board"].items() for one in tile["islanders"]]


async def _islander_transform(visitors: Visitors, cell: str, tile: dict[str, Any], segment: int) -> str:
    """Return where an islander has to be on the board, by the image of its tile."""
    path = f"/v1/tilesets/archipelago/tiles/{tile['tile']}.svg"
    async with visitors.client.get(path, params={"rotation": tile["rotation"]}) as response:
        image = parse_svg(await response.text())
    (spot,) = image.iterfind(f".//*[@data-segment='{segment}']")
    x, y = (int(part) for part in re.findall(r"-?\d+", cell))
    return f"translate({x * SIZE + float(spot.attrib['data-x']):g} {y * SIZE + float(spot.attrib['data-y']):g})"
