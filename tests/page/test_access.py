"""The page for everybody: by keys alone, on a phone, with a screen reader, by day and by night."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.page.visitor import DESKTOP, PHONE, Visitors, starts_against_the_computer
from tests.web.served import Client

AXE = Path(__file__).parents[2] / "clients/node_modules/axe-core/axe.min.js"
SAVING = ("place_tile", "place_islander", "take_ship", "pass", "retrieve_islander", "deliver")
"""What somebody likes best to do who wants many wares."""


async def test_a_turn_is_played_by_keys_alone(visitors: Visitors) -> None:
    player = await visitors.come()
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
    await expect(player.dock).to_contain_text("Your turn")


async def test_what_happens_is_announced_and_the_choices_are_a_list_of_words(visitors: Visitors) -> None:
    player = await visitors.come()
    await starts_against_the_computer(player)
    await player.page.get_by_role("tab", name="My choices").click()
    listed = player.page.locator(".moves li button")
    await listed.first.click()
    await expect(player.page.locator("[aria-live=polite]").last).to_contain_text("Captain places a tile.")


async def test_a_phone_shows_all_that_is_needed_without_scrolling(visitors: Visitors) -> None:
    player = await visitors.come(size=PHONE, touch=True)
    await player.page.get_by_role("button", name="Play against the computer").tap()
    await expect(player.page.locator(".cell").first).to_be_visible()
    for needed in (".harbour", ".players", ".board", ".dock .primary"):
        box = await player.page.locator(needed).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
        assert box["y"] + box["height"] <= PHONE[1]
    await player.page.locator("[data-choice]").first.tap()
    await player.dock.locator(".primary").tap()
    await expect(player.page.locator(".spot").first).to_be_visible()
    await player.page.get_by_role("button", name="More").tap()
    await expect(player.page.locator(".log")).to_contain_text("Captain places a tile.")


async def test_the_tile_is_dragged_to_its_place(visitors: Visitors) -> None:
    player = await visitors.come()
    await starts_against_the_computer(player)
    cell = await player.page.locator("[data-choice]").first.bounding_box()
    hand = await player.page.locator(".hand").bounding_box()
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
async def test_axe_finds_nothing_to_complain_of(visitors: Visitors, size: tuple[int, int], *, dark: bool) -> None:
    player = await visitors.come(size=size, dark=dark)
    assert await _violations(player.page) == []
    await starts_against_the_computer(player)
    await expect(player.page.locator(".cell").first).to_be_visible()
    assert await _violations(player.page) == []
    await player.decide()
    await expect(player.page.locator(".spot").first).to_be_visible()
    assert await _violations(player.page) == []


async def test_a_payment_is_chosen_by_arrow_keys_and_confirmed_by_enter(visitors: Visitors) -> None:
    game, token = await _with_a_choice_of_payments(visitors.client)
    player = await visitors.come()
    kept = {"id": game, "owner": token, "spectator": None, "seats": {0: token, 1: token}, "private": False, "opened": 0}
    await player.page.evaluate("tables => localStorage.setItem('south-seas.tables', tables)", json.dumps([kept]))
    await player.page.goto(f"{visitors.url}#{game}")
    await expect(player.page.locator(".ship.choosable").first).to_be_visible()
    for ship in await player.page.locator(".ship.choosable").all():
        await ship.click()
        if await player.page.get_by_role("radio").count() > 1:
            break
    payments = player.page.get_by_role("group", name="Pay with").get_by_role("radio")
    await expect(payments.first).to_be_checked()
    assert await _violations(player.page) == []
    await payments.first.focus()
    await player.page.keyboard.press("ArrowRight")
    await expect(payments.nth(1)).to_be_checked()
    await expect(payments.nth(1)).to_be_focused()
    before = await player.version()
    await player.page.keyboard.press("Enter")
    await player.page.wait_for_function("before => document.querySelector('main').dataset.version > before", arg=before)
    await expect(player.page.locator(".log")).to_contain_text("delivers")


async def _with_a_choice_of_payments(client: Client) -> tuple[str, str]:
    """A game where somebody may pay a ship in more than one way, and the token of all its seats."""
    asked = {"players": [{"name": "Ana"}, {"name": "Bo"}], "seed": "payments-4", "first_seat": 0}
    async with client.post("/v1/games", json=asked) as answer:
        created = await answer.json()
    path, token = f"/v1/games/{created['game']['id']}", created["owner_token"]
    bearer = {"Authorization": f"Bearer {token}"}
    while True:
        async with client.get(f"{path}/legal-moves", headers=bearer) as answer:
            moves = (await answer.json())["moves"]
        ships = Counter(move["action"].get("ship") for move in moves if move["action"]["type"] == "deliver")
        if max(ships.values(), default=0) > 1:
            return created["game"]["id"], token
        chosen = min(reversed(moves), key=lambda move: SAVING.index(move["action"]["type"]))
        async with client.post(f"{path}/actions", json={"move": chosen["id"]}, headers=bearer) as answer:
            answer.raise_for_status()


async def _violations(page: Page) -> list[str]:
    """What axe-core finds wrong with what is on the screen."""
    if not AXE.exists():
        pytest.fail("axe-core is not there: run `npm --prefix clients ci`")
    await page.evaluate(AXE.read_text())
    found: dict[str, Any] = await page.evaluate("() => axe.run()")
    return [f"{one['id']}: {node['html']}" for one in found["violations"] for node in one["nodes"]]
