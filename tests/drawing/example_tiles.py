"""Example tiles for the tests of pictures, and readers of their SVG."""

from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree as ET

from schemas.base import encode_json
from schemas.tileset import Tile, TileSet
from service.drawing.distance_fields import Point
from service.engine.tileset_validation import parse_tileset
from service.games.tilesets import load_catalogue
from tests.reference.random_play import random_tileset

SVG = "{http://www.w3.org/2000/svg}"

LAGOON = load_catalogue(None).get("lagoon")


class IslanderSpot(NamedTuple):
    """The spot of an islander on a segment."""

    segment: int
    kind: str
    at: Point


@cache
def random_tile_sets() -> tuple[TileSet, ...]:
    """Return random tile sets, within the rules."""
    return tuple(parse_tileset(encode_json(random_tileset(seed))) for seed in range(6))


@cache
def example_tiles() -> tuple[Tile, ...]:
    """Return the tiles of every example set."""
    return (*LAGOON.tileset.tiles, *(tile for tileset in random_tile_sets() for tile in tileset.tiles))


def parse_svg(svg: str) -> ET.Element:
    """Parse an SVG, and check that it is well formed and self-contained."""
    root = ET.fromstring(svg)  # noqa: S314 (our own drawing)
    assert root.tag == f"{SVG}svg"
    known = {element.get("id") for element in root.iter()}
    for element in root.iter():
        assert element.tag not in {f"{SVG}image", f"{SVG}style", f"{SVG}script", f"{SVG}text", f"{SVG}foreignObject"}
        href = element.get("href")
        assert href is None or href.removeprefix("#") in known, href
    return root


def islander_spots(root: ET.Element) -> list[IslanderSpot]:
    """Return the islander spots of a tile's SVG, by segment."""
    spots = []
    for element in root.iter(f"{SVG}g"):
        segment, kind, x, y = (element.get(f"data-{name}") for name in ("segment", "kind", "x", "y"))
        if segment is not None:
            assert kind is not None
            assert x is not None
            assert y is not None
            spots.append(IslanderSpot(int(segment), kind, Point(float(x), float(y))))
    return sorted(spots)
