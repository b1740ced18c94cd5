"""Accessibility: the keyboard, phones, screen readers, and both themes."""

import re

import pytest
from playwright.async_api import expect

from tests.page.axe import violations
from tests.page.visitor import DESKTOP, PHONE, Visitors, start_against_computer


async def test_a_turn_can_be_played_by_keyboard_alone(visitors: Visitors) -> None:
    player = await visitors.open()
    keys = player.page.keyboard
    await player.page.get_by_role("button", name="Play against the computer").focus()
    await keys.press("Enter")
    await expect(player.page.locator(".cell").first).to_be_visible()
    await keys.press("ArrowRight")
    focused = player.page.locator("[data-choice]:focus")
    await expect(focused).to_have_attribute("aria-label", re.compile("^Place .*: .* to the "))
    await keys.press("Enter")
    await expect(focused).to_have_attribute("aria-pressed", "true")
    await keys.press("r")
    await keys.press("Enter")
    await expect(player.page.locator(".spot").first).to_be_visible()
    await keys.press("u")
    await expect(player.page.locator(".cell").first).to_be_visible()
    await keys.press("ArrowDown")
    await keys.press("Enter")
    await keys.press("Enter")
    await expect(player.page.locator(".spot").first).to_be_visible()
    before = await player.version()
    await keys.press("p")
    await player.page.wait_for_function("before => document.querySelector('main').dataset.version > before", arg=before)
    await expect(player.action_bar).to_contain_text("Your turn")


async def test_moves_are_announced_and_listed_as_text(visitors: Visitors) -> None:
    player = await visitors.open()
    await start_against_computer(player)
    await player.page.get_by_role("tab", name="My moves").click()
    listed = player.page.locator(".moves li button")
    await listed.first.click()
    await expect(player.page.locator("[aria-live=polite]").last).to_contain_text("Captain places a tile.")


async def test_a_phone_shows_board_players_and_controls_without_scrolling(visitors: Visitors) -> None:
    player = await visitors.open(size=PHONE, touch=True)
    await player.page.get_by_role("button", name="Play against the computer").tap()
    await expect(player.page.locator(".cell").first).to_be_visible()
    for needed in (".harbour", ".players", ".board", ".action-bar .primary"):
        box = await player.page.locator(needed).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
        assert box["y"] + box["height"] <= PHONE[1]
    await player.page.locator("[data-choice]").first.tap()
    await player.action_bar.locator(".primary").tap()
    await expect(player.page.locator(".spot").first).to_be_visible()
    await player.page.get_by_role("button", name="More").tap()
    await expect(player.page.locator(".log")).to_contain_text("Captain places a tile.")


async def test_the_tile_can_be_dragged_to_a_cell(visitors: Visitors) -> None:
    player = await visitors.open()
    await start_against_computer(player)
    cell = await player.page.locator("[data-choice]").first.bounding_box()
    hand = await player.page.locator(".current-tile").bounding_box()
    assert cell is not None
    assert hand is not None
    mouse = player.page.mouse
    await mouse.move(hand["x"] + 20, hand["y"] + 20)
    await mouse.down()
    await mouse.move(hand["x"] + 80, hand["y"] - 60, steps=3)
    await mouse.move(cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2, steps=4)
    await mouse.up()
    await expect(player.page.locator(".trial")).to_be_visible()
    await player.press("Place it")
    await expect(player.page.locator(".tile")).to_have_count(2)


@pytest.mark.parametrize("dark", (False, True), ids=["light", "dark"])
@pytest.mark.parametrize("size", (DESKTOP, PHONE), ids=["desktop", "phone"])
async def test_axe_reports_no_violations(visitors: Visitors, size: tuple[int, int], *, dark: bool) -> None:
    player = await visitors.open(size=size, dark=dark)
    assert await violations(player.page) == []
    await start_against_computer(player)
    await expect(player.page.locator(".cell").first).to_be_visible()
    assert await violations(player.page) == []
    await player.decide()
    await expect(player.page.locator(".spot").first).to_be_visible()
    assert await violations(player.page) == []
