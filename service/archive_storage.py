"""Storage for archives: a directory, or object storage by the library obstore, which is imported only if used.

InvalidArchiveURL   the URL cannot be used, and why
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlsplit

from service.files import write_atomically
from service.games.archiver import ArchiveStorage, StorageUnavailable

if TYPE_CHECKING:
    from obstore.store import ObjectStore, RetryConfig


T = TypeVar("T")

MAX_THREADS = 4
"""For the files of a directory."""

_BUCKET_SCHEMES = ("s3", "gs", "az")
_RETRY_CONFIG: "RetryConfig" = {"max_retries": 2, "retry_timeout": timedelta(seconds=10)}
"""Few retries: a game that cannot be archived now is due again later."""


class InvalidArchiveURL(ValueError):
    """The URL of the archive cannot be used."""


def _validate_url(url: str) -> None:
    """Raise InvalidArchiveURL unless `url` is that of a storage for archives."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise InvalidArchiveURL("is not a URL") from None
    if parts.username or parts.password:
        raise InvalidArchiveURL(
            "has a user or a password: set the environment variables of the storage provider instead"
        )
    if parts.query or parts.fragment:
        raise InvalidArchiveURL("has a ? or # that is not percent-encoded: the storage would ignore what follows")
    if parts.scheme == "file":
        if parts.netloc or not parts.path.strip("/"):
            raise InvalidArchiveURL("has no directory: write file:///DIRECTORY")
    elif parts.scheme not in _BUCKET_SCHEMES:
        raise InvalidArchiveURL("has an unsupported scheme (not file, s3, gs or az)")
    elif not parts.netloc:
        raise InvalidArchiveURL(f"has no bucket: write {parts.scheme}://BUCKET/PREFIX")
    elif find_spec("obstore") is None:
        raise InvalidArchiveURL("needs the Python package obstore: pip install 'south-seas-service[archive]'")


def open_object_storage(url: str) -> ArchiveStorage:
    """Return the storage at `url`, without connecting to it. Raise InvalidArchiveURL."""
    _validate_url(url)
    parts = urlsplit(url)
    if parts.scheme == "file":
        return DirectoryStorage(Path(unquote(parts.path)))
    from obstore.exceptions import BaseError  # noqa: PLC0415  an optional dependency
    from obstore.store import from_url  # noqa: PLC0415

    try:
        return BucketStorage(from_url(url, retry_config=_RETRY_CONFIG))
    except BaseError as error:
        raise InvalidArchiveURL(f"cannot be used: {_first_line(error)}") from error


class DirectoryStorage:
    """A directory, in which each object is a file that is accessible to this user alone.

    It has threads of its own: a network file system that hangs must not take those of everything else.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._threads = ThreadPoolExecutor(MAX_THREADS, "archive")

    async def put(self, name: str, data: bytes) -> None:
        """Write a file atomically. Raise StorageUnavailable."""
        await self._run(partial(write_atomically, self._directory / name, data))

    async def get(self, name: str) -> bytes:
        """Read a file. Raise StorageUnavailable."""
        return await self._run((self._directory / name).read_bytes)

    async def _run(self, access: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, access)
        except OSError as error:
            raise StorageUnavailable(f"the archive's directory: {error.strerror or error}") from error


class BucketStorage:
    """A bucket, or a prefix in it."""

    def __init__(self, store: "ObjectStore") -> None:
        self._store = store

    async def put(self, name: str, data: bytes) -> None:
        """Put an object, replacing an earlier one. Raise StorageUnavailable."""
        from obstore import put_async  # noqa: PLC0415
        from obstore.exceptions import BaseError  # noqa: PLC0415

        try:
            await put_async(self._store, name, data, attributes={"Content-Type": "application/gzip"})
        except (BaseError, OSError) as error:
            raise StorageUnavailable(f"the archive's bucket: {_first_line(error)}") from error

    async def get(self, name: str) -> bytes:
        """Get an object. Raise StorageUnavailable."""
        from obstore import get_async  # noqa: PLC0415
        from obstore.exceptions import BaseError  # noqa: PLC0415

        try:
            return bytes(await (await get_async(self._store, name)).bytes_async())
        except (BaseError, OSError) as error:
            raise StorageUnavailable(f"the archive's bucket: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """Return the message of obstore without the request, which it repeats on further lines."""
    return str(error).partition(os.linesep)[0][:200]
