"""What is counted of commands: how long each kind takes, and whether their connections are there."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from weakref import WeakSet

from service.telemetry.meters import Distribution, Level
from service.telemetry.metrics import REDIS_COMMAND, REDIS_UP, REDIS_WAITING

if TYPE_CHECKING:
    from service.store.lane import Lane

__all__ = ["LANES", "levels", "script", "times"]

LANES: "WeakSet[Lane]" = WeakSet()
"""All lanes of this process."""

_TIMES: dict[object, Distribution] = {}
"""By a command's name, or a script's hash."""


def script(digest: str, name: str) -> None:
    """Let commands that name a script by its hash count by its name."""
    _TIMES[digest] = REDIS_COMMAND.of(name)


def times(command: tuple[object, ...]) -> Distribution:
    """Where a command counts: the store has few kinds, and no client chooses one."""
    name = command[1] if command[0] == "EVALSHA" else command[0]
    found = _TIMES.get(name)
    if found is None:
        found = _TIMES[name] = REDIS_COMMAND.of(str(command[0]))
    return found


def levels() -> Iterator[Level]:
    """Whether all lanes have a connection, or were not needed yet, and what waits for one."""
    yield REDIS_UP.at(float(all(lane.up for lane in LANES)))
    yield REDIS_WAITING.at(sum(lane.waiting for lane in LANES))
