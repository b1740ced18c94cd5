"""What a picture is made of, so that another process can draw it; and the drawing of it."""

from functools import lru_cache
from typing import Literal

import msgspec
from resvg import render, usvg

from schemas.actions import Action
from schemas.game import GameView
from schemas.tileset import Ship, Tile, TileSet
from service.web.drawing.game_picture import board_svg
from service.web.drawing.palette import THEMES, Theme
from service.web.drawing.scene import Options, scene
from service.web.drawing.ships import ship_svg
from service.web.drawing.text_board import board_text
from service.web.drawing.tile import tile_svg

IDENTITY = (1, 0, 0, 0, 1, 0)
"""The transformation that changes nothing: two rows of three."""

Form = Literal["svg", "png", "txt"]


class BoardJob(msgspec.Struct, frozen=True, tag="board"):
    """A game's board; `moves` are the legal ones in the list's order, none where they are not to be numbered."""

    tileset: bytes
    """A tile set's answer: the same bytes are read once."""
    game: GameView
    moves: list[Action]
    options: Options
    form: Form


class TileJob(msgspec.Struct, frozen=True, tag="tile"):
    """A tile after so many quarter turns."""

    tile: Tile
    rotation: int
    theme: Theme
    width: int
    form: Form


class ShipJob(msgspec.Struct, frozen=True, tag="ship"):
    """A ship's token."""

    ship: Ship
    theme: Theme
    width: int
    form: Form


Job = BoardJob | TileJob | ShipJob


def draw(job: Job) -> bytes:
    """The picture, in the form that the job asks for."""
    if isinstance(job, BoardJob):
        drawn = scene(job.game, _tileset(job.tileset), job.moves)
        if job.form == "txt":
            return board_text(drawn, job.options).encode()
        return _formed(board_svg(drawn, job.options), job.form)
    width, colors = job.width if job.form == "png" else None, THEMES[job.theme]
    match job:
        case TileJob():
            return _formed(tile_svg(job.tile, job.rotation, colors, width), job.form)
        case ShipJob():
            return _formed(ship_svg(job.ship, colors, width), job.form)


def _formed(svg: str, form: Form) -> bytes:
    return _painted(svg) if form == "png" else svg.encode()


def _painted(svg: str) -> bytes:
    """A drawing as PNG; no fonts are needed, as its texts are outlines."""
    return render(usvg.Tree.from_str(svg, usvg.Options.default()), IDENTITY)


@lru_cache(maxsize=64)
def _tileset(answer: bytes) -> TileSet:
    return msgspec.json.decode(answer, type=TileSet)
