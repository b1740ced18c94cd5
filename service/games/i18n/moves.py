"""A legal move in words, of at most 100 characters in every language."""

from schemas.actions import Action, Deliver, Move, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import Wares
from service.engine import Game, TileSetIndex, move_id
from service.engine.tileset_index import pack_cell
from service.games.i18n.catalogue import Translator, gettext_noop
from service.games.i18n.phrases import point_count, ware_counts

# By the kind of the segment, as the engine numbers them: island, bridge, sea, market.
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


def describe_move(speech: Translator, index: TileSetIndex, game: Game, action: Action) -> Move:
    """A legal move with its id and its text."""
    return Move(id=move_id(action), text=_text(speech, index, game, action), action=action)


def describe_cell(speech: Translator, x: int, y: int, moves: int) -> str:
    """A cell, and how many moves it has."""
    return speech.ngettext("({x}, {y}): {number} move", "({x}, {y}): {number} moves", moves, x=x, y=y)


def _text(speech: Translator, index: TileSetIndex, game: Game, action: Action) -> str:
    match action:
        case PlaceTile(x, y, rotation):
            return _placement(speech, index.tile_ids[game.tile], x, y, rotation)
        case PlaceIslander(segment):
            kind = index.tiles[game.tile].kinds[segment]
            return speech.gettext(_PLACE[kind], segment=segment)
        case RetrieveIslander(x, y, segment):
            order = game.board[pack_cell(x, y)]
            kind = index.tiles[game.oriented_tiles[order] >> 2].kinds[segment]
            return speech.gettext(_RETRIEVE[kind], x=x, y=y, segment=segment)
        case TakeShip(ship):
            return speech.gettext("take ship {ship} ({points})", ship=ship, points=_worth(speech, index, ship))
        case Deliver(ship, wares):
            worth = _worth(speech, index, ship)
            return speech.gettext(
                "deliver {wares} to ship {ship} ({points})", wares=_paid(speech, wares), ship=ship, points=worth
            )
        case Pass("islander"):
            return speech.gettext("place and retrieve no islander")
        case Pass():
            return speech.gettext("deliver nothing")


def _placement(speech: Translator, tile: str, x: int, y: int, rotation: int) -> str:
    if not rotation:
        return speech.gettext("place {tile} at ({x}, {y})", tile=tile, x=x, y=y)
    return speech.gettext("place {tile} at ({x}, {y}), turned {degrees}°", tile=tile, x=x, y=y, degrees=90 * rotation)


def _worth(speech: Translator, index: TileSetIndex, ship: str) -> str:
    return point_count(speech, index.ships[index.ship_numbers[ship]].points)


def _paid(speech: Translator, wares: Wares | None) -> str:
    if wares is None:
        return speech.gettext("wares")
    return " + ".join(ware_counts(speech, wares)) or speech.gettext("nothing")
