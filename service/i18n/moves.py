"""Legal moves in words, at most 100 characters in every language."""

from functools import lru_cache
from typing import Literal

from schemas.actions import Action, Deliver, Move, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import Wares
from service.engine import Game, TileSetIndex, move_id
from service.engine.islanders import can_place, can_retrieve
from service.engine.tileset_index import pack_cell
from service.i18n.catalogue import Translator, gettext_noop
from service.i18n.phrases import place_phrase, point_count, ship_cost, short_ship_cost, ware_counts
from service.i18n.segment_phrases import segment_phrase
from service.i18n.tile_names import tile_names

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
    gettext_noop("retrieve the banana picker {place}"),
    gettext_noop("retrieve the shell collector {place}"),
    gettext_noop("retrieve the fisherman {place}"),
    gettext_noop("retrieve the merchant {place}"),
)
"""A tile has at most one islander, since it is placed on a new tile."""
_PLACE_UPRIGHT = (gettext_noop("place the tile {place}"),)
_TURNED = gettext_noop("place the tile {place}, turned {degrees}°")
_PLACE_TURNED = ((_TURNED,), (gettext_noop("place the tile {place}, turned {degrees}° clockwise"), _TURNED))
"""By half turns and quarter turns: the text, and a shorter one."""
_TAKE = (
    gettext_noop("take the ship of {points}"),
    gettext_noop("take the ship of {points} that asks for {cost}"),
)
_DELIVER = (
    gettext_noop("deliver {wares} to the ship of {points}"),
    gettext_noop("deliver {wares} to the ship of {points} that asks for {cost}"),
)
_PASS: dict[IslanderOptions, str] = {
    "place": gettext_noop("place no islander"),
    "retrieve": gettext_noop("retrieve no islander"),
    "place or retrieve": gettext_noop("neither place nor retrieve an islander"),
}


def describe_move(translator: Translator, index: TileSetIndex, game: Game, action: Action) -> Move:
    """Return a legal move with its id and text."""
    match action:
        case PlaceTile(x, y, rotation):
            text = _placement(translator, tile_names(translator.language, index)[game.tile].land, x, y, rotation)
        case PlaceIslander(segment):
            kind, placed = index.tiles[game.tile].kinds[segment], game.oriented_tiles[-1]
            text = translator.gettext(_PLACE[kind], segment=segment_phrase(translator, index, placed, segment))
        case RetrieveIslander(x, y, segment):
            order = game.board[pack_cell(x, y)]
            kind = index.tiles[game.oriented_tiles[order] >> 2].kinds[segment]
            text = translator.gettext(_RETRIEVE[kind], place=place_phrase(translator, x, y))
        case TakeShip(ship):
            text = _ship_text(translator, index, game, ship, _TAKE)
        case Deliver(ship, wares):
            text = _ship_text(translator, index, game, ship, _DELIVER, wares=_ware_text(translator, wares))
        case Pass("islander"):
            text = translator.gettext(_PASS[islander_options(game)])
        case _:
            text = translator.gettext("deliver nothing")
    return Move(id=move_id(action), text=text, action=action, effects=None, feature=None, worth=None)


def describe_cell(translator: Translator, x: int, y: int, moves: int) -> str:
    """Return the text of a cell and its number of moves."""
    place = place_phrase(translator, x, y)
    return translator.ngettext("{place}: {number} move", "{place}: {number} moves", moves, place=place)


def islander_options(game: Game) -> IslanderOptions:
    """Return what the player may do in the islander phase (R4)."""
    if not can_retrieve(game):
        return "place"
    return "place or retrieve" if can_place(game) else "retrieve"


def _placement(translator: Translator, tile: str, x: int, y: int, rotation: int) -> str:
    """Return a placement with the tile's name, or without it where there is no room."""
    moves = _placements(translator, x, y, rotation)
    for move in moves:
        text = translator.gettext("{move}: {tile}", move=move, tile=tile)
        if len(text) <= MAX_TEXT_LENGTH:
            return text
    return _first_that_fits(*moves)


@lru_cache(maxsize=4096)
def _placements(translator: Translator, x: int, y: int, rotation: int) -> tuple[str, ...]:
    """Return the texts of a placement, the best first; cached, because all games have the same few cells."""
    messages = _PLACE_TURNED[rotation % 2] if rotation else _PLACE_UPRIGHT
    place = place_phrase(translator, x, y)
    return tuple([translator.gettext(message, place=place, degrees=90 * rotation) for message in messages])


def _ship_text(
    translator: Translator, index: TileSetIndex, game: Game, ship: str, messages: tuple[str, str], **values: str
) -> str:
    """Return what is done with a ship, which is called by its points, and by its cost where others have as many.

    Ships that are equal, or whose cost has no room, are numbered as they lie in the display.
    """
    number = index.ship_numbers[ship]
    points = index.ships[number].points
    values["points"] = point_count(translator, points)
    alike = [other for other in game.display if index.ships[other].points == points]
    by_points, with_cost = messages
    text = translator.gettext(by_points, **values)
    if len(alike) < 2 or number not in alike:
        return text

    def describe(other: int) -> str:
        cost = index.tileset.ships[other].cost
        costs = (ship_cost(translator, cost), short_ship_cost(translator, cost))
        return _first_that_fits(*(translator.gettext(with_cost, **values, cost=one) for one in costs), text)

    texts = [describe(other) for other in alike]
    place = alike.index(number)
    equal = [other for other, one in enumerate(texts) if one == texts[place]]
    return f"{texts[place]} ({equal.index(place) + 1})" if len(equal) > 1 else texts[place]


def _first_that_fits(*texts: str) -> str:
    """Return the first text that is short enough, else the last."""
    return next((text for text in texts if len(text) <= MAX_TEXT_LENGTH), texts[-1])


def _ware_text(translator: Translator, wares: Wares | None) -> str:
    if wares is None:
        return translator.gettext("wares")
    return " + ".join(ware_counts(translator, wares)) or translator.gettext("nothing")
