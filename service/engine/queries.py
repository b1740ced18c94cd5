"""R8: tiles left, scores, and what islanders and features are worth, which players may query at any time."""

from schemas.actions import FeatureValue
from schemas.scores import IfEnded, IslanderValue, PlayerScores
from schemas.vocabulary import Cell, Wares
from service.engine.evaluation import (
    count_by_seat,
    feature_cells,
    feature_wares,
    islander_counts,
    majority_seats,
    occupied_features,
)
from service.engine.final_scoring import WARES_PER_POINT, ship_points
from service.engine.game import Game
from service.engine.segments import feature_kind, feature_segments, locate_segment, tile_order
from service.engine.tileset_index import FEATURE_KINDS, SHIPS, SIDE_OFFSETS, TileSetIndex, unpack_cell

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
            ships=ships,
            wares=wares,
            total=ships + wares,
            pending=Wares(bananas=bananas, shells=shells, fish=fish),
        ),
    )
