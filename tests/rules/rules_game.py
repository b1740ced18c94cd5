"""A game on a drawn board, played turn by turn by the engine and, beside it, by the reference."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.events import AnyEvent
from schemas.game import GameResult, GameView, Turn
from schemas.tileset import Cost, Segment, Ship, TileSet
from schemas.vocabulary import WARES, Edition, Phase, Wares
from service.engine import IllegalMove, apply_action, build_view, encode_snapshot, is_finished, legal_moves, resign
from tests.engine.lockstep import Lockstep, Setting
from tests.rules.board_parser import read_board, read_tile

RED, BLUE, GREEN, YELLOW, BLACK = range(5)

SPARE = ("~~~~~", "~~~~~", "~~o--", "~###~", "~###~")
"""A sea, a bridge and an island edge: it always fits somewhere, so a spare in the bag keeps the game going."""

E = TypeVar("E")
A = TypeVar("A")


def ship(name: str, points: int, *, choice: int = 0, same: Sequence[int] = (), **named: int) -> Ship:
    """Return a ship that costs `named` wares, `choice` of any kind and groups of the `same` kind (R6.3)."""
    wares = dict.fromkeys(WARES, 0) | named
    return Ship(id=name, points=points, cost=Cost(**wares, any=choice, same=tuple(same)))


FAR_SHIPS = tuple(ship(f"far-{number}", 2, bananas=20, shells=20, fish=20) for number in range(5))
"""Ships that nobody can pay, so that no delivery is asked for."""


class Table:
    """A drawn board, of which only the start tile lies yet; every tile goes where it is drawn."""

    def __init__(
        self,
        drawing: str,
        *,
        players: int = 2,
        edition: Edition = "international",
        first: int = RED,
        ships: Sequence[Ship] = FAR_SHIPS,
        spares: int = 3,
    ) -> None:
        drawn = read_board(drawing)
        self.places = [(x, y) for _, x, y in drawn]
        tiles = [tile for tile, _, _ in drawn]
        if spares:
            tiles.append(read_tile("spare", SPARE, count=spares))
        tileset = TileSet(
            id="drawn",
            name="Drawn for a test",
            provenance="test",
            start=tiles[0].id,
            tiles=tuple(tiles),
            ships=tuple(ships),
        )
        bag = [tile.id for tile in tiles[1:] for _ in range(tile.count)]
        order = [ship.id for ship in ships]
        self._lockstep: Lockstep | None = Lockstep(
            Setting(msgspec.to_builtins(tileset), players, edition, first, bag, order)
        )
        self.index, self.game, self.beginning = self._lockstep.index, self._lockstep.game, self._lockstep.beginning

    def act(self, action: Action) -> list[AnyEvent]:
        """Whoever must decide does this."""
        if self._lockstep is not None:
            return self._lockstep.act(action)
        return apply_action(self.index, self.game, action)[1]

    def resign(self, seat: int) -> list[AnyEvent]:
        """Resign. The reference knows the rulebook alone, which does not cover it, so the engine plays on by itself."""
        self._lockstep = None
        return resign(self.index, self.game, seat)

    def place(self, seat: int) -> list[AnyEvent]:
        """Place the drawn tile at its cell of the drawing, as the active player `seat`."""
        assert self.game.seat == seat
        x, y = self.places[self.game.tile]
        return self.act(PlaceTile(x, y, 0))

    def lay(self, seat: int, islander: str | None = None) -> list[AnyEvent]:
        """Place the drawn tile, and an islander on a segment such as "bridge" or "sea 2", or none."""
        events = self.place(seat)
        if islander is not None:
            return events + self.stand(islander)
        return events + self.skip("islander") if self.game.phase == "islander" else events

    def play(self, *islanders: str | None) -> list[AnyEvent]:
        """Play a turn for each, in seat order from the active player; return the last turn's events."""
        first, events = self.game.seat, list[AnyEvent]()
        for turn, islander in enumerate(islanders):
            events = self.lay((first + turn) % len(self.game.players), islander)
        return events

    def stand(self, islander: str) -> list[AnyEvent]:
        """Place an islander of the active player on the tile just placed."""
        return self.act(PlaceIslander(self.segment(self.game.tile, islander)))

    def retrieve(self, number: int, islander: str) -> list[AnyEvent]:
        """Retrieve an islander of the active player from the tile of this number."""
        x, y = self.places[number]
        return self.act(RetrieveIslander(x, y, self.segment(number, islander)))

    def skip(self, phase: Phase) -> list[AnyEvent]:
        """Whoever may do something in this phase does nothing."""
        assert self.game.phase == phase
        return self.act(Pass())

    def give(self, seat: int, **wares: int) -> None:
        """Begin with wares that a player got earlier."""
        for place, ware in enumerate(WARES):
            self.game.players[seat].wares[place] += wares.get(ware, 0)
        if self._lockstep is not None:
            for name, number in wares.items():
                self._lockstep.reference.state.players[seat].wares[name] += number

    def award(self, seat: int, *ships: str) -> None:
        """Begin with ships that a player got earlier; they are taken from the pile."""
        for name in ships:
            number = self.index.ship_numbers[name]
            self.game.ship_pile.remove(number)
            self.game.players[seat].ships.append(number)
            if self._lockstep is not None:
                self._lockstep.reference.state.pile.remove(name)
                self._lockstep.reference.state.players[seat].ships.append(name)

    def segment(self, number: int, name: str) -> int:
        """Return the index of a segment by its kind and its number among those of its kind, from 1: "sea 2"."""
        kind, _, place = name.partition(" ")
        names = [_kind(segment) for segment in self.index.tileset.tiles[number].segments]
        return [index for index, other in enumerate(names) if other == kind][int(place or 1) - 1]

    def view(self) -> GameView:
        """Return the public view."""
        return build_view(self.index, self.game)

    def turn(self) -> Turn:
        """Return the turn of an active game."""
        turn = self.view().turn
        assert turn is not None
        return turn

    def result(self) -> GameResult:
        """Return the result of a finished game."""
        result = self.view().result
        assert result is not None
        assert (is_finished(self.game), self.phase()) == (True, None)
        return result

    def phase(self) -> Phase | None:
        """Return the phase; None if nobody decides."""
        turn = self.view().turn
        return turn.phase if turn else None

    def wares(self, seat: int) -> dict[str, int]:
        """Return a player's wares, without kinds of which there are none."""
        return kinds_of(self.view().players[seat].wares)

    def supply(self) -> list[int]:
        """How many islanders each player has at home."""
        return [player.supply for player in self.view().players]

    def ships(self, seat: int) -> list[str]:
        """Return the ships that a player has won."""
        return self.view().players[seat].ships

    def moves(self, kind: type[A]) -> list[A]:
        """Return the legal moves of one type."""
        return [action for action in legal_moves(self.index, self.game) if isinstance(action, kind)]

    def placements(self) -> set[tuple[int, int, int]]:
        """Where the drawn tile may go: x, y and rotation."""
        return {(move.x, move.y, move.rotation) for move in self.moves(PlaceTile)}

    def free_segments(self) -> set[str]:
        """Where on the tile just placed an islander may go: "bridge", "sea", "sea 2"."""
        segments = self.index.tileset.tiles[self.game.tile].segments
        return {_name(segments, move.segment) for move in self.moves(PlaceIslander)}

    def choices(self) -> list[str]:
        """Return the ships that the owner of a market may choose from."""
        return [move.ship for move in self.moves(TakeShip)]

    def payments(self, name: str) -> list[dict[str, int]]:
        """Return the payments for a ship."""
        return [kinds_of(move.wares) for move in self.moves(Deliver) if move.ship == name and move.wares]

    def refusal(self, action: Action) -> str:
        """Return the rule that forbids an action; assert that nothing has changed."""
        before = encode_snapshot(self.game)
        try:
            self.act(action)
        except IllegalMove as refused:
            assert encode_snapshot(self.game) == before
            return refused.rule
        raise AssertionError(action)


def of(events: Iterable[AnyEvent], kind: type[E]) -> list[E]:
    """Return the events of one type."""
    return [event for event in events if isinstance(event, kind)]


def kinds(events: Iterable[AnyEvent]) -> list[type[AnyEvent]]:
    """Return the type of each event."""
    return [type(event) for event in events]


def kinds_of(wares: Wares) -> dict[str, int]:
    """Wares without the kinds of which there is none."""
    return {ware: number for ware in WARES if (number := getattr(wares, ware))}


def paid(**wares: int) -> Wares:
    """Wares; a kind left out is none."""
    return Wares(**(dict.fromkeys(WARES, 0) | wares))


def _kind(segment: Segment) -> str:
    return type(segment).__name__.lower()


def _name(segments: Sequence[Segment], index: int) -> str:
    kind = _kind(segments[index])
    place = sum(_kind(segment) == kind for segment in segments[: index + 1])
    return kind if place == 1 else f"{kind} {place}"
