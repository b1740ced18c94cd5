"""R8: what players may query at any time (tiles left, scores, what islanders and features are worth), and ids of moves.

The effects of a move are the events of `apply_action` on a copy. None of them depends on the order of the bag or of the
ship pile: whoever knows the rules and sees the board could tell them.

A move's id has at most 24 characters, with the same meaning in every position.

    p3.-2.1      place the tile at (3, -2), one quarter turn      i2          islander on segment 2 of the placed tile
    r1.0.2       retrieve from segment 2 of (1, 0)                t.s07       take ship s07
    d.s01.1.2.0  deliver 1 banana, 2 shells, 0 fish to s01        pass.islander, pass.deliver
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from schemas.actions import Action, Deliver, FeatureValue, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.events import AnyEvent, ShipRevealed, ShipTaken, TileDiscarded, TileDrawn
from schemas.scores import IfEnded, IslanderValue, PlayerScores
from schemas.vocabulary import SHIP_ID, Cell, Wares
from service.engine.evaluation import (
    count_by_seat,
    feature_cells,
    feature_wares,
    islander_counts,
    majority_seats,
    occupied_features,
)
from service.engine.final_scoring import WARES_PER_POINT, ship_points
from service.engine.game import Game, copy_game
from service.engine.segments import feature_kind, feature_segments, locate_segment, tile_order
from service.engine.tileset_index import FEATURE_KINDS, SHIPS, SIDE_OFFSETS, TileSetIndex, pack_cell, unpack_cell
from service.engine.turn import apply_action

ROLES = ("banana_picker", "shell_collector", "fisherman", "merchant")
UNITS = ("bananas", "shells", "fish", "points")


def tiles_left(index: TileSetIndex, game: Game) -> dict[str, int]:
    """Return how many tiles of each type are left in the bag (R8.1), in tile set order."""
    return {name: game.bag.count(tile) for tile, name in enumerate(index.tile_ids)}


def player_scores(index: TileSetIndex, game: Game) -> list[PlayerScores]:
    """Return each player's points now, and the score if the game ended now (R8.3)."""
    pending = [[0, 0, 0] for _ in game.players]
    for label in occupied_features(index, game):
        kind = feature_kind(index, game, label)
        for seat in majority_seats(islander_counts(game, label)):
            pending[seat][kind] += game.symbols[label]
    return [_player_scores(index, game, seat, wares) for seat, wares in enumerate(pending)]


def islander_values(index: TileSetIndex, game: Game) -> list[IslanderValue]:
    """Return the value of each islander on the board (R8.2, R8.4), by seat, then from north-west to south-east."""
    best = max((index.ships[ship].points for ship in game.display), default=0)
    values = []
    for seat, player in enumerate(game.players):
        for segment in player.islander_segments:
            label = game.feature_labels[segment]
            kind = feature_kind(index, game, label)
            has_majority = seat in majority_seats(islander_counts(game, label))
            worth = best if kind == SHIPS else game.symbols[label]
            x, y, tile_segment = locate_segment(game, segment)
            values.append(
                IslanderValue(
                    seat=seat,
                    x=x,
                    y=y,
                    segment=tile_segment,
                    kind=FEATURE_KINDS[kind],
                    role=ROLES[kind],
                    value=worth if has_majority else 0,
                    unit=UNITS[kind],
                    majority=has_majority,
                )
            )
    return sorted(values, key=lambda value: (value.seat, value.y, value.x, value.segment))


def feature_labels_at(index: TileSetIndex, game: Game, x: int | None = None, y: int | None = None) -> list[int]:
    """Return the labels of the features on the tiles with this x and this y; None stands for any."""
    labels: dict[int, None] = {}
    for order, cell in enumerate(game.cells):
        tile_x, tile_y = unpack_cell(cell)
        if x in (None, tile_x) and y in (None, tile_y):
            first = game.first_segments[order]
            segments = len(index.tiles[game.oriented_tiles[order] >> 2].kinds)
            labels.update(dict.fromkeys(game.feature_labels[first : first + segments]))
    return [*labels]


def feature_value(index: TileSetIndex, game: Game, label: int) -> FeatureValue:
    """Return what a feature would give if it were evaluated now, and what it lacks until it is complete."""
    kind = feature_kind(index, game, label)
    return FeatureValue(
        kind=FEATURE_KINDS[kind],
        cells=feature_cells(game, label),
        islanders=count_by_seat(islander_counts(game, label)),
        wares=feature_wares(kind, game.symbols[label]),
        open=game.open_slots[label] if kind == SHIPS else _count_open_sides(index, game, label),
    )


def is_evaluated(game: Game, feature: FeatureValue) -> bool:
    """Return whether a feature is complete, and not only by the tile whose evaluation is to come (R5)."""
    x, y = unpack_cell(game.cells[-1])
    is_due = game.phase == "islander" and Cell(x=x, y=y) in feature.cells
    return feature.open == 0 and not is_due


