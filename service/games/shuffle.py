"""The provable shuffle, byte for byte the same everywhere: everything random is derived from the seed."""

from collections.abc import MutableSequence
from hashlib import sha256
from typing import TypeVar

from schemas.base import canonical_json
from schemas.tileset import TileSet
from service.engine import TileSetIndex

T = TypeVar("T")

RANDOM_SEED_BYTES = 32
"""A random seed is 64 hexadecimal digits."""


def seeded_number(seed: str, label: str, index: int, modulus: int) -> int:
    """Return n(label, i, m): the first 6 bytes of SHA-256(`SEED:LABEL:I`), big-endian, modulo m.

    >>> seeded_number("tides", "bag", 71, 72)
    3
    """
    return int.from_bytes(sha256(f"{seed}:{label}:{index}".encode()).digest()[:6]) % modulus


def shuffle(seed: str, label: str, items: MutableSequence[T]) -> None:
    """Shuffle in place (Fisher-Yates, from the last item down to the second); the first item is drawn first."""
    for index in range(len(items) - 1, 0, -1):
        other = seeded_number(seed, label, index, index + 1)
        items[index], items[other] = items[other], items[index]


def shuffled_bag(index: TileSetIndex, seed: str) -> list[int]:
    """Return the tiles in drawing order (R1.2): in file order, `count` times each, less one start tile, shuffled."""
    bag = [
        tile_number
        for tile_number, tile in enumerate(index.tileset.tiles)
        for _ in range(tile.count - (tile_number == index.start_tile))
    ]
    shuffle(seed, "bag", bag)
    return bag


def shuffled_ships(index: TileSetIndex, seed: str) -> list[int]:
    """Return the ships in the order in which they are turned up (R1.3)."""
    ships = [*range(len(index.ships))]
    shuffle(seed, "ships", ships)
    return ships


def first_seat(seed: str, players: int) -> int:
    """Return the random first seat (R1.6)."""
    return seeded_number(seed, "first", 0, players)


def commitment(game_id: str, seed: str, tileset_hash: str) -> str:
    """Return SHA-256 hex of `GAME_ID:SEED:SET`, which is published before anybody knows the order."""
    return sha256(f"{game_id}:{seed}:{tileset_hash}".encode()).hexdigest()


def tileset_hash(tileset: TileSet) -> str:
    """Return SET: SHA-256 hex of the tile set's response in RFC 8785 form."""
    return sha256(canonical_json(tileset)).hexdigest()


def bot_seed(seed: str, bot: str, version: str) -> str:
    """Return the seed of a bot's random numbers, which reveals neither the game's seed nor the order."""
    return sha256(f"{seed}:bot.{bot}:{version}".encode()).hexdigest()


class SeededRNG:
    """A bot's random numbers, derived from a seed and the game's version: the same in every process."""

    def __init__(self, seed: str, version: int) -> None:
        self._seed = seed
        self._label = f"bot.{version}"
        self._drawn = 0

    def below(self, modulus: int) -> int:
        """Return the next number, 0 to `modulus` - 1."""
        self._drawn += 1
        return seeded_number(self._seed, self._label, self._drawn, modulus)

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place; every order is as likely."""
        for index in range(len(items) - 1, 0, -1):
            other = self.below(index + 1)
            items[index], items[other] = items[other], items[index]
