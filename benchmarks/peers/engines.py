"""Our engine in every build there is, catanatron, and games of open_spiel, in turn on one core."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Literal, NamedTuple

from benchmarks.builds import COMPILED, ROOT, environments
from benchmarks.peers.installed import PYTHON, require
from benchmarks.peers.subject import Round
from benchmarks.processes import Worker, worker
from benchmarks.results import Figure
from benchmarks.run import Run

GROUP = "Engines beside peers"
ROUND_S = 1.6
GAMES = {
    "hive": "Hive",
    "go(board_size=19)": "Go 19x19",
    "chess": "chess",
    "tic_tac_toe": "tic-tac-toe",
}
"""What is played on open_spiel: its game of laying tiles, two on large boards, and its smallest."""

MEASUREMENTS: dict[str, tuple[str, str, Literal["more", "less"]]] = {
    "games": ("random games", "games/s", "more"),
    "actions": ("actions in random games", "actions/s", "more"),
    "list": ("list the legal actions, mid-game", "µs", "less"),
    "apply": ("apply an action, mid-game", "µs", "less"),
    "copy": ("copy a state, mid-game", "µs", "less"),
    "encode": ("serialise a state, mid-game", "µs", "less"),
    "decode": ("read a serialised state, mid-game", "µs", "less"),
}
SOUTH_SEAS = "South Seas"
REFERENCE = "catanatron"
"""Whom ours is compared with: the engine of its family that is not C++ either."""

NOTES = (
    (
        "engines: each plays its own game to the end with random actions; mid-game is the middle of such games, "
        "all kinds of actions as often as they come up there"
    ),
    (
        "catanatron lists the next actions at the end of each action, so its applying includes a listing; "
        "it is stored by pickle, since it writes JSON but does not read it"
    ),
    (
        "open_spiel is C++, called from Python as its users do; it stores a state as its past actions "
        "and reads it by playing them again"
    ),
)


class Contender(NamedTuple):
    """One engine, as a program."""

    key: str
    library: str
    """Ours: South Seas."""
    title: str
    program: tuple[str, ...]
    environment: Mapping[str, str]


def contenders() -> list[Contender]:
    """Name our builds, then the peers; raises NotInstalled."""
    require(PYTHON)
    own = (sys.executable, "-m", "benchmarks.peers.engine_ours")
    peer = (str(PYTHON), "-m")
    path = os.environ | {"PYTHONPATH": str(ROOT)}
    return [
        *(
            Contender(build, SOUTH_SEAS, f", {build}", own, environment)
            for build, environment in environments().items()
        ),
        Contender(REFERENCE, REFERENCE, ": Catan", (*peer, "benchmarks.peers.engine_catanatron"), path),
        *(
            Contender(name, "open_spiel", f": {title}", (*peer, "benchmarks.peers.engine_open_spiel", name), path)
            for name, title in GAMES.items()
        ),
    ]


async def engines(run: Run) -> None:
    """Measure each."""
    result = contenders()
    async with AsyncExitStack() as stack:
        workers = [await stack.enter_async_context(worker(*one.program, environment=one.environment)) for one in result]
        about = [await one.receive() for one in workers]
        seconds = run.seconds(ROUND_S)
        rounds = await run.measure_in_turn("engines", *(partial(_run_round, one, seconds) for one in workers))
    versions = {
        one.library: received["version"]
        for one, received in zip(result, about, strict=True)
        if one.library != SOUTH_SEAS
    }
    run.versions |= versions
    measured = {one.key: (one, received) for one, received in zip(result, rounds, strict=True)}
    run.figures += figures(measured, versions)
    run.notes += NOTES
    if COMPILED not in environments():
        run.notes.append("no compiled build of our engine was there, so only the pure one is measured")


async def _run_round(worker: Worker, seconds: float, _: int) -> Round:
    received: Round = await worker.request({"seconds": seconds})
    return received


def figures(measured: Mapping[str, tuple[Contender, Sequence[Round]]], versions: Mapping[str, str]) -> list[Figure]:
    """Make question by question a figure of each; ours with its ratio to catanatron's of the same round."""
    created = []
    for key, (title, unit, better) in MEASUREMENTS.items():
        for one, rounds in measured.values():
            service = one.library == SOUTH_SEAS
            figure = Figure(
                *(f"peers.engine.{one.key}.{key}", GROUP, title, unit, [received[key] for received in rounds]),
                better=better,
                of=f"{one.library}{'' if service else ' ' + versions[one.library]}{one.title}",
                ceiling=[received[key] for received in measured[REFERENCE][1]] if service else None,
                ceiling_title=REFERENCE if service else "",
            )
            created.append(figure)
    return created
