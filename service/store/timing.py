"""How long each kind of command takes."""

from prometheus_client import Histogram

from service.telemetry.metrics import REDIS_COMMAND

__all__ = ["script", "times"]

_TIMES: dict[object, Histogram] = {}
"""By a command's name, or a script's hash."""


def script(digest: str, name: str) -> None:
    """Let commands that name a script by its hash count by its name."""
    _TIMES[digest] = REDIS_COMMAND.labels(name)


def times(command: tuple[object, ...]) -> Histogram:
    """Where a command counts: the store has few kinds, and no client chooses one."""
    name = command[1] if command[0] == "EVALSHA" else command[0]
    found = _TIMES.get(name)
    if found is None:
        found = _TIMES[name] = REDIS_COMMAND.labels(command[0])
    return found
