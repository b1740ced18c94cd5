"""The engine alone on one core, in each existing build: whole random games, single calls, and growth with the board."""

import sys
from contextlib import AsyncExitStack
from functools import partial

from benchmarks.builds import COMPILED, PURE, environments
from benchmarks.processes import Worker, worker
from benchmarks.results import Figure
from benchmarks.run import Run
from benchmarks.sample_games import MID_GAME_TILES

GROUP = "Engine"
GROWTH_GROUP = "Growth"
GROWTH = (10, 40, 72)
"""Tiles on the board."""
ROUND_S = 2.0
CALLS = (
    ("list", "list placements", "under 4 µs"),
    ("apply", "apply an action", "under 6 µs"),
    ("decode", "decode", ""),
    ("encode", "encode", ""),
    ("copy", "copy", ""),
)
"""Calls with their titles, and the targets of the compiled build in mid-game."""
TARGETS = {PURE: "350 games/s", COMPILED: "1,000 games/s"}

Round = dict[str, float]


async def engine(run: Run) -> None:
    """Measure each build of the engine."""
    async with AsyncExitStack() as stack:
        program = (sys.executable, "-m", "benchmarks.peers.engine_south_seas", *map(str, (MID_GAME_TILES, *GROWTH)))
        workers = {}
        for build, environment in environments().items():
            workers[build] = await stack.enter_async_context(worker(*program, environment=environment))
            if (imported := (await workers[build].receive())["build"]) != build:
                raise RuntimeError(f"the worker imported the {imported} engine instead of the {build} one")
        seconds = run.seconds(ROUND_S)
        measured = await run.measure_in_turn("engine", *(partial(_run_round, one, seconds) for one in workers.values()))
    rounds_by_build = dict(zip(workers, measured, strict=True))
    for build, rounds in rounds_by_build.items():
        _add_figures(run, build, rounds)
    for build, rounds in rounds_by_build.items():
        _add_growth(run, build, rounds)
    if COMPILED not in rounds_by_build:
        run.notes.append("there is no compiled build of these sources, so only the pure one is measured")


async def _run_round(worker: Worker, seconds: float, _: int) -> Round:
    measured: Round = await worker.request({"seconds": seconds})
    return measured


def _add_figures(run: Run, build: str, rounds: list[Round]) -> None:
    note = "to the end, each move chosen from all that are legal, by one core's processor time"
    games = [measured["games"] for measured in rounds]
    title = "random two-player games"
    run.figures.append(
        Figure(f"engine.{build}.games", GROUP, title, "games/s", games, of=build, target=TARGETS[build], note=note)
    )
    for name, title, compiled_target in CALLS:
        times = [measured[f"{name}.{MID_GAME_TILES}"] for measured in rounds]
        target = compiled_target if build == COMPILED else ""
        figure = (f"engine.{build}.{name}", GROUP, f"{title}, mid-game", "µs", times)
        run.figures.append(Figure(*figure, better="less", of=build, target=target))


def _add_growth(run: Run, build: str, rounds: list[Round]) -> None:
    """Add the times of calls, and the size of a snapshot, for boards of increasing size."""
    measurements = [(f"{build}.{name}", name, title, "µs", build) for name, title, _ in CALLS[:4]]
    if build == PURE:
        measurements.append(("bytes", "bytes", "a snapshot", "bytes", ""))
    for key, name, title, unit, of in measurements:
        for tiles in GROWTH:
            values = [measured[f"{name}.{tiles}"] for measured in rounds]
            figure = (f"growth.{key}.{tiles}", GROWTH_GROUP, f"{title}, {tiles} tiles", unit, values)
            run.figures.append(Figure(*figure, better="less", of=of))
