"""The game as a PettingZoo environment, for training bots by self-play. `docs/self-play.md` describes its spaces.

`python -m examples.self_play 3` plays random games of three players and prints their mean points.
"""

import argparse
import operator
import random
import sys
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from statistics import mean
from typing import Any, get_args

try:
    import numpy as np
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper

    from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
    from schemas.vocabulary import COLORS, Edition, Phase
    from service.engine import Game, Player, TileSetIndex, apply_action, is_finished, legal_moves, set_up
    from service.engine.delivery import payment_wares
    from service.engine.final_scoring import final_score, ship_points, winning_seats
    from service.engine.game import ISLANDERS_PER_PLAYER, SEAT_BITS, SEAT_MASK
    from service.engine.segments import feature_kind
    from service.engine.tileset_index import (
        EDGE_CODES,
        FEATURE_KINDS,
        SIDE_OFFSETS,
        pack_cell,
        unpack_cell,
    )
    from service.games.tilesets import DEFAULT_TILESET, first_seat, load_catalogue, shuffled_bag, shuffled_ships
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. In a clone of the project, this installs what it needs: make .venv/.self-play-installed")

MIN_PLAYERS, MAX_PLAYERS = 2, 5
SLOTS = 4 * 3 + 1
"""Features of a tile: three along each side, and its market."""
FEATURE_COLUMNS = 2 + MAX_PLAYERS
"""Open sides, wares, and the islanders of each player."""
PHASES = get_args(Phase)
PASSES = (Pass("islander"), Pass("deliver"))
_KIND_COLUMNS = np.eye(len(FEATURE_KINDS), dtype=np.int16)
"""A row for each kind of feature."""


