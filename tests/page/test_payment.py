"""The payment for a ship: wares are chosen one by one, missing ones are shown, and only legal payments are accepted."""

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.page.axe import violations
from tests.page.conftest import GROUPED, RICH
from tests.page.game_fixture import Moves
from tests.page.page_states import offers, open_game, prepare_local_game
from tests.page.visitor import PHONE, Size, Visitor, Visitors

SMALLEST: Size = (320, 480)
MANY = 25
"""More payments than fit on the screen as buttons."""
WARES = ("bananas", "shells", "fish")


@pytest.mark.parametrize("size", (SMALLEST, PHONE), ids=["smallest", "phone"])
async def test_a_ship_that_costs_any_seven_wares_is_paid_by_tapping(visitors: Visitors, size: Size) -> None:
    game = await prepare_local_game(visitors, tileset=RICH)
    await game.play_until(offers("deliver", MANY))
    player = await open_game(visitors, game, size)
    await player.page.locator(".ship.choosable").first.tap()
    status = player.action_bar.get_by_role("status")
    deliver = player.action_bar.get_by_role("button", name="Deliver")
    await expect(status).to_contain_text("0 of 7 chosen, 7 missing.")
    await expect(deliver).to_be_disabled()
    for _ in range(5):
        await _button(player, "One shell more").tap()
    await _button(player, "One shell less").tap()
    await _button(player, "One banana more").tap()
    await expect(status).to_contain_text("5 of 7 chosen, 2 missing.")
    await expect(deliver).to_be_disabled()
    for _ in range(2):
        await _button(player, "One fish more").tap()
    await expect(status).to_contain_text("All 7 chosen.")
    await expect(_button(player, "One shell more")).to_be_disabled()
    seat = (await game.read())["turn"]["decider"]
    before = (await game.read())["players"][seat]["wares"]
    version = await player.version()
    await deliver.tap()
    await _wait_for_change(player, version)
    after = (await game.read())["players"][seat]["wares"]
    assert {ware: before[ware] - after[ware] for ware in before} == {"bananas": 1, "shells": 4, "fish": 2}


async def test_wares_can_be_chosen_by_keyboard_alone(visitors: Visitors) -> None:
    game = await prepare_local_game(visitors, tileset=RICH)
    await game.play_until(offers("deliver", MANY))
    player = await open_game(visitors, game, PHONE)
    await expect(player.page.locator(".ship.choosable").first).to_be_visible()
    keys = player.page.keyboard
    for key in ("ArrowRight", "Enter"):  # focus the first ship, then choose it
        await keys.press(key)
    focused = player.page.locator("[role=spinbutton]:focus")
    await expect(focused).to_have_accessible_name("Bananas")
    for key in ("ArrowUp", "+", "ArrowDown", "ArrowRight", "End"):
        await keys.press(key)
    await expect(focused).to_have_accessible_name("Shells")
    await expect(focused).to_have_attribute("aria-valuenow", "6")
    version = await player.version()
    await keys.press("Enter")
    await _wait_for_change(player, version)
    await expect(player.page.locator(".log")).to_contain_text("delivers 1 banana and 6 shells")


async def test_an_illegal_combination_of_wares_is_rejected_with_the_reason(
    visitors: Visitors,
) -> None:
    game = await prepare_local_game(visitors, tileset=GROUPED)
    await game.play_until(lambda moves: _ship_with_illegal_payment(moves) is not None)
    ship = _ship_with_illegal_payment(await game.legal_moves())
    player = await open_game(visitors, game, PHONE)
    await expect(player.page.locator(".ship.choosable").first).to_be_visible()
    position = (await game.read())["display"].index(ship)
    await player.page.locator(".ship").nth(position).tap()
    status = player.action_bar.get_by_role("status")
    await expect(status).to_contain_text("missing.")
    legal = [move["action"]["wares"] for move in await game.legal_moves() if move["action"].get("ship") == ship]
    for ware, amount in _find_illegal_payment(legal).items():
        await _set(player, ware, amount)
    await expect(status).to_contain_text("Not these together: the ship takes ")
    await expect(player.action_bar.get_by_role("button", name="Deliver")).to_be_disabled()
    assert await violations(player.page) == []
    for ware in WARES:
        await _set(player, ware, min(wares[ware] for wares in legal))
    for ware, amount in legal[0].items():
        await _set(player, ware, amount)
    await expect(status).to_contain_text("chosen.")
    await expect(player.action_bar.get_by_role("button", name="Deliver")).to_be_enabled()


def _button(player: Visitor, name: str) -> Locator:
    return player.action_bar.get_by_role("button", name=name)


async def _set(player: Visitor, ware: str, amount: int) -> None:
    """Choose an amount of a ware."""
    stepper = player.action_bar.get_by_role("spinbutton", name=ware.title())
    if await stepper.count() == 0:
        assert amount == 0
        return
    while (current := int(await stepper.get_attribute("aria-valuenow") or 0)) != amount:
        await stepper.press("ArrowUp" if current < amount else "ArrowDown")
        await expect(stepper).not_to_have_attribute("aria-valuenow", str(current))


async def _wait_for_change(player: Visitor, version: int) -> None:
    """Wait until the page shows a later version of the game."""
    await player.page.wait_for_function(
        "before => Number(document.querySelector('main').dataset.version) > before", arg=version
    )


def _ship_with_illegal_payment(moves: Moves) -> str | None:
    """Return a ship that has an illegal payment of the right number of wares."""
    by_ship: dict[str, list[dict[str, Any]]] = {}
    for move in moves:
        if move["action"]["type"] == "deliver":
            by_ship.setdefault(move["action"]["ship"], []).append(move["action"]["wares"])
    return next((ship for ship, legal in by_ship.items() if _find_illegal_payment(legal)), None)


def _find_illegal_payment(legal: list[dict[str, int]]) -> dict[str, int]:
    """Return an illegal payment of the right number of wares, each within the legal amounts; empty if none exists."""
    total = sum(legal[0].values())
    bounds = [range(min(w[ware] for w in legal), max(w[ware] for w in legal) + 1) for ware in WARES]
    for bananas in bounds[0]:
        for shells in bounds[1]:
            wares = {"bananas": bananas, "shells": shells, "fish": total - bananas - shells}
            if wares["fish"] in bounds[2] and wares not in legal:
                return wares
    return {}
