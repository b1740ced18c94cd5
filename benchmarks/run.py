"""What every part of the suite is given: how many rounds, how long, the watch over noise, and progress."""

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from benchmarks.noise import Watch

T = TypeVar("T")

QUICK_ROUNDS = 2
ROUNDS = 5
PAUSE_S = 0.1
"""Between two measurements, so that the one before has settled."""


@dataclass
class Run:
    """One run of the suite."""

    rounds: int = ROUNDS
    quick: bool = False
    noise: Watch = field(default_factory=Watch)

    def seconds(self, full: float) -> float:
        """How long a measurement of `full` seconds lasts in this run."""
        return full / 4 if self.quick else full

    def number(self, full: int) -> int:
        """How many of what a measurement does `full` times."""
        return max(1, full // 4) if self.quick else full

    def tell(self, text: str) -> None:
        """One line of progress."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    async def in_turn(self, title: str, *measure: Callable[[int], Awaitable[T]]) -> list[list[T]]:
        """The results of each measurement, round by round, one measurement after another in every round.

        Every second round goes through them backwards, so that none has the better place.
        """
        results: list[list[T]] = [[] for _ in measure]
        for number in range(self.rounds):
            self.tell(f"{title}: round {number + 1} of {self.rounds}")
            order = list(range(len(measure)))
            for place in order[:: -1 if number % 2 else 1]:
                await asyncio.sleep(PAUSE_S)
                gc.collect()  # the load's own collections, while it measures, would count as the service's
                self.noise.sample()
                results[place].append(await measure[place](number))
        return results
