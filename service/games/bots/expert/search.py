"""Trying the best options out."""

from typing import NamedTuple

from schemas.actions import Action
from service.engine import Game, apply, copy
from service.games.bots.expert.judgement import Judgement
from service.games.bots.expert.options import Option, options
from service.games.bots.greedy.decisions import weigh
from service.games.bots.greedy.prospects import Prospects
from service.games.bots.greedy.weights import WEIGHTS
from service.games.bots.interface import Chance, Position

WORTH = 0.43
JUDGED = 0.49
"""How much is believed of an option's worth, and of the lead it is judged to bring. Regression says so: both err."""

MARGIN = 2.5
"""Options that are worth so much less than the best are not looked at."""

LOOKED_AT = 16
"""Options that are judged as they stand."""


class Round(NamedTuple):
    """How many options are tried out, each with the same so many orders in which tiles may come."""

    options: int
    orders: int


ROUNDS = {"place_tile": (Round(6, 4), Round(3, 8)), "islander": (Round(3, 4),)}
"""Of each phase; the other phases are left to `greedy`."""

TURNS = 1
"""Turns that are played on after the one to be decided."""

USUAL = 30
"""Placements of a usual position; where there are more, fewer orders are tried, so that it takes no longer."""


class Tried:
    """An option, and the leads that it was judged to bring: as it stands, then with each order of the tiles."""

    def __init__(self, option: Option) -> None:
        self.option = option
        self.leads: list[float] = []

    @property
    def value(self) -> float:
        """What is believed of it, in points."""
        leads = self.leads[1:] or self.leads
        return WORTH * self.option.worth + JUDGED * sum(leads) / len(leads)


class Search:
    """The options of one position."""

    def __init__(self, position: Position, chance: Chance) -> None:
        self.tables, self.game = position
        self.chance = chance
        self.prospects = Prospects(self.tables, self.game, WEIGHTS)
        self.judgement = Judgement(self.prospects)
        placements = len(self.game.frontier)
        self.share = min(1.0, USUAL / max(1, placements))

    def best(self, moves: list[Action]) -> Option:
        """The option that turns out best."""
        found = options(self.prospects, moves)
        least = found[0].worth - MARGIN
        tried = [Tried(option) for option in found[:LOOKED_AT] if option.worth >= least]
        if len(tried) > 1:
            self._try(tried, self.game, turns=0)
            tried = _sorted(tried)
            for number, orders in ROUNDS[self.game.phase]:
                tried = self._play_out(tried[:number], max(1, round(orders * self.share)))
        return tried[0].option

    def _play_out(self, tried: list[Tried], orders: int) -> list[Tried]:
        """Try options with orders in which tiles may come, the same for each of them."""
        for _ in range(orders):
            game = copy(self.game)
            self.chance.shuffle(game.bag)
            self.chance.shuffle(game.pile)
            self._try(tried, game, turns=TURNS)
        return _sorted(tried)

    def _try(self, tried: list[Tried], game: Game, turns: int) -> None:
        """Play each option, the rest of the turn and `turns` more, then judge."""
        moved = (game.seat + turns) % len(game.players)
        for one in tried:
            ahead = one.option.done(self.prospects, game)
            self._play_on(ahead, game.number + turns)
            one.leads.append(self.judgement.lead(ahead, self.game.decider, moved))

    def _play_on(self, game: Game, number: int) -> None:
        """Play until the turn with this number is over."""
        while game.status == "active" and game.number <= number:
            moves, worths = weigh(self.tables, game, WEIGHTS)
            apply(self.tables, game, moves[worths.index(max(worths))])


def choose(position: Position, chance: Chance) -> Action:
    """The move that turns out best."""
    moves = position.legal_moves()
    if len(moves) == 1:
        return moves[0]
    if position.game.phase not in ROUNDS:
        best, worths = weigh(position.tables, position.game, WEIGHTS)
        return best[worths.index(max(worths))]
    return Search(position, chance).best(moves).move


def _sorted(tried: list[Tried]) -> list[Tried]:
    return sorted(tried, key=lambda one: -one.value)
