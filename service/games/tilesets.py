"""The tile sets of this instance, read once from their directories, and the provable shuffle.

The shuffle is byte for byte the same everywhere: everything random is derived from the seed.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping, MutableSequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from schemas.base import canonical_json, encode_json
from schemas.tileset import TileSet
from service.engine import TileSetIndex
from service.engine.tileset_validation import MAX_FILE_BYTES, TileSetInvalid, parse_tileset
from service.files import read_file
from service.games.errors import TileSetError, TileSetMissing, suggest

T = TypeVar("T")

RANDOM_SEED_BYTES = 32
"""A random seed is 64 hexadecimal digits."""


def random_seed() -> str:
    """Return a seed that nobody can guess."""
    return secrets.token_hex(RANDOM_SEED_BYTES)


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


def commitment(game_id: str, seed: str, tileset_hash: str) -> bytes:
    """Return SHA-256 hex of `GAME_ID:SEED:SET`, which is published before anybody knows the order."""
    return sha256(f"{game_id}:{seed}:{tileset_hash}".encode()).digest()


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


BUILT_IN_DIRECTORY = Path(__file__).parent.parent / "tilesets"
DEFAULT_TILESET = "lagoon"


class InvalidTileSetFile(Exception):
    """A file of a tile set directory that cannot be used."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"tile set {path}: {reason}")


class LoadedTileSet(msgspec.Struct, frozen=True):
    """A tile set with its index, its encoded response, and the response's hash (SET of the commitment)."""

    tileset: TileSet
    index: TileSetIndex
    response: bytes
    hash: str


class TileSetCatalogue:
    """All tile sets of an instance, by id."""

    def __init__(self, tilesets: Iterable[TileSet]) -> None:
        self._sets: Mapping[str, LoadedTileSet] = {
            tileset.id: LoadedTileSet(tileset, TileSetIndex(tileset), encode_json(tileset), tileset_hash(tileset))
            for tileset in tilesets
        }

    def __iter__(self) -> Iterator[LoadedTileSet]:
        yield from self._sets.values()

    def get(self, tileset: str, missing: type[TileSetError] = TileSetMissing) -> LoadedTileSet:
        """Return a tile set. Raises `missing`: NoSuchTileSet for one in a path, UnknownTileSet for that of a new game.

        The default is for the tile set of a stored game.
        """
        loaded = self._sets.get(tileset)
        if loaded is None:
            raise missing(tileset, suggest(tileset, self._sets))
        return loaded


def load_catalogue(extra: Path | None) -> TileSetCatalogue:
    """Load the built-in tile sets and those of the directory `extra`. Raises InvalidTileSetFile."""
    paths = sorted(BUILT_IN_DIRECTORY.glob("*.json"))
    if extra is not None:
        paths += sorted(extra.glob("*.json"))
    seen: dict[str, Path] = {}
    tilesets = []
    for path in paths:
        tileset = _read(path)
        if tileset.id in seen:
            raise InvalidTileSetFile(path, f"has the id {tileset.id}, as {seen[tileset.id]} does")
        seen[tileset.id] = path
        tilesets.append(tileset)
    return TileSetCatalogue(tilesets)


def read_tileset(path: Path) -> TileSet:
    """Read a tile set's file, and of a larger one no more than shows it. Raises OSError, TileSetInvalid."""
    return parse_tileset(read_file(path, MAX_FILE_BYTES + 1))


def _read(path: Path) -> TileSet:
    try:
        return read_tileset(path)
    except OSError as error:
        raise InvalidTileSetFile(path, error.strerror or str(error)) from error
    except TileSetInvalid as error:
        first, *more = error.faults
        others = f" (and {len(more)} more: see `south-seas tileset check`)" if more else ""
        raise InvalidTileSetFile(path, f"{first}{others}") from error
