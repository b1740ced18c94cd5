"""Events in words: a sentence for each event, and a paragraph for each change."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec.structs import asdict

from schemas.actions import Deliver, PlaceIslander, PlaceTile, RetrieveIslander
from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
    GameFinished,
    IslanderPlaced,
    IslanderRetrieved,
    IslanderReturned,
    MoveUndone,
    PlayerJoined,
    PlayerResigned,
    ShipRevealed,
    ShipTaken,
    TilePlaced,
    TurnTimedOut,
)
from schemas.tileset import Ship
from service.engine import Game, TileSetIndex, parse_move_id
from service.engine.tileset_index import FEATURE_KINDS, SHIPS, pack_cell
from service.i18n.catalogue import Translator
from service.i18n.phrases import (
    color_name,
    fish_count,
    place_phrase,
    player_names,
    point_count,
    ship_cost,
    ware_counts,
)
from service.i18n.segment_phrases import segment_phrase
from service.i18n.sentences import translate_sentence
from service.i18n.tile_names import tile_names


class EventNarrator(NamedTuple):
    """Narrates the events of one game, in the order in which they happened."""

    translator: Translator
    tileset_index: TileSetIndex
    player_names: Sequence[str]
    """By seat."""
    oriented_tiles: dict[int, int]
    """Cell -> oriented tile, on the board before the next event; `narrate_event` updates it."""

    @classmethod
    def of(cls, translator: Translator, index: TileSetIndex, game: Game) -> "EventNarrator":
        """Return a narrator that starts from the current board."""
        oriented_tiles = {cell: game.oriented_tiles[order] for cell, order in game.board.items()}
        return cls(translator, index, player_names(translator, game), oriented_tiles)

    def narrate_change(self, events: Iterable[AnyEvent]) -> str:
        """Return the sentences of one change, without those that another one implies."""
        listed = [*events]
        sentences = [(event, self.narrate_event(event, listed[number:])) for number, event in enumerate(listed, 1)]
        is_late = any(isinstance(event, TurnTimedOut) for event in listed)
        return " ".join(sentence for event, sentence in sentences if not self._is_implied(event, is_late=is_late))

    def narrate_event(self, event: AnyEvent, following: Sequence[AnyEvent] = ()) -> str:
        """Return the sentence of one event; its values are the event's fields and texts derived from them.

        `following` are the events of the same change after it.
        """
        translator, key, values = self.translator, str(event.__struct_config__.tag), self._values(event)
        match event:
            case TilePlaced():
                number = self.tileset_index.tile_numbers[event.tile]
                self.oriented_tiles[pack_cell(event.x, event.y)] = 4 * number + event.rotation
            case FeatureEvaluated():
                key = f"{key}.{event.kind}.{event.cause}"
                values["gain"] = self._ware_gain(event)
                values["place"] = place_phrase(translator, *_islander_cell(event, following))
            case IslanderPlaced() | IslanderRetrieved() | IslanderReturned():
                key, placed = f"{key}.{FEATURE_KINDS[self._kind(event)]}", self._oriented_tile(event)
                values["segment"] = segment_phrase(translator, self.tileset_index, placed, event.segment)
            case ShipTaken():
                key = f"{key}.{'market' if event.paid is None else 'delivery'}"
                wares = () if event.paid is None else ware_counts(translator, event.paid)
                values |= {
                    "points": self._ship_points(event),
                    "wares": translator.join_list(wares) or translator.gettext("nothing"),
                }
            case ShipRevealed():
                values |= {"points": self._ship_points(event), "cost": ship_cost(translator, self._ship(event).cost)}
            case TurnTimedOut(policy="pass" | "resign"):
                key = f"{key}.{event.policy}"
            case MoveUndone():
                variant, cell = _undone(event)
                key, values["place"] = f"{key}{variant}", place_phrase(translator, *cell)
            case GameFinished():
                won = winner_sentence(translator, [self.player_names[seat] for seat in event.winners])
                return f"{translate_sentence(translator, f'{key}.{event.reason}')} {won}"
            case _:
                pass  # its fields are the values
        return translate_sentence(translator, key, **values)

    def _values(self, event: AnyEvent) -> dict[str, Any]:
        """Return an event's fields and its player's name; places, tiles, bots, colours and fish in words."""
        values = asdict(event)
        if "x" in values:
            values["place"] = place_phrase(self.translator, values["x"], values["y"])
        if (seat := values.get("seat")) is not None:
            values["player"] = values.get("name") or self.player_names[seat]
        if (tile := values.get("tile")) is not None:
            names = tile_names(self.translator.language, self.tileset_index)
            values["tile"] = names[self.tileset_index.tile_numbers[tile]].full
        if (bot := values.get("bot")) is not None:
            values["bot"] = bot.capitalize()
        match event:
            case PlayerJoined():
                values["color"] = color_name(self.translator, event.color)
            case FishCovered():
                values["fish"] = fish_count(self.translator, event.fish)
            case _:
                pass
        return values

    def _ware_gain(self, event: FeatureEvaluated) -> str:
        winners = self.translator.join_list([self.player_names[seat] for seat in event.winners])
        wares = self.translator.join_list(ware_counts(self.translator, event.wares))
        if not wares:
            return translate_sentence(self.translator, "gain.nothing", players=winners)
        if len(event.winners) == 1:
            return translate_sentence(self.translator, "gain.one", player=winners, wares=wares)
        return translate_sentence(self.translator, "gain.each", players=winners, wares=wares)

    def _ship(self, event: ShipTaken | ShipRevealed) -> Ship:
        return self.tileset_index.tileset.ships[self.tileset_index.ship_numbers[event.ship]]

    def _ship_points(self, event: ShipTaken | ShipRevealed) -> str:
        return point_count(self.translator, self._ship(event).points)

    def _kind(self, event: IslanderPlaced | IslanderRetrieved | IslanderReturned) -> int:
        return self.tileset_index.tiles[self._oriented_tile(event) >> 2].kinds[event.segment]

    def _oriented_tile(self, event: IslanderPlaced | IslanderRetrieved | IslanderReturned) -> int:
        return self.oriented_tiles[pack_cell(event.x, event.y)]

    def _is_implied(self, event: AnyEvent, *, is_late: bool) -> bool:
        """Return whether an islander returns as an evaluation implies, or a player resigns whose time is up."""
        if isinstance(event, IslanderReturned):
            return self._kind(event) != SHIPS
        return is_late and isinstance(event, PlayerResigned)


def _islander_cell(event: FeatureEvaluated, following: Sequence[AnyEvent]) -> tuple[int, int]:
    """Return where a feature is: the cell of an islander that returns from it, which no other feature has."""
    cells = {(cell.x, cell.y) for cell in event.cells}
    for later in following:
        if isinstance(later, IslanderReturned) and (later.x, later.y) in cells:
            return later.x, later.y
    return event.cells[0].x, event.cells[0].y


def _undone(event: MoveUndone) -> tuple[str, tuple[int, int]]:
    """Return the variant of the sentence about an action taken back, and its cell, (0, 0) where it has none."""
    match parse_move_id(event.move):
        case PlaceTile(x, y):
            return ".tile", (x, y)
        case RetrieveIslander(x, y):
            return ".retrieved", (x, y)
        case PlaceIslander():
            return ".islander", (0, 0)
        case Deliver():
            return ".delivery", (0, 0)
        case _:
            return "", (0, 0)


def winner_sentence(translator: Translator, winners: Sequence[str]) -> str:
    """Return who won (R7.4)."""
    players = translator.join_list(winners)
    if not winners:
        return translate_sentence(translator, "won.nobody")
    if len(winners) == 1:
        return translate_sentence(translator, "won.one", player=players)
    return translate_sentence(translator, "won.shared", players=players)
