"""Files that are written whole or not at all, and the documents found in files and directories."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from service.games.archive.object_names import SUFFIX

__all__ = ["iter_documents", "write_atomically"]

_SUFFIXES = (SUFFIX, ".json")


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file that is there whole, or as it was before, whatever happens; down to the disk, for this user alone.

    Directories that are not there are made. Raises OSError.
    """
    for directory in reversed([path.parent, *path.parent.parents]):
        with suppress(FileExistsError):
            directory.mkdir(mode=0o700)
            _sync_directory(directory.parent)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    _sync_directory(path.parent)


def iter_documents(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that are named, and all documents in the directories that are, by name."""
    for path in paths:
        if path.is_dir():
            yield from sorted(
                one
                for one in path.rglob("*")
                if one.name.endswith(_SUFFIXES) and not one.name.startswith(".") and one.is_file()
            )
        else:
            yield path


def _sync_directory(directory: Path) -> None:
    """Have the names in a directory on the disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
