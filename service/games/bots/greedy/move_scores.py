"""Weighing the legal moves of each phase."""

from schemas.actions import Action, Deliver, PlaceTile, TakeShip
from service.engine import Game, TileSetIndex, legal_moves
from service.engine.tileset_index import Payment
from service.games.bots.greedy.evaluation import Before, Outcome, laid
from service.games.bots.greedy.feature_estimates import Prospects
from service.games.bots.greedy.ware_values import after
from service.games.bots.greedy.weights import Weights
from service.games.bots.interface import GameState, SeededRNG

ROUNDING = 1e-9
"""Moves whose worth differs by less are worth the same."""


def decide(position: GameState, chance: SeededRNG, weights: Weights) -> Action:
    """The move that is worth most, given what is believed, `chance` deciding among equals."""
    moves, worths = weigh(position.tileset_index, position.game, weights)
    most = max(worths) - ROUNDING
    best = [move for move, worth in zip(moves, worths, strict=True) if worth >= most]
    return best[0] if len(best) == 1 else best[chance.below(len(best))]


def weigh(index: TileSetIndex, game: Game, weights: Weights) -> tuple[list[Action], list[float]]:
    """The legal moves, and what each is worth; a single one is not weighed."""
    moves = legal_moves(index, game)
    if len(moves) == 1:
        return moves, [0.0]
    prospects = Prospects(index, game, weights)
    return moves, _weigh_placements(prospects, moves) if game.phase == "place_tile" else weigh_others(prospects, moves)


def _weigh_placements(prospects: Prospects, moves: list[Action]) -> list[float]:
    """Each placement with the best that an islander can do after it."""
    before = Before(prospects)
    return [
        Outcome(prospects, laid(prospects.index, prospects.game, move), before).best()
        for move in moves
        if isinstance(move, PlaceTile)
    ]


def weigh_others(prospects: Prospects, moves: list[Action]) -> list[float]:
    """The moves of the other phases."""
    position = Outcome(prospects, prospects.game, None) if prospects.game.phase == "islander" else None
    worths = []
    for move in moves:
        match move:
            case Deliver(ship, paid) if paid is not None:
                worths.append(_ship(prospects, ship, (paid.bananas, paid.shells, paid.fish)))
            case TakeShip(ship):
                worths.append(_ship(prospects, ship, None))
            case _ if position is not None:
                worths.append(position.islander(move))
            case _:
                worths.append(_ship(prospects, None, None))
    return worths


def _ship(prospects: Prospects, name: str | None, paid: Payment | None) -> float:
    """A ship's points, and what everybody's wares are worth without it; `paid` is None for a market's ship."""
    game, index, me = prospects.game, prospects.index, prospects.me
    ship = None if name is None else index.ship_numbers[name]
    display = tuple([other for other in game.display if other != ship])
    value = 0.0 if ship is None else float(index.ships[ship].points)
    for seat, side in enumerate(prospects.sides):
        wares = prospects.wares[seat]
        turns = prospects.turns[seat] + (seat == game.seat and game.phase == "take_ship")
        purse = prospects.known.purse(display, turns)
        if seat == me and paid is not None:
            wares = after(wares, paid)
            value += (purse.loose - purse.cost) * sum(paid)
        value += side * purse.worth(wares)
    return value
