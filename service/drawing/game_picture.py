"""The complete SVG of a game: the board, optionally a sidebar, and a strip of numbered moves.

The sidebar has the drawn tile, the display, and the players with their wares and ships. The strip below the board shows
numbered moves in large: the tile in each rotation, or as placed, or the payments.
"""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from schemas.game import PlacedTile, Player, Turn
from schemas.vocabulary import Wares
from service.drawing import board
from service.drawing import labels as move_labels
from service.drawing.distance_fields import Point
from service.drawing.palette import draw_badge, islander_id, use_symbol
from service.drawing.scene import BoardOptions, MoveLabels, Scene, label_moves, shown_region
from service.drawing.ships import HEIGHT as TOKEN_HEIGHT
from service.drawing.ships import WIDTH as TOKEN_WIDTH
from service.drawing.ships import ship_token
from service.drawing.tile_layout import lay_out_tile
from service.i18n import get_translator
from service.i18n.events import board_label

SIDEBAR_WIDTH = 400.0
"""In the sidebar's own units."""

PADDING = 20.0
TILE_WIDTH = 150.0
DISPLAYED_SHIP_WIDTH = (SIDEBAR_WIDTH - 3 * PADDING) / 2
SHIP_STEP = DISPLAYED_SHIP_WIDTH * TOKEN_HEIGHT / TOKEN_WIDTH + PADDING
PLAYER_HEIGHT = 96.0
WARE_SYMBOLS = ("banana", "shell", "fish")
ARROW_OVER = (
    '<path d="M-24 9C-20-17 10-19 15 1" fill="none" stroke-width="5" stroke-linecap="round"/>'
    '<path d="M5 0 25-2 17 13Z" stroke-width="2" stroke-linejoin="round"/>'
)
"""An arrow over something that is left out."""
CROWN = "M-13 9-16-7-7 0 0-10 7 0 16-7 13 9Z"


def sidebar_height(scene: Scene) -> float:
    """Return the height of the sidebar."""
    return _players_top(scene) + len(scene.game.players) * (PLAYER_HEIGHT + 10) + PADDING


def draw_sidebar(scene: Scene, options: BoardOptions, labels: MoveLabels) -> Iterator[str]:
    """Draw the sidebar, its corner at (0, 0)."""
    colors = options.colors
    yield f'<rect width="{SIDEBAR_WIDTH:g}" height="{sidebar_height(scene):g}" rx="18" fill="{colors.panel}"/>'
    if scene.game.turn is not None:
        yield from _draw_drawn_tile(scene, scene.game.turn, options, labels)
    yield from _draw_display(scene, options, labels)
    top = _players_top(scene)
    for player in scene.game.players:
        yield from _draw_player(scene, player, top, options)
        top += PLAYER_HEIGHT + 10


def _draw_drawn_tile(scene: Scene, turn: Turn, options: BoardOptions, labels: MoveLabels) -> Iterator[str]:
    """Draw the tile of this turn, rotated as it was placed, and the supplies."""
    placed = scene.placed_tile
    tile = board.draw_loose_tile(scene.tiles[turn.tile], 0 if placed is None else placed.rotation, options.colors)
    yield f'<g transform="translate({PADDING:g} {PADDING:g})scale({TILE_WIDTH / 100:g})">{tile}</g>'
    left = PADDING * 2 + TILE_WIDTH
    yield from _draw_supplies(scene, options, left)
    if labels.pass_move is not None:
        place = f"translate({left + 26:g} {PADDING + TILE_WIDTH - 20:g})"
        yield f'<g transform="{place}" stroke="{options.colors.text}" fill="{options.colors.text}">{ARROW_OVER}</g>'
        label = move_labels.draw_label(labels.pass_move, Point(left + 86, PADDING + TILE_WIDTH - 20), 26)
        yield f'<g data-moves="{labels.pass_move}">{label}</g>'


