"""Readers of pictures for tests."""

import struct
from itertools import chain, repeat
from random import Random
from typing import Any
from unittest.mock import AsyncMock
from xml.etree import ElementTree as ET

from tests.drawing.example_tiles import SVG, parse_svg
from tests.polling import rounds
from tests.web.http_game import HTTPGame

PNG = b"\x89PNG\r\n\x1a\n"


def failing_draw(*failures: Exception) -> AsyncMock:
    """Return a way to draw that fails so often, and then gives a picture."""
    return AsyncMock(side_effect=chain(failures, repeat(b"picture")))


class BoardSVG:
    """The SVG of a board."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root: ET.Element = parse_svg(text)

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height in pixels."""
        return int(self.root.get("width", "0")), int(self.root.get("height", "0"))

    def count_uses(self, name: str) -> int:
        """Return how many references to symbols with this name prefix there are."""
        return sum(element.get("href", "").startswith(f"#{name}") for element in self.root.iter(f"{SVG}use"))


async def read_board_svg(game: HTTPGame, query: str = "") -> BoardSVG:
    """Read the board of a game as SVG."""
    response = await game.get(f"/board.svg?{query}")
    assert (response.status, response.content_type) == (200, "image/svg+xml"), await response.text()
    return BoardSVG(await response.text())


def png_size(data: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG."""
    assert data.startswith(PNG)
    width, height = struct.unpack(">II", data[16:24])
    return width, height


async def play_until_phase(http_game: HTTPGame, phase: str, chance: Random, *, after: int = 0) -> dict[str, Any]:
    """Play random moves until a decision in this phase, after at least `after` tiles, and return GAME."""
    left = rounds()
    while True:
        next(left)
        legal = await http_game.get_json("/legal-moves")
        game: dict[str, Any] = await http_game.get_json()
        if legal["phase"] == phase and len(game["board"]) > after:
            break
        assert legal["moves"], "the game ended before"
        await http_game.act_successfully({"move": chance.choice(legal["moves"])["id"]})
    return game
