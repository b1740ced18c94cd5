"""What the terminal shows is in `snapshots/`. Read a difference; WRITE_SNAPSHOTS=1 stores it if it is meant."""

import os
import random
import re
import sys
from pathlib import Path

import pytest
from msgspec import convert, to_builtins

from examples.terminal.board import TileView, draw_single_tile
from examples.terminal.choices import make_menu
from examples.terminal.controller import open_game
from examples.terminal.tile_picture import LARGE, MEDIUM, SMALL
from examples.terminal.tile_shape import Size, middle_of, shape, turned
from service.games.tilesets import load_catalogue
from south_seas import Client
from south_seas.models import Bridge, Cost, Deliver, Island, Move, SeatRequest, Ship, TakeShip, Tile, Wares
from tests.examples.terminal_player import choose, new_game, press, ready, seen

SNAPSHOTS = Path(__file__).with_name("snapshots")
TILES = convert(to_builtins(load_catalogue(None).get("lagoon").tileset.tiles), list[Tile])
SIZES = (LARGE, MEDIUM, SMALL)


def check(name: str, received: list[str]) -> None:
    """Compare lines with a stored text."""
    file, text = SNAPSHOTS / f"{name}.txt", "".join(f"{line.rstrip()}\n" for line in received)
    if os.environ.get("WRITE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_tiles_of_all_rotations_and_sizes() -> None:
    """Large seas are connected, islands whose tips touch are distinct (R9), and every symbol lies on its segment."""
    lines = []
    for tile in TILES:
        pictures = [draw_single_tile(TileView(tile, turn), size) for size in SIZES for turn in range(4)]
        lines += [
            " ".join(f"{one[row].plain if row < len(one) else '':{len(one[0])}}" for one in pictures)
            for row in range(LARGE.height)
        ]
    check("tiles", lines)


@pytest.mark.parametrize("size", SIZES, ids=("large", "medium", "small"))
def test_edges_show_their_segments(size: Size) -> None:
    """Tiles that fit (R3.3) go on into each other: the middle of an edge shows the segment that reaches it."""
    for tile, rotation in ((tile, rotation) for tile in TILES for rotation in range(4)):
        segments = turned(tile, rotation)
        ground = shape(segments, size)
        for index, segment in enumerate(segments):
            if isinstance(segment, Bridge | Island):
                assert all(ground[middle_of(size, edge)] == index for edge in segment.edges), tile.id


def test_payments_and_ships_are_in_words() -> None:
    ships = {"s1": Ship(id="s1", points=5, cost=Cost(bananas=1, shells=2, fish=1, any=0, same=[]))}
    paid = Deliver(ship="s1", wares=Wares(bananas=1, shells=2, fish=1))
    moves = [
        Move(id=str(one), text="", action=one, effects=None, feature=None, worth=None)
        for one in (paid, TakeShip(ship="s1"))
    ]
    menu = make_menu(8, moves, ships)
    assert [choice.text for choice in menu.choices] == [
        "deliver 1 banana, 2 shells and 1 fish to the ship worth 5: 1 banana + 2 shells + 1 fish",
        "take the ship worth 5: 1 banana + 2 shells + 1 fish",
    ]
    assert menu.match("worth 5: 1 Banana") == (None, menu.choices)
    assert menu.match("deliver 1").chosen is menu.choices[0]


async def test_a_chosen_move_says_what_it_is_worth(client: Client) -> None:
    """Below the input, in place of the commands."""
    async with open_game(client, await new_game(client, SeatRequest(name="Ana"), SeatRequest(name="Bo"))) as play:
        await ready(play)
        assert play.state.menu is not None
        press(play, *play.state.menu.choices[0].key, "enter")
        await play.wait_for_tasks()
        await ready(play)
        move = play.state.menu.choices[0]
        press(play, *move.key)
        assert re.search(r"The .* is worth .* so far and has \d+ open sides?\.$", move.move.worth or "")
        assert (move.move.worth or "") in seen(play, width=120)


async def test_screens_of_a_game(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards that fit, scroll, are moved and resized; typed keys with their preview; all pages (R8.1, R8.3, R8.4)."""
    monkeypatch.setattr(sys, "argv", ["examples/terminal"])
    lines: list[str] = []
    chance = random.Random(1)
    players = SeatRequest(name="Ana"), SeatRequest(name="Bo"), SeatRequest(name="Cy")
    async with open_game(client, await new_game(client, *players)) as play:

        async def show(*keys: str, width: int = 80, height: int = 24) -> None:
            press(play, *keys)
            await play.wait_for_tasks()
            lines.extend(["", f"--- {' '.join(keys)} ({width} by {height})", *seen(play, width, height).split("\n")])

        await ready(play)
        menu = play.state.menu
        assert menu is not None
        assert [menu.match(typed).chosen for typed in ("1", " 1A ", "0, 1", "3", "")] == [
            *(menu.choices[0], menu.choices[0], menu.choices[-1], None, None)
        ]
        await show()
        await show("9", "9", "enter")
        await show("clear", *"place", "enter")
        await show("clear", *menu.choices[0].key)
        await show("escape", width=30, height=8)
        decisions, texts = 0, dict[str, str]()
        while await ready(play):
            assert play.state.menu is not None
            texts |= {type(one.move.action).__name__: f"{one.key}: {one.text}" for one in play.state.menu.choices}
            if decisions in (30, 90):
                await show()
                await show(width=160, height=50)
                await show("left", "up")
                await show("home", "z", "enter")
                for page in ("?", "s", "i", "t"):
                    await show(page, "enter")
                await show("pagedown")
                await show("escape")
            await choose(play, chance)
            decisions += 1
        await show()
    lines += ["", *(f"{action} {text}" for action, text in sorted(texts.items()))]
    check("screens", [re.sub(r"http://[\d.:]+", "URL", line.replace(play.state.game.id, "GAME")) for line in lines])
