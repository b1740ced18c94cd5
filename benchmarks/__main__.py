"""`python -m benchmarks`: measure everything, keep it in `benchmarks/results/`, and print it as Markdown."""

import argparse
import asyncio
import gc
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping

import uvloop

from benchmarks.action import action
from benchmarks.builds import COMPILED, PURE, build_here, start_again_with
from benchmarks.engine import engine
from benchmarks.fan_out import fan_out
from benchmarks.instances import instances
from benchmarks.latency import latency
from benchmarks.machine import describe
from benchmarks.processes import OTHER_CORE, on_core
from benchmarks.results import Figure, save
from benchmarks.run import QUICK_ROUNDS, ROUNDS, Run
from benchmarks.sockets import sockets
from benchmarks.start import image, start
from benchmarks.table import lines

Part = Callable[[Run], Awaitable[tuple[list[Figure], list[str]]]]

PARTS: Mapping[str, Part] = {
    "engine": engine,
    "action": action,
    "latency": latency,
    "fan-out": fan_out,
    "sockets": sockets,
    "instances": instances,
    "start": start,
}


def main() -> None:
    """Measure what is asked for; ends with 0 though the machine was noisy, which the result says."""
    options = _options()
    if options.engine != build_here():
        start_again_with(options.engine, "benchmarks")
    run = Run(rounds=options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS), quick=options.quick)
    figures: list[Figure] = []
    notes: list[str] = []
    gc.disable()  # see Run.in_turn
    try:
        with on_core(OTHER_CORE):
            for name in options.only or PARTS:
                measured, told = uvloop.run(_run(PARTS[name], run))
                figures += measured
                notes += told
    except asyncio.CancelledError:
        sys.exit("ended before it was done")
    if options.image_mb is not None:
        figures.append(image(options.image_mb))
    result = describe("suite", figures, run.noise.report(), quick=options.quick, notes=notes)
    print(*lines(result), sep="\n")
    if options.keep:
        run.tell(f"kept in {save(result, lines(result))}")


async def _run(part: Part, run: Run) -> tuple[list[Figure], list[str]]:
    """One part; told to end, it ends its servers first."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 (a coroutine runs in one)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await part(run)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"some parts: {', '.join(PARTS)}")
    parser.add_argument(
        "--quick", action="store_true", help="a trial in a minute, whose figures are not to be judged by"
    )
    parser.add_argument("--rounds", type=int, help=f"rounds of each measurement ({ROUNDS}; quick {QUICK_ROUNDS})")
    parser.add_argument("--engine", choices=(PURE, COMPILED), default=PURE, help="the service's build of it (pure)")
    parser.add_argument("--image-mb", type=float, help="the size of the container image, to be kept with the rest")
    parser.add_argument(
        "--no-keep", dest="keep", action="store_false", help="only print it, as with --only and --quick"
    )
    options = parser.parse_args()
    options.keep = options.keep and not options.only and not options.quick
    return options


if __name__ == "__main__":
    main()
