"""When replicas were promoted, also those that the sentinels or the Cluster promoted without a fault."""

import re
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from tests.redis_servers import Node
from verification.chaos.history import Fault, History

_PROMOTED = re.compile(
    r"^\d+:\w (\d+ \w+ \d+ [\d:.]+) . (?:(?:MASTER|PRIMARY) MODE enabled|Failover election won)", re.MULTILINE
)
"""A line of the log of Redis or Valkey, with its time."""


class Failover(NamedTuple):
    """A time, of the monotonic clock, in which what was not acknowledged may have been taken back."""

    begun_at: float
    ended_at: float


def find_failovers(history: History, nodes: Sequence[Node]) -> list[Failover]:
    """Return the faults that may have promoted a replica, and all promotions in the logs of the nodes."""
    faults = [one for one in history.records if isinstance(one, Fault) and one.promotes]
    return [*(Failover(fault.at, fault.healed_at) for fault in faults), *_promotions(nodes)]


def _promotions(nodes: Sequence[Node]) -> Iterator[Failover]:
    clocks_differ_by = time.time() - time.monotonic()
    for node in nodes:
        log = (node.directory / "log").read_text(errors="replace")
        for found in _PROMOTED.findall(log):
            logged = datetime.strptime(found, "%d %b %Y %H:%M:%S.%f").astimezone(UTC)
            promoted_at = logged.timestamp() - clocks_differ_by
            yield Failover(promoted_at, promoted_at)
