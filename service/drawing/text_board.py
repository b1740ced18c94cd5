"""Boards and tiles as text in monospace characters, for terminals and chats."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
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

CharacterCell = tuple[int, int]
"""A column and a row of a tile."""

GROUND_CHARACTERS: dict[type[Segment], str] = {Bridge: "=", Island: "^", Sea: ".", Market: "#"}
SYMBOL_CHARACTERS = {"banana": "b", "shell": "s", "fish": "f", "shoal": "F", "boat": "v", "stall": "M"}
COVERED_CHARACTER = "x"
SAMPLES = tuple(product((1 / 6, 3 / 6, 5 / 6), repeat=2))
"""The points of a character that are looked at, in columns and rows."""


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


def character_cell(point: Point, size: CharacterSize) -> CharacterCell:
    """Return the column and row of a point of the rotated tile."""
    return (
        min(int(point.x * size.columns / TILE_SIZE), size.columns - 1),
        min(int(point.y * size.rows / TILE_SIZE), size.rows - 1),
    )


def _ground_character(layout: TileLayout, rotation: int, size: CharacterSize, column: int, row: int) -> str:
    """Return the most frequent kind of ground at a character; bridges and markets count from a third."""
    points = (Point((column + x) * TILE_SIZE / size.columns, (row + y) * TILE_SIZE / size.rows) for x, y in SAMPLES)
    owners = Counter(layout.ground[node_at(point.rotated(-rotation))] for point in points)
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
    labels = label_moves(scene, shown=options.number_moves)
    region = shown_region(scene, options, labels)
    margin = RULER_COLUMNS if options.coordinates else 0
    size = LARGE if region.columns * LARGE.columns + margin <= options.width else SMALL
    canvas = _Canvas(scene, region, size)
    for key, tile in scene.game.board.items():
        canvas.draw_tile(parse_cell(key), tile, is_outlined=options.outline_last and tile.order == scene.last_order > 0)
    on_drawn_tile = labels.segments if size == SMALL else {}
    below = [*canvas.draw_numbers(labels if size == LARGE else labels._replace(segments={}))]
    lines = ["".join(row).rstrip() for row in canvas.rows]
    if options.coordinates:
        lines = [*_with_coordinates(lines, region, size)]
    lines += below
    drawn = [*_drawn_tile_rows(scene, scene.game.turn, on_drawn_tile)] if scene.game.turn is not None else []
    if options.sidebar:
        lines += ["", *_sidebar_lines(scene, options, labels, drawn)]
    elif on_drawn_tile:
        lines += ["", *drawn]
    legend = events.board_legend(
        get_translator(options.language),
        outline_last=options.outline_last and scene.last_order > 0,
        sidebar=options.sidebar and scene.game.turn is not None,
        number_moves=options.number_moves and bool(scene.moves),
    )
    return "\n".join([*lines, "", *legend]) + "\n"


class _Canvas:
    """The characters of a region, on which tiles of one size and numbers are drawn."""

    def __init__(self, scene: Scene, region: Region, size: CharacterSize) -> None:
        self.scene, self.region, self.size = scene, region, size
        self.rows = [[" "] * (region.columns * size.columns) for _ in range(region.rows * size.rows)]

    def draw_tile(self, cell: Cell, tile: PlacedTile, *, is_outlined: bool = False) -> None:
        """Draw a tile, if the region contains its cell: ground, wares, islanders, corners."""
        if self.region.contains(cell):
            left, top = self._corner(cell)
            for (column, row), character in _tile_characters(self.scene, tile, self.size):
                self.rows[top + row][left + column] = character
            if is_outlined:
                for line in (self.rows[top], self.rows[top + self.size.rows - 1]):
                    line[left] = line[left + self.size.columns - 1] = "+"

    def draw_numbers(self, labels: MoveLabels) -> Iterator[str]:
        """Write the numbers of moves, in brackets if there is room; yield those without a place, with their cells."""
        columns, rows = self.size
        for cell, text in labels.cells.items():
            written = f"[{text}]" if len(text) + 2 <= columns else text
            spots = [((columns - len(written)) // 2, row) for row in (rows // 2, 0, rows - 1)]
            if not self._write(cell, spots, written):
                yield f"[{text}] ({cell[0]},{cell[1]})"
        for (cell, segment), text in {**labels.segments, **labels.islanders}.items():
            beside = (1, -len(text)) if (cell, segment) in labels.islanders else range(0, -len(text), -1)
            tile = self.scene.game.board[f"{cell[0]},{cell[1]}"]
            if not self.write_beside(cell, tile, segment, beside, text):
                yield f"[{text}] ({cell[0]},{cell[1]})"

    def write_beside(self, cell: Cell, tile: PlacedTile, segment: int, steps: Iterable[int], text: str) -> bool:
        """Write a number so many columns from where an islander stands on a segment, as `_write` does."""
        column, row = _standing_cell(self.scene, tile, segment, self.size)
        return self._write(cell, [(column + step, row) for step in steps], text)

    def _corner(self, cell: Cell) -> CharacterCell:
        return (cell[0] - self.region.west) * self.size.columns, (cell[1] - self.region.north) * self.size.rows

    def _write(self, cell: Cell, spots: Iterable[CharacterCell], text: str) -> bool:
        """Write a number at the first of these spots of a tile where it neither covers nor continues another one.

        Return whether there was one; outside the region nothing is written.
        """
        left, top = self._corner(cell)
        for column, row in spots if self.region.contains(cell) else ():
            line, start, end = self.rows[top + row], left + column, left + column + len(text)
            beside = NUMBER_CHARACTERS.intersection(line[max(start - 1, 0) : start] + line[end : end + 1])
            fits = 0 <= column <= self.size.columns - len(text) and not UNCOVERED_CHARACTERS.intersection(
                line[start:end]
            )
            if fits and not (beside and text[0] in NUMBER_CHARACTERS):
                line[start:end] = text
                return True
        return not self.region.contains(cell)


def _tile_characters(scene: Scene, tile: PlacedTile, size: CharacterSize) -> Iterator[tuple[CharacterCell, str]]:
    """Yield a tile's characters with column and row: ground, wares, islanders."""
    layout = lay_out_tile(scene.tiles[tile.tile].segments)
    for row, text in enumerate(ground_rows(layout.segments, tile.rotation, size)):
        yield from (((column, row), character) for column, character in enumerate(text))
    covered = {(fish.segment, fish.group) for fish in tile.covered}
    for index in range(len(layout.segments)):
        for name, group, laid in tile_symbols(layout, index, tile.rotation):
            if name in SYMBOL_CHARACTERS:
                is_covered = (index, group) in covered
                yield character_cell(laid.at, size), COVERED_CHARACTER if is_covered else SYMBOL_CHARACTERS[name]
    colors = {player.seat: player.color for player in scene.game.players}
    for islander in tile.islanders:
        if (color := colors[islander.seat]) is not None:
            yield _standing_cell(scene, tile, islander.segment, size), COLOR_LETTERS[color]


