"""Images of tiles load even if the service rejects the first requests."""

from collections import Counter

from playwright.async_api import Route, expect

from tests.page.game_fixture import KEEP_WARES, prepare_game
from tests.page.visitor import Visitors

TILES = 6
MAX_REQUESTS = 3
"""The limit of `board/pictures.ts`."""


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
