"""What is beside a board: the drawn tile, the display, and the players with what they hold."""

from collections.abc import Iterator

from schemas.game import Player, Turn
from service.web.drawing.board import tag, use
from service.web.drawing.islanders import badge, figure_id
from service.web.drawing.land import land
from service.web.drawing.layout.distance_fields import Point
from service.web.drawing.layout.tile_layout import plan
from service.web.drawing.move_labels import Numbered
from service.web.drawing.scene import Options, Scene
from service.web.drawing.ships import HEIGHT as SHIP_HEIGHT
from service.web.drawing.ships import WIDTH as SHIP_WIDTH
from service.web.drawing.ships import token
from service.web.drawing.text_outlines import fitted, letters, middled, width
from service.web.drawing.tile import sea, seam, things

WIDTH = 400.0
"""Of the panel, in its own units."""

PADDING = 20.0
TILE = 150.0
SHIP = (WIDTH - 3 * PADDING) / 2
PLAYER = 96.0
WARES = ("banana", "shell", "fish")
CROWN = "M-13 9-16-7-7 0 0-10 7 0 16-7 13 9Z"


def height(scene: Scene) -> float:
    """How high the panel is."""
    return _ships_top(scene) + _ship_rows(scene) * _ship_step() + len(scene.game.players) * (PLAYER + 10) + PADDING


def draw_side(scene: Scene, options: Options, numbers: Numbered) -> Iterator[str]:
    """The panel, its corner at (0, 0)."""
    colors = options.colors
    yield f'<rect width="{WIDTH:g}" height="{height(scene):g}" rx="18" fill="{colors.panel}"/>'
    if scene.game.turn is not None:
        yield from _drawn_tile(scene, scene.game.turn, options, numbers)
    yield from _display(scene, options, numbers)
    top = _ships_top(scene) + _ship_rows(scene) * _ship_step()
    for player in scene.game.players:
        yield from _player(scene, player, top, options)
        top += PLAYER + 10


def _drawn_tile(scene: Scene, turn: Turn, options: Options, numbers: Numbered) -> Iterator[str]:
    """The tile of this turn, turned as it lies once it does, and what is left in the bag."""
    colors = options.colors
    rotation = scene.game.board[f"{turn.placed.x},{turn.placed.y}"].rotation if turn.placed is not None else 0
    drawn = plan(scene.tiles[turn.tile].segments)
    lying = "".join(
        use(name, laid.at, scale=laid.scale)
        for index in range(len(drawn.segments))
        for name, _, laid in things(drawn, index, rotation)
    )
    yield (
        f'<g transform="translate({PADDING:g} {PADDING:g})scale({TILE / 100:g})">{sea(colors)}'
        f'<g transform="rotate({90 * rotation} 50 50)">{land(drawn.segments, colors)}</g>{seam(colors)}{lying}</g>'
    )
    left = PADDING * 2 + TILE
    yield from _stacks(scene, options, left)
    if options.candidates and numbers.nothing is not None:
        yield letters("pass", left, PADDING + TILE - 12, 24, color=colors.text)
        label = tag(numbers.nothing, Point(left + 86, PADDING + TILE - 20), 26)
        yield f'<g data-moves="{numbers.nothing}">{label}</g>'


def _stacks(scene: Scene, options: Options, left: float) -> Iterator[str]:
    """How many tiles are in the bag and ships in the pile."""
    colors, top = options.colors, PADDING
    yield (
        f'<rect x="{left + 5:g}" y="{top + 5:g}" width="38" height="38" rx="4" fill="{colors.shallow[0]}"/>'
        f'<rect x="{left:g}" y="{top:g}" width="38" height="38" rx="4" fill="{colors.deep}"'
        f' stroke="{colors.panel}" stroke-width="1.5"/>'
        f'<path d="M{left + 7:g} {top + 20:g}q6-7 12 0t12 0" fill="none" stroke="#fff" stroke-width="2.4"/>'
    )
    yield letters(str(scene.game.bag), left + 58, top + 31, 32, color=colors.text)
    yield (
        f'<rect x="{left + 5:g}" y="{top + 65:g}" width="46" height="38" rx="6" fill="#8f5727"/>'
        f'<rect x="{left:g}" y="{top + 60:g}" width="46" height="38" rx="6" fill="{colors.deep}"'
        f' stroke="{colors.panel}" stroke-width="1.5"/>'
    )
    yield use("boat", Point(left + 23, top + 80), scale=1.3)
    yield letters(str(scene.game.ship_pile), left + 64, top + 91, 32, color=colors.text)


