"""R8: tiles left, scores and islander values, which players may query at any time."""

from schemas.scores import IfEnded, IslanderValue, PlayerScores
from schemas.vocabulary import Wares
from service.engine.evaluation import islander_counts, majority_seats, occupied_features
from service.engine.final_scoring import WARES_PER_POINT, ship_points
from service.engine.game import Game
from service.engine.segments import feature_kind, locate_segment
from service.engine.tileset_index import FEATURE_KINDS, SHIPS, TileSetIndex

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
