"""What a number of games needs: the costs of the suite's last run, times the actions that so many games make."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from benchmarks.results import Result
from benchmarks.stored import ACTIONS

BUSY = 0.6
"""The share of the time in which each core is busy."""
WAKE_UPS = 2
"""How many times as long as under full load an action takes, at most, where a process wakes up for each."""
ARCHIVED_KB = 2.54
"""A finished game whose log is in an archive: `python -m benchmarks --only stored`, 2026-11-26."""
DAY_S, HOURS_WITH_LOG = 86_400, 1
MIN_PODS = 3
"""One for each zone."""


class Load(NamedTuple):
    """Games that are played at once."""

    title: str
    games: int
    rate: float
    """Actions a second, of each game."""
    days: int
    """How long a finished game is kept."""


LOADS = (
    Load("10,000 played at one sitting", 10_000, 1 / 10, 1),
    Load("1 million by mail", 1_000_000, 6 / DAY_S, 7),
    Load("1 million at one sitting", 1_000_000, 1 / 10, 1),
    Load("100 million by mail", 100_000_000, 6 / DAY_S, 7),
)


def capacity_table(suite: Result) -> Iterator[str]:
    """Yield a row for each load."""
    costs = {figure.name: figure.median for figure in suite.figures}
    yield "| Games | Actions/s | Cores of instances | Pods | Cores of Redis | Redis memory | Of which finished games |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for load in LOADS:
        rate = load.games * load.rate
        cores = ceil(WAKE_UPS * rate * costs["action.cpu"] / 1e6 / BUSY)
        redis_cores = ceil(rate * costs["stored.action.cpu"] / 1e6 / BUSY)
        hours = costs["stored.finished"] * HOURS_WITH_LOG + ARCHIVED_KB * (24 * load.days - HOURS_WITH_LOG)
        finished_kb = rate / ACTIONS * 3600 * hours
        all_kb = finished_kb + load.games * costs["stored.mid-game"]
        pods = max(MIN_PODS, cores)
        yield (
            f"| {load.title} | {rate:,.0f} | {cores:,} | {pods:,} to {2 * pods:,} | {redis_cores:,} "
            f"| {all_kb / 1e6:,.0f} GB | {finished_kb / all_kb:.0%} |"
        )
