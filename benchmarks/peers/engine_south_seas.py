"""The engine of South Seas, with two players and the default tile set.

`python -m benchmarks.peers.engine_south_seas TILES...` also measures tile placements on boards with so many tiles.
"""

import random
import sys
from collections.abc import Sequence

from benchmarks.builds import current_build
from benchmarks.peers.engine_worker import serve
from benchmarks.sample_games import games_at, lagoon, new_game
from schemas.actions import Action
from service.engine import Game, apply_action, copy_game, decode_snapshot, encode_snapshot, is_finished, legal_moves

POSITIONS = 100


class _SouthSeas:
    """The state is the Game Struct, encoded as the service stores it."""

    def __init__(self) -> None:
        self.index = lagoon().index
        self.over = is_finished
        self.copy = copy_game
        self.encode = encode_snapshot
        self.decode = decode_snapshot
        self.listed = self.legal

    def new(self, seed: int) -> Game:
        return new_game(self.index, f"peers-{seed}")

    def legal(self, state: Game) -> Sequence[Action]:
        return legal_moves(self.index, state)

    def apply(self, state: Game, action: Action) -> None:
        apply_action(self.index, state, action)

    def tile_placements(self, tiles: int) -> list[tuple[Game, Action]]:
        rng = random.Random(1)
        return [(game, rng.choice(self.legal(game))) for game in games_at(self.index, tiles, POSITIONS)]


if __name__ == "__main__":
    engine = _SouthSeas()
    serve(engine, {"build": current_build()}, {tiles: engine.tile_placements(int(tiles)) for tiles in sys.argv[1:]})
