"""Legal moves in words, at most 100 characters in every language."""

from typing import Literal

from schemas.actions import Action, Deliver, Move, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import Wares
from service.engine import Game, TileSetIndex, move_id
from service.engine.islanders import legal_islander_moves
from service.engine.tileset_index import pack_cell
from service.games.i18n.catalogue import Translator, gettext_noop
from service.games.i18n.phrases import point_count, ware_counts
from service.games.i18n.segment_phrases import segment_phrase
from service.games.i18n.tile_names import tile_names

MAX_TEXT_LENGTH = 100

IslanderOptions = Literal["place", "retrieve", "place or retrieve"]
"""What may be done in the islander phase, besides passing."""

# By segment kind, in the engine's order: island, bridge, sea, market.
_PLACE = (
    gettext_noop("place a banana picker {segment}"),
    gettext_noop("place a shell collector {segment}"),
    gettext_noop("place a fisherman {segment}"),
    gettext_noop("place a merchant {segment}"),
)
_RETRIEVE = (
    gettext_noop("retrieve the banana picker from ({x}, {y})"),
    gettext_noop("retrieve the shell collector from ({x}, {y})"),
    gettext_noop("retrieve the fisherman from ({x}, {y})"),
    gettext_noop("retrieve the merchant from ({x}, {y})"),
)
"""A tile has at most one islander, since it is placed on a new tile."""
_PASS: dict[IslanderOptions, str] = {
    "place": gettext_noop("place no islander"),
    "retrieve": gettext_noop("retrieve no islander"),
    "place or retrieve": gettext_noop("neither place nor retrieve an islander"),
}


def describe_move(translator: Translator, index: TileSetIndex, game: Game, action: Action) -> Move:
    """Return a legal move with its id and text."""
    return Move(id=move_id(action), text=_text(translator, index, game, action), action=action)


def describe_cell(translator: Translator, x: int, y: int, moves: int) -> str:
    """Return the text of a cell and its number of moves."""
    return translator.ngettext("({x}, {y}): {number} move", "({x}, {y}): {number} moves", moves, x=x, y=y)


def islander_options(index: TileSetIndex, game: Game) -> IslanderOptions:
    """Return what the player may do in the islander phase (R4)."""
    moves = legal_islander_moves(index, game)
    if not any(isinstance(move, RetrieveIslander) for move in moves):
        return "place"
    return "place or retrieve" if any(isinstance(move, PlaceIslander) for move in moves) else "retrieve"


def _text(translator: Translator, index: TileSetIndex, game: Game, action: Action) -> str:
    match action:
        case PlaceTile(x, y, rotation):
            return _placement(translator, tile_names(translator.language, index)[game.tile].land, x, y, rotation)
        case PlaceIslander(segment):
            kind, placed = index.tiles[game.tile].kinds[segment], game.oriented_tiles[-1]
            return translator.gettext(_PLACE[kind], segment=segment_phrase(translator, index, placed, segment))
        case RetrieveIslander(x, y, segment):
            order = game.board[pack_cell(x, y)]
            kind = index.tiles[game.oriented_tiles[order] >> 2].kinds[segment]
            return translator.gettext(_RETRIEVE[kind], x=x, y=y)
        case TakeShip(ship):
            return translator.gettext(
                "take ship {ship} ({points})", ship=ship, points=_ship_points(translator, index, ship)
            )
        case Deliver(ship, wares):
            ship_points = _ship_points(translator, index, ship)
            return translator.gettext(
                "deliver {wares} to ship {ship} ({points})",
                wares=_ware_text(translator, wares),
                ship=ship,
                points=ship_points,
            )
        case Pass("islander"):
            return translator.gettext(_PASS[islander_options(index, game)])
        case Pass():
            return translator.gettext("deliver nothing")


def _placement(translator: Translator, tile: str, x: int, y: int, rotation: int) -> str:
    if rotation:
        turned = 90 * rotation
        move = translator.gettext("place the tile at ({x}, {y}), turned {degrees}°", x=x, y=y, degrees=turned)
    else:
        move = translator.gettext("place the tile at ({x}, {y})", x=x, y=y)
    named = translator.gettext("{move}: {tile}", move=move, tile=tile)
    return named if len(named) <= MAX_TEXT_LENGTH else move


def _ship_points(translator: Translator, index: TileSetIndex, ship: str) -> str:
    return point_count(translator, index.ships[index.ship_numbers[ship]].points)


def _ware_text(translator: Translator, wares: Wares | None) -> str:
    if wares is None:
        return translator.gettext("wares")
    return " + ".join(ware_counts(translator, wares)) or translator.gettext("nothing")