def _draw_supplies(scene: Scene, options: BoardOptions, left: float) -> Iterator[str]:
    """Draw the number of tiles in the bag and of ships in the pile."""
    colors, top = options.colors, PADDING
    yield (
        f'<rect x="{left + 5:g}" y="{top + 5:g}" width="38" height="38" rx="4" fill="{colors.shallow[0]}"/>'
        f'<rect x="{left:g}" y="{top:g}" width="38" height="38" rx="4" fill="{colors.deep}"'
        f' stroke="{colors.panel}" stroke-width="1.5"/>'
        f'<path d="M{left + 7:g} {top + 20:g}q6-7 12 0t12 0" fill="none" stroke="#fff" stroke-width="2.4"/>'
    )
    yield move_labels.draw_text(str(scene.game.bag), left + 58, top + 31, 32, color=colors.text)
    yield (
        f'<rect x="{left + 5:g}" y="{top + 65:g}" width="46" height="38" rx="6" fill="#8f5727"/>'
        f'<rect x="{left:g}" y="{top + 60:g}" width="46" height="38" rx="6" fill="{colors.deep}"'
        f' stroke="{colors.panel}" stroke-width="1.5"/>'
    )
    yield use_symbol("boat", Point(left + 23, top + 80), scale=1.3)
    yield move_labels.draw_text(str(scene.game.ship_pile), left + 64, top + 91, 32, color=colors.text)


def _draw_display(scene: Scene, options: BoardOptions, labels: MoveLabels) -> Iterator[str]:
    scale = DISPLAYED_SHIP_WIDTH / TOKEN_WIDTH
    for number, ship in enumerate(scene.game.display):
        x = PADDING + number % 2 * (DISPLAYED_SHIP_WIDTH + PADDING)
        y = _ships_top(scene) + number // 2 * SHIP_STEP
        token = ship_token(scene.ships[ship], options.colors)
        yield f'<g transform="translate({x:g} {y:g})scale({scale:.3f})">{token}</g>'
        if ship in labels.ships:
            label = move_labels.draw_label(labels.ships[ship], Point(x + 26, y + 22), 24, 90)
            yield f'<g data-moves="{labels.ships[ship]}" data-ship="{ship}">{label}</g>'


def _draw_player(scene: Scene, player: Player, top: float, options: BoardOptions) -> Iterator[str]:
    """Draw a player's name, points, supply of islanders, wares and ships."""
    colors, turn = options.colors, scene.game.turn
    deciding = turn is not None and turn.decider == player.seat
    if deciding:
        yield (
            f'<rect x="{PADDING / 2:g}" y="{top:g}" width="{SIDEBAR_WIDTH - PADDING:g}"'
            f' height="{PLAYER_HEIGHT:g}" rx="12"'
            f' fill="{colors.shallow[1]}" fill-opacity=".28" stroke="{colors.deep}" stroke-width="3"/>'
        )
    result = scene.game.result  # of a finished game (R7.3)
    points = str(player.points if result is None else result.scores[player.seat].total)
    room = SIDEBAR_WIDTH - 2 * PADDING - 44 - move_labels.text_width(points, 34) - 16
    if result is not None and player.seat in result.winners:
        yield f'<path transform="translate({PADDING + 17:g} {top + 2:g})" fill="#ffc61a" stroke="#7a5200" d="{CROWN}"/>'
    if player.color is not None:
        yield draw_badge(player.color, Point(PADDING + 17, top + 27), 15)
    yield move_labels.draw_text(
        move_labels.truncate_text(player.name or "…", 25, room), PADDING + 44, top + 36, 25, color=colors.text
    )
    yield move_labels.draw_text(points, SIDEBAR_WIDTH - PADDING, top + 40, 34, color=colors.text, anchor=1.0)
    yield from _draw_holdings(player, top + 70, options)


