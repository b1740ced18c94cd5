"""Playing on quickly, about as `greedy` does: what was found out once is used again.

What a placement gains follows almost from the features that it joins. So it is weighed once for each state of them,
with the wares and the bag of that time, and only where it may be good: among the best on the board as it is now, or on
the cells around what was placed since.
"""

from msgspec.structs import replace

from schemas.actions import Action, PlaceTile
from service.engine import Game, apply_action, legal_moves
from service.engine.islanders import legal_islander_moves
from service.engine.placement import legal_placements
from service.engine.tileset_index import CELL_BITS, COORDINATE_LIMIT, SIDE_OFFSETS, pack_cell
from service.games.bots.greedy.evaluation import Before, Outcome, laid
from service.games.bots.greedy.feature_estimates import Prospects
from service.games.bots.greedy.move_scores import weigh_others

REMEMBERED = 5
"""Placements of a tile on the board as it is now that are compared wherever it comes."""

TURN = 6
"""What a turn costs besides, in placements weighed."""

DECISION = 3
"""What a decision about a ship costs, in placements weighed."""

Key = tuple[int, ...]
"""A seat, its islanders at home, a placement, and the features that it joins."""


class Playout:
    """Plays on from positions that lie not far ahead of the one that `prospects` knows."""

    def __init__(self, prospects: Prospects) -> None:
        self.prospects = prospects
        self.index, self.now = prospects.index, prospects.game
        self.work = 0
        """Placements that were weighed so far."""
        self._best: dict[tuple[int, int], list[PlaceTile]] = {}
        self._gains: dict[Key, float] = {}
        self._islanders: dict[Key, Action] = {}

    def play_on(self, game: Game, number: int) -> None:
        """Play until the turn with this number is over."""
        while game.status == "active" and game.turn_number <= number:
            if game.phase == "place_tile":
                self._place(game)
            else:
                self._decide(game)

    def _place(self, game: Game) -> None:
        """Place the tile, and move an islander."""
        self.work += TURN
        keys, gains = self._weigh(game, self._worth_weighing(game))
        move = max(gains, key=gains.__getitem__)
        key = keys[move]
        apply_action(self.index, game, move)
        if game.phase == "islander":
            moves = legal_islander_moves(self.index, game)
            then = self._islanders.get(key)
            if then is None or then not in moves:
                outcome = Outcome(self._prospects(game), game, None)
                then = self._islanders[key] = max(moves, key=outcome.islander)
            apply_action(self.index, game, then)

    def _weigh(self, game: Game, moves: list[PlaceTile]) -> tuple[dict[PlaceTile, Key], dict[PlaceTile, float]]:
        """What placements gain, the islander's best move included."""
        before: Before | None = None
        prospects: Prospects | None = None
        usual = 0.0
        keys, gains = {}, {}
        for move in moves:
            key = keys[move] = self._key(game, move)
            gain = self._gains.get(key)
            if gain is None:
                if before is None or prospects is None:
                    prospects = self._prospects(game)
                    before = Before(prospects)
                    usual = _stocks(prospects)
                self.work += 1
                outcome = Outcome(prospects, laid(self.index, game, move), before)
                gain = self._gains[key] = outcome.best() - usual
            gains[move] = gain
        return keys, gains

    def _key(self, game: Game, move: PlaceTile) -> Key:
        cell = pack_cell(move.x, move.y)
        board, facing, bases, feature = game.board, self.index.slots_facing, game.first_segments, game.feature_labels
        open_slots, symbols, islanders = game.open_slots, game.symbols, game.islanders
        key = [game.seat, game.players[game.seat].supply, cell, game.tile, move.rotation, game.frontier[cell]]
        for side, step in enumerate(SIDE_OFFSETS):
            if (order := board.get(cell + step)) is not None:
                base = bases[order]
                for segment in facing[game.oriented_tiles[order]][side ^ 2]:
                    label = feature[base + segment]
                    key += open_slots[label], symbols[label], islanders[label]
        return tuple(key)

    def _prospects(self, game: Game) -> Prospects:
        return Prospects(self.index, game, self.prospects.weights, self.prospects.known)

    def _decide(self, game: Game) -> None:
        """Decide anything else."""
        moves: list[Action] = legal_moves(self.index, game)
        if len(moves) > 1:
            self.work += DECISION
            worths = weigh_others(self._prospects(game), moves)
            apply_action(self.index, game, moves[worths.index(max(worths))])
        else:
            apply_action(self.index, game, moves[0])

    def _worth_weighing(self, game: Game) -> list[PlaceTile]:
        """The best placements on the board as it is now that are still possible, and those on cells that changed."""
        fits, frontier, before = self.index.fitting_rotations[game.tile], game.frontier, self.now.frontier
        found = []
        for move in self._remembered(game.seat, game.tile):
            cell = pack_cell(move.x, move.y)
            if frontier.get(cell) == before[cell]:
                found.append(move)
                if len(found) == REMEMBERED:
                    break
        for cell, packed in frontier.items():
            if before.get(cell) != packed and (rotations := fits[packed]):
                y = (cell + COORDINATE_LIMIT) >> CELL_BITS
                x = cell - (y << CELL_BITS)
                found += [PlaceTile(x, y, rotation) for rotation in rotations]
        return found or legal_placements(self.index, game)

    def _remembered(self, seat: int, tile: int) -> list[PlaceTile]:
        """Where a seat would place a tile on the board as it is now, the best first."""
        found = self._best.get((seat, tile))
        if found is None:
            game = replace(self.now, phase="place_tile", seat=seat, tile=tile)
            _, gains = self._weigh(game, legal_placements(self.index, game))
            found = self._best[seat, tile] = sorted(gains, key=lambda move: -gains[move])[: 2 * REMEMBERED]
        return found


def _stocks(prospects: Prospects) -> float:
    """What everybody's wares and islanders at home are worth."""
    return sum(
        side * (prospects.purses[seat].worth(prospects.wares[seat]) + sum(prospects.homes[seat][: player.supply]))
        for seat, (side, player) in enumerate(zip(prospects.sides, prospects.game.players, strict=True))
    )
