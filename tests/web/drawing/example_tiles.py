"""Tiles of every kind for the tests of pictures, and what may be read from a drawing."""

from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree as ET

from schemas.base import encode_json
from schemas.tileset import Tile, TileSet
from service.engine.tileset_validation import parse_tileset
from service.games.tilesets import load_catalogue
from service.web.drawing.layout.distance_fields import Point
from tests.reference.random_tilesets import random_tileset

SVG = "{http://www.w3.org/2000/svg}"

ARCHIPELAGO = load_catalogue(None).get_for_game("archipelago")


class IslanderSpot(NamedTuple):
    """Where an islander of a segment is drawn."""

    segment: int
    kind: str
    at: Point


@cache
def random_tile_sets() -> tuple[TileSet, ...]:
    """Tile sets as strange as the rules allow."""
    return tuple(parse_tileset(encode_json(random_tileset(seed))) for seed in range(6))


@cache
def example_tiles() -> tuple[Tile, ...]:
    """The tiles of every set."""
    return (*ARCHIPELAGO.tileset.tiles, *(tile for tileset in random_tile_sets() for tile in tileset.tiles))


def parse_svg(svg: str) -> ET.Element:
    """A drawing, which must be well formed and refer to nothing outside of itself."""
    root = ET.fromstring(svg)  # noqa: S314 (our own drawing)
    assert root.tag == f"{SVG}svg"
    known = {element.get("id") for element in root.iter()}
    for element in root.iter():
        assert element.tag not in {f"{SVG}image", f"{SVG}style", f"{SVG}script", f"{SVG}text", f"{SVG}foreignObject"}
        href = element.get("href")
        assert href is None or href.removeprefix("#") in known, href
    return root


def islander_spots(root: ET.Element) -> list[IslanderSpot]:
    """The islanders' spots of a tile's drawing, by segment."""
    found = []
    for element in root.iter(f"{SVG}g"):
        segment, kind, x, y = (element.get(f"data-{name}") for name in ("segment", "kind", "x", "y"))
        if segment is not None:
            assert kind is not None
            assert x is not None
            assert y is not None
            found.append(IslanderSpot(int(segment), kind, Point(float(x), float(y))))
    return sorted(found)
