"""The bot `greedy`."""

from schemas.actions import Action, Deliver, Pass, PlaceTile, TakeShip
from service.engine import Game, Tables, apply, copy, legal_moves
from service.games.bots.greedy.placing import Laid
from service.games.bots.greedy.prospects import Prospects, Standing
from service.games.bots.greedy.wares import Purse, after, missing
from service.games.bots.greedy.weights import WEIGHTS, Weights
from service.games.shuffle import Chance


def choose(tables: Tables, game: Game, chance: Chance) -> Action:
    """The move that is worth most; the game must be waiting for a decision."""
    return decide(tables, game, chance, WEIGHTS)


def decide(tables: Tables, game: Game, chance: Chance, weights: Weights) -> Action:
    """`choose` with other weights."""
    known = copy(game)
    known.bag.sort()
    known.pile.sort()
    moves = legal_moves(tables, known)
    if len(moves) == 1:
        return moves[0]
    prospects = Prospects(tables, known, weights)
    match known.phase:
        case "place_tile":
            scores = _place(tables, known, prospects, moves)
        case "islander":
            return Laid(prospects, None, known).best_islander()[1]
        case "deliver":
            scores = [_deliver(tables, prospects, move) for move in moves]
        case _:
            scores = [0.0 for _ in moves]
    best = max(scores)
    ties = [move for move, score in zip(moves, scores, strict=True) if score >= best - 1e-9]
    return ties[chance.below(len(ties))] if len(ties) > 1 else ties[0]


def _place(tables, game, prospects, moves):
    before = Standing(prospects)
    scores = []
    for move in moves:
        ahead = copy(game)
        apply(tables, ahead, move)
        laid = Laid(prospects, before, ahead)
        scores.append(laid.total() + laid.best_islander()[0])
    return scores


def _deliver(tables: Tables, prospects: Prospects, move: Action) -> float:
    """Points now, and what the wares that are left can still bring."""
    me = prospects.me
    ships = list(prospects.game.display)
    wares = prospects.wares[me]
    points = 0
    if isinstance(move, Deliver) and move.wares:
        ship = tables.ship_index[move.ship]
        ships.remove(ship)
        points = tables.ships[ship].points
        wares = after(wares, (move.wares.bananas, move.wares.shells, move.wares.fish))
    return points + Purse(tables, prospects.game, ships, prospects.turns[me], prospects.weights).worth(wares)
