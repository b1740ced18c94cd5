"""Looking at pictures in tests: what a drawing uses, and how large a PNG is."""

import struct
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

from tests.web.drawing.example_tiles import SVG, parse_svg
from tests.web.http_game import HTTPGame

PNG = b"\x89PNG\r\n\x1a\n"


class BoardSVG:
    """A board's SVG."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root: ET.Element = parse_svg(text)

    @property
    def size(self) -> tuple[int, int]:
        """Its width and height in pixels."""
        return int(self.root.get("width", "0")), int(self.root.get("height", "0"))

    def count_uses(self, name: str) -> int:
        """How often a symbol is used, by the beginning of its name."""
        return sum(element.get("href", "").startswith(f"#{name}") for element in self.root.iter(f"{SVG}use"))


async def read_board_svg(game: HTTPGame, query: str = "") -> BoardSVG:
    """The board of a game."""
    response = await game.get(f"/board.svg?{query}")
    assert (response.status, response.content_type) == (200, "image/svg+xml"), await response.text()
    return BoardSVG(await response.text())


def png_size(data: bytes) -> tuple[int, int]:
    """The width and height of a PNG."""
    assert data.startswith(PNG)
    width, height = struct.unpack(">II", data[16:24])
    return width, height


async def play_until_phase(http_game: HTTPGame, phase: str, chance: Random, *, after: int = 0) -> dict[str, Any]:
    """Play on by chance until somebody decides in this phase after so many tiles; gives GAME."""
    while True:
        legal = await http_game.get_json("/legal-moves")
        game: dict[str, Any] = await http_game.get_json()
        if legal["phase"] == phase and len(game["board"]) > after:
            return game
        assert legal["moves"], "the game ended before"
        await http_game.act_successfully({"move": chance.choice(legal["moves"])["id"]})
