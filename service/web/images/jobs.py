"""Drawing jobs, which contain all that the worker process needs, and their execution."""

import traceback
from functools import lru_cache
from time import thread_time
from typing import Literal

import msgspec
from resvg import render, usvg

from schemas.actions import Action
from schemas.game import GameView
from schemas.tileset import Ship, Tile, TileSet
from service.drawing.game_picture import board_svg
from service.drawing.palette import THEMES, Theme
from service.drawing.scene import BoardOptions, make_scene
from service.drawing.ships import ship_svg
from service.drawing.text_board import board_text
from service.drawing.tile import draw_rotations, tile_svg
from service.web.errors import RenderingFailed

IDENTITY = (1, 0, 0, 0, 1, 0)
"""The identity transformation: two rows of three."""

ImageFormat = Literal["svg", "png", "txt"]


class BoardJob(msgspec.Struct, frozen=True, tag="board"):
    """A game's board; `moves` are the legal moves to number, in the order of their list; None gets no number."""

    tileset: bytes
    """The encoded tile set; the decoded one is cached by these bytes."""
    game: GameView
    moves: list[Action | None]
    options: BoardOptions
    image_format: ImageFormat


class TileJob(msgspec.Struct, frozen=True, tag="tile"):
    """A tile after `rotation` quarter turns."""

    tile: Tile
    rotation: int
    theme: Theme
    width: int
    image_format: ImageFormat
    label: str = ""
    """The tile's name, for screen readers; empty for a PNG, which has no words."""


class RotationsJob(msgspec.Struct, frozen=True, tag="rotations"):
    """A tile's part of the picture of all tiles of its set."""

    tile: Tile
    theme: Theme


class ShipJob(msgspec.Struct, frozen=True, tag="ship"):
    """A ship."""

    ship: Ship
    theme: Theme
    width: int
    image_format: ImageFormat
    label: str = ""
    """What it is worth and asks for, like a tile's label."""


DrawingJob = BoardJob | TileJob | RotationsJob | ShipJob


def draw_job(job: DrawingJob) -> bytes:
    """Draw a job in its image format."""
    if isinstance(job, BoardJob):
        scene = make_scene(job.game, _decode_tileset(job.tileset), job.moves)
        if job.image_format == "txt":
            return board_text(scene, job.options).encode()
        return _encode_image(board_svg(scene, job.options), job.image_format)
    if isinstance(job, RotationsJob):
        return draw_rotations(job.tile, THEMES[job.theme]).encode()
    width, colors = job.width if job.image_format == "png" else None, THEMES[job.theme]
    match job:
        case TileJob():
            return _encode_image(tile_svg(job.tile, job.rotation, colors, width, job.label), job.image_format)
        case ShipJob():
            return _encode_image(ship_svg(job.ship, colors, width, job.label), job.image_format)


def draw_in_worker(job: DrawingJob) -> tuple[bytes, float]:
    """Draw a job in another process; return also the seconds of its processor that this took.

    Raises RenderingFailed with the stack of any error.
    """
    started_at = thread_time()
    try:
        return draw_job(job), thread_time() - started_at
    except Exception as error:  # whatever it is, the service logs the stack
        raise RenderingFailed(traceback.format_exc()) from error


def _encode_image(svg: str, image_format: ImageFormat) -> bytes:
    return rasterize(svg) if image_format == "png" else svg.encode()


def rasterize(svg: str) -> bytes:
    """Render an SVG as PNG; no fonts are needed because texts are outlines."""
    return render(usvg.Tree.from_str(svg, usvg.Options.default()), IDENTITY)


@lru_cache(maxsize=64)
def _decode_tileset(encoded: bytes) -> TileSet:
    return msgspec.json.decode(encoded, type=TileSet)
