"""Cards, result and lobby show the same winners and totals of a finished game."""

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.page.game_fixture import BUY_SHIPS, PASS_OFTEN, prepare_game
from tests.page.visitor import DESKTOP, PHONE, Size, Visitor, Visitors


@pytest.mark.parametrize("size", (DESKTOP, PHONE), ids=["desktop", "phone"])
async def test_cards_result_and_lobby_show_the_final_totals_and_the_winner(visitors: Visitors, size: Size) -> None:
    """The winner of this game has fewer points from ships than the other player."""
    http_game = await prepare_game(visitors, "totals-128")
    game = await http_game.play(BUY_SHIPS)
    points, totals = _points(game), _totals(game)
    winner = game["result"]["winners"][0]
    assert points[winner] < max(points), "the winner must not have most points from ships"
    player = await http_game.open_for(visitors, 0, size=size, touch=size == PHONE)
    await expect(player.action_bar).to_contain_text("wins")
    assert await _numbers(player.page.locator(".player .points b")) == totals
    assert await _winners(player) == [winner]
    assert sorted(await _numbers(player.page.locator(".ranking td:last-child"))) == sorted(totals)
    await expect(player.page.locator(".ranking tbody tr").first).to_contain_text(game["players"][winner]["name"])
    await player.page.goto(visitors.url)
    row = player.page.locator(f".game-row:has(a[href='#{http_game.id}'])")
    assert await _numbers(row.locator("small.points")) == totals
    await expect(row.locator(".winner")).to_contain_text(game["players"][winner]["name"])


async def test_all_players_who_share_the_win_are_winners(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "totals-74")
    game = await http_game.play(BUY_SHIPS)
    assert game["result"]["winners"] == [0, 1]
    assert _points(game)[0] != _points(game)[1]
    player = await http_game.open_for(visitors, 0)
    await expect(player.action_bar).to_contain_text("Ana and Bo share the win")
    assert await _winners(player) == [0, 1]
    assert await _numbers(player.page.locator(".player .points b")) == _totals(game)


async def test_a_player_who_resigned_ranks_below_the_winner(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "totals-17")
    game = await http_game.play(BUY_SHIPS, lambda game, _moves: _points(game)[0] > _points(game)[1] + 3)
    await http_game.post_successfully("/resign", {"seat": 0}, http_game.seat_tokens[0])
    game = await http_game.read()
    assert game["result"]["winners"] == [1]
    assert _totals(game)[0] > _totals(game)[1]
    player = await http_game.open_for(visitors, 0)
    await expect(player.page.locator(".ranking tbody tr").first).to_contain_text("Bo")
    assert await _winners(player) == [1]


async def test_a_replay_shows_the_winner_in_the_last_step_only(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "totals-128")
    game = await http_game.play(PASS_OFTEN)
    player = await http_game.open_for(visitors, 0)
    await player.press("Replay the game")
    await expect(player.page.locator(".player.winner")).to_have_count(0)
    await player.press("Last step")
    await expect(player.page.locator(".player.winner")).to_have_count(len(game["result"]["winners"]))


async def _numbers(cells: Locator) -> list[int]:
    await expect(cells).to_have_count(2)
    return [int(text) for text in await cells.all_inner_texts()]


async def _winners(player: Visitor) -> list[int]:
    """Return the seats that are shown as winners."""
    cards = player.page.locator(".player")
    return [seat for seat in range(await cards.count()) if await cards.nth(seat).get_by_label("winner").count()]


def _points(game: dict[str, Any]) -> list[int]:
    return [player["points"] for player in game["players"]]


def _totals(game: dict[str, Any]) -> list[int]:
    return [score["total"] for score in game["result"]["scores"]]
