"""Whether the machine was quiet enough to judge by: the same work again and again, and what the kernel counted.

noise = Watch()
noise.sample()            # between rounds, while nothing else of the suite works
report = noise.report()   # when every process of the suite has been waited for
"""

import hashlib
import os
import resource
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.results import Noise, percentile, series

CORES = os.cpu_count() or 1
MOST_SPREAD = 1.25
"""How much longer the slow quarter of the calibrations may take than the quick quarter.

Shorter bursts, which a machine shared with others always has, do not move the medians of interleaved rounds.
"""
MOST_LOAD = 1.0
"""A run of the suite itself leaves about this much behind."""
MOST_OTHERS = 0.10
MOST_STEAL = 0.02
LEAST_BUSY = 0.8
MOST_RANGE = 1.3
"""How much more the best round of the same computing may do than the worst: noise that comes and goes by the minute."""


class Watch:
    """Watches the machine from its making to its report."""

    def __init__(self) -> None:
        self._load = os.getloadavg()[0] / CORES
        self._begin = _Ticks()
        self._own = _own_s()
        self._calibrations: list[float] = []
        self._doubts: list[str] = []
        _work()

    def sample(self) -> None:
        """Do the fixed work a few times, about 20 ms in all."""
        for _ in range(5):
            begin = perf_counter()
            _work()
            self._calibrations.append((perf_counter() - begin) * 1e3)

    def expect_busy(self, what: str, shares: Sequence[float]) -> None:
        """Doubt the run if this server left its core idle in most rounds: something else held it up."""
        if (busy := median(shares)) < LEAST_BUSY:
            self._doubts.append(
                f"{what} used {busy:.0%} of its core (at least {LEAST_BUSY:.0%}), held up by what is around it"
            )

    def expect_steady(self, what: str, rates: Sequence[float]) -> None:
        """Doubt the run if computing, which waits for nothing, went much faster in one round than in another."""
        if (times := max(rates) / min(rates)) > MOST_RANGE:
            self._doubts.append(
                f"the best round of {what} was {times:.2f} times as fast as the worst (at most {MOST_RANGE:.2f})"
            )

    def report(self) -> Noise:
        """What was seen; children that still run count as others."""
        if not self._calibrations:
            self.sample()
        end = _Ticks()
        total = max(end.total - self._begin.total, 1e-9)
        others = max(0.0, end.busy - self._begin.busy - (_own_s() - self._own)) / total
        steal = (end.steal - self._begin.steal) / total
        spread = percentile(self._calibrations, 75) / percentile(self._calibrations, 25)
        reasons = reasons_of(spread=spread, load=self._load, others=others, steal=steal) + self._doubts
        return Noise(
            noisy=bool(reasons),
            reasons=reasons,
            calibration_ms=series([round(one, 3) for one in self._calibrations]),
            load_before=round(self._load, 2),
            others_share=round(others, 3),
            steal_share=round(steal, 3),
        )


def reasons_of(*, spread: float, load: float, others: float, steal: float) -> list[str]:
    """Why not to judge by it: one sentence for each bound that was passed.

    >>> reasons_of(spread=1.5, load=0.1, others=0.0, steal=0.0)
    ['the slow quarter of a fixed piece of work took 1.50 times as long as the quick quarter (at most 1.25)']
    """
    told = {
        f"the slow quarter of a fixed piece of work took {spread:.2f} times as long as the quick quarter "
        f"(at most {MOST_SPREAD:.2f})": spread > MOST_SPREAD,
        f"the load average was {load:.2f} a core when it began (at most {MOST_LOAD:.2f})": load > MOST_LOAD,
        f"other processes took {others:.0%} of all cores' time (at most {MOST_OTHERS:.0%})": others > MOST_OTHERS,
        f"other machines took {steal:.0%} of all cores' time (at most {MOST_STEAL:.0%})": steal > MOST_STEAL,
    }
    return [sentence for sentence, passed in told.items() if passed]


def _work() -> None:
    """About 4 ms of interpreted Python, memory and C, which never changes."""
    counts: dict[int, int] = {}
    for number in range(12_000):
        counts[number * 7919 & 1023] = counts.get(number & 1023, 0) + number
    block = bytes(200_000)
    for _ in range(4):
        hashlib.blake2b(block).digest()


class _Ticks:
    """Seconds since the machine's start, of all cores together."""

    def __init__(self) -> None:
        first = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, first.split()[1:9])
        tick = os.sysconf("SC_CLK_TCK")
        self.busy = (user + nice + system + irq + softirq) / tick
        self.steal = steal / tick
        self.total = self.busy + self.steal + (idle + iowait) / tick


def _own_s() -> float:
    """Processor seconds of this process and of all its children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)
