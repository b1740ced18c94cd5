"""What happened, told in sentences."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from examples.terminal.words import ROLES, at, counted, kind_of, listed, owned, ship_in_words, wares_in_words
from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
    GameAborted,
    GameFinished,
    GameStarted,
    IslanderPlaced,
    IslanderRetrieved,
    IslanderReturned,
    PlayerJoined,
    PlayerLeft,
    ShipRevealed,
    ShipTaken,
    TileDiscarded,
    TilePlaced,
)
from schemas.game import GameView
from schemas.tileset import Ship, Tile

REASONS = {
    "last_tile": "the last tile is placed",
    "last_ship": "the last ship is taken",
    "bag_exhausted": "no tile in the bag could be placed",
}


class Teller(NamedTuple):
    """Tells a game's events; `game` is the state after them."""

    game: GameView
    tiles: dict[str, Tile]
    ships: dict[str, Ship]

    def tell(self, events: Iterable[AnyEvent]) -> Iterator[str]:
        """A sentence for each event that is worth one."""
        for event in events:
            sentence = self._sentence(event)
            if sentence:
                yield sentence

    def name(self, seat: int) -> str:
        """A player's name."""
        return self.game.players[seat].name or f"Player {seat + 1}"

    def role(self, x: int, y: int, segment: int) -> str:
        """What an islander is called who stands there."""
        tile = self.game.board[f"{x},{y}"].tile
        return ROLES[kind_of(self.tiles[tile].segments[segment])]

    def _sentence(self, event: AnyEvent) -> str:
        match event:
            case FeatureEvaluated():
                return self._evaluated(event)
            case ShipTaken():
                return self._ship_taken(event)
            case IslanderPlaced() | IslanderRetrieved() | IslanderReturned():
                return self._islander(event)
            case FishCovered() | ShipRevealed() | TileDiscarded() | TilePlaced():
                return self._board(event)
            case _:
                return self._course(event)

    def _course(self, event: AnyEvent) -> str:
        match event:
            case PlayerJoined(seat=seat):
                return f"{self.name(seat)} takes a seat."
            case PlayerLeft(name=name):
                return f"{name} has to leave; the seat is open again."
            case GameStarted(seat=seat):
                return f"The game begins; {self.name(seat)} has the first turn."
            case GameFinished(reason=reason, winners=winners):
                wins = "wins" if len(winners) == 1 else "share the win"
                why = REASONS.get(reason, reason)
                return f"The game is over, as {why}: {listed([self.name(seat) for seat in winners])} {wins}."
            case GameAborted():
                return "The game was ended before its end."
            case _:
                return ""

    def _board(self, event: FishCovered | ShipRevealed | TileDiscarded | TilePlaced) -> str:
        match event:
            case TilePlaced(seat=seat, tile=tile, x=x, y=y):
                return f"{self.name(seat)} places {tile} at {at(x, y)}."
            case FishCovered(x=x, y=y, fish=fish):
                return f"A boat covers {counted(fish, 'fish', 'fish')} at {at(x, y)}."
            case TileDiscarded(tile=tile):
                return f"{tile} fits nowhere and leaves the game."
            case ShipRevealed(ship=ship):
                return f"A new ship: {ship_in_words(self.ships[ship])}."

    def _islander(self, event: IslanderPlaced | IslanderRetrieved | IslanderReturned) -> str:
        role = self.role(event.x, event.y, event.segment)
        match event:
            case IslanderPlaced(seat=seat):
                return f"{self.name(seat)} places a {role}."
            case IslanderRetrieved(seat=seat, x=x, y=y):
                return f"{self.name(seat)} takes the {role} at {at(x, y)} back."
            case IslanderReturned(seat=seat, x=x, y=y):
                # All others were told with their feature.
                return f"{owned(self.name(seat))} merchant comes home from {at(x, y)}." if role == "merchant" else ""

    def _evaluated(self, event: FeatureEvaluated) -> str:
        role = next((role for kind, role in ROLES.items() if kind == event.kind), "islander")
        parts = []
        for group in event.islanders:
            many = group.count > 1
            who = f"{owned(self.name(group.seat))} {role if not many else _plural(role)}"
            gain = wares_in_words(event.wares) if group.seat in event.winners else "nothing"
            comes = "bring" if event.cause == "final" else "come home with"
            comes = comes if many else comes.replace("bring", "brings").replace("come", "comes")
            parts.append(f"{who} {comes} {gain}")
        why = {"boat": "A boat sails in: ", "final": "At the end "}.get(event.cause, "")
        return f"{why}{listed(parts)}."

    def _ship_taken(self, event: ShipTaken) -> str:
        ship = ship_in_words(self.ships[event.ship])
        if event.paid is None:
            return f"{owned(self.name(event.seat))} merchant takes {ship}, free of charge."
        return f"{self.name(event.seat)} delivers {wares_in_words(event.paid)} and takes {ship}."


def _plural(role: str) -> str:
    return "fishermen" if role == "fisherman" else f"{role}s"
