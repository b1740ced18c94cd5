"""A game of open_spiel, which is C++ called from Python: `python -m benchmarks.peers.engine_open_spiel GAME`."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from benchmarks.peers.engine_worker import serve

# Untyped, and installed only in the virtual environment of the peers.
pyspiel: Any = import_module("pyspiel")


class _OpenSpiel:
    """The state is open_spiel's, which encodes it as its actions and decodes it by replaying them."""

    def __init__(self, name: str) -> None:
        self._game = pyspiel.load_game(name)
        self.decode = self._game.deserialize_state
        self.listed = self.legal

    def new(self, _: int) -> Any:
        return self._game.new_initial_state()

    def over(self, state: Any) -> bool:
        return bool(state.is_terminal())

    def legal(self, state: Any) -> Sequence[int]:
        legal: Sequence[int] = state.legal_actions()
        return legal

    def apply(self, state: Any, action: int) -> None:
        state.apply_action(action)

    def copy(self, state: Any) -> Any:
        return state.clone()

    def encode(self, state: Any) -> str:
        return str(state.serialize())


if __name__ == "__main__":
    serve(_OpenSpiel(sys.argv[1]), {"version": version("open_spiel")})
