"""A board as text for terminals and chats, in characters that are all equally wide."""

from collections.abc import Iterator

from schemas.game import PlacedTile
from schemas.tileset import Cost
from schemas.vocabulary import Color
from service.web.drawing.layout.tile_layout import plan
from service.web.drawing.move_labels import Numbered, numbered
from service.web.drawing.scene import Cell, Options, Region, Scene, around, cell_of
from service.web.drawing.ships import GROUPS
from service.web.drawing.text_tile import COVERED, LARGE, SMALL, Rows, Size, ground, marks, spot

LETTERS: dict[Color, str] = {"red": "R", "blue": "B", "green": "G", "yellow": "Y", "black": "K"}
LEGEND = (
    ". sea  ^ island  = bridge  # M market  b banana  s shell  f fish  F two fish  x covered fish  v boat",
    "R red  B blue  G green  Y yellow  K black: islanders",
)
RULER = 4


def board_text(scene: Scene, options: Options) -> str:
    """A game's board as lines of text; tiles are small where they would not fit into `options.width` columns."""
    numbers = numbered(scene)
    region = options.region or around([*scene.cells(), *(numbers.cells if options.candidates else ())])
    margin = RULER if options.coordinates else 0
    size = LARGE if region.columns * LARGE.columns + margin <= options.width else SMALL
    lines = ["".join(row).rstrip() for row in _drawn(scene, options, region, numbers, size)]
    if options.coordinates:
        lines = [*_with_coordinates(lines, region, size)]
    if options.side:
        lines += ["", *_side(scene, options, numbers)]
    return "\n".join([*lines, "", *LEGEND]) + "\n"


def _drawn(scene: Scene, options: Options, region: Region, numbers: Numbered, size: Size) -> Rows:
    rows: Rows = [[" "] * (region.columns * size.columns) for _ in range(region.rows * size.rows)]
    last = max(tile.order for tile in scene.game.board.values())
    for key, tile in scene.game.board.items():
        cell = cell_of(key)
        if region.holds(cell):
            _write(rows, region, size, cell, _tile(scene, tile, size))
            if options.last and tile.order == last and last:
                _frame(rows, region, size, cell)
    if options.candidates:
        _number(rows, region, size, scene, numbers)
    return rows


def _tile(scene: Scene, tile: PlacedTile, size: Size) -> Iterator[tuple[int, int, str]]:
    """A tile's characters: ground, wares, islanders."""
    drawn = plan(scene.tiles[tile.tile].segments)
    for row, text in enumerate(ground(drawn.segments, tile.rotation, size)):
        yield from ((column, row, character) for column, character in enumerate(text))
    covered = {(fish.segment, fish.group) for fish in tile.covered}
    for (segment, group), found in marks(drawn, tile.rotation, size).items():
        for column, row, character in found:
            yield column, row, COVERED if (segment, group) in covered else character
    colors = {player.seat: player.color for player in scene.game.players}
    for islander in tile.islanders:
        color = colors[islander.seat]
        if color is not None:
            yield (*spot(drawn.islanders[islander.segment].turned(tile.rotation), size), LETTERS[color])


def _write(rows: Rows, region: Region, size: Size, cell: Cell, marked: Iterator[tuple[int, int, str]]) -> None:
    left, top = (cell[0] - region.west) * size.columns, (cell[1] - region.north) * size.rows
    for column, row, text in marked:
        for step, character in enumerate(text):
            if 0 <= top + row < len(rows) and 0 <= left + column + step < len(rows[0]):
                rows[top + row][left + column + step] = character


def _frame(rows: Rows, region: Region, size: Size, cell: Cell) -> None:
    right, bottom = size.columns - 1, size.rows - 1
    corners = ((0, 0, "+"), (right, 0, "+"), (0, bottom, "+"), (right, bottom, "+"))
    _write(rows, region, size, cell, iter(corners))


def _number(rows: Rows, region: Region, size: Size, scene: Scene, numbers: Numbered) -> None:
    """The numbers of moves, in brackets where there is room."""
    for cell, text in numbers.cells.items():
        if region.holds(cell):
            shown = f"[{text}]" if len(text) + 2 <= size.columns else text
            column = max((size.columns - len(shown)) // 2, 0)
            _write(rows, region, size, cell, iter([(column, size.rows // 2, shown)]))
    for (cell, segment), text in {**numbers.segments, **numbers.islanders}.items():
        tile = scene.game.board[f"{cell[0]},{cell[1]}"]
        if region.holds(cell):
            drawn = plan(scene.tiles[tile.tile].segments)
            column, row = spot(drawn.islanders[segment].turned(tile.rotation), size)
            after = 1 if (cell, segment) in numbers.islanders else 0
            _write(rows, region, size, cell, iter([(column + after, row, text)]))


def _with_coordinates(lines: list[str], region: Region, size: Size) -> Iterator[str]:
    header = "".join(str(x).center(size.columns) for x in range(region.west, region.east + 1))
    yield (" " * RULER + header).rstrip()
    for number, line in enumerate(lines):
        row, inside = divmod(number, size.rows)
        label = str(region.north + row) if inside == size.rows // 2 else ""
        yield f"{label:>{RULER - 1}} {line}".rstrip()


def _side(scene: Scene, options: Options, numbers: Numbered) -> Iterator[str]:
    game = scene.game
    if game.turn is not None:
        yield f"turn {game.turn.number}: {game.turn.tile}"
        for text in ground(scene.tiles[game.turn.tile].segments, 0, LARGE):
            yield f"  {text}"
    yield f"bag {game.bag}, ship pile {game.ship_pile}"
    for name in game.display:
        ship = scene.ships[name]
        chosen = f" [{numbers.ships[name]}]" if options.candidates and name in numbers.ships else ""
        yield f"ship {name}: {ship.points} points for {_cost(ship.cost)}{chosen}"
    for player in game.players:
        deciding = game.turn is not None and game.turn.decider == player.seat
        letter = LETTERS[player.color] if player.color is not None else "-"
        wares = player.wares
        yield (
            f"{'>' if deciding else ' '} {letter} {player.name or '...'}: {player.points} points, "
            f"{player.supply} islanders, {wares.bananas} bananas, {wares.shells} shells, {wares.fish} fish, "
            f"{len(player.ships)} ships"
        )
    if options.candidates and numbers.nothing is not None:
        yield f"[{numbers.nothing}] pass"


def _cost(cost: Cost) -> str:
    """What a ship asks for (R6.3), as `2 shells + 1 fish`, `AAA + B`, `6 any`."""
    named = ((cost.bananas, "bananas"), (cost.shells, "shells"), (cost.fish, "fish"), (cost.any, "any"))
    groups = [GROUPS[group][0] * number for group, number in enumerate(cost.same)]
    return " + ".join([*(f"{number} {ware}" for number, ware in named if number), *groups])
