"""Reports the progress of a run: each fault, each violation, and a summary each minute."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from tests.polling import in_background
from verification.chaos.checker import Violation
from verification.chaos.game_checker import GameChecker
from verification.chaos.history import Fault

REPORT_INTERVAL_S = 60.0


class Progress:
    """Passes each line to a function."""

    def __init__(self, print_line: Callable[[str], None], *, brief: bool = False) -> None:
        """With `brief`, count faults only in the summary of each minute."""
        self._print_line = print_line
        self._brief = brief
        self._faults: Counter[str] = Counter()

    def report_fault(self, fault: Fault) -> None:
        """Report a fault that has healed."""
        self._faults[fault.kind] += 1
        if not self._brief:
            self._print_line(f"{fault.healed_at - fault.at:5.1f} s  {fault.kind}: {fault.detail}")

    def report_violation(self, violation: Violation) -> None:
        """Report a violation."""
        self._print_line(f"VIOLATION {violation}")

    def summarize_each_minute(self, checker: GameChecker) -> AbstractAsyncContextManager[None]:
        """Print a summary each minute."""
        return in_background(self._summarize(checker))

    async def _summarize(self, checker: GameChecker) -> None:
        started_at, before = time.monotonic(), 0
        while True:
            await asyncio.sleep(REPORT_INTERVAL_S)
            acknowledged, minutes = checker.acknowledged, (time.monotonic() - started_at) / 60
            self._print_line(
                f"{minutes:5.1f} min  {acknowledged:,} actions acknowledged, {acknowledged - before:,} in this minute; "
                f"{checker.games:,} games checked, {self._faults.total():,} faults of {len(self._faults)} types, "
                f"{checker.violations} violations so far"
            )
            before = acknowledged
