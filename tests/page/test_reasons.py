"""The page shows the true reason of each state, and what to do about it."""

from playwright.async_api import expect

from tests.page.game_fixture import SAVING, deciding, kinds_of, prepare_game
from tests.page.visitor import PHONE, Visitors


async def test_with_all_islanders_out_the_page_says_so_and_what_to_do(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "out-1")
    game = await http_game.play(
        SAVING, lambda game, moves: deciding(game)["supply"] == 0 and "retrieve_islander" in kinds_of(moves)
    )
    player = await http_game.opened_by(visitors, game["turn"]["decider"], size=PHONE, touch=True)
    await expect(player.action_bar).to_contain_text("All your islanders are out")
    await expect(player.action_bar).to_contain_text("take it home")
    await expect(player.action_bar).to_contain_text("finished")
    await expect(player.action_bar).not_to_contain_text("No islander can go onto this tile")
    await player.page.locator(".spots [data-choice]").first.click()
    await player.press("Take home")
    await expect(player.page.locator(".log")).to_contain_text("retrieves the")


async def test_where_nothing_on_the_tile_is_free_the_page_says_that(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "k", edition="german")
    game = await http_game.play(
        SAVING, lambda game, moves: deciding(game)["supply"] > 0 and kinds_of(moves) == {"retrieve_islander", "pass"}
    )
    assert game["turn"]["phase"] == "islander"
    player = await http_game.opened_by(visitors, game["turn"]["decider"])
    await expect(player.action_bar).to_contain_text("Nothing on this tile is free")
    await expect(player.action_bar).not_to_contain_text("All your islanders are out")