def _count_open_sides(index: TileSetIndex, game: Game, label: int) -> int:
    """Return the number of sides without a neighbour that a feature reaches.

    `open_slots` counts a side twice where the sea on both halves of a bridge edge is the same.
    """
    sides = set()
    for segment in feature_segments(game, label):
        order = tile_order(game, segment)
        tile_segment = segment - game.first_segments[order]
        for side, slots in enumerate(index.slots_clockwise[game.oriented_tiles[order]]):
            if tile_segment in slots and game.cells[order] + SIDE_OFFSETS[side] not in game.board:
                sides.add((order, side))
    return len(sides)


def _player_scores(index: TileSetIndex, game: Game, seat: int, pending: list[int]) -> PlayerScores:
    player = game.players[seat]
    ships = ship_points(index, player)
    wares = (sum(player.wares) + sum(pending)) // WARES_PER_POINT
    bananas, shells, fish = pending
    return PlayerScores(
        seat=seat,
        points_now=ships,
        if_ended_now=IfEnded(
            ships=ships, wares=wares, total=ships + wares, pending=Wares(bananas=bananas, shells=shells, fish=fish)
        ),
    )


HIDDEN_EVENTS: Final = (TileDrawn, TileDiscarded, ShipRevealed)
"""These events show what nobody sees before."""


class Effects(NamedTuple):
    """The events that a legal move would cause now, without what is hidden."""

    events: list[AnyEvent]
    if_passed: list[AnyEvent] | None
    """What passing the islander phase would cause after a placement (R4.5); None if that phase does not follow."""


def move_effects(index: TileSetIndex, game: Game, action: Action) -> Effects:
    """Return the effects of a legal move."""
    ahead = copy_game(game)
    _, events = apply_action(index, ahead, action)
    passed = None
    if type(action) is PlaceTile and ahead.phase == "islander":
        passed = _public_events(apply_action(index, ahead, Pass("islander"))[1])
    return Effects(_public_events(events), passed)


def move_feature(index: TileSetIndex, game: Game, action: Action) -> FeatureValue | None:
    """Return the feature on which an islander would be placed (R4.1), or from which it would be retrieved (R4.4)."""
    match action:
        case PlaceIslander(segment):
            label = game.feature_labels[game.first_segments[-1] + segment]
        case RetrieveIslander(x, y, segment):
            label = game.feature_labels[game.first_segments[game.board[pack_cell(x, y)]] + segment]
        case _:
            return None
    return feature_value(index, game, label)


def _public_events(events: Iterable[AnyEvent]) -> list[AnyEvent]:
    """Return the events that follow from what everybody sees.

    What comes after the ship that replaces a market's depends on that ship: the next merchant may take it (R5.10), and
    the active player may deliver to it (R6.1).
    """
    public: list[AnyEvent] = []
    for event in events:
        if type(event) is ShipRevealed and type(public[-1]) is ShipTaken and public[-1].by == "market":
            break
        if type(event) not in HIDDEN_EVENTS:
            public.append(event)
    return public


NUMBER = r"(0|-?[1-9]\d{0,5})"
NATURAL = r"(0|[1-9]\d{0,3})"
SHIP = f"({SHIP_ID})"
PLACE = re.compile(rf"p{NUMBER}\.{NUMBER}\.([0-3])")
ISLANDER = re.compile(rf"i{NATURAL}")
RETRIEVE = re.compile(rf"r{NUMBER}\.{NUMBER}\.{NATURAL}")
TAKE = re.compile(rf"t\.{SHIP}")
DELIVER = re.compile(rf"d\.{SHIP}\.{NATURAL}\.{NATURAL}\.{NATURAL}")


def move_id(action: Action) -> str:
    """Return the id of a complete action: a delivery has its wares, a pass its phase."""
    match action:
        case PlaceTile(x, y, rotation):
            return f"p{x}.{y}.{rotation}"
        case PlaceIslander(segment):
            return f"i{segment}"
        case RetrieveIslander(x, y, segment):
            return f"r{x}.{y}.{segment}"
        case TakeShip(ship):
            return f"t.{ship}"
        case Deliver(ship, wares):
            return f"d.{ship}.{wares.bananas}.{wares.shells}.{wares.fish}" if wares else f"d.{ship}"
        case Pass(phase):
            return f"pass.{phase}"


def parse_move_id(text: str) -> Action | None:
    """Return the action of an id, or None if the text is not a move id."""
    if match := PLACE.fullmatch(text):
        x, y, rotation = map(int, match.groups())
        return PlaceTile(x, y, rotation)
    if match := ISLANDER.fullmatch(text):
        return PlaceIslander(int(match[1]))
    if match := RETRIEVE.fullmatch(text):
        x, y, segment = map(int, match.groups())
        return RetrieveIslander(x, y, segment)
    if match := TAKE.fullmatch(text):
        return TakeShip(match[1])
    if match := DELIVER.fullmatch(text):
        bananas, shells, fish = map(int, match.groups()[1:])
        return Deliver(match[1], Wares(bananas=bananas, shells=shells, fish=fish))
    return _PASSES.get(text)


_PASSES: dict[str, Action] = {"pass.islander": Pass("islander"), "pass.deliver": Pass("deliver")}
