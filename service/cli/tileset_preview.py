"""The page of `south-seas tileset preview`: a tile set's file as pictures, with its faults beside them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

from schemas.tileset import Ship, Tile
from service.cli.printed_game import list_gaps
from service.drawing.ships import ship_svg
from service.drawing.tile import tile_svg
from service.engine.tileset_validation import Fault, Part, Parts, TileSetInvalid, decode_parts, parse_tileset

__all__ = ["preview_page"]

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
    tiles = "".join(_figures("tiles", parts.tiles, faults, _draw_tile))
    ships = "".join(_figures("ships", parts.ships, faults, _draw_ship))
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


def _figures(
    member: str, parts: Sequence[Part | Fault], faults: Sequence[Fault], draw: Callable[[Part], str]
) -> Iterator[str]:
    """Yield a figure for each tile or ship: its picture, or its faults."""
    for index, part in enumerate(parts):
        path = f"{member}[{index}]"
        own = [fault for fault in faults if fault.path == path or fault.path.startswith(f"{path}.")]
        wrong = [str(Fault(fault.path[len(path) + 1 :] or "$", fault.reason)) for fault in own]
        picture = "" if own or isinstance(part, Fault) else draw(part)
        title = "" if isinstance(part, Fault) else _title(part)
        caption = f"<code>{path}</code> {escape(title)}{_list('faults', wrong)}"
        yield f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def _title(part: Tile | Ship) -> str:
    return f"{part.id} \N{MULTIPLICATION SIGN} {part.count}" if isinstance(part, Tile) else part.id


def _draw_tile(tile: Tile) -> str:
    return tile_svg(tile, width=WIDTH, label=tile.id)


def _draw_ship(ship: Ship) -> str:
    return ship_svg(ship, width=WIDTH, label=ship.id)


def _list(kind: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}" for line in lines)
    return items and f'<ul class="{kind}">{items}</ul>'
