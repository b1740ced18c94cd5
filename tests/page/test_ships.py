"""Tooltips explain the costs of ships on touch, mouse and keyboard, on every screen size."""

import re

import pytest
from playwright.async_api import expect

from tests.page.game_fixture import KEEP_WARES, action_types, prepare_game
from tests.page.visitor import DESKTOP, PHONE, Size, Visitors, start_against_computer

SIDEWAYS: Size = (844, 390)
AFFORDABILITY = re.compile("You lack|You can load it")


async def test_a_tap_on_a_ship_opens_its_tooltip(visitors: Visitors) -> None:
    player = await visitors.open(size=PHONE, touch=True)
    await player.page.get_by_role("button", name="Play against the computer").tap()
    await expect(player.page.locator(".cell").first).to_be_visible()
    tooltip = player.page.locator(".ship-tooltip")
    for ship in await player.page.locator(".harbour .ship").all():
        await ship.tap()
        await expect(tooltip).to_have_count(1)
        await expect(tooltip).to_contain_text("Ship of ")
        await expect(tooltip).to_contain_text(AFFORDABILITY)
        box = await tooltip.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
    await player.page.locator(".harbour .ship").last.tap()
    await expect(tooltip).to_have_count(0)


async def test_the_tooltip_explains_each_sign(visitors: Visitors) -> None:
    """The first four ships of this game have both letters and the question mark."""
    game = await prepare_game(visitors, "signs-1")
    player = await game.open_for(visitors, 0)
    await expect(player.page.locator(".harbour .ship")).to_have_count(4)
    all_signs: set[str] = set()
    for ship in await player.page.locator(".harbour .ship").all():
        signs = set("".join(await ship.locator(".cost .letter").all_text_contents()))
        await ship.hover()
        for sign in signs:
            await expect(player.page.locator(".ship-tooltip .sign", has_text=f"{sign}: ")).to_be_visible()
        await expect(player.page.locator(".ship-tooltip .sign")).to_have_count(len(signs))
        if "?" in signs:
            await expect(player.page.locator(".ship-tooltip .sign")).to_have_text(re.compile("of any kind$"))
            await expect(ship).to_have_accessible_name(re.compile(r"wares? of any kind$"))
        all_signs |= signs
    assert all_signs == {"A", "B", "?"}


async def test_the_tooltip_is_open_during_hover_and_focus_only(visitors: Visitors) -> None:
    player = await visitors.open(size=DESKTOP)
    await start_against_computer(player)
    tooltip = player.page.locator(".ship-tooltip")
    ship = player.page.locator(".harbour .ship").first
    await ship.hover()
    await expect(tooltip).to_contain_text(AFFORDABILITY)
    await player.page.mouse.move(5, 500)
    await expect(tooltip).to_have_count(0)
    await ship.focus()
    await player.page.keyboard.press("Tab")
    ship = player.page.locator(".harbour .ship").nth(1)
    await expect(ship).to_be_focused()
    await expect(tooltip).to_contain_text(AFFORDABILITY)
    described = await ship.get_attribute("aria-describedby")
    assert described == await tooltip.get_attribute("id")
    await player.page.keyboard.press("Escape")
    await expect(tooltip).to_have_count(0)


async def test_the_tooltip_shows_whether_the_player_can_pay(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "ships-1")
    game = await http_game.play(KEEP_WARES, lambda _game, moves: "deliver" in action_types(moves))
    seat = game["turn"]["decider"]
    moves = await http_game.legal_moves()
    payable = {move["action"]["ship"] for move in moves if move["action"]["type"] == "deliver"}
    player = await http_game.open_for(visitors, seat)
    await expect(player.page.locator(".ship.choosable")).to_have_count(len(payable))
    for index, ship in enumerate(game["display"]):
        await player.page.locator(".harbour .ship").nth(index).hover()
        expected = "You can load it" if ship in payable else "You lack"
        await expect(player.page.locator(".ship-tooltip")).to_contain_text(expected)


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS), ids=["phone", "sideways"])
async def test_no_tooltip_covers_the_action_bar_while_a_ship_is_chosen(visitors: Visitors, size: Size) -> None:
    http_game = await prepare_game(visitors, "ships-1")
    game = await http_game.play(KEEP_WARES, lambda _game, moves: "deliver" in action_types(moves))
    player = await http_game.open_for(visitors, game["turn"]["decider"], size=size, touch=True)
    ship = player.page.locator(".ship.choosable").first
    await ship.tap()
    await expect(ship).to_have_attribute("aria-pressed", "true")
    await expect(player.action_bar.get_by_role("button", name="Deliver")).to_be_visible()
    await expect(player.page.locator(".ship-tooltip")).to_have_count(0)


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS), ids=["phone", "sideways"])
async def test_phones_show_the_same_hints_as_desktops(visitors: Visitors, size: Size) -> None:
    hints = []
    for screen in (DESKTOP, size):
        player = await visitors.open(size=screen)
        await start_against_computer(player)
        await expect(player.page.locator(".cell").first).to_be_visible()
        placing = await player.action_bar.locator(".hint").inner_text()
        await player.decide()
        await expect(player.page.locator(".spot").first).to_be_visible()
        hints.append([placing.split(), (await player.action_bar.locator(".hint").inner_text()).split()])
    assert hints[0] == hints[1]
    assert "Sides" in hints[1][0]


@pytest.mark.parametrize("view", ("lobby", "game"))
async def test_the_question_mark_opens_the_help(visitors: Visitors, view: str) -> None:
    player = await visitors.open()
    await expect(player.page.get_by_role("button", name="Play against the computer")).to_be_visible()
    if view == "game":
        await start_against_computer(player)
        await expect(player.page.locator(".cell").first).to_be_visible()
    await player.page.keyboard.press("?")
    await expect(player.page.get_by_role("dialog")).to_contain_text("How it works")
    await player.page.keyboard.press("?")
    await expect(player.page.get_by_role("dialog")).to_have_count(1)
    await player.page.keyboard.press("Escape")
    await expect(player.page.get_by_role("dialog")).to_have_count(0)
    if view == "lobby":
        await player.page.get_by_label("Your name").focus()
        await player.page.keyboard.press("?")
        await expect(player.page.get_by_role("dialog")).to_have_count(0)
