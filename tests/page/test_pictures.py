"""Pictures of tiles load, even while the service is busy."""

from collections import Counter

from playwright.async_api import Route, expect

from tests.page.game_fixture import SAVING, prepare_game
from tests.page.visitor import Visitors

TILES = 12
MAX_REQUESTS = 3
"""As `board/pictures.ts` has it."""


async def test_a_board_whose_pictures_are_refused_is_drawn_without_another_move(visitors: Visitors) -> None:
    visitors.excuse("429")
    http_game = await prepare_game(visitors, "pictures-1")
    game = await http_game.play(SAVING, lambda game, _moves: len(game["board"]) >= TILES)
    requested: Counter[str] = Counter()
    most = under_way = 0

    async def refuse_first(route: Route) -> None:
        nonlocal most, under_way
        under_way += 1
        most = max(most, under_way)
        requested[route.request.url] += 1
        if requested[route.request.url] == 1:
            await route.fulfill(status=429, headers={"Retry-After": "1"}, body="")
        else:
            await route.continue_()
        under_way -= 1

    player = await visitors.come(f"{visitors.url}#")
    await player.page.route("**/tiles/*.svg*", refuse_first)
    await player.page.goto(f"{visitors.url}#{http_game.id}")
    pictures = {(placed["tile"], placed["rotation"]) for placed in game["board"].values()}
    for tile, rotation in pictures:
        await expect(player.page.locator(f"symbol[id$='-{tile}-{rotation}']")).to_have_count(1, timeout=30_000)
    assert most <= MAX_REQUESTS