def _draw_holdings(player: Player, y: float, options: BoardOptions) -> Iterator[str]:
    colors = options.colors
    if player.color is not None:
        for number in range(player.supply):
            at = Point(PADDING + 12 + number * 21, y)
            yield use_symbol(islander_id(player.color, lies=False), at, scale=1.2)
    amounts = (player.wares.bananas, player.wares.shells, player.wares.fish)
    for column, (name, amount) in enumerate(zip(WARE_SYMBOLS, amounts, strict=True)):
        x = PADDING + 118 + column * 66
        yield use_symbol(name, Point(x, y), scale=1.35)
        yield move_labels.draw_text(str(amount), x + 15, y + 9, 25, color=colors.text)
    if player.ships:
        yield use_symbol("boat", Point(SIDEBAR_WIDTH - PADDING - 44, y - 2), scale=1.25)
        yield move_labels.draw_centred_text(str(len(player.ships)), SIDEBAR_WIDTH - PADDING - 12, y, 24, colors.text)


def _ships_top(scene: Scene) -> float:
    return PADDING * 2 + TILE_WIDTH if scene.game.turn is not None else PADDING


def _players_top(scene: Scene) -> float:
    return _ships_top(scene) + (len(scene.game.display) + 1) // 2 * SHIP_STEP


STRIP_WIDTH = 800.0
"""In the strip's own units."""

ROTATED_WIDTH = 120.0
MIN_PLACED_WIDTH = 0.6 * STRIP_WIDTH
"""The placed tile is also at least as wide as on the board."""
NUMBER_SIZE, LINE_HEIGHT = 30.0, 37.0
SEGMENT_LABEL_SIZE = 10.0
"""Of 100 for the tile's width: labels of segments that are close together fit beside each other."""
SHIP_WIDTH, SHIP_HEIGHT = 132.0, 110.0
PAYMENT_WIDTH, PAYMENT_HEIGHT = 310.0, 56.0
PAYMENT_SIZE, WARE_WIDTH, WARE_SCALE = 38.0, 74.0, 2.4
MAX_LARGE_PAYMENTS, LARGE_PAYMENT_SCALE = 8, 1.5
"""A few payments are drawn larger, one below the other; more of them in two columns."""


class Strip(NamedTuple):
    """A drawing `STRIP_WIDTH` wide, its corner at (0, 0)."""

    height: float
    svg: str


def draw_strip(scene: Scene, options: BoardOptions, labels: MoveLabels, board_width: float) -> Strip | None:
    """Draw the strip below a board of this width; None if no moves are numbered that it could show."""
    turn = scene.game.turn
    if labels.rotations and turn is not None:
        return _draw_rotations(scene, turn, options, labels)
    if labels.segments and (placed := scene.placed_tile) is not None:
        width = max(MIN_PLACED_WIDTH, board.CELL_SIZE * STRIP_WIDTH / board_width)
        return Strip(width + 2 * PADDING, _draw_placed_tile(scene, placed, options, labels, width))
    return _draw_payments(scene, options, labels) if labels.payments else None


def _draw_rotations(scene: Scene, turn: Turn, options: BoardOptions, labels: MoveLabels) -> Strip:
    """Draw the drawn tile in each rotation that is legal somewhere, above the numbers of its moves."""
    column, colors = STRIP_WIDTH / len(labels.rotations), options.colors
    lines = {turns: _wrap(numbers, column - PADDING) for turns, numbers in sorted(labels.rotations.items())}
    height = PADDING + ROTATED_WIDTH + LINE_HEIGHT * max(map(len, lines.values())) + PADDING
    parts = []
    for place, (turns, texts) in enumerate(lines.items()):
        middle = column * (place + 0.5)
        numbers = ",".join(map(str, labels.rotations[turns]))
        parts.append(
            f'<g transform="translate({middle - ROTATED_WIDTH / 2:.1f} {PADDING:g})scale({ROTATED_WIDTH / 100:g})"'
            f' data-rotation="{turns}" data-numbers="{numbers}">'
            f"{board.draw_loose_tile(scene.tiles[turn.tile], turns, colors)}</g>"
        )
        for line, text in enumerate(texts):
            bottom = PADDING + ROTATED_WIDTH + LINE_HEIGHT * (line + 0.9)
            parts.append(move_labels.draw_text(text, middle, bottom, NUMBER_SIZE, color=colors.text, anchor=0.5))
    return Strip(height, "".join(parts))


