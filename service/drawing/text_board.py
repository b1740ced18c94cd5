"""The board as text in monospace characters, for terminals and chats."""

from collections.abc import Iterable, Iterator

from schemas.game import PlacedTile, Turn
from schemas.vocabulary import Color
from service.drawing.layout.tile_layout import lay_out_tile
from service.drawing.move_labels import MoveLabels, label_moves, shown_region
from service.drawing.scene import BoardOptions, Cell, Region, Scene, parse_cell
from service.drawing.text_tile import (
    COVERED_CHARACTER,
    LARGE,
    SMALL,
    CharacterSize,
    Rows,
    character_cell,
    ground_rows,
    symbol_characters,
)
from service.i18n import get_translator
from service.i18n.board_lines import (
    board_legend,
    describe_drawn_tile,
    describe_player,
    describe_ship,
    describe_supplies,
    describe_winners,
    pass_label,
)
from service.i18n.phrases import ware_counts

COLOR_LETTERS: dict[Color, str] = {"red": "R", "blue": "B", "green": "G", "yellow": "Y", "black": "K"}
RULER_COLUMNS = 4


def board_text(scene: Scene, options: BoardOptions) -> str:
    """Return a game's board as text; tiles are small if large ones do not fit into `options.width` columns."""
    labels = label_moves(scene)
    region = shown_region(scene, options, labels)
    margin = RULER_COLUMNS if options.coordinates else 0
    size = LARGE if region.columns * LARGE.columns + margin <= options.width else SMALL
    lines = ["".join(row).rstrip() for row in _draw_rows(scene, options, region, labels, size)]
    if options.coordinates:
        lines = [*_with_coordinates(lines, region, size)]
    if options.sidebar:
        lines += ["", *_sidebar_lines(scene, options, labels)]
    legend = board_legend(
        get_translator(options.language),
        outline_last=options.outline_last and scene.last_order > 0,
        sidebar=options.sidebar and scene.game.turn is not None,
        number_moves=options.number_moves and bool(scene.moves),
    )
    return "\n".join([*lines, "", *legend]) + "\n"


def _draw_rows(scene: Scene, options: BoardOptions, region: Region, labels: MoveLabels, size: CharacterSize) -> Rows:
    rows: Rows = [[" "] * (region.columns * size.columns) for _ in range(region.rows * size.rows)]
    last = scene.last_order
    for key, tile in scene.game.board.items():
        cell = parse_cell(key)
        if region.contains(cell):
            _write(rows, region, size, cell, _tile_characters(scene, tile, size))
            if options.outline_last and tile.order == last > 0:
                _draw_corners(rows, region, size, cell)
    if options.number_moves:
        _draw_move_numbers(rows, region, size, scene, labels)
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


def _drawn_tile_rows(scene: Scene, turn: Turn) -> Iterator[str]:
    """Yield the rows of the tile of this turn, in large, rotated as it was placed."""
    rotation = 0 if (placed := scene.placed_tile) is None else placed.rotation
    tile = PlacedTile(tile=turn.tile, rotation=rotation, order=0, islanders=[], covered=[])
    rows: Rows = [[" "] * LARGE.columns for _ in range(LARGE.rows)]
    _write(rows, Region(0, 0, 0, 0), LARGE, (0, 0), _tile_characters(scene, tile, LARGE))
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


def _draw_move_numbers(rows: Rows, region: Region, size: CharacterSize, scene: Scene, labels: MoveLabels) -> None:
    """Write the numbers of moves, in brackets if there is room."""
    for cell, text in labels.cells.items():
        if region.contains(cell):
            written = f"[{text}]" if len(text) + 2 <= size.columns else text
            column = max((size.columns - len(written)) // 2, 0)
            _write(rows, region, size, cell, [(column, size.rows // 2, written)])
    for (cell, segment), text in {**labels.segments, **labels.islanders}.items():
        tile = scene.game.board[f"{cell[0]},{cell[1]}"]
        if region.contains(cell):
            layout = lay_out_tile(scene.tiles[tile.tile].segments)
            column, row = character_cell(layout.islanders[segment].rotated(tile.rotation), size)
            after = 1 if (cell, segment) in labels.islanders else 0
            _write(rows, region, size, cell, [(column + after, row, text)])


def _with_coordinates(lines: list[str], region: Region, size: CharacterSize) -> Iterator[str]:
    header = "".join(str(x).center(size.columns) for x in range(region.west, region.east + 1))
    yield (" " * RULER_COLUMNS + header).rstrip()
    for number, line in enumerate(lines):
        row, inside = divmod(number, size.rows)
        label = str(region.north + row) if inside == size.rows // 2 else ""
        yield f"{label:>{RULER_COLUMNS - 1}} {line}".rstrip()


def _sidebar_lines(scene: Scene, options: BoardOptions, labels: MoveLabels) -> Iterator[str]:
    game, translator = scene.game, get_translator(options.language)
    if game.turn is not None:
        yield describe_drawn_tile(translator, scene.tileset, game.turn)
        yield from (f"  {row}" for row in _drawn_tile_rows(scene, game.turn))
    yield describe_supplies(translator, game.bag, game.ship_pile)
    for name in game.display:
        chosen = f" [{labels.ships[name]}]" if options.number_moves and name in labels.ships else ""
        yield f"{describe_ship(translator, scene.ships[name])}{chosen}"
        if options.number_moves:
            for number, wares in labels.payments.get(name, ()):
                yield f"  [{number}] {' + '.join(ware_counts(translator, wares))}"
    scores = {score.seat: score for score in game.result.scores} if game.result is not None else {}
    for player in game.players:
        deciding = game.turn is not None and game.turn.decider == player.seat
        letter = COLOR_LETTERS[player.color] if player.color is not None else "-"
        yield f"{'>' if deciding else ' '} {letter} {describe_player(translator, player, scores.get(player.seat))}"
    if game.result is not None:
        yield describe_winners(translator, game, game.result.winners)
    if options.number_moves and labels.pass_move is not None:
        yield f"[{labels.pass_move}] {pass_label(translator)}"
