"""What a seat has in a position, as numbers: the traits that `judgement` weighs."""

from service.engine import Game
from service.engine.evaluation import islander_counts
from service.engine.segments import feature_kind
from service.engine.tileset_index import FISH, SHIPS, Payment
from service.games.bots.greedy.feature_estimates import Prospects
from service.games.bots.greedy.ware_values import after, missing, thriftiest

SOON = 3
"""Draws within which a feature may be completed soon."""

PAID = 0.6
"""What a ware that is paid counts for when ships are compared."""

WARES = (
    *("wares", "kinds", "pairs", "threes"),
    *("first_ship", "first_cost", "second_ship", "second_cost", "near", "next_near"),
)
HOMES = ("home_1", "home_2", "home_3", "home_4")
FEATURES = tuple(f"{kind}_{name}" for kind in ("island", "bridge", "sea") for name in ("soon", "in_time", "symbols"))
ISLANDERS = ("return_soon", "return_in_time", "away", "behind_soon", "behind")
MARKETS = ("market_nearly", "market_half", "market_begun")

TRAITS = (*WARES, *HOMES, *FEATURES, *ISLANDERS, *MARKETS)

_FEATURE = len(WARES) + len(HOMES)
_ISLANDER = _FEATURE + len(FEATURES)
_MARKET = _ISLANDER + len(ISLANDERS)


class Traits:
    """The traits of positions that lie not far ahead of the one that `prospects` knows."""

    def __init__(self, prospects: Prospects) -> None:
        self.prospects = prospects
        self._wares: dict[tuple[Payment, tuple[int, ...]], list[float]] = {}

    def of(self, game: Game, turns: float) -> list[list[float]]:
        """Every seat's, where a player has about so many turns to come."""
        display = tuple(game.display)
        seats = [
            [
                *self._of_wares((player.wares[0], player.wares[1], player.wares[2]), display),
                *[float(player.supply > number) for number in range(4)],
                *[0.0] * (len(TRAITS) - _FEATURE),
            ]
            for player in game.players
        ]
        for label in {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}:
            self._add_feature(game, label, turns, seats)
        return seats

    def _add_feature(self, game: Game, label: int, turns: float, seats: list[list[float]]) -> None:
        kind, islanders = feature_kind(self.prospects.index, game, label), islander_counts(game, label)
        most, symbols = max(islanders), game.symbols[label]
        if kind == SHIPS:
            seats[islanders.index(most)][_MARKET + min(2, game.open_slots[label] // 3)] += 1.0
            return
        soon, in_time = self._chances(game, label, kind, turns)
        for seat, number in enumerate(islanders):
            if not number:
                continue
            traits = seats[seat]
            traits[_ISLANDER] += number * soon
            traits[_ISLANDER + 1] += number * in_time
            traits[_ISLANDER + 2] += number
            if number == most:
                traits[_FEATURE + 3 * kind] += symbols * soon
                traits[_FEATURE + 3 * kind + 1] += symbols * in_time
                traits[_FEATURE + 3 * kind + 2] += symbols
            else:
                traits[_ISLANDER + 3] += number * soon
                traits[_ISLANDER + 4] += number

    def _chances(self, game: Game, label: int, kind: int, turns: float) -> tuple[float, float]:
        """How likely a feature is to be completed, or visited by a boat, soon and in time."""
        prospects, frontier = self.prospects, game.frontier
        soon = in_time = 1.0
        draws = max(1.0, turns)
        for cell, (side, place) in prospects.openings(game, label).items():
            missed = 1 - prospects.serve(frontier[cell], side, place)
            soon *= 1 - missed**SOON
            in_time *= 1 - missed**draws
        if kind == FISH:
            missed = 1 - prospects.boat
            soon += (1 - soon) * (1 - missed**SOON)
            in_time += (1 - in_time) * (1 - missed**draws)
        return soon, in_time

    def _of_wares(self, wares: Payment, display: tuple[int, ...]) -> list[float]:
        found = self._wares.get((wares, display))
        if found is None:
            found = self._wares[wares, display] = self._weigh_wares(wares, display)
        return found

    def _weigh_wares(self, wares: Payment, display: tuple[int, ...]) -> list[float]:
        """A stock, the two best ships that it pays for, and the two that it most nearly pays for after them."""
        index = self.prospects.index
        traits = [float(sum(wares)), *[float(sum([min(number, most) for number in wares])) for most in (1, 2, 3)]]
        ships = [*display]
        for _ in range(2):
            payable = [ship for ship in ships if not missing(index, ship, wares)]
            if not payable:
                traits += [0.0, 0.0]
                continue
            ship = max(payable, key=lambda ship: index.ships[ship].points - PAID * index.ships[ship].total_wares)
            traits += [float(index.ships[ship].points), float(index.ships[ship].total_wares)]
            wares = after(wares, thriftiest(index, ship, wares))
            ships.remove(ship)
        lacking = [(index.ships[ship].points, missing(index, ship, wares)) for ship in ships]
        near = sorted((points * 0.5**number for points, number in lacking if number), reverse=True)
        return [*traits, *near[:2], *[0.0] * (2 - len(near))]
