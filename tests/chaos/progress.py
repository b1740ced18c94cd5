"""What a run says while it lasts: each fault, each violation, and each minute how much was done."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.chaos.checker import Violation
from tests.chaos.game_checker import GameChecker
from tests.chaos.history import Fault

__all__ = ["Progress"]

REPORT_INTERVAL_S = 60.0


class Progress:
    """Tells a function, line by line."""

    def __init__(self, tell: Callable[[str], None], *, brief: bool = False) -> None:
        """`brief`: faults are counted in the line of each minute alone."""
        self._tell = tell
        self._brief = brief
        self._faults: Counter[str] = Counter()

    def fault_injected(self, fault: Fault) -> None:
        """Something was broken, and is whole again."""
        self._faults[fault.kind] += 1
        if not self._brief:
            self._tell(f"{fault.healed - fault.at:5.1f} s  {fault.kind}: {fault.detail}")

    def violation_found(self, violation: Violation) -> None:
        """Something is wrong."""
        self._tell(f"VIOLATION {violation.kind}: {violation.who}: {violation.detail}")

    @asynccontextmanager
    async def each_minute(self, judge: GameChecker) -> AsyncIterator[None]:
        """Tell each minute how far the run is."""
        task = asyncio.create_task(self._repeat(judge))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _repeat(self, judge: GameChecker) -> None:
        started_at, before = time.monotonic(), 0
        while True:
            await asyncio.sleep(REPORT_INTERVAL_S)
            acknowledged, minutes = judge.acknowledged, (time.monotonic() - started_at) / 60
            self._tell(
                f"{minutes:5.1f} min  {acknowledged:,} actions acknowledged, {acknowledged - before:,} since the line "
                f"before; {judge.games:,} games judged, {self._faults.total():,} faults of {len(self._faults)} kinds, "
                f"{judge.violations} violations, which are looked at again at the end"
            )
            before = acknowledged
