"""Tooltips explain the costs of ships on touch, mouse and keyboard, on every screen size."""

import re

import pytest
from playwright.async_api import expect

from tests.page.game_fixture import SAVING, kinds_of, prepare_game
from tests.page.visitor import DESKTOP, PHONE, Size, Visitors, starts_against_the_computer

SIDEWAYS: Size = (844, 390)
WANTED = re.compile("You lack|You can load it")


async def test_a_tap_on_a_ship_tells_its_signs_and_what_is_lacking(visitors: Visitors) -> None:
    player = await visitors.come(size=PHONE, touch=True)
    await player.page.get_by_role("button", name="Play against the computer").tap()
    await expect(player.page.locator(".cell").first).to_be_visible()
    received = player.page.locator(".ship-tooltip")
    for ship in await player.page.locator(".harbour .ship").all():
        await ship.tap()
        await expect(received).to_have_count(1)
        await expect(received).to_contain_text("Ship of ")
        await expect(received).to_contain_text(WANTED)
        box = await received.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
    await player.page.locator(".harbour .ship").last.tap()
    await expect(received).to_have_count(0)


async def test_each_sign_is_told_in_words(visitors: Visitors) -> None:
    """Both letters and the question mark, which the first four ships of this game have between them."""
    game = await prepare_game(visitors, "signs-1")
    player = await game.opened_by(visitors, 0)
    await expect(player.page.locator(".harbour .ship")).to_have_count(4)
    observed: set[str] = set()
    for ship in await player.page.locator(".harbour .ship").all():
        signs = set("".join(await ship.locator(".cost .letter").all_text_contents()))
        await ship.hover()
        for sign in signs:
            await expect(player.page.locator(".ship-tooltip .sign", has_text=f"{sign}: ")).to_be_visible()
        await expect(player.page.locator(".ship-tooltip .sign")).to_have_count(len(signs))
        observed |= signs
    assert observed == {"A", "B", "?"}


async def test_a_ship_is_told_on_hover_and_on_focus_and_no_longer_than_that(visitors: Visitors) -> None:
    player = await visitors.come(size=DESKTOP)
    await starts_against_the_computer(player)
    received = player.page.locator(".ship-tooltip")
    ship = player.page.locator(".harbour .ship").first
    await ship.hover()
    await expect(received).to_contain_text(WANTED)
    await player.page.mouse.move(5, 500)
    await expect(received).to_have_count(0)
    await ship.focus()
    await player.page.keyboard.press("Tab")
    ship = player.page.locator(".harbour .ship").nth(1)
    await expect(ship).to_be_focused()
    await expect(received).to_contain_text(WANTED)
    described = await ship.get_attribute("aria-describedby")
    assert described == await received.get_attribute("id")
    await player.page.keyboard.press("Escape")
    await expect(received).to_have_count(0)


async def test_what_is_lacking_is_counted_for_the_wares_that_one_has(visitors: Visitors) -> None:
    http_game = await prepare_game(visitors, "ships-1")
    game = await http_game.play(SAVING, lambda _game, moves: "deliver" in kinds_of(moves))
    seat = game["turn"]["decider"]
    moves = await http_game.legal_moves()
    payable = {move["action"]["ship"] for move in moves if move["action"]["type"] == "deliver"}
    player = await http_game.opened_by(visitors, seat)
    await expect(player.page.locator(".ship.choosable")).to_have_count(len(payable))
    for index, ship in enumerate(game["display"]):
        await player.page.locator(".harbour .ship").nth(index).hover()
        expected = "You can load it" if ship in payable else "You lack"
        await expect(player.page.locator(".ship-tooltip")).to_contain_text(expected)


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS), ids=["phone", "sideways"])
async def test_nothing_covers_what_the_action_bar_says_of_a_ship_that_is_tapped_to_be_loaded(
    visitors: Visitors, size: Size
) -> None:
    http_game = await prepare_game(visitors, "ships-1")
    game = await http_game.play(SAVING, lambda _game, moves: "deliver" in kinds_of(moves))
    player = await http_game.opened_by(visitors, game["turn"]["decider"], size=size, touch=True)
    ship = player.page.locator(".ship.choosable").first
    await ship.tap()
    await expect(ship).to_have_attribute("aria-pressed", "true")
    await expect(player.action_bar.get_by_role("button", name="Deliver")).to_be_visible()
    await expect(player.page.locator(".ship-tooltip")).to_have_count(0)


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS), ids=["phone", "sideways"])
async def test_phones_show_the_same_hints_as_desktops(visitors: Visitors, size: Size) -> None:
    displayed = []
    for screen in (DESKTOP, size):
        player = await visitors.come(size=screen)
        await starts_against_the_computer(player)
        await expect(player.page.locator(".cell").first).to_be_visible()
        placing = await player.action_bar.locator(".hint").inner_text()
        await player.decide()
        await expect(player.page.locator(".spot").first).to_be_visible()
        displayed.append([placing.split(), (await player.action_bar.locator(".hint").inner_text()).split()])
    assert displayed[0] == displayed[1]
    assert "Sides" in displayed[1][0]


@pytest.mark.parametrize("place", ("lobby", "table"))
async def test_the_question_mark_opens_the_help(visitors: Visitors, place: str) -> None:
    player = await visitors.come()
    await expect(player.page.get_by_role("button", name="Play against the computer")).to_be_visible()
    if place == "table":
        await starts_against_the_computer(player)
        await expect(player.page.locator(".cell").first).to_be_visible()
    await player.page.keyboard.press("?")
    await expect(player.page.get_by_role("dialog")).to_contain_text("How it works")
    await player.page.keyboard.press("?")
    await expect(player.page.get_by_role("dialog")).to_have_count(1)
    await player.page.keyboard.press("Escape")
    await expect(player.page.get_by_role("dialog")).to_have_count(0)
    if place == "lobby":
        await player.page.get_by_label("Your name").focus()
        await player.page.keyboard.press("?")
        await expect(player.page.get_by_role("dialog")).to_have_count(0)
