"""South Seas' engine as a subject: two players, the tile set that games have by default."""

from collections.abc import Sequence

from benchmarks.builds import build_here
from benchmarks.peers.subject import serve
from benchmarks.sample import archipelago, new_game
from schemas.actions import Action
from service.engine import Game, apply, copy, decode, encode, is_finished, legal_moves


class _SouthSeas:
    """The state is the Game Struct; it is stored as the service stores it."""

    def __init__(self) -> None:
        self._tables = archipelago().tables
        self.over = is_finished
        self.copy = copy
        self.encode = encode
        self.decode = decode
        self.listed = self.legal

    def new(self, seed: int) -> Game:
        return new_game(self._tables, f"peers-{seed}")

    def legal(self, state: Game) -> Sequence[Action]:
        return legal_moves(self._tables, state)

    def apply(self, state: Game, action: Action) -> None:
        apply(self._tables, state, action)


if __name__ == "__main__":
    serve(_SouthSeas(), {"build": build_here()})
