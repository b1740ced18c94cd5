"""Boards and tiles as text in monospace characters, for terminals and chats."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from schemas.game import PlacedTile, Turn
from schemas.tileset import Bridge, Island, Market, Sea, Segment
from schemas.vocabulary import Color
from service.drawing.distance_fields import TILE_SIZE, Point
from service.drawing.scene import BoardOptions, Cell, MoveLabels, Region, Scene, label_moves, parse_cell, shown_region
from service.drawing.terrain import NO_SEGMENT, node_at
from service.drawing.tile import tile_symbols
from service.drawing.tile_layout import TileLayout, lay_out_tile
from service.i18n import events, get_translator
from service.i18n.phrases import ware_counts

Rows = list[list[str]]
"""Characters by row and column."""

CharacterCell = tuple[int, int]
"""A column and a row of a tile."""

GROUND_CHARACTERS: dict[type[Segment], str] = {Bridge: "=", Island: "^", Sea: ".", Market: "#"}
SYMBOL_CHARACTERS = {"banana": "b", "shell": "s", "fish": "f", "shoal": "F", "boat": "v", "stall": "M"}
COVERED_CHARACTER = "x"
SAMPLE_OFFSETS = (1 / 6, 3 / 6, 5 / 6)


class CharacterSize(NamedTuple):
    """The size of a tile in characters."""

    columns: int
    rows: int


LARGE = CharacterSize(11, 5)
SMALL = CharacterSize(5, 3)


@lru_cache(maxsize=4096)
def ground_rows(segments: tuple[Segment, ...], rotation: int, size: CharacterSize) -> tuple[str, ...]:
    """Return the rows of a tile's ground."""
    layout = lay_out_tile(segments)
    return tuple(
        "".join(_ground_character(layout, rotation, size, column, row) for column in range(size.columns))
        for row in range(size.rows)
    )


def symbol_characters(
    layout: TileLayout, rotation: int, size: CharacterSize
) -> dict[tuple[int, int | None], list[tuple[int, int, str]]]:
    """Return the symbols of a tile, by segment and fish group: column, row and character of each."""
    characters: dict[tuple[int, int | None], list[tuple[int, int, str]]] = {}
    for index in range(len(layout.segments)):
        for name, group, laid in tile_symbols(layout, index, rotation):
            if name in SYMBOL_CHARACTERS:
                characters.setdefault((index, group), []).append(
                    (*character_cell(laid.at, size), SYMBOL_CHARACTERS[name])
                )
    return characters


def character_cell(point: Point, size: CharacterSize) -> tuple[int, int]:
    """Return the column and row of a point of the rotated tile."""
    return (
        min(int(point.x * size.columns / TILE_SIZE), size.columns - 1),
        min(int(point.y * size.rows / TILE_SIZE), size.rows - 1),
    )


def _ground_character(layout: TileLayout, rotation: int, size: CharacterSize, column: int, row: int) -> str:
    """Return the most frequent kind of ground at a character; bridges and markets count from a third."""
    owners = Counter(
        layout.ground[
            node_at(
                Point((column + x) * TILE_SIZE / size.columns, (row + y) * TILE_SIZE / size.rows).rotated(-rotation)
            )
        ]
        for x in SAMPLE_OFFSETS
        for y in SAMPLE_OFFSETS
    )
    kinds: Counter[str] = Counter()
    for owner, number in owners.items():
        kinds["." if owner == NO_SEGMENT else GROUND_CHARACTERS[type(layout.segments[owner])]] += number
    for narrow in ("#", "="):
        if kinds[narrow] >= 3:
            return narrow
    return kinds.most_common(1)[0][0]


COLOR_LETTERS: dict[Color, str] = {"red": "R", "blue": "B", "green": "G", "yellow": "Y", "black": "K"}
NUMBER_CHARACTERS = frozenset("0123456789,-")
UNCOVERED_CHARACTERS = NUMBER_CHARACTERS.union("[]", COLOR_LETTERS.values())
"""What no number covers."""
RULER_COLUMNS = 4


