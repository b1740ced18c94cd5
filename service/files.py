"""Files: read if they are regular, written atomically."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def read_file(path: Path, max_bytes: int = -1) -> bytes:
    """Return the content of a regular file, or the first bytes of it. Raise OSError.

    Anything else could be read or waited for without end: a FIFO, a terminal, a device.
    """
    # A FIFO opens without waiting for somebody who writes to it.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        return file.read(max_bytes)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically: after a crash or a loss of power it has the new content or the old one.

    The file and the directories that it creates are accessible to this user alone. Raise OSError.
    """
    for directory in reversed([path.parent, *path.parent.parents]):
        with suppress(FileExistsError):
            directory.mkdir(mode=0o700)
            _sync_directory(directory.parent)
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        if error.filename is None:  # as of a full disk
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    _sync_directory(path.parent)


def _sync_directory(directory: Path) -> None:
    """Flush the entries of a directory to the disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
