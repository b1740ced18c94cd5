"""The one builder of games that are played without a store."""

from collections.abc import Sequence
from typing import Any

from schemas.events import AnyEvent
from schemas.vocabulary import COLORS
from service.engine import Game, Player, TileSetIndex, set_up
from service.games.tilesets import shuffled_bag, shuffled_ships

CREATED_AT = "2026-11-21T21:00:00Z"


def start_game(
    index: TileSetIndex, players: int | Sequence[Player] = 2, *, seed: str = "tides", **options: Any
) -> tuple[Game, list[AnyEvent]]:
    """Set up a game in which seat 0 begins, shuffled by its seed; `options` are other arguments of `set_up`."""
    if isinstance(players, int):
        players = [Player(name=color.title(), color=color, kind="human") for color in COLORS[:players]]
    defaults: dict[str, Any] = {
        "game_id": "k7m2x9qd4t1w",
        "edition": "international",
        "first_seat": 0,
        "bag": shuffled_bag(index, seed),
        "ships": shuffled_ships(index, seed),
        "seed_chosen": True,
        "commitment": "0" * 64,
        "created_at": CREATED_AT,
    }
    return set_up(index, players=players, seed=seed, **(defaults | options))
