"""What happened in words: a sentence for each event, and a paragraph for each change."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
    GameAborted,
    GameCreated,
    GameFinished,
    GameStarted,
    IslanderPlaced,
    IslanderRetrieved,
    IslanderReturned,
    MoveUndone,
    PlayerJoined,
    PlayerLeft,
    PlayerReplaced,
    PlayerResigned,
    PlayerReturned,
    RematchCreated,
    ShipRevealed,
    ShipTaken,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
    TurnStarted,
    TurnTimedOut,
)
from schemas.vocabulary import SegmentKind
from service.engine import Game, Tables
from service.engine.tables import SHIPS, to_cell
from service.games.texts.catalogue import Speech
from service.games.texts.sentences import tell
from service.games.texts.words import color, cost, each_ware, fish, names, points

OnBoard = TilePlaced | TileDiscarded | TileDrawn | FishCovered | FeatureEvaluated
OfIslanders = IslanderPlaced | IslanderRetrieved | IslanderReturned
OfShips = ShipTaken | ShipRevealed
OfPlayers = (
    PlayerJoined
    | PlayerLeft
    | TurnStarted
    | TurnTimedOut
    | PlayerReplaced
    | PlayerReturned
    | PlayerResigned
    | MoveUndone
)
OfGames = GameCreated | GameStarted | RematchCreated | GameFinished | GameAborted

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
        """One event."""
        match event:
            case TilePlaced() | TileDiscarded() | TileDrawn() | FishCovered() | FeatureEvaluated():
                return self._on_board(event)
            case IslanderPlaced() | IslanderRetrieved() | IslanderReturned():
                return self._of_islanders(event)
            case ShipTaken() | ShipRevealed():
                return self._of_ships(event)
            case GameCreated() | GameStarted() | RematchCreated() | GameFinished() | GameAborted():
                return self._of_games(event)
            case _:
                return self._of_players(event)

    def _on_board(self, event: OnBoard) -> str:
        match event:
            case TilePlaced(seat=seat, tile=tile, x=x, y=y):
                self.tiles[to_cell(x, y)] = self.tables.tile_index[tile]
                return self._tell("tile_placed", player=self.names[seat], tile=tile, x=x, y=y)
            case TileDiscarded(tile=tile):
                return self._tell("tile_discarded", tile=tile)
            case TileDrawn(tile=tile):
                return self._tell("tile_drawn", tile=tile)
            case FishCovered(x=x, y=y):
                return self._tell("fish_covered", fish=fish(self.speech, event.fish), x=x, y=y)
            case FeatureEvaluated():
                return self._tell(f"feature_evaluated.{event.kind}.{event.cause}", gain=self._gain(event))

    def _gain(self, event: FeatureEvaluated) -> str:
        winners = self.speech.listed([self.names[seat] for seat in event.winners])
        wares = self.speech.listed(each_ware(self.speech, event.wares))
        if not wares:
            return self._tell("gain.nothing", players=winners)
        if len(event.winners) == 1:
            return self._tell("gain.one", player=winners, wares=wares)
        return self._tell("gain.each", players=winners, wares=wares)

    def _of_islanders(self, event: OfIslanders) -> str:
        kind = _KINDS[self._kind(event)]
        player = self.names[event.seat]
        match event:
            case IslanderPlaced():
                return self._tell(f"islander_placed.{kind}", player=player)
            case IslanderRetrieved(x=x, y=y):
                return self._tell(f"islander_retrieved.{kind}", player=player, x=x, y=y)
            case IslanderReturned(x=x, y=y):
                return self._tell(f"islander_returned.{kind}", player=player, x=x, y=y)

    def _of_ships(self, event: OfShips) -> str:
        say = self.speech.say
        ship = self.tables.tileset.ships[self.tables.ship_index[event.ship]]
        worth = points(self.speech, ship.points)
        match event:
            case ShipRevealed():
                asked = cost(self.speech, ship.cost)
                return self._tell("ship_revealed", points=worth, cost=asked)
            case ShipTaken(seat=seat, paid=paid):
                player = self.names[seat]
                if paid is None:
                    return self._tell("ship_taken.market", player=player, points=worth)
                wares = self.speech.listed(each_ware(self.speech, paid)) or say("nothing")
                return self._tell("ship_taken.delivery", player=player, wares=wares, points=worth)

    def _of_players(self, event: OfPlayers) -> str:
        player = self.names[event.seat]
        match event:
            case PlayerJoined(name=name):
                return self._tell("player_joined", player=name, color=color(self.speech, event.color))
            case PlayerLeft(name=name):
                return self._tell("player_left", player=name)
            case TurnStarted():
                return self._tell("turn_started", player=player)
            case TurnTimedOut():
                return self._tell("turn_timed_out", player=player)
            case PlayerReplaced(bot=bot):
                return self._tell("player_replaced", bot=bot, player=player)
            case PlayerReturned():
                return self._tell("player_returned", player=player)
            case PlayerResigned():
                return self._tell("player_resigned", player=player)
            case MoveUndone():
                return self._tell("move_undone", player=player)

    def _of_games(self, event: OfGames) -> str:
        match event:
            case GameCreated():
                return self._tell("game_created")
            case GameStarted(seat=seat):
                return self._tell("game_started", player=self.names[seat])
            case RematchCreated(game=game):
                return self._tell("rematch_created", game=game)
            case GameFinished(reason=reason, winners=winners):
                won = winning(self.speech, [self.names[seat] for seat in winners])
                return f"{self._tell(f'game_finished.{reason}')} {won}"
            case GameAborted():
                return self._tell("game_aborted")

    def _tell(self, sentence: str, **values: Any) -> str:
        return tell(self.speech, sentence, **values)

    def _kind(self, event: OfIslanders) -> int:
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
