"""`south-seas tileset`: check a tile set's file, and draw it while it is written.

The page of `south-seas tileset preview`: a tile set's file as pictures, with its faults beside them.

What the rulebooks say of the tiles and ships of the printed game, and what a set lacks of it.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from time import sleep
from typing import NamedTuple

import click

from schemas.tileset import Bridge, Cost, Island, Market, Sea, Segment, Ship, Tile, TileSet
from service.drawing.ships import ship_svg
from service.drawing.tile import tile_svg
from service.engine.tileset_validation import MAX_FILE_BYTES, Fault, Parts, TileSetInvalid, decode_parts, parse_tileset
from service.files import read_file, write_atomically
from service.games.tilesets import read_tileset
from service.telemetry.logs import escape_unprintable


class Fact(NamedTuple):
    """A rule, and the number of tiles, ships or symbols that it names."""

    rule: str
    number: int
    noun: str
    count: Callable[[TileSet], int]
    is_exact: bool = False
    """Whether there are no more of them."""


def list_gaps(tileset: TileSet) -> Iterator[str]:
    """Yield in words what a set lacks of the printed game, or has too many of."""
    for fact in FACTS:
        number = fact.count(tileset)
        if number < fact.number or (fact.is_exact and number > fact.number):
            least = "" if fact.is_exact else "at least "
            yield f"{fact.noun}: {number}; the printed game has {least}{fact.number} ({fact.rule})"


def _tiles(is_kind: Callable[[Tile], object]) -> Callable[[TileSet], int]:
    """Return the count of a set's tiles of a kind."""
    return lambda tileset: sum(tile.count for tile in tileset.tiles if is_kind(tile))


def _ships(is_kind: Callable[[Ship], object]) -> Callable[[TileSet], int]:
    return lambda tileset: sum(bool(is_kind(ship)) for ship in tileset.ships)


def _fish_groups(fish: int) -> Callable[[TileSet], int]:
    return lambda tileset: sum(
        tile.count * sea.fish.count(fish) for tile in tileset.tiles for sea in tile.segments if isinstance(sea, Sea)
    )


def _like_start(tileset: TileSet) -> int:
    """Return the number of tiles that show what the start tile shows, wares aside."""
    pictures = {tile.id: [_without_wares(segment) for segment in tile.segments] for tile in tileset.tiles}
    return _tiles(lambda tile: pictures[tile.id] == pictures.get(tileset.start))(tileset)


def _without_wares(segment: Segment) -> tuple[object, ...]:
    match segment:
        case Bridge() | Island():
            return type(segment), {*segment.edges}
        case Sea():
            return Sea, {*segment.halves}
        case Market():
            return (Market,)


def _number_of(tile: Tile, kind: type[Segment]) -> int:
    return sum(isinstance(segment, kind) for segment in tile.segments)


def _has_all(*kinds: type[Segment]) -> Callable[[Tile], bool]:
    return lambda tile: all(_number_of(tile, kind) for kind in kinds)


def _has_boat(tile: Tile) -> bool:
    return any(isinstance(segment, Sea) and segment.boat for segment in tile.segments)


def _bridge_ends(tile: Tile) -> int:
    return sum(isinstance(segment, Bridge) and len(segment.edges) == 1 for segment in tile.segments)


def _has_bridge_end_at(kind: type[Segment]) -> Callable[[Tile], bool]:
    return lambda tile: bool(_bridge_ends(tile) and _number_of(tile, kind))


def _has_2_islands_and_3_seas(tile: Tile) -> bool:
    return (_number_of(tile, Island), _number_of(tile, Sea)) == (2, 3)


def _is_junction(tile: Tile) -> bool:
    return _bridge_ends(tile) >= 3 and not (_number_of(tile, Island) or _number_of(tile, Market))


def _is_island_across(tile: Tile) -> bool:
    across = any(isinstance(one, Island) and {*one.edges} in ({"w", "e"}, {"n", "s"}) for one in tile.segments)
    return across and _number_of(tile, Sea) == 2


