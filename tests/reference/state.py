"""The state of a game, in which the order of bag and pile is known and nothing is random."""

from dataclasses import dataclass, field

from tests.reference.board import Board
from tests.reference.pieces import WARES, Cell, Json, Ship, Tile

ISLANDERS = 4
DISPLAY = 4


@dataclass
class Player:
    """A player's supply, wares and ships."""

    supply: int = ISLANDERS
    """Islanders not on the board (R1.4)."""
    wares: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WARES, 0))
    ships: list[str] = field(default_factory=list)


@dataclass
class Turn:
    """The turn being played (R2)."""

    number: int
    seat: int
    tile: str
    phase: str = "place_tile"
    placed: Cell | None = None
    ships_owed: list[int] = field(default_factory=list)
    """Seats that still get a ship for a market, in order (R5.10)."""

    @property
    def decider(self) -> int:
        """The seat that must decide now."""
        return self.ships_owed[0] if self.phase == "take_ship" else self.seat

    @property
    def placed_cell(self) -> Cell:
        """The cell of the placed tile."""
        if self.placed is None:
            raise AssertionError(self)
        return self.placed


@dataclass
class State:
    """A game between two decisions."""

    edition: str
    tiles: dict[str, Tile]
    ships: dict[str, Ship]
    board: Board
    players: list[Player]
    bag: list[str]
    """Tiles in drawing order, the next first."""
    display: list[str]
    pile: list[str]
    """Ships in the order they will be revealed."""
    turn: Turn | None = None
    discarded: list[str] = field(default_factory=list)
    result: Json | None = None
    events: list[Json] = field(default_factory=list)
    """The events since the last decision."""

    @property
    def now(self) -> Turn:
        """The turn of a game that is not finished."""
        if self.turn is None:
            raise AssertionError(self.result)
        return self.turn

    def add_event(self, kind: str, event: Json) -> None:
        """Add an event in the API's format."""
        self.events.append({"type": kind, **event})

    def ship_points(self, seat: int) -> int:
        """Return the points of a player's ships (R7.3)."""
        return sum(self.ships[ship].points for ship in self.players[seat].ships)
