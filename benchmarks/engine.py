"""The engine alone, on one core, in every build that there is: whole random games, single calls, and how they grow."""

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
"""What is called, and the target of the compiled build in mid-game."""
TARGETS = {PURE: "350 games/s", COMPILED: "1,000 games/s"}

Round = dict[str, float]


async def engine(run: Run) -> None:
    """Measure each build."""
    async with AsyncExitStack() as stack:
        program = (sys.executable, "-m", "benchmarks.peers.engine_ours", *map(str, (MID_GAME_TILES, *GROWTH)))
        workers = {}
        for build, environment in environments().items():
            workers[build] = await stack.enter_async_context(worker(*program, environment=environment))
            if (imported := (await workers[build].receive())["build"]) != build:
                raise RuntimeError(f"asked for the {build} engine, and got the {imported} one")
        seconds = run.seconds(ROUND_S)
        measured = await run.measure_in_turn("engine", *(partial(_run_round, one, seconds) for one in workers.values()))
    received = dict(zip(workers, measured, strict=True))
    for build, rounds in received.items():
        _add(run, build, rounds)
    for build, rounds in received.items():
        _add_growth(run, build, rounds)
    if COMPILED not in received:
        run.notes.append("there is no compiled build of these sources, so only the pure one is measured")


async def _run_round(worker: Worker, seconds: float, _: int) -> Round:
    received: Round = await worker.request({"seconds": seconds})
    return received


def _add(run: Run, build: str, rounds: list[Round]) -> None:
    note = "to the end, each move chosen from all that are legal, by one core's processor time"
    games = [received["games"] for received in rounds]
    title = "random two-player games"
    run.figures.append(
        Figure(f"engine.{build}.games", GROUP, title, "games/s", games, of=build, target=TARGETS[build], note=note)
    )
    for name, title, compiled_target in CALLS:
        times = [received[f"{name}.{MID_GAME_TILES}"] for received in rounds]
        target = compiled_target if build == COMPILED else ""
        figure = (f"engine.{build}.{name}", GROUP, f"{title}, mid-game", "µs", times)
        run.figures.append(Figure(*figure, better="less", of=build, target=target))


def _add_growth(run: Run, build: str, rounds: list[Round]) -> None:
    """Add what the parts of an action cost, and what a snapshot weighs, as the board grows."""
    wanted = [(f"{build}.{name}", name, title, "µs", build) for name, title, _ in CALLS[:4]]
    if build == PURE:
        wanted.append(("bytes", "bytes", "a snapshot", "bytes", ""))
    for key, name, title, unit, of in wanted:
        for tiles in GROWTH:
            numbers = [received[f"{name}.{tiles}"] for received in rounds]
            figure = (f"growth.{key}.{tiles}", GROWTH_GROUP, f"{title}, {tiles} tiles", unit, numbers)
            run.figures.append(Figure(*figure, better="less", of=of))
