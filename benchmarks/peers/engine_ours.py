"""South Seas' engine as a subject: two players, the tile set that games have by default.

`python -m benchmarks.peers.engine_ours TILES...` also answers for the placing of a tile with so many on the board.
"""

import random
import sys
from collections.abc import Sequence

from benchmarks.builds import current_build
from benchmarks.peers.subject import serve
from benchmarks.sample_games import archipelago, games_at, new_game
from schemas.actions import Action
from service.engine import Game, apply_action, copy_game, decode_snapshot, encode_snapshot, is_finished, legal_moves

POSITIONS = 100


class _SouthSeas:
    """The state is the Game Struct; it is stored as the service stores it."""

    def __init__(self) -> None:
        self.index = archipelago().index
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

    def placing(self, tiles: int) -> list[tuple[Game, Action]]:
        chance = random.Random(1)
        return [(game, chance.choice(self.legal(game))) for game in games_at(self.index, tiles, POSITIONS)]


if __name__ == "__main__":
    subject = _SouthSeas()
    serve(subject, {"build": current_build()}, {tiles: subject.placing(int(tiles)) for tiles in sys.argv[1:]})
