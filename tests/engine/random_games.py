"""Random games on the engine alone."""

from collections.abc import Iterator
from functools import cache
from random import Random

from schemas.events import AnyEvent
from schemas.vocabulary import COLORS
from service.engine import Game, Player, TileSetIndex, apply_action, legal_moves
from service.engine.tileset_validation import parse_tileset
from tests.engine.lockstep import EDITIONS, LAGOON
from tests.engine.new_games import start_game


@cache
def lagoon_index() -> TileSetIndex:
    """Return the index of the default tile set."""
    return TileSetIndex(parse_tileset(LAGOON.read_bytes()))


def new_game(index: TileSetIndex, seed: int, players: int = 2) -> Game:
    """Return a new game whose ids, names and digests have realistic lengths."""
    chance = Random(seed)
    tiles = index.tileset.tiles
    bag = [number for number, tile in enumerate(tiles) for _ in range(tile.count - (number == index.start_tile))]
    ships = [*range(len(index.ships))]
    chance.shuffle(bag)
    chance.shuffle(ships)
    game, _ = start_game(
        index,
        [Player(name=color.title() * 4, color=color, kind="human") for color in COLORS[:players]],
        edition=EDITIONS[seed % 2],
        first_seat=seed % players,
        bag=bag,
        ships=ships,
        seed="0123456789abcdef" * 4,
        seed_chosen=False,
        commitment="0123456789abcdef" * 4,
    )
    game.version = 1
    game.digest = "0123456789abcdef" * 2
    game.updated_at = "2026-11-21T21:00:00Z"
    return game


def play_randomly(index: TileSetIndex, game: Game, chance: Random) -> Iterator[list[AnyEvent]]:
    """Play to the end, any legal action after the other, and give the events of each; passes are rare."""
    while moves := legal_moves(index, game):
        action = chance.choice(moves[:-1] if len(moves) > 1 and chance.random() < 0.7 else moves)
        game.version += 1
        yield apply_action(index, game, action)[1]
