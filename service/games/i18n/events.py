"""What happened in words: a sentence for each event, and a paragraph for each change."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import asdict

from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
    GameFinished,
    IslanderPlaced,
    IslanderRetrieved,
    IslanderReturned,
    PlayerJoined,
    ShipRevealed,
    ShipTaken,
    TilePlaced,
)
from schemas.tileset import Ship
from schemas.vocabulary import SegmentKind
from service.engine import Game, TileSetIndex
from service.engine.tileset_index import SHIPS, pack_cell
from service.games.i18n.catalogue import Translator
from service.games.i18n.phrases import color_name, fish_count, player_names, point_count, ship_cost, ware_counts
from service.games.i18n.sentences import translate_sentence

_KINDS: tuple[SegmentKind, ...] = ("island", "bridge", "sea", "market")
"""As the engine numbers them."""


class EventNarrator(NamedTuple):
    """Tells the events of one game, in the order in which they happened."""

    translator: Translator
    tileset_index: TileSetIndex
    player_names: Sequence[str]
    """By seat."""
    tiles: dict[int, int]
    """Cell -> tile, as the board was when the event to be told happened; `sentence` keeps it up."""

    @classmethod
    def of(cls, speech: Translator, index: TileSetIndex, game: Game) -> "EventNarrator":
        """A teller who knows the board as it is now."""
        tiles = {cell: game.oriented_tiles[order] >> 2 for cell, order in game.board.items()}
        return cls(speech, index, player_names(speech, game), tiles)

    def narrate_change(self, events: Iterable[AnyEvent]) -> str:
        """One change; the islanders that an evaluation sends home are told with it, only merchants have none."""
        told = [(event, self.narrate_event(event)) for event in events]
        return " ".join(sentence for event, sentence in told if not self._is_plain_return(event))

    def narrate_event(self, event: AnyEvent) -> str:
        """One event: its own members are the sentence's values, and what is made of them."""
        speech, key, values = self.translator, str(event.__struct_config__.tag), asdict(event)
        if (seat := values.get("seat")) is not None:
            values["player"] = values.get("name") or self.player_names[seat]
        match event:
            case TilePlaced():
                self.tiles[pack_cell(event.x, event.y)] = self.tileset_index.tile_numbers[event.tile]
            case FishCovered():
                values["fish"] = fish_count(speech, event.fish)
            case FeatureEvaluated():
                key = f"{key}.{event.kind}.{event.cause}"
                values["gain"] = self._ware_gain(event)
            case IslanderPlaced() | IslanderRetrieved() | IslanderReturned():
                key = f"{key}.{_KINDS[self._kind(event)]}"
            case ShipTaken():
                key = f"{key}.{'market' if event.paid is None else 'delivery'}"
                wares = () if event.paid is None else ware_counts(speech, event.paid)
                values |= {
                    "points": self._ship_points(event),
                    "wares": speech.join_list(wares) or speech.gettext("nothing"),
                }
            case ShipRevealed():
                values |= {"points": self._ship_points(event), "cost": ship_cost(speech, self._ship(event).cost)}
            case PlayerJoined():
                values["color"] = color_name(speech, event.color)
            case GameFinished():
                won = winner_sentence(speech, [self.player_names[seat] for seat in event.winners])
                return f"{translate_sentence(speech, f'{key}.{event.reason}')} {won}"
            case _:
                pass  # its members say all
        return translate_sentence(speech, key, **values)

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
        return self.tileset_index.tiles[self.tiles[pack_cell(event.x, event.y)]].kinds[event.segment]

    def _is_plain_return(self, event: AnyEvent) -> bool:
        return isinstance(event, IslanderReturned) and self._kind(event) != SHIPS


def winner_sentence(speech: Translator, winners: Sequence[str]) -> str:
    """Who won (R7.4)."""
    players = speech.join_list(winners)
    if not winners:
        return translate_sentence(speech, "won.nobody")
    if len(winners) == 1:
        return translate_sentence(speech, "won.one", player=players)
    return translate_sentence(speech, "won.shared", players=players)
