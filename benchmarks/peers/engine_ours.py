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
from service.engine import Game, apply, copy, decode, encode, is_finished, legal_moves

POSITIONS = 100


class _SouthSeas:
    """The state is the Game Struct; it is stored as the service stores it."""

    def __init__(self) -> None:
        self.tables = archipelago().tables
        self.over = is_finished
        self.copy = copy
        self.encode = encode
        self.decode = decode
        self.listed = self.legal

    def new(self, seed: int) -> Game:
        return new_game(self.tables, f"peers-{seed}")

    def legal(self, state: Game) -> Sequence[Action]:
        return legal_moves(self.tables, state)

    def apply(self, state: Game, action: Action) -> None:
        apply(self.tables, state, action)

    def placing(self, tiles: int) -> list[tuple[Game, Action]]:
        chance = random.Random(1)
        return [(game, chance.choice(self.legal(game))) for game in games_at(self.tables, tiles, POSITIONS)]


if __name__ == "__main__":
    subject = _SouthSeas()
    serve(subject, {"build": current_build()}, {tiles: subject.placing(int(tiles)) for tiles in sys.argv[1:]})
