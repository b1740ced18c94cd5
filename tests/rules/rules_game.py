"""A game on a drawn board, played turn by turn by the engine and, beside it, by the reference.

A parser of boards drawn as text.

A tile is five rows of five characters under its number: 0 is the start tile, 1 the first one drawn, and so on. Tiles
side by side in the text lie side by side on the board, all unturned; `.` is a cell without a tile. Numbers without rows
are tiles of open sea.

    0       1
  ~~~~~   ~~~~~
  ~~~~F   ~~~~~       a bridge with one shell from a junction to an island with two bananas,
  ~~o--   -s###       and a group of two fish in the one sea around them
  ~~~~~   ~~bb#
  ~~~~~   ~~~~~

~ sea      f one fish    F a group of two fish    B a boat
- | +      a bridge      s a shell on it          o a junction stone, where bridges end
#          an island     b a banana on it         M a market

Segments are numbered in reading order, by their first character. A side is what its middle character is.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple, TypeVar

import msgspec
import pytest

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.events import AnyEvent
from schemas.game import GameResult, GameView, Turn
from schemas.tileset import Bridge, Cost, Edges, Island, Market, Sea, Segment, Ship, Tile
from schemas.vocabulary import EDGES, WARES, EdgeKind, Edition, Phase, Wares
from service.engine import IllegalMove, apply_action, build_view, encode_snapshot, is_finished, legal_moves, resign
from service.i18n import LANGUAGES, get_translator
from tests.engine.lockstep import Lockstep, Setting, check_effects
from tests.reference.random_play import tileset

KINDS = {
    **dict.fromkeys("~fFB", "sea"),
    **dict.fromkeys("-|+s", "bridge"),
    **dict.fromkeys("#b", "island"),
    "M": "market",
    "o": "junction",
}
FISH = {"f": 1, "F": 2}

Spot = tuple[int, int]
"""Column and row of a character in a tile's picture."""

SIZE = 5
MIDDLES: dict[str, Spot] = {"n": (2, 0), "e": (4, 2), "s": (2, 4), "w": (0, 2)}
HALVES: tuple[Spot, ...] = ((1, 0), (3, 0), (4, 1), (4, 3), (3, 4), (1, 4), (0, 3), (0, 1))

Picture = Sequence[str]

OPEN_SEA: Picture = ("~~~~~",) * SIZE


def read_drawings(file: str) -> Iterator[tuple[list[str], str]]:
    """Yield the drawings of a file in this folder, each with the parts of its heading: `== name | more`."""
    for section in Path(__file__).with_name(file).read_text(encoding="utf-8").split("\n== ")[1:]:
        heading, _, drawing = section.partition("\n")
        yield heading.split(" | "), drawing


BOARDS = {heading[0]: drawing for heading, drawing in read_drawings("boards.txt")}
"""The drawings of `boards.txt` by name."""


class Drawn(NamedTuple):
    """A tile and where it is drawn, counted from the start tile."""

    tile: Tile
    x: int
    y: int


def read_board(drawing: str) -> list[Drawn]:
    """Return the tiles of a drawing in the order of their numbers."""
    result: dict[int, tuple[Picture, int, int]] = {}
    for y, band in enumerate(dedent(drawing).strip("\n").split("\n\n")):
        numbers, *rows = (line.split() for line in band.splitlines())
        for x, (number, *picture) in enumerate(zip(numbers, *rows, strict=True)):
            if number != ".":
                assert int(number) not in result, number
                result[int(number)] = (picture or OPEN_SEA, x, y)
    assert sorted(result) == [*range(len(result))], sorted(result)
    _, start_x, start_y = result[0]
    return [
        Drawn(read_tile(f"tile-{number}", picture), x - start_x, y - start_y)
        for number, (picture, x, y) in sorted(result.items())
    ]


def read_tile(name: str, picture: Picture, count: int = 1) -> Tile:
    """One tile of five rows."""
    assert [len(row) for row in picture] == [SIZE] * SIZE, picture
    return Tile(
        id=name,
        count=count,
        edges=Edges(**{edge: _edge_kind(_at(picture, MIDDLES[edge])) for edge in EDGES}),
        segments=tuple(_segment(picture, spots) for spots in _pieces(picture)),
    )


def _at(picture: Picture, spot: Spot) -> str:
    column, row = spot
    return picture[row][column]


def _edge_kind(character: str) -> EdgeKind:
    kind: EdgeKind = msgspec.convert(KINDS[character], EdgeKind)
    return kind


def _pieces(picture: Picture) -> list[list[Spot]]:
    """Return the spots of each segment, in reading order."""
    seen: set[Spot] = set()
    pieces = []
    for spot in ((column, row) for row in range(SIZE) for column in range(SIZE)):
        if spot not in seen and KINDS[_at(picture, spot)] != "junction":
            piece = _flood(picture, spot)
            seen |= piece
            pieces.append(sorted(piece, key=lambda one: (one[1], one[0])))
    return pieces


def _flood(picture: Picture, start: Spot) -> set[Spot]:
    kind = KINDS[_at(picture, start)]
    piece = {start}
    todo = [start]
    while todo:
        column, row = todo.pop()
        for spot in ((column, row - 1), (column + 1, row), (column, row + 1), (column - 1, row)):
            inside = 0 <= spot[0] < SIZE and 0 <= spot[1] < SIZE
            if inside and spot not in piece and KINDS[_at(picture, spot)] == kind:
                piece.add(spot)
                todo.append(spot)
    return piece


def _segment(picture: Picture, spots: list[Spot]) -> Segment:
    characters = [_at(picture, spot) for spot in spots]
    edges = tuple(edge for edge in EDGES if MIDDLES[edge] in spots)
    match KINDS[characters[0]]:
        case "bridge":
            return Bridge(edges=edges, shells=characters.count("s"))
        case "island":
            return Island(edges=edges, bananas=characters.count("b"))
        case "market":
            return Market()
        case _:
            return Sea(
                halves=tuple(half for half in range(8) if HALVES[half] in spots and _has_halves(picture, half // 2)),
                fish=tuple(FISH[character] for character in characters if character in FISH),
                boat="B" in characters,
            )


def _has_halves(picture: Picture, side: int) -> bool:
    """Return the halves of an edge; an island edge has none (R0)."""
    return KINDS[_at(picture, MIDDLES[EDGES[side]])] != "island"


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
        drawn_set = tileset(tiles[0].id, msgspec.to_builtins(tiles), msgspec.to_builtins(ships))
        bag = [tile.id for tile in tiles[1:] for _ in range(tile.count)]
        order = [ship.id for ship in ships]
        self._lockstep: Lockstep | None = Lockstep(Setting(drawn_set, players, edition, first, bag, order))
        self.index, self.game, self.beginning = self._lockstep.index, self._lockstep.game, self._lockstep.beginning

    def act(self, action: Action) -> list[AnyEvent]:
        """Whoever must decide does this; before, every legal move says what it would cause."""
        for move in legal_moves(self.index, self.game):
            check_effects(self.index, self.game, move)
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
        """Return the rule that forbids an action; assert that nothing has changed, and that each language says why."""
        before = encode_snapshot(self.game)
        with pytest.raises(IllegalMove) as refusal:
            self.act(action)
        assert encode_snapshot(self.game) == before
        assert len({get_translator(one).word(refusal.value.reason) for one in LANGUAGES}) == len(LANGUAGES)
        return refusal.value.rule


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
