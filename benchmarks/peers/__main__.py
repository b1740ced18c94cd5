"""`python -m benchmarks.peers`: other engines and services and ours in the same rounds, kept as JSON and as Markdown.

`make bench-peers` installs the peers first.
"""

import argparse
import asyncio
import shutil
import signal
import sys
from pathlib import Path

import msgspec
import uvloop

from benchmarks.builds import COMPILED, PURE
from benchmarks.machine import describe
from benchmarks.peers.contenders import check
from benchmarks.peers.engines import engines
from benchmarks.peers.programs import NODE, NotInstalled
from benchmarks.peers.services import services
from benchmarks.peers.table import lines
from benchmarks.processes import OTHER_CORE, on_core
from benchmarks.results import Figure, Result, save
from benchmarks.run import QUICK_ROUNDS, ROUNDS, Run

PARTS = ("engines", "services")


def main() -> None:
    """Measure what is asked for; ends with 1 where a peer is not installed."""
    options = _options()
    run = Run(rounds=options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS), quick=options.quick)
    try:
        with on_core(OTHER_CORE):
            result = uvloop.run(_measure(run, options))
    except NotInstalled as missing:
        sys.exit(str(missing))
    except asyncio.CancelledError:
        sys.exit("ended before it was done")
    print(*lines(result), sep="\n")
    if options.keep and not options.only and not options.quick:
        run.tell(f"kept in {save(result, lines(result))}")


async def _measure(run: Run, options: argparse.Namespace) -> Result:
    """All parts; told to end, it ends the servers first."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 (a coroutine runs in one)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    parts = options.only or PARTS
    if "services" in parts:
        check(options.node, options.engine)
    figures: list[Figure] = []
    notes: list[str] = []
    versions: dict[str, str] = {}
    for part in parts:
        measured, told, of = await (engines(run) if part == "engines" else services(run, options.node, options.engine))
        figures += measured
        notes += told
        versions |= of
    result = describe("peers", figures, run.noise.report(), quick=run.quick, versions=versions, notes=notes)
    return msgspec.structs.replace(result, engine=options.engine)


def _program(name: str) -> Path:
    return Path(shutil.which(name) or name)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, help="one part")
    parser.add_argument("--engine", choices=(PURE, COMPILED), default=PURE, help="the build that our service runs with")
    parser.add_argument("--quick", action="store_true", help="a trial, whose figures are not to be judged by")
    parser.add_argument("--rounds", type=int, help=f"rounds of each measurement ({ROUNDS}; quick {QUICK_ROUNDS})")
    parser.add_argument(
        "--node", type=_program, default=NODE, help="another Node.js than the one locked with the peers"
    )
    parser.add_argument(
        "--no-keep", dest="keep", action="store_false", help="only print it, as with --only and --quick"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
