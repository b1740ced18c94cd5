"""What happened in words: a sentence for each event, and a paragraph for each change."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
from service.engine import Game, Tables
from service.engine.tables import SHIPS, to_cell
from service.games.texts.catalogue import Speech, mark
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

# By the kind of the segment, as the engine numbers them: island, bridge, sea, market.
_PLACED = (
    mark("{player} places a banana picker on an island."),
    mark("{player} places a shell collector on a bridge."),
    mark("{player} places a fisherman in a sea region."),
    mark("{player} places a merchant in a market."),
)
_RETRIEVED = (
    mark("{player} retrieves the banana picker from ({x}, {y})."),
    mark("{player} retrieves the shell collector from ({x}, {y})."),
    mark("{player} retrieves the fisherman from ({x}, {y})."),
    mark("{player} retrieves the merchant from ({x}, {y})."),
)
_RETURNED = (
    mark("The banana picker at ({x}, {y}) returns to {player}."),
    mark("The shell collector at ({x}, {y}) returns to {player}."),
    mark("The fisherman at ({x}, {y}) returns to {player}."),
    mark("The merchant at ({x}, {y}) returns to {player}."),
)
_EVALUATED = {
    ("island", "completed"): mark("Island completed: {gain}."),
    ("bridge", "completed"): mark("Bridge completed: {gain}."),
    ("sea", "completed"): mark("Sea region completed: {gain}."),
    ("sea", "boat"): mark("A fishing boat comes: {gain}."),
    ("island", "final"): mark("Incomplete island: {gain}."),
    ("bridge", "final"): mark("Incomplete bridge: {gain}."),
    ("sea", "final"): mark("Incomplete sea region: {gain}."),
}
_REASONS = {
    "last_tile": mark("The game is over: the last tile is placed."),
    "last_ship": mark("The game is over: the last ship is taken."),
    "bag_exhausted": mark("The game is over: no tile that is left can be placed."),
    "resigned": mark("The game is over: all others have resigned."),
}


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
        say = self.speech.say
        match event:
            case TilePlaced(seat=seat, tile=tile, x=x, y=y):
                self.tiles[to_cell(x, y)] = self.tables.tile_index[tile]
                return say("{player} places {tile} at ({x}, {y}).", player=self.names[seat], tile=tile, x=x, y=y)
            case TileDiscarded(tile=tile):
                return say("{tile} cannot be placed and leaves the game.", tile=tile)
            case TileDrawn(tile=tile):
                return say("The tile to place is {tile}.", tile=tile)
            case FishCovered(x=x, y=y):
                return say("The boat covers {fish} at ({x}, {y}).", fish=fish(self.speech, event.fish), x=x, y=y)
            case FeatureEvaluated():
                return say(_EVALUATED[event.kind, event.cause], gain=self._gain(event))

    def _gain(self, event: FeatureEvaluated) -> str:
        winners = self.speech.listed([self.names[seat] for seat in event.winners])
        wares = self.speech.listed(each_ware(self.speech, event.wares))
        if not wares:
            return self.speech.say("nothing for {players}", players=winners)
        if len(event.winners) == 1:
            return self.speech.say("{player} receives {wares}", player=winners, wares=wares)
        return self.speech.say("{players} receive {wares} each", players=winners, wares=wares)

    def _of_islanders(self, event: OfIslanders) -> str:
        kind = self._kind(event)
        player = self.names[event.seat]
        match event:
            case IslanderPlaced():
                return self.speech.say(_PLACED[kind], player=player)
            case IslanderRetrieved(x=x, y=y):
                return self.speech.say(_RETRIEVED[kind], player=player, x=x, y=y)
            case IslanderReturned(x=x, y=y):
                return self.speech.say(_RETURNED[kind], player=player, x=x, y=y)

    def _of_ships(self, event: OfShips) -> str:
        say = self.speech.say
        ship = self.tables.tileset.ships[self.tables.ship_index[event.ship]]
        worth = points(self.speech, ship.points)
        match event:
            case ShipRevealed():
                asked = cost(self.speech, ship.cost)
                return say("A new ship, worth {points}, asks for {cost}.", points=worth, cost=asked)
            case ShipTaken(seat=seat, paid=paid):
                player = self.names[seat]
                if paid is None:
                    return say("The market brings {player} a ship worth {points}.", player=player, points=worth)
                wares = self.speech.listed(each_ware(self.speech, paid)) or say("nothing")
                text = mark("{player} delivers {wares} to a ship worth {points}.")
                return say(text, player=player, wares=wares, points=worth)

    def _of_players(self, event: OfPlayers) -> str:
        say = self.speech.say
        player = self.names[event.seat]
        match event:
            case PlayerJoined(name=name):
                return say("{player} joins ({color}).", player=name, color=color(self.speech, event.color))
            case PlayerLeft(name=name):
                return say("{player} has to leave: the seat is open again.", player=name)
            case TurnStarted():
                return say("It is {player}'s turn.", player=player)
            case TurnTimedOut():
                return say("Time is up for {player}.", player=player)
            case PlayerReplaced(bot=bot):
                return say("The bot {bot} stands in for {player}.", bot=bot, player=player)
            case PlayerReturned():
                return say("{player} is back.", player=player)
            case PlayerResigned():
                return say("{player} resigns.", player=player)
            case MoveUndone():
                return say("{player} takes the last move back.", player=player)

    def _of_games(self, event: OfGames) -> str:
        say = self.speech.say
        match event:
            case GameCreated():
                return say("A new game: the start tile lies, the first ships are turned up.")
            case GameStarted(seat=seat):
                return say("The game begins, {player} is the first player.", player=self.names[seat])
            case RematchCreated(game=game):
                return say("The same players play again: {game}.", game=game)
            case GameFinished(reason=reason, winners=winners):
                return f"{say(_REASONS[reason])} {winning(self.speech, [self.names[seat] for seat in winners])}"
            case GameAborted():
                return say("The game was ended before its end.")

    def _kind(self, event: OfIslanders) -> int:
        return self.tables.tiles[self.tiles[to_cell(event.x, event.y)]].kinds[event.segment]

    def _is_plain_return(self, event: AnyEvent) -> bool:
        return isinstance(event, IslanderReturned) and self._kind(event) != SHIPS


def winning(speech: Speech, winners: Sequence[str]) -> str:
    """Who won (R7.4)."""
    players = speech.listed(winners)
    if not winners:
        return speech.say("Nobody wins.")
    if len(winners) == 1:
        return speech.say("{player} wins.", player=players)
    return speech.say("{players} share the win.", players=players)
