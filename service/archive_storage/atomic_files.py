"""Atomic writes of files, and the game documents in files and directories."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from service.games.archive.document import SUFFIX

__all__ = ["iter_documents", "write_atomically"]

_SUFFIXES = (SUFFIX, ".json")


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically: after a crash or a loss of power it has the new content or the old one.

    The file and the directories that it creates are accessible to this user alone. Raise OSError.
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
    """Yield each path that is a file, and all game documents below each path that is a directory, sorted by name."""
    for path in paths:
        if path.is_dir():
            yield from sorted(
                file
                for file in path.rglob("*")
                if file.name.endswith(_SUFFIXES) and not file.name.startswith(".") and file.is_file()
            )
        else:
            yield path


def _sync_directory(directory: Path) -> None:
    """Flush the entries of a directory to the disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