def _standing_cell(scene: Scene, tile: PlacedTile, segment: int, size: CharacterSize) -> CharacterCell:
    """Return where an islander stands on a segment."""
    spots = lay_out_tile(scene.tiles[tile.tile].segments).islanders
    return character_cell(spots[segment].rotated(tile.rotation), size)


def _drawn_tile_rows(scene: Scene, turn: Turn, numbers: Mapping[tuple[Cell, int], str]) -> Iterator[str]:
    """Yield the rows of the tile of this turn, in large, rotated as it was placed, with numbers of its segments."""
    rotation = 0 if (placed := scene.placed_tile) is None else placed.rotation
    tile = PlacedTile(tile=turn.tile, rotation=rotation, order=0, islanders=[], covered=[])
    canvas = _Canvas(scene, Region(0, 0, 0, 0), LARGE)
    canvas.draw_tile((0, 0), tile)
    below = [
        f"[{text}]"
        for (_, segment), text in numbers.items()
        if not canvas.write_beside((0, 0), tile, segment, range(0, -len(text), -1), text)
    ]
    yield from (*map("".join, canvas.rows), *below)


def _with_coordinates(lines: list[str], region: Region, size: CharacterSize) -> Iterator[str]:
    header = "".join(str(x).center(size.columns) for x in range(region.west, region.east + 1))
    yield (" " * RULER_COLUMNS + header).rstrip()
    for number, line in enumerate(lines):
        row, inside = divmod(number, size.rows)
        label = str(region.north + row) if inside == size.rows // 2 else ""
        yield f"{label:>{RULER_COLUMNS - 1}} {line}".rstrip()


def _sidebar_lines(scene: Scene, options: BoardOptions, labels: MoveLabels, drawn: Iterable[str]) -> Iterator[str]:
    game, translator = scene.game, get_translator(options.language)
    if game.turn is not None:
        yield events.describe_drawn_tile(translator, scene.tileset, game.turn)
        yield from (f"  {row}" for row in drawn)
    yield events.describe_supplies(translator, game.bag, game.ship_pile)
    for name in game.display:
        chosen = f" [{labels.ships[name]}]" if name in labels.ships else ""
        yield f"{events.describe_ship(translator, scene.ships[name])}{chosen}"
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
    if labels.pass_move is not None:
        yield f"[{labels.pass_move}] {events.pass_label(translator)}"
