"""Scores for the legal moves of each phase."""

from schemas.actions import Action, Deliver, PlaceTile, TakeShip
from service.engine import Game, TileSetIndex, legal_moves
from service.engine.tileset_index import Payment
from service.games.bots.greedy.feature_estimates import FeatureEstimator
from service.games.bots.greedy.placement_evaluation import FeatureBaseline, PlacementEvaluation, with_tile_placed
from service.games.bots.greedy.ware_values import pay
from service.games.bots.interface import GameState, SeededRNG

TIE_TOLERANCE = 1e-9
"""Moves whose scores differ by less are equal."""


def choose_move(state: GameState, rng: SeededRNG) -> Action:
    """Return the move with the highest score; `rng` breaks ties."""
    moves, scores = score_moves(state.tileset_index, state.game)
    threshold = max(scores) - TIE_TOLERANCE
    best = [move for move, score in zip(moves, scores, strict=True) if score >= threshold]
    return best[0] if len(best) == 1 else best[rng.below(len(best))]


def score_moves(index: TileSetIndex, game: Game) -> tuple[list[Action], list[float]]:
    """Return the legal moves and the score of each; a single move is not scored."""
    moves = legal_moves(index, game)
    if len(moves) == 1:
        return moves, [0.0]
    estimator = FeatureEstimator(index, game)
    return moves, _score_placements(estimator, moves) if game.phase == "place_tile" else score_other_moves(
        estimator, moves
    )


def _score_placements(estimator: FeatureEstimator, moves: list[Action]) -> list[float]:
    """Score each placement together with the best islander move after it."""
    baseline = FeatureBaseline(estimator)
    return [
        PlacementEvaluation(estimator, with_tile_placed(estimator.index, estimator.game, move), baseline).best_value()
        for move in moves
        if isinstance(move, PlaceTile)
    ]


def score_other_moves(estimator: FeatureEstimator, moves: list[Action]) -> list[float]:
    """Score the moves of all phases but the placement of a tile."""
    evaluation = PlacementEvaluation(estimator, estimator.game, None) if estimator.game.phase == "islander" else None
    scores = []
    for move in moves:
        match move:
            case Deliver(ship, paid) if paid is not None:
                scores.append(_score_ship(estimator, ship, (paid.bananas, paid.shells, paid.fish)))
            case TakeShip(ship):
                scores.append(_score_ship(estimator, ship, None))
            case _ if evaluation is not None:
                scores.append(evaluation.islander_gain(move))
            case _:
                scores.append(_score_ship(estimator, None, None))
    return scores


def _score_ship(estimator: FeatureEstimator, name: str | None, paid: Payment | None) -> float:
    """Score a ship: its points, and the value of all wares after it; `paid` is None for a market's ship."""
    game, index, own_seat = estimator.game, estimator.index, estimator.own_seat
    ship = None if name is None else index.ship_numbers[name]
    display = tuple([other for other in game.display if other != ship])
    value = 0.0 if ship is None else float(index.ships[ship].points)
    for seat, seat_weight in enumerate(estimator.seat_weights):
        wares = estimator.wares[seat]
        turns = estimator.turns_left[seat] + (seat == game.seat and game.phase == "take_ship")
        values = estimator.bag.ware_values(display, turns)
        if seat == own_seat and paid is not None:
            wares = pay(wares, paid)
            value += (values.loose_ware_value - values.paid_ware_cost) * sum(paid)
        value += seat_weight * values.value(wares)
    return value
