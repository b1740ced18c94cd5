"""The command of a suite, and the `Run` that its parts add figures and notes to."""

import argparse
import asyncio
import gc
import os
import resource
import signal
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import uvloop

from benchmarks.builds import COMPILED, PURE, current_build, restart_with
from benchmarks.processes import OTHER_CORE, pinned_to
from benchmarks.report import report_lines
from benchmarks.results import MAX_LOAD, Figure, Kind, describe_run, save

T = TypeVar("T")

QUICK_ROUNDS = 2
ROUNDS = 5
PAUSE_BETWEEN_ROUNDS_S = 0.1
"""Between two measurements, so that the first does not affect the second."""


@dataclass
class Run:
    """One run of a suite."""

    rounds: int = ROUNDS
    quick: bool = False
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def seconds(self, full: float) -> float:
        """Return the duration in this run of a measurement that lasts `full` seconds in a full one."""
        return full / 4 if self.quick else full

    def number(self, full: int) -> int:
        """Return the number of repetitions in this run, of `full` in a full one."""
        return max(1, full // 4) if self.quick else full

    def report(self, text: str) -> None:
        """Print a line of progress."""
        print(text, file=sys.stderr, flush=True)

    async def measure_in_turn(self, title: str, *measurements: Callable[[int], Awaitable[T]]) -> list[list[T]]:
        """Run all measurements in each round, and return the results of each measurement.

        Every second round runs them in reverse, so that their order favours none.
        """
        results: list[list[T]] = [[] for _ in measurements]
        for number in range(self.rounds):
            self.report(f"{title}: round {number + 1} of {self.rounds}")
            for index in list(range(len(measurements)))[:: -1 if number % 2 else 1]:
                await asyncio.sleep(PAUSE_BETWEEN_ROUNDS_S)
                gc.collect()  # a collection in the load generator during a measurement would count as latency
                results[index].append(await measurements[index](number))
        return results


Part = Callable[[Run], Awaitable[None]]


def main(kind: Kind, program: str, parts: Mapping[str, Part], apart: Mapping[Kind, Part] | None = None) -> None:
    """Run a suite or parts of it, print the results as Markdown, and save those of a full run.

    Each part `apart` is a suite of its own, which runs only where it is named alone.
    """
    apart = apart or {}
    known = {**parts, **{str(name): part for name, part in apart.items()}}
    options = _options(program, known)
    names = options.only or [*parts]
    suite = next((name for name in apart if names == [name]), None if options.only else kind)
    if options.engine != current_build():
        restart_with(options.engine, program)
    run = Run(rounds=options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS), quick=options.quick)
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    noise = ["this was a trial with short rounds"] if options.quick else []
    if load > MAX_LOAD:
        noise.append(f"the load average was {load:.2f} per core at the start")
    gc.disable()  # see Run.measure_in_turn
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # thousands of sockets
    try:
        with pinned_to({OTHER_CORE}):
            for name in names:
                uvloop.run(_run(known[name], run))
    except asyncio.CancelledError:
        sys.exit("the run was cancelled")
    result = describe_run(suite or kind, run.figures, noise, run.versions, run.notes)
    print(*report_lines(result), sep="\n")
    if options.save and suite and not options.quick:
        save(result)
        run.report("written to benchmarks/results")


async def _run(part: Part, run: Run) -> None:
    """Run one part. On SIGTERM, end its servers."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 (a coroutine runs in one)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await part(run)


def _options(program: str, parts: Iterable[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=main.__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=parts, metavar="PART", help=f"run only these parts: {', '.join(parts)}"
    )
    parser.add_argument("--quick", action="store_true", help="run a trial of a minute, which is too short for results")
    parser.add_argument("--rounds", type=int, help=f"rounds of each measurement ({ROUNDS}; quick {QUICK_ROUNDS})")
    parser.add_argument("--engine", choices=(PURE, COMPILED), default=PURE, help="build of the engine (pure)")
    parser.add_argument(
        "--no-save", dest="save", action="store_false", help="only print the results, as with --only and --quick"
    )
    return parser.parse_args()
