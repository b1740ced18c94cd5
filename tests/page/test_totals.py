"""The winners and totals of a finished game are the same everywhere."""

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.page.game_fixture import PASSING, SPENDING, prepare_game
from tests.page.visitor import DESKTOP, PHONE, Size, Visitor, Visitors


@pytest.mark.parametrize("size", (DESKTOP, PHONE), ids=["desktop", "phone"])
async def test_cards_outcome_and_lobby_show_the_final_totals_and_who_won(visitors: Visitors, size: Size) -> None:
    """A game that was won with fewer points from ships than the other has."""
    http_game = await prepare_game(visitors, "totals-128")
    game = await http_game.play(SPENDING)
    points, totals = _points(game), _totals(game)
    winner = game["result"]["winners"][0]
    assert points[winner] < max(points), "the points of the ships must name another winner"
    player = await http_game.opened_by(visitors, 0, size=size, touch=size == PHONE)
    await expect(player.action_bar).to_contain_text("wins")
    assert await _numbers(player.page.locator(".player .points b")) == totals
    assert await _winners(player) == [winner]
    assert sorted(await _numbers(player.page.locator(".ranking td:last-child"))) == sorted(totals)
    await expect(player.page.locator(".ranking tbody tr").first).to_contain_text(game["players"][winner]["name"])
    await player.page.goto(visitors.url)
    row = player.page.locator(f".game-row:has(a[href='#{http_game.id}'])")
    assert await _numbers(row.locator("small.points")) == totals
    await expect(row.locator(".winner")).to_contain_text(game["players"][winner]["name"])


async def test_who_share_the_win_are_all_named_winners(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "totals-74")
    game = await http_game.play(SPENDING)
    assert game["result"]["winners"] == [0, 1]
    assert _points(game)[0] != _points(game)[1]
    player = await http_game.opened_by(visitors, 0)
    await expect(player.action_bar).to_contain_text("Ana and Bo share the win")
    assert await _winners(player) == [0, 1]
    assert await _numbers(player.page.locator(".player .points b")) == _totals(game)


async def test_who_gave_up_stands_below_the_winner_whatever_the_points(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "totals-17")
    game = await http_game.play(SPENDING, lambda game, _moves: _points(game)[0] > _points(game)[1] + 3)
    await http_game.post_successfully("/resign", {"seat": 0}, http_game.seat_tokens[0])
    game = await http_game.read()
    assert game["result"]["winners"] == [1]
    assert _totals(game)[0] > _totals(game)[1]
    player = await http_game.opened_by(visitors, 0)
    await expect(player.page.locator(".ranking tbody tr").first).to_contain_text("Bo")
    assert await _winners(player) == [1]


async def test_in_a_replay_the_cards_show_what_was_so_then(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "totals-128")
    game = await http_game.play(PASSING)
    player = await http_game.opened_by(visitors, 0)
    await player.press("Replay the game")
    await expect(player.page.locator(".player.winner")).to_have_count(0)
    await player.press("Last step")
    await expect(player.page.locator(".player.winner")).to_have_count(len(game["result"]["winners"]))


async def _numbers(shown: Locator) -> list[int]:
    await expect(shown).to_have_count(2)
    return [int(one) for one in await shown.all_inner_texts()]


async def _winners(player: Visitor) -> list[int]:
    """Return the seats that are shown as winners."""
    cards = player.page.locator(".player")
    return [seat for seat in range(await cards.count()) if await cards.nth(seat).get_by_label("winner").count()]


def _points(game: dict[str, Any]) -> list[int]:
    return [player["points"] for player in game["players"]]


def _totals(game: dict[str, Any]) -> list[int]:
    return [score["total"] for score in game["result"]["scores"]]