SHIPS = {
    "2 shells, 1 fish and 1 banana": (5, Cost(bananas=1, shells=2, fish=1, any=0, same=())),
    "6 wares of any kind": (5, Cost(bananas=0, shells=0, fish=0, any=6, same=())),
    "5 wares of any kind": (4, Cost(bananas=0, shells=0, fish=0, any=5, same=())),
    "4 identical wares": (3, Cost(bananas=0, shells=0, fish=0, any=0, same=(4,))),
    "3 identical wares and 1 of another kind": (3, Cost(bananas=0, shells=0, fish=0, any=0, same=(3, 1))),
}
"""The ships of the examples, with their points."""


def _ship_fact(wares: str, points: int, cost: Cost) -> Fact:
    return Fact(
        "R9", 1, f"ships of {points} points for {wares}", _ships(lambda one: (one.points, one.cost) == (points, cost))
    )


FACTS = (
    Fact("R1.2", 73, "tiles, with the start tile", _tiles(lambda _: True), is_exact=True),
    Fact("R1.2", 2, "tiles with the start tile's picture", _like_start),
    Fact("R1.3", 24, "ships", _ships(lambda _: True), is_exact=True),
    Fact("R1.5", 19, "tiles with a boat", _tiles(_has_boat), is_exact=True),
    Fact("R5.1", 1, "tiles with a junction of 3 bridges or more", _tiles(_is_junction)),
    Fact("R5.1", 1, "tiles with a bridge that ends at an island", _tiles(_has_bridge_end_at(Island))),
    Fact("R5.1", 1, "tiles with a bridge that ends at a market", _tiles(_has_bridge_end_at(Market))),
    Fact("R5.7", 1, "groups of two fish", _fish_groups(2)),
    Fact("R5.7", 1, "single fish", _fish_groups(1)),
    Fact("R9", 1, "tiles with a bridge, a market and a sea", _tiles(_has_all(Bridge, Market, Sea))),
    Fact("R9", 1, "tiles with a bridge, an island and a sea", _tiles(_has_all(Bridge, Island, Sea))),
    Fact("R9", 1, "tiles with an island from one side to the opposite one and 2 seas", _tiles(_is_island_across)),
    Fact("R9", 1, "tiles with 2 islands and 3 seas", _tiles(_has_2_islands_and_3_seas)),
    *(_ship_fact(wares, *ship) for wares, ship in SHIPS.items()),
    Fact("R9", 1, "ships of 2 points", _ships(lambda ship: ship.points == 2)),
    Fact("R9", 2, "ships of 6 points", _ships(lambda ship: ship.points == 6)),
)


RELOAD = '<meta http-equiv="refresh" content="2">'
WIDTH = 160
"""Of a picture, in pixels."""

STYLE = f"""
:root {{ color-scheme: light dark; font: 15px/1.35 system-ui, sans-serif }}
body {{ margin: 1.5rem }}
section {{ display: grid; grid-template-columns: repeat(auto-fill, {WIDTH}px); gap: 1.5rem }}
figure {{ margin: 0; overflow-wrap: anywhere }}
ul {{ margin: .25rem 0; padding-left: 1.1rem }}
.faults {{ color: light-dark(#b3261e, #ff8a80) }}
figure:has(.faults) {{ outline: 2px solid light-dark(#b3261e, #ff8a80); outline-offset: .4rem }}
"""


