"""The page shows why no islander can be placed, and what the player can do."""

from playwright.async_api import expect

from tests.page.game_fixture import KEEP_WARES, action_types, decider_of, prepare_game
from tests.page.visitor import PHONE, Visitors


async def test_without_islanders_in_supply_the_page_offers_to_retrieve_one(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "out-1")
    game = await http_game.play(
        KEEP_WARES, lambda game, moves: decider_of(game)["supply"] == 0 and "retrieve_islander" in action_types(moves)
    )
    player = await http_game.open_for(visitors, game["turn"]["decider"], size=PHONE, touch=True)
    await expect(player.action_bar).to_contain_text("All your islanders are out")
    await expect(player.action_bar).to_contain_text("take it home")
    await expect(player.action_bar).to_contain_text("finished")
    await expect(player.action_bar).not_to_contain_text("No islander can go onto this tile")
    await expect(player.action_bar.locator(".primary")).to_have_text("Take home")
    await player.page.locator(".spots [data-choice]").first.click()
    await player.press("Take home")
    await expect(player.page.locator(".log")).to_contain_text("retrieves the")


async def test_without_a_free_segment_the_page_shows_that_reason(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "k", edition="german")
    game = await http_game.play(
        KEEP_WARES,
        lambda game, moves: decider_of(game)["supply"] > 0 and action_types(moves) == {"retrieve_islander", "pass"},
    )
    assert game["turn"]["phase"] == "islander"
    player = await http_game.open_for(visitors, game["turn"]["decider"])
    await expect(player.action_bar).to_contain_text("Nothing on this tile is free")
    await expect(player.action_bar).not_to_contain_text("All your islanders are out")
