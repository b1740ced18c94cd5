"""`python -m benchmarks.capacity`: what single steps cost here, and how well model and simulation foretell loads.

The costs are measured with one instance and two; then loads that they were not measured with are put on 1, 2 and 4
instances, and what those took is printed beside what was foretold, as the Markdown tables of docs/scaling.md.
"""

import argparse
import gc
import sys

import uvloop

from benchmarks.asked import sample
from benchmarks.builds import COMPILED, PURE, build_here, start_again_with
from benchmarks.capacity.calibration import calibrate
from benchmarks.capacity.model import Costs, Load, predict
from benchmarks.capacity.simulation import simulate
from benchmarks.capacity.table import Row, compared_lines, costs_lines, plan_lines, write
from benchmarks.capacity.trial import Shape, Took, place, trial
from benchmarks.machine import describe
from benchmarks.noise import Watch
from benchmarks.processes import CORES, cores
from benchmarks.results import percentile

SECONDS = 6.0
GAMES = 64
SHAPES = (
    Shape(1, GAMES, 400.0, 2),
    Shape(1, GAMES, 800.0, 4),
    Shape(2, GAMES, 400.0, 2),
    Shape(2, GAMES, 800.0, 4),
    Shape(2, GAMES, 800.0, 4, by_game=True),
    Shape(4, GAMES, 400.0, 2),
    Shape(4, GAMES, 800.0, 4),
    Shape(4, GAMES, 800.0, 4, by_game=True),
)
"""None of which the costs were measured with."""


def main() -> None:
    """Measure, foretell, compare; ends with 0 though the machine was noisy, which it says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity", description=__doc__)
    parser.add_argument("--engine", choices=(PURE, COMPILED), default=PURE, help="the service's build of it (pure)")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/scaling.md")
    options = parser.parse_args()
    if options.engine != build_here():
        start_again_with(options.engine, "benchmarks.capacity")
    watch = Watch()
    gc.disable()
    with cores(CORES):
        costs, rows = uvloop.run(_measure(watch))
    result = describe("suite", [], watch.report(), quick=False, notes=[])
    quiet = "; ".join(result.noise.reasons) or "the machine was quiet"
    title = f"{result.date[:10]}, {result.machine.cpu}, {len(CORES)} cores, {result.engine} engine, {quiet}"
    print(title, *costs_lines(costs), "", *compared_lines(rows), "", *plan_lines(costs), sep="\n")
    if options.write:
        write(title, costs, rows)


async def _measure(watch: Watch) -> tuple[Costs, list[Row]]:
    """The costs, and then each shape as it was foretold and as it was."""
    played = sample().games
    costs, rows = await calibrate(played, _tell), []
    async with place(max(shape.instances for shape in SHAPES)) as where:
        await trial(where, Shape(4, GAMES, 400.0), played, SECONDS / 2)
        for shape in SHAPES:
            _tell(f"comparing: {shape.instances} instances, {shape.actions_s:g} actions/s")
            watch.sample()
            rows.append(_row(costs, shape, await trial(where, shape, played, SECONDS)))
    return costs, rows


def _row(costs: Costs, shape: Shape, took: Took) -> Row:
    rate = len(took.seconds) / took.wall_s
    load = Load(shape.games, rate / shape.games, shape.sockets_per_game, by_game=shape.by_game)
    use = predict(costs, load, shape.instances)
    seconds = simulate(costs, load, shape.instances, len(CORES), SECONDS).seconds
    cells = [
        (use.service_cores, sum(took.service_s) / took.wall_s),
        (use.redis_cores, took.redis_s / took.wall_s),
        (use.sent_bytes_s / 1e6, took.received_bytes / took.wall_s / 1e6),
        *((percentile(seconds, percent) * 1e3, percentile(took.seconds, percent) * 1e3) for percent in (50, 99)),
    ]
    return Row(shape.instances, rate, shape.sockets_per_game, shape.by_game, cells)


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
