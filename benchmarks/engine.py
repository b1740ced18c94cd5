"""The engine alone, on one core, in every build that there is: whole random games, and single calls in mid-game."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import msgspec

from benchmarks.builds import COMPILED, PURE, environments
from benchmarks.engine_alone import GROWTH, Round
from benchmarks.processes import SERVER_CORE, on_core
from benchmarks.results import Figure, series
from benchmarks.run import Run
from benchmarks.sample import MID_GAME_TILES

GROUP = "Engine"
GROWING = "Growth"
GAMES = 200
POSITIONS = 200
ROUND_S = 60.0

CALLS: Sequence[tuple[str, str, Mapping[str, float]]] = (
    ("list", "list placements, mid-game", {COMPILED: 4.0}),
    ("apply", "apply an action, mid-game", {COMPILED: 6.0}),
    ("decode", "decode, mid-game", {}),
    ("encode", "encode, mid-game", {}),
    ("copy", "copy, mid-game", {}),
)
GROWN = (("list", "list placements"), ("apply", "apply an action"))
GROWN_ALIKE = (
    ("code", "encode and decode", "µs", ("encode", "decode")),
    ("bytes", "a snapshot", "bytes", ("bytes",)),
)
"""What no compiler changes."""
REACH_GAMES = {PURE: 350.0, COMPILED: 1_000.0}


async def engine(run: Run) -> tuple[list[Figure], list[str]]:
    """The figures of each build, and how they grow with the board."""
    found = environments()
    async with AsyncExitStack() as stack:
        processes = [
            await stack.enter_async_context(_alone(build, environment)) for build, environment in found.items()
        ]
        asked = {"games": run.number(GAMES), "positions": run.number(POSITIONS)}
        rounds = await run.in_turn("engine", *(partial(_round, process, asked) for process in processes))
    told = dict(zip(found, rounds, strict=True))
    for build, each in told.items():
        run.noise.expect_steady(f"the {build} engine", [one["games"] for one in each])
    missing = (
        [] if COMPILED in found else ["there is no compiled build of these sources, so only the pure one is measured"]
    )
    return [*_figures(told), *_growth(told)], missing


@asynccontextmanager
async def _alone(build: str, environment: Mapping[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process with this build, on the servers' core; raises RuntimeError where it imports the other."""
    with on_core(SERVER_CORE):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "benchmarks.engine_alone"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
        )
    try:
        imported = (await _ask(process, {"games": 1, "positions": POSITIONS})).build
        if imported != build:
            raise RuntimeError(f"asked for the {build} engine, and got the {imported} one")
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _round(process: asyncio.subprocess.Process, asked: Mapping[str, int], _: int) -> dict[str, float]:
    return (await _ask(process, asked)).figures


async def _ask(process: asyncio.subprocess.Process, asked: Mapping[str, int]) -> Round:
    assert process.stdin is not None  # noqa: S101 (a pipe was asked for)
    assert process.stdout is not None  # noqa: S101 (as before)
    process.stdin.write(msgspec.json.encode(asked) + b"\n")
    async with asyncio.timeout(ROUND_S):
        return msgspec.json.decode(await process.stdout.readline(), type=Round)


def _figures(told: Mapping[str, Sequence[Mapping[str, float]]]) -> Iterator[Figure]:
    """Each build after the other in every figure."""
    for build, rounds in told.items():
        yield Figure(
            name=f"engine.{build}.games",
            group=GROUP,
            title="random two-player games",
            unit="games/s",
            of=build,
            measured=series([one["games"] for one in rounds]),
            reach=REACH_GAMES[build],
            note="to the end, each move chosen from all that are legal, by one core's processor time",
        )
    for name, title, reaches in CALLS:
        for build, rounds in told.items():
            yield Figure(
                name=f"engine.{build}.{name}",
                group=GROUP,
                title=title,
                unit="µs",
                better="less",
                of=build,
                measured=series([one[f"{name}.{MID_GAME_TILES}"] for one in rounds]),
                reach=reaches.get(build),
            )


def _growth(told: Mapping[str, Sequence[Mapping[str, float]]]) -> Iterator[Figure]:
    """What the parts of an action cost, and what a snapshot weighs, as the board grows."""
    for name, title in GROWN:
        for build, rounds in told.items():
            for tiles in GROWTH:
                yield Figure(
                    name=f"growth.{build}.{name}.{tiles}",
                    group=GROWING,
                    title=f"{title}, {tiles} tiles",
                    unit="µs",
                    better="less",
                    of=build,
                    measured=series([one[f"{name}.{tiles}"] for one in rounds]),
                )
    for name, title, unit, parts in GROWN_ALIKE:
        for tiles in GROWTH:
            yield Figure(
                name=f"growth.{name}.{tiles}",
                group=GROWING,
                title=f"{title}, {tiles} tiles",
                unit=unit,
                better="less",
                measured=series([sum(one[f"{part}.{tiles}"] for part in parts) for one in told[PURE]]),
            )