def _wrap(numbers: list[int], room: float) -> list[str]:
    """Return numbers as lines that fit into a width."""
    first, *others = map(str, numbers)
    lines = [first]
    for number in others:
        longer = f"{lines[-1]}, {number}"
        if move_labels.text_width(f"{longer},", NUMBER_SIZE) <= room:
            lines[-1] = longer
        else:
            lines[-1] += ","
            lines.append(number)
    return lines


def _draw_placed_tile(scene: Scene, placed: PlacedTile, options: BoardOptions, labels: MoveLabels, width: float) -> str:
    """Draw the placed tile in this width, with the numbers of its segments."""
    tile = scene.tiles[placed.tile]
    spots = lay_out_tile(tile.segments).islanders
    numbered = []
    for (cell, segment), text in labels.segments.items():
        at = spots[segment].rotated(placed.rotation)
        numbered.append(move_labels.Label(text, board.segment_attributes(cell, segment), at, at, SEGMENT_LABEL_SIZE))
    drawn = board.draw_loose_tile(tile, placed.rotation, options.colors)
    drawn += board.draw_outline(Point(0, 0)) if options.outline_last else ""
    drawn += "".join(move_labels.draw_labels(numbered, move_labels.Box(0, 0, 100, 100)))
    left = (STRIP_WIDTH - width) / 2
    return f'<g transform="translate({left:.1f} {PADDING:g})scale({width / board.CELL_SIZE:.4f})">{drawn}</g>'


def _draw_payments(scene: Scene, options: BoardOptions, labels: MoveLabels) -> Strip:
    """Draw each ship that something may be delivered to, and beside it the wares of each delivery."""
    is_short = sum(map(len, labels.payments.values())) <= MAX_LARGE_PAYMENTS
    columns, scale = (1, LARGE_PAYMENT_SCALE) if is_short else (2, 1.0)
    top, left, parts = PADDING, 2 * PADDING + SHIP_WIDTH, []
    for ship, payments in labels.payments.items():
        token = ship_token(scene.ships[ship], options.colors)
        parts.append(f'<g transform="translate({PADDING:g} {top:g})scale({SHIP_WIDTH / TOKEN_WIDTH:g})">{token}</g>')
        for place, (number, wares) in enumerate(payments):
            row, column = divmod(place, columns)
            x, y = left + column * PAYMENT_WIDTH, top + row * PAYMENT_HEIGHT * scale
            drawn = "".join(_draw_payment(number, wares, options))
            parts.append(
                f'<g transform="translate({x:g} {y:g})scale({scale:g})" data-ship="{ship}" data-numbers="{number}">'
                f"{drawn}</g>"
            )
        top += max(SHIP_HEIGHT, ceil(len(payments) / columns) * PAYMENT_HEIGHT * scale) + PADDING
    return Strip(top, "".join(parts))


def _draw_payment(number: int, wares: Wares, options: BoardOptions) -> Iterator[str]:
    """Draw a number, and how many of each ware it pays, `PAYMENT_WIDTH` by `PAYMENT_HEIGHT`."""
    middle = PAYMENT_HEIGHT / 2
    bottom = middle + move_labels.CAPITAL_HEIGHT / move_labels.EM * PAYMENT_SIZE / 2
    yield move_labels.draw_label(str(number), Point(36, middle), 30, 64)
    kinds = (("banana", wares.bananas), ("shell", wares.shells), ("fish", wares.fish))
    paid = [(name, amount) for name, amount in kinds if amount]
    for place, (name, amount) in enumerate(paid):
        x = 94 + place * WARE_WIDTH
        yield use_symbol(name, Point(x, middle), scale=WARE_SCALE)
        yield move_labels.draw_text(str(amount), x + 20, bottom, PAYMENT_SIZE, color=options.colors.text)


