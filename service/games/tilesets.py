"""The tile sets of this instance, read once from their directories."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from schemas.base import encode_json
from schemas.tileset import TileSet
from service.engine import TileSetIndex
from service.engine.tileset_validation import MAX_FILE_BYTES, TileSetInvalid, parse_tileset
from service.files import read_file
from service.games.errors import TileSetError, TileSetMissing
from service.games.shuffle import tileset_hash

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
            raise missing(tileset)
        return loaded


def load_catalogue(extra: Path | None) -> TileSetCatalogue:
    """Load the built-in tile sets and those of the directory `extra`. Raises InvalidTileSetFile."""
    paths = sorted(BUILT_IN_DIRECTORY.glob("*.json"))
    if extra is not None:
        if not extra.is_dir():
            raise InvalidTileSetFile(extra, "is not a directory")
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
