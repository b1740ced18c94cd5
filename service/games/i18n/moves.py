"""Legal moves in words, at most 100 characters in every language."""

from schemas.actions import Action, Deliver, Move, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import Wares
from service.engine import Game, TileSetIndex, move_id
from service.engine.tileset_index import pack_cell
from service.games.i18n.catalogue import Translator, gettext_noop
from service.games.i18n.phrases import point_count, ware_counts

# By segment kind, in the engine's order: island, bridge, sea, market.
_PLACE = (
    gettext_noop("place a banana picker on the island (segment {segment})"),
    gettext_noop("place a shell collector on the bridge (segment {segment})"),
    gettext_noop("place a fisherman on the sea (segment {segment})"),
    gettext_noop("place a merchant on the market (segment {segment})"),
)
_RETRIEVE = (
    gettext_noop("retrieve the banana picker from ({x}, {y}) (segment {segment})"),
    gettext_noop("retrieve the shell collector from ({x}, {y}) (segment {segment})"),
    gettext_noop("retrieve the fisherman from ({x}, {y}) (segment {segment})"),
    gettext_noop("retrieve the merchant from ({x}, {y}) (segment {segment})"),
)


def describe_move(translator: Translator, index: TileSetIndex, game: Game, action: Action) -> Move:
    """Return a legal move with its id and text."""
    return Move(id=move_id(action), text=_text(translator, index, game, action), action=action)


def describe_cell(translator: Translator, x: int, y: int, moves: int) -> str:
    """Return the text of a cell and its number of moves."""
    return translator.ngettext("({x}, {y}): {number} move", "({x}, {y}): {number} moves", moves, x=x, y=y)


def _text(translator: Translator, index: TileSetIndex, game: Game, action: Action) -> str:
    match action:
        case PlaceTile(x, y, rotation):
            return _placement(translator, index.tile_ids[game.tile], x, y, rotation)
        case PlaceIslander(segment):
            kind = index.tiles[game.tile].kinds[segment]
            return translator.gettext(_PLACE[kind], segment=segment)
        case RetrieveIslander(x, y, segment):
            order = game.board[pack_cell(x, y)]
            kind = index.tiles[game.oriented_tiles[order] >> 2].kinds[segment]
            return translator.gettext(_RETRIEVE[kind], x=x, y=y, segment=segment)
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
            return translator.gettext("place and retrieve no islander")
        case Pass():
            return translator.gettext("deliver nothing")


def _placement(translator: Translator, tile: str, x: int, y: int, rotation: int) -> str:
    if not rotation:
        return translator.gettext("place {tile} at ({x}, {y})", tile=tile, x=x, y=y)
    return translator.gettext(
        "place {tile} at ({x}, {y}), turned {degrees}°", tile=tile, x=x, y=y, degrees=90 * rotation
    )


def _ship_points(translator: Translator, index: TileSetIndex, ship: str) -> str:
    return point_count(translator, index.ships[index.ship_numbers[ship]].points)


def _ware_text(translator: Translator, wares: Wares | None) -> str:
    if wares is None:
        return translator.gettext("wares")
    return " + ".join(ware_counts(translator, wares)) or translator.gettext("nothing")
