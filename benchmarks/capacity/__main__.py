"""`python -m benchmarks.capacity`: what single steps cost here, and how well model and simulation foretell loads.

The costs are measured with one instance and two; then loads that they were not measured with are put on 1, 2 and 4
instances, and what those took is printed beside what was foretold, as the Markdown tables of docs/scaling.md.
"""

import argparse
import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import uvloop

from benchmarks.asked import sample
from benchmarks.capacity.calibration import calibrate
from benchmarks.capacity.model import Costs, Load, predict
from benchmarks.capacity.simulation import simulate
from benchmarks.capacity.trial import Shape, Took, place, trial
from benchmarks.machine import describe
from benchmarks.noise import Watch
from benchmarks.processes import CORES
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
HEAD = (
    "| instances | actions/s | sockets a game | by game | service, cores | measured | Redis, cores | measured "
    "| MB/s | measured | p50 ms | measured | p99 ms | measured |"
)


def main() -> None:
    """Measure, foretell, compare; ends with 0 though the machine was noisy, which it says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity", description=__doc__)
    parser.add_argument("--costs", type=Path, help="a file with costs measured before, or to write them to")
    options = parser.parse_args()
    watch = Watch()
    gc.disable()
    costs = _costs(options.costs)
    rows = uvloop.run(_compare(costs, watch))
    result = describe("suite", [], watch.report(), quick=False, notes=[])
    print(f"{result.date}, {result.machine.cpu}, {len(CORES)} cores, commit {result.commit}, {result.engine} engine")
    print(*(result.noise.reasons or ["the machine was quiet"]), sep="\n")
    print(*_costs_table(costs), "", *rows, sep="\n")


def _costs(file: Path | None) -> Costs:
    if file is not None and file.exists():
        return msgspec.json.decode(file.read_bytes(), type=Costs)
    costs = uvloop.run(calibrate(sample().games, _tell))
    if file is not None:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(costs)) + b"\n")
    return costs


async def _compare(costs: Costs, watch: Watch) -> list[str]:
    """Each shape as one row, foretold and measured."""
    rows = [HEAD, "|---" * HEAD.count(" |") + "|"]
    played = sample().games
    async with place(max(shape.instances for shape in SHAPES)) as where:
        await trial(where, Shape(4, GAMES, 400.0), played, SECONDS / 2)
        for shape in SHAPES:
            _tell(f"comparing: {shape.instances} instances, {shape.actions_s:g} actions/s")
            watch.sample()
            rows.append(_row(costs, shape, await trial(where, shape, played, SECONDS)))
    return rows


def _row(costs: Costs, shape: Shape, took: Took) -> str:
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
    shown = " | ".join(f"{foretold:.2f} | {measured:.2f}" for foretold, measured in cells)
    asked = f"{shape.instances} | {rate:.0f} | {shape.sockets_per_game} | {'yes' if shape.by_game else 'no'}"
    return f"| {asked} | {shown} |"


def _costs_table(costs: Costs) -> Iterator[str]:
    yield "| cost | |"
    yield "|---|---|"
    for name, value in msgspec.structs.asdict(costs).items():
        yield f"| {name} | {value:,.1f} |"


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
