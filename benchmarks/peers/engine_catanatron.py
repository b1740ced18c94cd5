"""Catan of catanatron, with two players."""

import pickle
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from benchmarks.peers.engine_worker import serve

# Untyped, and installed only in the virtual environment of the peers.
game: Any = import_module("catanatron.game")
player: Any = import_module("catanatron.models.player")
actions: Any = import_module("catanatron.models.actions")


class _Catan:
    """The state is catanatron's Game, which lists the next actions after each action. It has no decoder for JSON."""

    def new(self, seed: int) -> Any:
        players = [player.RandomPlayer(color) for color in (player.Color.RED, player.Color.BLUE)]
        return game.Game(players, seed=seed + 1)

    def over(self, state: Any) -> bool:
        return state.winning_color() is not None or state.state.num_turns >= game.TURNS_LIMIT

    def legal(self, state: Any) -> Sequence[Any]:
        listed: Sequence[Any] = state.state.playable_actions
        return listed

    def listed(self, state: Any) -> Sequence[Any]:
        listed: Sequence[Any] = actions.generate_playable_actions(state.state)
        return listed

    def apply(self, state: Any, action: Any) -> None:
        state.execute(action)

    def copy(self, state: Any) -> Any:
        return state.copy()

    def encode(self, state: Any) -> bytes:
        return pickle.dumps(state)

    def decode(self, data: bytes) -> Any:
        return pickle.loads(data)  # noqa: S301 (data of this process)


if __name__ == "__main__":
    serve(_Catan(), {"version": version("catanatron")})
