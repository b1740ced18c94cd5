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
from service.engine import Game, Tables
from service.engine.tileset_index import SHIPS, to_cell
from service.games.i18n.catalogue import Speech
from service.games.i18n.sentences import tell
from service.games.i18n.words import color, cost, each_ware, fish, names, points

_KINDS: tuple[SegmentKind, ...] = ("island", "bridge", "sea", "market")
"""As the engine numbers them."""


class Teller(NamedTuple):
    """Tells the events of one game, in the order in which they happened."""

    speech: Speech
    tables: Tables
    names: Sequence[str]
    """By seat."""
    tiles: dict[int, int]
    """Cell -> tile, as the board was when the event to be told happened; `sentence` keeps it up."""

    @classmethod
    def of(cls, speech: Speech, tables: Tables, game: Game) -> "Teller":
        """A teller who knows the board as it is now."""
        tiles = {cell: game.turned[order] >> 2 for cell, order in game.board.items()}
        return cls(speech, tables, names(speech, game), tiles)

    def paragraph(self, events: Iterable[AnyEvent]) -> str:
        """One change; the islanders that an evaluation sends home are told with it, only merchants have none."""
        told = [(event, self.sentence(event)) for event in events]
        return " ".join(sentence for event, sentence in told if not self._is_plain_return(event))

    def sentence(self, event: AnyEvent) -> str:
        """One event: its own members are the sentence's values, and what is made of them."""
        speech, key, values = self.speech, str(event.__struct_config__.tag), asdict(event)
        if (seat := values.get("seat")) is not None:
            values["player"] = values.get("name") or self.names[seat]
        match event:
            case TilePlaced():
                self.tiles[to_cell(event.x, event.y)] = self.tables.tile_index[event.tile]
            case FishCovered():
                values["fish"] = fish(speech, event.fish)
            case FeatureEvaluated():
                key = f"{key}.{event.kind}.{event.cause}"
                values["gain"] = self._gain(event)
            case IslanderPlaced() | IslanderRetrieved() | IslanderReturned():
                key = f"{key}.{_KINDS[self._kind(event)]}"
            case ShipTaken():
                key = f"{key}.{'market' if event.paid is None else 'delivery'}"
                wares = () if event.paid is None else each_ware(speech, event.paid)
                values |= {"points": self._worth(event), "wares": speech.listed(wares) or speech.say("nothing")}
            case ShipRevealed():
                values |= {"points": self._worth(event), "cost": cost(speech, self._ship(event).cost)}
            case PlayerJoined():
                values["color"] = color(speech, event.color)
            case GameFinished():
                won = winning(speech, [self.names[seat] for seat in event.winners])
                return f"{tell(speech, f'{key}.{event.reason}')} {won}"
            case _:
                pass  # its members say all
        return tell(speech, key, **values)

    def _gain(self, event: FeatureEvaluated) -> str:
        winners = self.speech.listed([self.names[seat] for seat in event.winners])
        wares = self.speech.listed(each_ware(self.speech, event.wares))
        if not wares:
            return tell(self.speech, "gain.nothing", players=winners)
        if len(event.winners) == 1:
            return tell(self.speech, "gain.one", player=winners, wares=wares)
        return tell(self.speech, "gain.each", players=winners, wares=wares)

    def _ship(self, event: ShipTaken | ShipRevealed) -> Ship:
        return self.tables.tileset.ships[self.tables.ship_index[event.ship]]

    def _worth(self, event: ShipTaken | ShipRevealed) -> str:
        return points(self.speech, self._ship(event).points)

    def _kind(self, event: IslanderPlaced | IslanderRetrieved | IslanderReturned) -> int:
        return self.tables.tiles[self.tiles[to_cell(event.x, event.y)]].kinds[event.segment]

    def _is_plain_return(self, event: AnyEvent) -> bool:
        return isinstance(event, IslanderReturned) and self._kind(event) != SHIPS


def winning(speech: Speech, winners: Sequence[str]) -> str:
    """Who won (R7.4)."""
    players = speech.listed(winners)
    if not winners:
        return tell(speech, "won.nobody")
    if len(winners) == 1:
        return tell(speech, "won.one", player=players)
    return tell(speech, "won.shared", players=players)