def board_text(scene: Scene, options: BoardOptions) -> str:
    """Return a game's board as text; tiles are small if large ones do not fit into `options.width` columns."""
    labels = label_moves(scene)
    region = shown_region(scene, options, labels)
    margin = RULER_COLUMNS if options.coordinates else 0
    size = LARGE if region.columns * LARGE.columns + margin <= options.width else SMALL
    rows = _draw_rows(scene, options, region, size)
    below = [*_draw_move_numbers(rows, region, size, scene, labels)] if options.number_moves else []
    lines = ["".join(row).rstrip() for row in rows]
    if options.coordinates:
        lines = [*_with_coordinates(lines, region, size)]
    lines += below
    segments = {
        segment: text for (_, segment), text in labels.segments.items() if options.number_moves and size == SMALL
    }
    if options.sidebar:
        lines += ["", *_sidebar_lines(scene, options, labels, segments)]
    elif segments and scene.game.turn is not None:
        lines += ["", *_drawn_tile_rows(scene, scene.game.turn, segments)]
    legend = events.board_legend(
        get_translator(options.language),
        outline_last=options.outline_last and scene.last_order > 0,
        sidebar=options.sidebar and scene.game.turn is not None,
        number_moves=options.number_moves and bool(scene.moves),
    )
    return "\n".join([*lines, "", *legend]) + "\n"


def _draw_rows(scene: Scene, options: BoardOptions, region: Region, size: CharacterSize) -> Rows:
    rows: Rows = [[" "] * (region.columns * size.columns) for _ in range(region.rows * size.rows)]
    last = scene.last_order
    for key, tile in scene.game.board.items():
        cell = parse_cell(key)
        if region.contains(cell):
            _write(rows, region, size, cell, _tile_characters(scene, tile, size))
            if options.outline_last and tile.order == last > 0:
                _draw_corners(rows, region, size, cell)
    return rows


def _tile_characters(scene: Scene, tile: PlacedTile, size: CharacterSize) -> Iterator[tuple[int, int, str]]:
    """Yield a tile's characters with column and row: ground, wares, islanders."""
    layout = lay_out_tile(scene.tiles[tile.tile].segments)
    for row, text in enumerate(ground_rows(layout.segments, tile.rotation, size)):
        yield from ((column, row, character) for column, character in enumerate(text))
    covered = {(fish.segment, fish.group) for fish in tile.covered}
    for (segment, group), characters in symbol_characters(layout, tile.rotation, size).items():
        for column, row, character in characters:
            yield column, row, COVERED_CHARACTER if (segment, group) in covered else character
    colors = {player.seat: player.color for player in scene.game.players}
    for islander in tile.islanders:
        color = colors[islander.seat]
        if color is not None:
            yield (
                *character_cell(layout.islanders[islander.segment].rotated(tile.rotation), size),
                COLOR_LETTERS[color],
            )


def _drawn_tile_rows(scene: Scene, turn: Turn, numbers: Mapping[int, str]) -> Iterator[str]:
    """Yield the rows of the tile of this turn, in large, rotated as it was placed, with numbers of its segments."""
    rotation = 0 if (placed := scene.placed_tile) is None else placed.rotation
    tile = PlacedTile(tile=turn.tile, rotation=rotation, order=0, islanders=[], covered=[])
    rows: Rows = [[" "] * LARGE.columns for _ in range(LARGE.rows)]
    _write(rows, Region(0, 0, 0, 0), LARGE, (0, 0), _tile_characters(scene, tile, LARGE))
    for segment, text in numbers.items():
        spots = _segment_spots(scene, tile, segment, LARGE, range(0, -len(text), -1))
        if not _write_number(rows, 0, 0, LARGE, spots, text):
            rows.append([f"[{text}]"])
    yield from map("".join, rows)


def _write(rows: Rows, region: Region, size: CharacterSize, cell: Cell, marked: Iterable[tuple[int, int, str]]) -> None:
    left, top = (cell[0] - region.west) * size.columns, (cell[1] - region.north) * size.rows
    for column, row, text in marked:
        for step, character in enumerate(text):
            if 0 <= top + row < len(rows) and 0 <= left + column + step < len(rows[0]):
                rows[top + row][left + column + step] = character


def _draw_corners(rows: Rows, region: Region, size: CharacterSize, cell: Cell) -> None:
    right, bottom = size.columns - 1, size.rows - 1
    corners = ((0, 0, "+"), (right, 0, "+"), (0, bottom, "+"), (right, bottom, "+"))
    _write(rows, region, size, cell, corners)