class Encoding:
    """Actions as numbers and games as arrays: the same for every number of players of a tile set.

    `actions` is their number, `shapes` has the tables of an observation, `edges` the edges of each oriented tile.
    """

    def __init__(self, index: TileSetIndex) -> None:
        tiles = sum(tile.count for tile in index.tileset.tiles)
        segments = max(len(tile.kinds) for tile in index.tiles)
        types, ships = len(index.tiles), len(index.ships)
        deliveries = [
            Deliver(ship, payment_wares(payment))
            for ship, data in zip(index.ship_ids, index.ships, strict=True)
            for payment in data.payments
        ]
        others = [*map(PlaceIslander, range(segments)), *map(TakeShip, index.ship_ids), *deliveries, *PASSES]
        self.index = index
        self._first_retrieval = tiles * 4 * 4
        first_other = self._first_retrieval + ISLANDERS_PER_PLAYER
        self._others = {action: number for number, action in enumerate(others, start=first_other)}
        self.actions = first_other + len(others)
        self.shapes = {
            "tiles": (tiles, 3),
            "sides": (tiles, 4, 1 + len(EDGE_CODES)),
            "features": (tiles, SLOTS, FEATURE_COLUMNS),
            "segments": (segments, len(FEATURE_KINDS) + FEATURE_COLUMNS),
            "islanders": (ISLANDERS_PER_PLAYER, len(FEATURE_KINDS) + FEATURE_COLUMNS),
            "players": (MAX_PLAYERS, 9),
            "ships": (ships, 2),
            "bag": (types, 2),
            "phase": (len(PHASES),),
            "edition": (1,),
        }
        ends = [*accumulate(map(prod, self.shapes.values()), initial=0)]
        self.length = ends[-1]
        self._parts = [
            (name, slice(*bounds), shape)
            for (name, shape), bounds in zip(self.shapes.items(), pairwise(ends), strict=True)
        ]
        self._slots = np.array([_tile_slots(index, oriented) for oriented in range(types * 4)])
        self.edges = np.array([_tile_edges(index, oriented) for oriented in range(types * 4)])
        self._cells: list[int] = []
        self._oriented_tiles: list[int] = []
        """The tiles of `_board`, which has two tables of the game observed last, and of `_segments`."""
        self._board = {name: np.zeros(self.shapes[name], np.int16) for name in ("tiles", "sides")}
        self._segments = np.zeros((tiles, SLOTS), np.intp)
        """The segment at each slot, -1 where there is none."""
        self._kinds = [_KIND_COLUMNS[[*tile.kinds]] for tile in index.tiles]

    def legal_actions(self, game: Game) -> dict[int, Action]:
        """Return every legal action by its number; empty if the game is over."""
        neighbours: dict[int, int] = {}
        return {self._number(game, action, neighbours): action for action in legal_moves(self.index, game)}

    def split(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Return the tables of an observation by name, as views of it."""
        return {name: observation[part].reshape(shape) for name, part, shape in self._parts}

    def observe(self, game: Game, seat: int) -> np.ndarray:
        """Return what the player of a seat knows of a game; players are in turn order from this one on."""
        observation = np.zeros(self.length, np.int16)
        tables = self.split(observation)
        seats = [(seat + step) % len(game.players) for step in range(len(game.players))]
        decider = None if is_finished(game) else game.decider
        self._observe_board(game, seats, tables)
        tables["players"][: len(seats)] = [
            (
                *(1, player.supply, *player.wares, ship_points(self.index, player)),
                *(other == game.seat, other == decider, game.ships_owed.count(other)),
            )
            for other, player in ((other, game.players[other]) for other in seats)
        ]
        tables["ships"][game.display, 0] = 1
        tables["ships"][game.ship_pile, 1] = 1
        tables["bag"][:, 1] = np.bincount(_to_array(game.bag), minlength=len(self.index.tiles))
        if game.tile >= 0:
            tables["bag"][game.tile, 0] = 1
        tables["phase"][PHASES.index(game.phase)] = 1
        tables["edition"][0] = game.edition == "german"
        return observation

    def _observe_board(self, game: Game, seats: Sequence[int], tables: dict[str, np.ndarray]) -> None:
        self._update_board(game)
        placed, kinds, features = len(game.cells), len(FEATURE_KINDS), _feature_rows(game, seats)
        for name, table in self._board.items():
            tables[name][:placed] = table[:placed]
        tables["features"][:placed] = features.take(self._segments[:placed], axis=0)
        if game.phase != "place_tile":
            rows, first = self._kinds[game.oriented_tiles[-1] >> 2], game.first_segments[-1]
            tables["segments"][: len(rows), :kinds] = rows
            tables["segments"][: len(rows), kinds:] = features[first : first + len(rows)]
        if own := game.players[seats[0]].islander_segments:
            tables["islanders"][: len(own), :kinds] = _KIND_COLUMNS[
                [feature_kind(self.index, game, one) for one in own]
            ]
            tables["islanders"][: len(own), kinds:] = features[own]

    def _update_board(self, game: Game) -> None:
        """Add new tiles to the tables of the board; begin again if it is another game's."""
        known = len(self._cells)
        if (game.cells[:known], game.oriented_tiles[:known]) != (self._cells, self._oriented_tiles):
            self._cells, self._oriented_tiles = [], []
        tiles, sides = self._board.values()
        for order in range(len(self._cells), len(game.cells)):
            cell, oriented = game.cells[order], game.oriented_tiles[order]
            tiles[order] = (1, *unpack_cell(cell))
            sides[order, :, 1:] = self.edges[oriented]
            for side, step in enumerate(SIDE_OFFSETS):
                neighbour = game.board.get(cell + step, order)
                sides[order, side, 0] = neighbour >= order
                if neighbour < order:
                    sides[neighbour, side ^ 2, 0] = 0
            slots = self._slots[oriented]
            self._segments[order] = np.where(slots < 0, -1, slots + game.first_segments[order])
            self._cells.append(cell)
            self._oriented_tiles.append(oriented)

    def _number(self, game: Game, action: Action, neighbours: dict[int, int]) -> int:
        """Return an action's number; `neighbours` has those of the cells that it was called for before."""
        match action:
            case PlaceTile(x, y, rotation):
                cell = pack_cell(x, y)
                if cell not in neighbours:
                    order, side = _oldest_neighbour(game, cell)
                    neighbours[cell] = (order * 4 + side) * 4
                return neighbours[cell] + rotation
            case RetrieveIslander(x, y, segment):
                number = game.first_segments[game.board[pack_cell(x, y)]] + segment
                return self._first_retrieval + game.players[game.seat].islander_segments.index(number)
            case _:
                return self._others[action]


def _oldest_neighbour(game: Game, cell: int) -> tuple[int, int]:
    """Return the order of the oldest tile beside an empty cell, and the side on which the cell lies."""
    return min(
        (game.board[cell + step], side ^ 2) for side, step in enumerate(SIDE_OFFSETS) if cell + step in game.board
    )


def _tile_slots(index: TileSetIndex, oriented_tile: int) -> list[int]:
    """Return the segments along each side, clockwise, and that of the market; -1 where there is none."""
    slots: list[int] = []
    for side in index.slots_clockwise[oriented_tile]:
        slots += side if len(side) == 3 else (-1, *side, -1)
    market = index.tiles[oriented_tile >> 2].market
    return [*slots, -1 if market is None else market]


def _tile_edges(index: TileSetIndex, oriented_tile: int) -> list[list[bool]]:
    """Return a row for each side, with a one for sea, bridge or island."""
    packed = [mask >> 2 * (side ^ 2) for side, mask in enumerate(index.edge_masks[oriented_tile])]
    return [[code == kind for kind in EDGE_CODES.values()] for code in packed]


def _to_array(numbers: list[int]) -> np.ndarray:
    """Return numbers as an array, in half the time of `np.array`."""
    return np.fromiter(numbers, np.int64, len(numbers))


def _feature_rows(game: Game, seats: Sequence[int]) -> np.ndarray:
    """Return a row for the feature of each segment, and one of zeros at the end."""
    labels = _to_array(game.feature_labels)
    rows = np.zeros((len(labels) + 1, FEATURE_COLUMNS), np.int16)
    rows[:-1, 0] = _to_array(game.open_slots)[labels]
    rows[:-1, 1] = _to_array(game.symbols)[labels]
    shifts = SEAT_BITS * np.array(seats)
    rows[:-1, 2 : 2 + len(seats)] = _to_array(game.islanders)[labels][:, np.newaxis] >> shifts & SEAT_MASK
    return rows


class SouthSeasEnv(AECEnv):  # type: ignore[misc] # PettingZoo is not installed where types are checked
    """One game after another. `game` is the whole truth: do not show it to a policy."""

    metadata = {"name": "south_seas_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012 (as its base class has it)

    def __init__(self, players: int = 2, edition: Edition = "international", index: TileSetIndex | None = None) -> None:
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise ValueError(f"{players} players: a game has {MIN_PLAYERS} to {MAX_PLAYERS} (R1.1)")
        super().__init__()
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.encoding = Encoding(index or load_catalogue(None).get(DEFAULT_TILESET).index)
        self._edition = edition
        self._seeds = random.Random()
        bounds = np.iinfo(np.int16)
        arrays = {
            "observation": Box(bounds.min, bounds.max, (self.encoding.length,), np.int16),
            "action_mask": Box(0, 1, (self.encoding.actions,), np.int8),
        }
        self.observation_spaces = {agent: Dict(arrays) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(self.encoding.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Dict:
        """Return an agent's observation space; all agents have equal ones."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return an agent's action space; all agents have equal ones."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: that of the service with the same seed, or without one the next of the last seed's sequence."""
        del options
        if seed is not None:
            self._seeds = random.Random(seed)
        game_seed = f"{self._seeds.getrandbits(64):x}" if seed is None else f"{seed}"
        index = self.encoding.index
        self.game, _ = set_up(
            index,
            game_id="self-play",
            edition=self._edition,
            players=[Player(agent, COLORS[seat], "human") for seat, agent in enumerate(self.possible_agents)],
            first_seat=first_seat(game_seed, len(self.possible_agents)),
            bag=shuffled_bag(index, game_seed),
            ships=shuffled_ships(index, game_seed),
            seed=game_seed,
            seed_chosen=True,
            commitment=b"",
            created_at="",
        )
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, int]] = {agent: {} for agent in self.agents}
        self._await_decision()

    def step(self, action: Any) -> None:
        """Apply the action of `agent_selection`. Raises ValueError if its mask does not allow it."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        try:
            legal = self._legal[operator.index(action)]
        except (KeyError, TypeError):
            raise ValueError(f"action {action} is not legal here: choose one with a 1 in the action mask") from None
        apply_action(self.encoding.index, self.game, legal)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        if is_finished(self.game):
            self._finish()
        else:
            self._await_decision()
        self._accumulate_rewards()
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return an agent's observation; its mask is empty unless the agent must decide."""
        mask = np.zeros(self.encoding.actions, np.int8)
        if agent == self.agent_selection:
            mask[[*self._legal]] = 1
        observation = self.encoding.observe(self.game, self.possible_agents.index(agent))
        return {"observation": observation, "action_mask": mask}

    def _await_decision(self) -> None:
        self._legal = self.encoding.legal_actions(self.game)
        self.agent_selection = self.possible_agents[self.game.decider]

    def _finish(self) -> None:
        index, players = self.encoding.index, len(self.possible_agents)
        winners = winning_seats(index, self.game)
        self._legal = {}
        for seat, agent in enumerate(self.possible_agents):
            share = players / len(winners) if seat in winners else 0.0
            self.rewards[agent] = (share - 1) / (players - 1)
            self.terminations[agent] = True
            self.infos[agent] = {"points": final_score(index, self.game, seat).total}


def env(**options: Any) -> AECEnv:
    """Return an environment that checks the order of calls; options are those of `SouthSeasEnv`."""
    return OrderEnforcingWrapper(SouthSeasEnv(**options))


def play_random_game(environment: AECEnv, seed: int) -> dict[str, int]:
    """Play a game with random actions; return the points of each agent."""
    environment.reset(seed=seed)
    points: dict[str, int] = {}
    for agent in environment.agent_iter():
        observation, _, terminated, _, info = environment.last()
        if terminated:
            points[agent] = info["points"]
            environment.step(None)
        else:
            environment.step(environment.action_space(agent).sample(observation["action_mask"]))
    return points


def main(players: int, games: int) -> None:
    """Play random games."""
    environment = env(players=players)
    for seed, agent in enumerate(environment.possible_agents):
        environment.action_space(agent).seed(seed)
    played = [play_random_game(environment, seed) for seed in range(games)]
    for agent in environment.possible_agents:
        print(f"{agent}: {mean(points[agent] for points in played):.1f} points")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play random games, and print the mean points of each player.")
    parser.add_argument(
        "players", nargs="?", type=int, choices=range(MIN_PLAYERS, MAX_PLAYERS + 1), default=MIN_PLAYERS
    )
    parser.add_argument("games", nargs="?", type=int, choices=range(1, 100_001), metavar="games", default=10)
    main(**vars(parser.parse_args()))