MAX_HEIGHT_PX = 4096
"""A picture that would be higher becomes narrower."""
SIDEBAR_FRACTIONS = (0.42, 0.75)
"""The minimum and maximum width of the sidebar, as a fraction of the board's."""


def board_svg(scene: Scene, options: BoardOptions) -> str:
    """Draw a game's board as a self-contained SVG."""
    labels = label_moves(scene, shown=options.number_moves)
    region = shown_region(scene, options, labels)
    tiles = board.tiles_in_region(scene, region)
    area = board.board_box(region, options)
    strip, strip_scale = draw_strip(scene, options, labels, area.width), area.width / STRIP_WIDTH
    box = area if strip is None else area._replace(height=area.height + strip.height * strip_scale)
    scale = _sidebar_scale(scene, box) if options.sidebar else 0.0
    picture = _with_sidebar(scene, box, scale) if options.sidebar else box
    width_px = _width_px(picture, options)
    parts = [
        board.shared_definitions(scene, tiles, options.colors),
        f'<path d="M-1e5-1e5H1e5V1e5H-1e5Z" fill="{options.colors.background}"/>',
        *board.draw_board(scene, options, region, tiles, labels, board.CELL_SIZE * width_px / picture.width),
    ]
    if strip is not None:
        corner = f"{area.left:.1f} {area.top + area.height:.1f}"
        parts.append(f'<g transform="translate({corner})scale({strip_scale:.4f})">{strip.svg}</g>')
    if options.sidebar:
        top = picture.top + (picture.height - sidebar_height(scene) * scale) / 2
        panel = "".join(draw_sidebar(scene, options, labels))
        parts.append(f'<g transform="translate({box.left + box.width:.1f} {top:.1f})scale({scale:.4f})">{panel}</g>')
    label = board_label(get_translator(options.language), scene.game.turn)
    return f"{_opening_tag(label, picture, width_px)}{''.join(parts)}</svg>"


def board_size(scene: Scene, options: BoardOptions) -> tuple[int, int]:
    """Return the width and height, in pixels, of a picture with a sidebar and without numbered moves."""
    box = board.board_box(shown_region(scene, options, label_moves(scene, shown=False)), options)
    picture = _with_sidebar(scene, box, _sidebar_scale(scene, box))
    width_px = _width_px(picture, options)
    return round(width_px), round(width_px * picture.height / picture.width)


def _width_px(picture: move_labels.Box, options: BoardOptions) -> float:
    return min(float(options.width), MAX_HEIGHT_PX * picture.width / picture.height)


def _sidebar_scale(scene: Scene, box: move_labels.Box) -> float:
    """Return the scale at which the sidebar is as high as the board, within its minimum and maximum width."""
    min_scale, max_scale = (part * box.width / SIDEBAR_WIDTH for part in SIDEBAR_FRACTIONS)
    return min(max((box.height - 24) / sidebar_height(scene), min_scale), max_scale)


def _with_sidebar(scene: Scene, box: move_labels.Box, scale: float) -> move_labels.Box:
    """Return the board's box with the sidebar at its right."""
    height = max(box.height, sidebar_height(scene) * scale + 24)
    return move_labels.Box(
        box.left, box.top - (height - box.height) / 2, box.width + SIDEBAR_WIDTH * scale + 12, height
    )


def _opening_tag(label: str, box: move_labels.Box, width_px: float) -> str:
    height_px = width_px * box.height / box.width
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_px:.0f}" height="{height_px:.0f}"'
        f' viewBox="{box.left:.1f} {box.top:.1f} {box.width:.1f} {box.height:.1f}" role="img"'
        f" aria-label={quoteattr(label)}>"
    )