def _draw_move_numbers(
    rows: Rows, region: Region, size: CharacterSize, scene: Scene, labels: MoveLabels
) -> Iterator[str]:
    """Write the numbers of moves, in brackets if there is room; yield those that have no place, with their cells.

    Those of the placed tile's segments are on `_drawn_tile_rows` instead if tiles are small.
    """
    numbers: list[tuple[Cell, str, str, list[CharacterCell]]] = []
    for cell, text in labels.cells.items():
        written = f"[{text}]" if len(text) + 2 <= size.columns else text
        column = (size.columns - len(written)) // 2
        numbers.append((cell, text, written, [(column, row) for row in (size.rows // 2, 0, size.rows - 1)]))
    for (cell, segment), text in {**(labels.segments if size == LARGE else {}), **labels.islanders}.items():
        tile, steps = scene.game.board[f"{cell[0]},{cell[1]}"], range(0, -len(text), -1)
        beside = (1, -len(text)) if (cell, segment) in labels.islanders else steps
        numbers.append((cell, text, text, _segment_spots(scene, tile, segment, size, beside)))
    for cell, text, written, spots in numbers:
        left, top = (cell[0] - region.west) * size.columns, (cell[1] - region.north) * size.rows
        if region.contains(cell) and not _write_number(rows, left, top, size, spots, written):
            yield f"[{text}] ({cell[0]},{cell[1]})"


def _segment_spots(
    scene: Scene, tile: PlacedTile, segment: int, size: CharacterSize, steps: Iterable[int]
) -> list[CharacterCell]:
    """Return where an islander stands on a segment, moved by so many columns."""
    spot = lay_out_tile(scene.tiles[tile.tile].segments).islanders[segment].rotated(tile.rotation)
    column, row = character_cell(spot, size)
    return [(column + step, row) for step in steps]


def _write_number(
    rows: Rows, left: int, top: int, size: CharacterSize, spots: Iterable[CharacterCell], text: str
) -> bool:
    """Write a number at the first of these spots of a tile where it neither covers nor continues another one."""
    for column, row in spots:
        line, start, end = rows[top + row], left + column, left + column + len(text)
        beside = NUMBER_CHARACTERS.intersection(line[max(start - 1, 0) : start] + line[end : end + 1])
        fits = 0 <= column <= size.columns - len(text) and not UNCOVERED_CHARACTERS.intersection(line[start:end])
        if fits and not (beside and text[0] in NUMBER_CHARACTERS):
            line[start:end] = text
            return True
    return False


def _with_coordinates(lines: list[str], region: Region, size: CharacterSize) -> Iterator[str]:
    header = "".join(str(x).center(size.columns) for x in range(region.west, region.east + 1))
    yield (" " * RULER_COLUMNS + header).rstrip()
    for number, line in enumerate(lines):
        row, inside = divmod(number, size.rows)
        label = str(region.north + row) if inside == size.rows // 2 else ""
        yield f"{label:>{RULER_COLUMNS - 1}} {line}".rstrip()


def _sidebar_lines(
    scene: Scene, options: BoardOptions, labels: MoveLabels, segments: Mapping[int, str]
) -> Iterator[str]:
    game, translator = scene.game, get_translator(options.language)
    if game.turn is not None:
        yield events.describe_drawn_tile(translator, scene.tileset, game.turn)
        yield from (f"  {row}" for row in _drawn_tile_rows(scene, game.turn, segments))
    yield events.describe_supplies(translator, game.bag, game.ship_pile)
    for name in game.display:
        chosen = f" [{labels.ships[name]}]" if options.number_moves and name in labels.ships else ""
        yield f"{events.describe_ship(translator, scene.ships[name])}{chosen}"
        if options.number_moves:
            for number, wares in labels.payments.get(name, ()):
                yield f"  [{number}] {' + '.join(ware_counts(translator, wares))}"
    scores = {score.seat: score for score in game.result.scores} if game.result is not None else {}
    for player in game.players:
        deciding = game.turn is not None and game.turn.decider == player.seat
        letter = COLOR_LETTERS[player.color] if player.color is not None else "-"
        described = events.describe_player(translator, player, scores.get(player.seat))
        yield f"{'>' if deciding else ' '} {letter} {described}"
    if game.result is not None:
        yield events.describe_winners(translator, game, game.result.winners)
    if options.number_moves and labels.pass_move is not None:
        yield f"[{labels.pass_move}] {events.pass_label(translator)}"
