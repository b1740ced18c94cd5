"""The sidebar: the drawn tile, the display, and the players with their wares and ships."""

from collections.abc import Iterator

from schemas.game import Player, Turn
from service.drawing.board import draw_loose_tile
from service.drawing.labels import draw_label
from service.drawing.layout.distance_fields import Point
from service.drawing.move_labels import MoveLabels
from service.drawing.scene import BoardOptions, Scene
from service.drawing.ships import HEIGHT as TOKEN_HEIGHT
from service.drawing.ships import WIDTH as TOKEN_WIDTH
from service.drawing.ships import ship_token
from service.drawing.symbols import draw_badge, islander_id, use_symbol
from service.drawing.text_outlines import draw_centred_text, draw_text, text_width, truncate_text

SIDEBAR_WIDTH = 400.0
"""In the sidebar's own units."""

PADDING = 20.0
TILE_WIDTH = 150.0
SHIP_WIDTH = (SIDEBAR_WIDTH - 3 * PADDING) / 2
SHIP_STEP = SHIP_WIDTH * TOKEN_HEIGHT / TOKEN_WIDTH + PADDING
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
    tile = draw_loose_tile(scene.tiles[turn.tile], 0 if placed is None else placed.rotation, options.colors)
    yield f'<g transform="translate({PADDING:g} {PADDING:g})scale({TILE_WIDTH / 100:g})">{tile}</g>'
    left = PADDING * 2 + TILE_WIDTH
    yield from _draw_supplies(scene, options, left)
    if options.number_moves and labels.pass_move is not None:
        place = f"translate({left + 26:g} {PADDING + TILE_WIDTH - 20:g})"
        yield f'<g transform="{place}" stroke="{options.colors.text}" fill="{options.colors.text}">{ARROW_OVER}</g>'
        label = draw_label(labels.pass_move, Point(left + 86, PADDING + TILE_WIDTH - 20), 26)
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
    yield draw_text(str(scene.game.bag), left + 58, top + 31, 32, color=colors.text)
    yield (
        f'<rect x="{left + 5:g}" y="{top + 65:g}" width="46" height="38" rx="6" fill="#8f5727"/>'
        f'<rect x="{left:g}" y="{top + 60:g}" width="46" height="38" rx="6" fill="{colors.deep}"'
        f' stroke="{colors.panel}" stroke-width="1.5"/>'
    )
    yield use_symbol("boat", Point(left + 23, top + 80), scale=1.3)
    yield draw_text(str(scene.game.ship_pile), left + 64, top + 91, 32, color=colors.text)


def _draw_display(scene: Scene, options: BoardOptions, labels: MoveLabels) -> Iterator[str]:
    scale = SHIP_WIDTH / TOKEN_WIDTH
    for number, ship in enumerate(scene.game.display):
        x = PADDING + number % 2 * (SHIP_WIDTH + PADDING)
        y = _ships_top(scene) + number // 2 * SHIP_STEP
        token = ship_token(scene.ships[ship], options.colors)
        yield f'<g transform="translate({x:g} {y:g})scale({scale:.3f})">{token}</g>'
        if options.number_moves and ship in labels.ships:
            label = draw_label(labels.ships[ship], Point(x + 26, y + 22), 24, 90)
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
    points = str(_points(scene, player))
    room = SIDEBAR_WIDTH - 2 * PADDING - 44 - text_width(points, 34) - 16
    if scene.game.result is not None and player.seat in scene.game.result.winners:
        yield f'<path transform="translate({PADDING + 17:g} {top + 2:g})" fill="#ffc61a" stroke="#7a5200" d="{CROWN}"/>'
    if player.color is not None:
        yield draw_badge(player.color, Point(PADDING + 17, top + 27), 15)
    yield draw_text(truncate_text(player.name or "…", 25, room), PADDING + 44, top + 36, 25, color=colors.text)
    yield draw_text(points, SIDEBAR_WIDTH - PADDING, top + 40, 34, color=colors.text, anchor=1.0)
    yield from _draw_holdings(player, top + 70, options)


def _points(scene: Scene, player: Player) -> int:
    """Return a player's points: those of the ships, or the total of a finished game (R7.3)."""
    result = scene.game.result
    return player.points if result is None else result.scores[player.seat].total


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
        yield draw_text(str(amount), x + 15, y + 9, 25, color=colors.text)
    if player.ships:
        yield use_symbol("boat", Point(SIDEBAR_WIDTH - PADDING - 44, y - 2), scale=1.25)
        yield draw_centred_text(str(len(player.ships)), SIDEBAR_WIDTH - PADDING - 12, y, 24, colors.text)


def _ships_top(scene: Scene) -> float:
    return PADDING * 2 + TILE_WIDTH if scene.game.turn is not None else PADDING


def _players_top(scene: Scene) -> float:
    return _ships_top(scene) + (len(scene.game.display) + 1) // 2 * SHIP_STEP
