"""Menus within Discord's limits, however many moves there are.

Players' names made of users' names, judged by the service's own rules.

The file of games and seats: its permissions, and files of earlier releases.
"""

import re
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.chat.actions import ChatAction
from examples.chat.menus import Choice, MoveMenus, worth_lines
from examples.chat.names import plain_name, send_names, unique_names
from examples.chat.phrases import LANGUAGES, PHRASES, Language, language_of, translate
from examples.chat.screens import ChatFormat, Screen
from examples.chat.ship_labels import ship_label
from examples.chat.storage import BotStorage
from examples.discord_bot.messages import DISCORD, build_view
from schemas.player_names import name_key, normalize_name
from south_seas import Client
from south_seas.models import Cost, CreateGame, LegalMoves, SeatRequest, Ship
from tests.examples.discord_bot.test_bot import CUSTOM_ID, message_faults

GAME = "g" * 32
VERSION = 2**31 - 1


def legal(phase: str, actions: list[dict[str, Any]], ids: list[str]) -> LegalMoves:
    moves: list[dict[str, Any]] = [
        {
            "id": name,
            "text": "t" * 100,
            "action": action,
            **dict.fromkeys(("if_passed", "feature")),
            "effects": [],
            "worth": f"Worth {name}.",
        }
        for name, action in zip(ids, actions, strict=True)
    ]
    received = {"version": VERSION, "digest": "0" * 32, "language": "en", "seat": 0, "phase": phase, "moves": moves}
    return msgspec.convert({**received, "repeated": [], "cells": None, "ships": [], "next_cursor": None}, LegalMoves)


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


async def options_of(choice: Choice) -> list[str]:
    """Return the values of the options; fail if Discord would reject the message."""
    screen = Screen(choice.question, question=choice.question, options=choice.options, buttons=choice.buttons)
    sent = {"content": screen.text, "components": build_view(screen).to_components()}
    assert list(message_faults(sent)) == []
    return [option.action.value for option in choice.options]


def menus(offered: LegalMoves, language: Language = "en", chat: ChatFormat = DISCORD) -> MoveMenus:
    return MoveMenus(chat, language, GAME, offered, {f"ship-00{ship}": f"{ship} points" for ship in range(4)})


def action(name: str, value: str) -> ChatAction:
    return ChatAction(GAME, VERSION, name, value)


@pytest.mark.parametrize("cells", (7, 25, 26, 48, 300))
async def test_every_cell_is_on_some_page(cells: int) -> None:
    offered, result = menus(placements(cells)), list[str]()
    choice = offered.choice(None)
    while (rows := await options_of(choice)) and (more := choice.options[-1].action).name == "page":
        assert (len(rows), choice.options[-1].label) == (25, "More ▶")
        result += rows[:-1]
        choice = offered.choice(more)
        assert [button.label for button in choice.buttons] == ["◀ Earlier"]
    assert [*result, *rows] == [f"-499.{-cell}" for cell in range(cells)]


async def test_few_placements_are_one_menu() -> None:
    assert await options_of(menus(placements(6)).choice(None)) == [move.id for move in placements(6).moves]


async def test_rotations_are_buttons_with_the_numbers_of_the_picture() -> None:
    choice = menus(placements(9)).choice(action("cell", "-499.-3"))
    await options_of(choice)
    assert [button.label for button in choice.buttons] == ["13 · 0°", "14 · 90°", "15 · 180°", "16 · 270°", "Back"]


async def test_placements_that_look_alike_are_one_choice() -> None:
    offered = placements(1)
    alike = msgspec.structs.replace(offered, repeated=[move.id for move in offered.moves[1:]])
    assert menus(alike).single_move("-499.0") == offered.moves[0]


def test_moves_say_what_they_are_worth_after_their_numbers() -> None:
    choice = menus(placements(2)).choice(action("cell", "-499.-1"))
    assert [*worth_lines(choice)] == [f"{number}: Worth p-499.-1.{number - 5}." for number in (5, 6, 7, 8)]
    assert [*worth_lines(menus(placements(7)).choice(None))] == []


def test_a_chat_without_pictures_has_no_numbers() -> None:
    plain = menus(placements(2), chat=DISCORD._replace(has_pictures=False))
    assert [option.label for option in plain.choice(None).options][3:5] == ["(-499, 0) 270°", "(-499, -1) 0°"]


