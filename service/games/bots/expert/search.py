"""Trying the best options out."""

from typing import NamedTuple

from schemas.actions import Action
from service.engine import Game, copy_game
from service.games.bots.expert.candidates import Option, options
from service.games.bots.expert.evaluation import Judgement
from service.games.bots.expert.playout import Playout
from service.games.bots.greedy.feature_estimates import Prospects
from service.games.bots.greedy.weights import WEIGHTS
from service.games.bots.interface import GameState, SeededRNG

WORTH = 0.27
JUDGED = 0.7
"""How much is believed of an option's worth, and of the lead it is judged to bring: both err."""

MARGIN = 2.5
"""Options that are worth so much less than the best are not looked at."""

LOOKED_AT = 16
"""Options that are judged as they stand."""


class Round(NamedTuple):
    """How many options are tried out, until how much work is done; each with the same orders of tiles to come."""

    options: int
    work: int


ROUNDS = {
    "place_tile": (Round(5, 1800), Round(3, 3000), Round(2, 4000)),
    "islander": (Round(3, 500), Round(2, 700)),
    "deliver": (Round(4, 650), Round(2, 900)),
    "take_ship": (Round(4, 400),),
}
"""Of each phase. Work is counted in placements weighed."""

ATTEMPT = 5
"""What an attempt costs besides its turns, in placements weighed."""

TURNS = 2
"""Turns that are played on after the one to be decided."""


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

    def __init__(self, position: GameState, chance: SeededRNG) -> None:
        self.index, self.game = position
        self.chance = chance
        self.prospects = Prospects(self.index, self.game, WEIGHTS)
        self.judgement = Judgement(self.prospects)
        self.playout = Playout(self.prospects)

    def best(self, moves: list[Action]) -> Option:
        """The option that turns out best."""
        found = options(self.prospects, moves)
        least = found[0].worth - MARGIN
        tried = [Tried(option) for option in found[:LOOKED_AT] if option.worth >= least]
        if len(tried) > 1:
            self._try(tried, self.game, turns=0)
            tried = _sorted(tried)
            for number, work in ROUNDS[self.game.phase]:
                tried = self._play_out(tried[:number], work)
        return tried[0].option

    def _play_out(self, tried: list[Tried], work: int) -> list[Tried]:
        """Try options with orders in which tiles may come, the same for each of them."""
        while self.playout.work < work:
            game = copy_game(self.game)
            self.chance.shuffle(game.bag)
            self.chance.shuffle(game.ship_pile)
            self._try(tried, game, turns=TURNS)
        return _sorted(tried)

    def _try(self, tried: list[Tried], game: Game, turns: int) -> None:
        """Play each option, the rest of the turn and `turns` more, then judge."""
        moved = (game.seat + turns) % len(game.players)
        for one in tried:
            ahead = one.option.done(self.prospects, game)
            self.playout.play_on(ahead, game.turn_number + turns)
            self.playout.work += ATTEMPT
            one.leads.append(self.judgement.lead(ahead, self.game.decider, moved))


def choose(position: GameState, chance: SeededRNG) -> Action:
    """The move that turns out best."""
    moves = position.legal_moves()
    if len(moves) == 1:
        return moves[0]
    return Search(position, chance).best(moves).move


def _sorted(tried: list[Tried]) -> list[Tried]:
    return sorted(tried, key=lambda one: -one.value)
