"""`candidates=1` numbers the legal moves in the order of their list, so that "reply 7" works.

Placements that look and play like another one have no number.
"""

import re
from collections import defaultdict
from random import Random
from typing import Any

import pytest

from service.drawing.scene import format_numbers
from tests.drawing.example_tiles import SVG
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, create_game
from tests.web.images.image_inspection import BoardSVG, play_until_phase, read_board_svg

Subject = tuple[str | None, str | None, str | None]
"""A cell, a segment, a ship; all None for passing."""


def read_labels(seen: BoardSVG) -> dict[Subject, str]:
    """Return the text of each label of a picture, by subject."""
    return {
        (group.get("data-cell"), group.get("data-segment"), group.get("data-ship")): group.get("data-moves", "")
        for group in seen.root.iter(f"{SVG}g")
        if group.get("data-moves") is not None
    }


async def read_numbers(http_game: HTTPGame) -> dict[Subject, str]:
    """Return the numbers of the legal moves, by subject."""
    game = await http_game.get_json()
    numbers: defaultdict[Subject, list[int]] = defaultdict(list)
    legal = await http_game.get_json("/legal-moves")
    for number, move in enumerate(legal["moves"], start=1):
        if move["id"] in legal["repeated"]:
            continue
        numbers[subject_of(game, move["action"])].append(number)
    return {subject: format_numbers(text_or_numbers) for subject, text_or_numbers in numbers.items()}


def subject_of(game: dict[str, Any], action: dict[str, Any]) -> Subject:
    """Return the subject of an action."""
    match action["type"]:
        case "place_tile":
            return f"{action['x']},{action['y']}", None, None
        case "place_islander":
            placed = game["turn"]["placed"]
            return f"{placed['x']},{placed['y']}", str(action["segment"]), None
        case "retrieve_islander":
            return f"{action['x']},{action['y']}", str(action["segment"]), None
        case "deliver" | "take_ship":
            return None, None, action["ship"]
        case _:
            return None, None, None


@pytest.mark.parametrize(("phase", "tiles"), (("place_tile", (2, 18)), ("islander", (2, 18)), ("deliver", (8,))))
async def test_labels_have_the_numbers_of_the_list(client: Client, phase: str, tiles: tuple[int, ...]) -> None:
    game = await create_game(client, seed="numbers", edition="german")
    chance = Random(3)
    for number in tiles:
        await play_until_phase(game, phase, chance, after=number)
        assert read_labels(await read_board_svg(game, "candidates=1&side=1")) == await read_numbers(game)
        await game.act_successfully({"move": chance.choice(await game.legal_moves())["id"]})


async def test_the_text_has_the_numbers_too(client: Client) -> None:
    game = await create_game(client, seed="numbers")
    chance = Random(3)
    await play_until_phase(game, "place_tile", chance, after=8)
    text = await (await game.get("/board.txt?candidates=1")).text()
    displayed = {
        number for text_or_numbers in re.findall(r"\[([\d,-]+)\]", text) for number in numbers_in(text_or_numbers)
    }
    assert displayed == {*range(1, len(await game.legal_moves()) + 1)}


def numbers_in(label: str) -> set[int]:
    """Return the numbers of a label."""
    numbers: set[int] = set()
    for run in label.split(","):
        first, _, last = run.partition("-")
        numbers |= {*range(int(first), int(last or first) + 1)}
    return numbers


async def test_the_move_with_a_number_does_what_the_picture_shows(client: Client) -> None:
    game = await create_game(client, seed="numbers")
    labels = read_labels(await read_board_svg(game, "candidates=1"))
    for (cell, _, _), label in labels.items():
        for number in numbers_in(label):
            action = (await game.legal_moves())[number - 1]["action"]
            assert f"{action['x']},{action['y']}" == cell


async def test_no_labels_without_the_option_or_after_the_game(client: Client) -> None:
    game = await create_game(client, seed="numbers")
    assert not read_labels(await read_board_svg(game, "side=1"))
    assert (await game.delete()).status == 200
    assert not read_labels(await read_board_svg(game, "candidates=1&side=1"))
