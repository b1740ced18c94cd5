"""Menus within Discord's limits, however many moves there are."""

from typing import Any

import msgspec
import pytest

from examples.discord_bot.custom_ids import MAX_LENGTH, ComponentAction, id_pattern
from examples.discord_bot.menus import first_choice, payment_choice, rotation_choice
from examples.discord_bot.messages import build_view
from examples.discord_bot.phrases import LANGUAGES, PHRASES, language_of
from examples.discord_bot.screens import Screen
from south_seas.models import LegalMoves
from tests.examples.discord_bot.limits import message_faults

GAME = "g" * 32
VERSION = 2**31 - 1


def legal(phase: str, actions: list[dict[str, Any]], ids: list[str]) -> LegalMoves:
    moves = [{"id": name, "text": "t" * 100, "action": action} for name, action in zip(ids, actions, strict=True)]
    received = {"version": VERSION, "digest": "0" * 32, "language": "en", "seat": 0, "phase": phase, "moves": moves}
    return msgspec.convert({**received, "cells": None, "next_cursor": None}, LegalMoves)


def placements(cells: int) -> LegalMoves:
    at = [(cell, turn) for cell in range(cells) for turn in range(4)]
    actions = [{"type": "place_tile", "x": -499, "y": -cell, "rotation": turn} for cell, turn in at]
    return legal("place_tile", actions, [f"p-499.-{cell}.{turn}" for cell, turn in at])


def deliveries(ships: int, payments: int) -> LegalMoves:
    at = [(ship, fish) for ship in range(ships) for fish in range(payments)]
    wares = [{"bananas": 0, "shells": 0, "fish": fish} for _, fish in at]
    actions: list[dict[str, Any]] = [
        {"type": "deliver", "ship": f"ship-00{ship}", "wares": paid} for (ship, _), paid in zip(at, wares, strict=True)
    ]
    ids = [f"d.ship-00{ship}.0.0.{fish}" for ship, fish in at]
    return legal("deliver", [*actions, {"type": "pass", "phase": "deliver"}], [*ids, "pass.deliver"])


async def options_of(screen: Screen) -> list[str]:
    """Return the options; fail if Discord would reject them."""
    sent = {"content": screen.text, "components": build_view(screen).to_components()}
    assert list(message_faults(sent)) == []
    return [option.value for menu in screen.menus for option in menu.options]


@pytest.mark.parametrize("cells", (1, 25, 26, 75, 76, 300))
async def test_every_cell_is_on_some_page(cells: int) -> None:
    offered = placements(cells)
    result: list[str] = []
    for page in range((cells + 74) // 75):
        choice = first_choice("en", GAME, offered, page)
        result += await options_of(Screen(choice.question, menus=choice.menus, buttons=choice.buttons))
        assert len(choice.buttons) == (page > 0) + (len(result) < cells)
    assert result == [f"-499.{-cell}" for cell in range(cells)]


async def test_rotations_are_buttons_with_the_numbers_of_the_picture() -> None:
    choice = rotation_choice("en", GAME, placements(9), "-499.-3")
    await options_of(Screen(choice.question, menus=choice.menus, buttons=choice.buttons))
    assert [button.label for button in choice.buttons] == ["13 · 0°", "14 · 90°", "15 · 180°", "16 · 270°", "Back"]


async def test_many_payments_are_grouped_by_ship() -> None:
    offered = deliveries(4, 100)
    ships = first_choice("fr", GAME, offered)
    assert await options_of(Screen("", menus=ships.menus, buttons=ships.buttons)) == [
        f"ship-00{ship}" for ship in range(4)
    ]
    assert [button.action.value for button in ships.buttons] == ["pass.deliver"]
    result: list[str] = []
    for value in ("ship-002", "ship-002:1"):
        choice = payment_choice("fr", GAME, offered, value)
        result += await options_of(Screen("", menus=choice.menus, buttons=choice.buttons))
    assert result == [f"d.ship-002.0.0.{fish}" for fish in range(100)]


async def test_few_payments_are_one_menu() -> None:
    choice = first_choice("de", GAME, deliveries(4, 10))
    assert len(await options_of(Screen("", menus=choice.menus, buttons=choice.buttons))) == 40


def test_custom_ids_fit_and_are_parsed() -> None:
    pressed = ComponentAction(GAME, VERSION, "rematch", "d.ship--99.60.60.60xxxxxx"[:24])
    assert len(pressed.custom_id("b")) <= MAX_LENGTH
    result = id_pattern("b").fullmatch(pressed.custom_id("b"))
    assert result is not None
    assert ComponentAction.from_match(result) == pressed
    assert id_pattern("s").fullmatch(pressed.custom_id("b")) is None


def test_every_phrase_has_every_language() -> None:
    assert {len(phrases) for phrases in PHRASES.values()} == {len(LANGUAGES)}
    assert all(phrase for phrases in PHRASES.values() for phrase in phrases)
    assert [language_of(locale) for locale in ("fr", "de", "en-US", "es-ES")] == ["fr", "de", "en", "en"]