def _display(scene: Scene, options: Options, numbers: Numbered) -> Iterator[str]:
    scale = SHIP / SHIP_WIDTH
    for number, ship in enumerate(scene.game.display):
        x = PADDING + number % 2 * (SHIP + PADDING)
        y = _ships_top(scene) + number // 2 * _ship_step()
        yield f'<g transform="translate({x:g} {y:g})scale({scale:.3f})">{token(scene.ships[ship], options.colors)}</g>'
        if options.candidates and ship in numbers.ships:
            label = tag(numbers.ships[ship], Point(x + 26, y + 22), 24, 90)
            yield f'<g data-moves="{numbers.ships[ship]}" data-ship="{ship}">{label}</g>'


def _player(scene: Scene, player: Player, top: float, options: Options) -> Iterator[str]:
    """Name, points, islanders at home, wares, ships."""
    colors, turn = options.colors, scene.game.turn
    deciding = turn is not None and turn.decider == player.seat
    if deciding:
        yield (
            f'<rect x="{PADDING / 2:g}" y="{top:g}" width="{WIDTH - PADDING:g}" height="{PLAYER:g}" rx="12"'
            f' fill="{colors.shallow[1]}" fill-opacity=".28" stroke="{colors.deep}" stroke-width="3"/>'
        )
    points = str(_points(scene, player))
    room = WIDTH - 2 * PADDING - 44 - width(points, 34) - 16
    if scene.game.result is not None and player.seat in scene.game.result.winners:
        yield f'<path transform="translate({PADDING + 17:g} {top + 2:g})" fill="#ffc61a" stroke="#7a5200" d="{CROWN}"/>'
    if player.color is not None:
        yield badge(player.color, Point(PADDING + 17, top + 27), 15)
    yield letters(fitted(player.name or "…", 25, room), PADDING + 44, top + 36, 25, color=colors.text)
    yield letters(points, WIDTH - PADDING, top + 40, 34, color=colors.text, anchor=1.0)
    yield from _holdings(player, top + 70, options)


def _points(scene: Scene, player: Player) -> int:
    """Those of the ships; at the end all of them (R7.3)."""
    result = scene.game.result
    return player.points if result is None else result.scores[player.seat].total


def _holdings(player: Player, y: float, options: Options) -> Iterator[str]:
    colors = options.colors
    if player.color is not None:
        for number in range(player.supply):
            at = Point(PADDING + 12 + number * 21, y)
            yield use(figure_id(player.color, lies=False), at, scale=1.2)
    amounts = (player.wares.bananas, player.wares.shells, player.wares.fish)
    for place, (name, amount) in enumerate(zip(WARES, amounts, strict=True)):
        x = PADDING + 118 + place * 66
        yield use(name, Point(x, y), scale=1.35)
        yield letters(str(amount), x + 15, y + 9, 25, color=colors.text)
    if player.ships:
        yield use("boat", Point(WIDTH - PADDING - 44, y - 2), scale=1.25)
        yield middled(str(len(player.ships)), WIDTH - PADDING - 12, y, 24, colors.text)


def _ships_top(scene: Scene) -> float:
    return PADDING * 2 + TILE if scene.game.turn is not None else PADDING


def _ship_step() -> float:
    return SHIP * SHIP_HEIGHT / SHIP_WIDTH + PADDING


def _ship_rows(scene: Scene) -> int:
    return (len(scene.game.display) + 1) // 2


__all__ = ["WIDTH", "draw_side", "height"]