def preview_page(data: bytes, name: str, *, reloads: bool) -> str:
    """Return the HTML page of the file `name`; with `reloads` a browser reads it again every 2 seconds."""
    faults: Sequence[Fault] = ()
    gaps: Iterable[str] = ()
    try:
        tileset = parse_tileset(data)
        parts, gaps = Parts(tileset.tiles, tileset.ships), list_gaps(tileset)
    except TileSetInvalid as error:
        faults, parts = error.faults, _readable_parts(data)
    tiles = "".join(_figures("tiles", parts.tiles, faults))
    ships = "".join(_figures("ships", parts.ships, faults))
    others = [str(fault) for fault in faults if not fault.path.startswith(("tiles[", "ships["))]
    number = sum(tile.count for tile in parts.tiles if isinstance(tile, Tile))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{RELOAD if reloads else ''}"
        f"<title>{escape(name)}</title><style>{STYLE}</style><h1>{escape(name)}</h1>"
        f"{_list('faults', others)}{_list('gaps', gaps)}"
        f"<h2>{number} tiles of {len(parts.tiles)} types</h2><section>{tiles}</section>"
        f"<h2>{len(parts.ships)} ships</h2><section>{ships}</section></html>"
    )


def _readable_parts(data: bytes) -> Parts:
    try:
        return decode_parts(data)
    except TileSetInvalid:
        return Parts()


def _figures(member: str, parts: Sequence[Tile | Ship | Fault], faults: Sequence[Fault]) -> Iterator[str]:
    """Yield a figure for each tile or ship: its picture, or its faults."""
    for index, part in enumerate(parts):
        path = f"{member}[{index}]"
        own = [fault for fault in faults if fault.path == path or fault.path.startswith(f"{path}.")]
        wrong = [str(Fault(fault.path[len(path) + 1 :] or "$", fault.reason)) for fault in own]
        picture = "" if own or isinstance(part, Fault) else _draw(part)
        name = "" if isinstance(part, Fault) else part.id
        title = f"{name} \N{MULTIPLICATION SIGN} {part.count}" if isinstance(part, Tile) else name
        caption = f"<code>{path}</code> {escape(title)}{_list('faults', wrong)}"
        yield f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def _draw(part: Tile | Ship) -> str:
    if isinstance(part, Tile):
        return tile_svg(part, width=WIDTH, label=part.id)
    return ship_svg(part, width=WIDTH, label=part.id)


def _list(kind: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}" for line in lines)
    return items and f'<ul class="{kind}">{items}</ul>'


WATCH_INTERVAL_S = 0.5


@click.group("tileset")
def tileset_group() -> None:
    """Tile sets: the tiles and ships that games are played with."""


@tileset_group.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check_tileset_command(file: Path) -> None:
    """Check a tile set's file.

    Prints where and why for each fault, and exits with 1 if there is any. What the set lacks of the printed game, as
    far as the rulebooks describe it, is no fault and is printed too.
    """
    try:
        tileset = read_tileset(file)
    except TileSetInvalid as error:
        for fault in error.faults:
            click.echo(escape_unprintable(f"{file}: {fault}"), err=True)
        sys.exit(1)
    tiles = sum(tile.count for tile in tileset.tiles)
    click.echo(
        f"{file}: {tileset.id} is a playable tile set: {tiles} tiles of {len(tileset.tiles)} types, "
        f"{len(tileset.ships)} ships"
    )
    for gap in list_gaps(tileset):
        click.echo(f"note: {gap}")


@tileset_group.command("preview")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="The page to write; default: beside FILE, .html."
)
@click.option("--watch", is_flag=True, help="Write the page again whenever FILE is saved, until Ctrl-C.")
def preview_tileset_command(file: Path, output: Path | None, *, watch: bool) -> None:
    """Draw a tile set's file as a page for a browser.

    It shows each tile and ship with its position in the file, and the faults instead of the picture. With --watch the
    page reloads by itself.
    """
    page = output or file.with_suffix(".html")
    if page.resolve() == file.resolve():
        raise click.BadParameter("is the tile set's file", param_hint="--output")
    data = read_file(file, MAX_FILE_BYTES + 1)
    write_atomically(page, preview_page(data, file.name, reloads=watch).encode())
    click.echo(page)
    while watch:
        sleep(WATCH_INTERVAL_S)
        with suppress(FileNotFoundError):  # some editors replace a file in two steps
            before, data = data, read_file(file, MAX_FILE_BYTES + 1)
            if data != before:
                write_atomically(page, preview_page(data, file.name, reloads=True).encode())