async def test_many_payments_are_grouped_by_ship() -> None:
    offered = menus(deliveries(4, 100), "fr")
    ships = offered.choice(None)
    assert await options_of(ships) == [f"ship-00{ship}" for ship in range(4)]
    assert [option.label.partition(" · ")[2] for option in ships.options] == [f"{ship} points" for ship in range(4)]
    assert [button.action.value for button in ships.buttons] == ["pass.deliver"]
    result: list[str] = []
    for value in ("ship-002", *(f"ship-002:{page}" for page in range(1, 5))):
        result += [row for row in await options_of(offered.choice(action("ship", value))) if row.startswith("d.")]
    assert result == [f"d.ship-002.0.0.{fish}" for fish in range(100)]


@pytest.mark.parametrize(
    ("language", "label"),
    (
        ("en", "5 points: 1 banana, 2 shells, 3 fish, 1 ware of any kind"),
        ("fr", "5 points\u202f: 1 banane, 2 coquillages, 3 poissons, 1 marchandise au choix"),
        ("de", "5 Punkte: 1 Banane, 2 Muscheln, 3 Fische, 1 Ware nach Wahl"),
    ),
)
def test_a_ship_is_labelled_with_its_points_and_cost(language: Language, label: str) -> None:
    ship = Ship(id="s04", points=5, cost=Cost(bananas=1, shells=2, fish=3, any=1, same=[]))
    assert ship_label(language, ship) == label


async def test_few_payments_are_one_menu() -> None:
    assert len(await options_of(menus(deliveries(4, 6), "de").choice(None))) == 24


def test_actions_fit_into_every_chat_s_buttons_and_are_parsed() -> None:
    longest = ChatAction("g" * 12, VERSION, "rematch", "d.ship--99.60.60.60xxxxxx"[:24])
    assert len(longest.encode()) <= 64  # Telegram has the least room
    assert len(f"sea:b:{longest._replace(game=GAME).encode()}") <= CUSTOM_ID
    assert ChatAction.parse(longest.encode()) == longest
    for text in ("", "sea", f"{longest.encode()}!", longest.encode().replace(":", "")):
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            ChatAction.parse(text)


def test_every_phrase_has_every_language() -> None:
    assert {len(phrases) for phrases in PHRASES.values()} == {len(LANGUAGES)}
    assert all(phrase for phrases in PHRASES.values() for phrase in phrases)
    assert not any("'" in phrase for phrases in PHRASES.values() for phrase in phrases)
    assert translate("fr", "choose_cell") == "Où\u202f?"
    assert [language_of(locale) for locale in ("fr", "de", "en-US", "es-ES")] == ["fr", "de", "en", "en"]


DISPLAY_NAMES = st.text(
    st.characters() | st.sampled_from("\u034f\u115f\u2800\u3164aA\uff21\ufe0f\u0301\u200d "), max_size=40
)

ACCEPTED = (
    "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",  # Ali Reza in Persian
    "ශ\u0dca\u200dරී",
    "👨\u200d👩\u200d👧",
    "\U0001fae8",  # Unicode 15
    "\U00010d50",  # Unicode 16
    "Zoë",
)


def is_accepted(name: str) -> bool:
    """Return whether the service accepts a name as it is."""
    try:
        return normalize_name(name) == name
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("sent", "received"),
    (
        (ACCEPTED[:5], ACCEPTED[:5]),
        (ACCEPTED[5:], ACCEPTED[5:]),
        (("Ana", "ANA ", "\uff21na"), ("Ana", "ANA 2", "\uff21na 3")),
        (("A\u202ena\n", "x" * 40), ("Ana", "x" * 32)),
        (("\u200b", " Zoë ", "\ud800"), ("?", "Zoë", "? 2")),
    ),
)
async def test_the_service_receives_names_as_users_write_them(
    client: Client, sent: tuple[str, ...], received: tuple[str, ...]
) -> None:
    async def create(names: list[str]) -> list[str | None]:
        seats = [*(SeatRequest(name=name) for name in names), SeatRequest(open=True)][:5]
        created = await client.create(CreateGame(players=seats))
        return [player.name for player in created.game.players]

    assert (await send_names(sent, (), create))[: len(sent)] == [*received]


@given(DISPLAY_NAMES)
def test_the_service_accepts_every_plain_name(name: str) -> None:
    assert is_accepted(plain_name(name))


@given(st.lists(DISPLAY_NAMES.filter(is_accepted) | DISPLAY_NAMES.map(plain_name), max_size=4))
def test_no_two_names_look_alike(names: list[str]) -> None:
    unique = unique_names(names, ())
    assert len({name_key(name) for name in unique}) == len(unique)


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bot.sqlite"
    BotStorage(file).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
