"""The engine of South Seas in each existing build, catanatron, and games of open_spiel, in turn on one core."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Literal, NamedTuple

from benchmarks.builds import COMPILED, ROOT, environments
from benchmarks.peers.engine_worker import Round
from benchmarks.peers.installed import PYTHON, require
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
"""The games of open_spiel: its tile-laying game, two on large boards, and its smallest."""

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
"""The peer that South Seas is compared with: an engine for a similar game that is not C++ either."""

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
    """The name of the library, SOUTH_SEAS for this project."""
    title: str
    program: tuple[str, ...]
    environment: Mapping[str, str]


def contenders() -> list[Contender]:
    """Return the builds of South Seas, then the peers. Raise NotInstalled."""
    require(PYTHON)
    south_seas = (sys.executable, "-m", "benchmarks.peers.engine_south_seas")
    peer = (str(PYTHON), "-m")
    path = os.environ | {"PYTHONPATH": str(ROOT)}
    return [
        *(
            Contender(build, SOUTH_SEAS, f", {build}", south_seas, environment)
            for build, environment in environments().items()
        ),
        Contender(REFERENCE, REFERENCE, ": Catan", (*peer, "benchmarks.peers.engine_catanatron"), path),
        *(
            Contender(name, "open_spiel", f": {title}", (*peer, "benchmarks.peers.engine_open_spiel", name), path)
            for name, title in GAMES.items()
        ),
    ]


async def engines(run: Run) -> None:
    """Measure each engine."""
    entries = contenders()
    async with AsyncExitStack() as stack:
        workers = [
            await stack.enter_async_context(worker(*entry.program, environment=entry.environment)) for entry in entries
        ]
        about = [await one.receive() for one in workers]
        seconds = run.seconds(ROUND_S)
        rounds = await run.measure_in_turn("engines", *(partial(_run_round, one, seconds) for one in workers))
    versions = {
        entry.library: information["version"]
        for entry, information in zip(entries, about, strict=True)
        if entry.library != SOUTH_SEAS
    }
    run.versions |= versions
    measured = {entry.key: (entry, results) for entry, results in zip(entries, rounds, strict=True)}
    run.figures += figures(measured, versions)
    run.notes += NOTES
    if COMPILED not in environments():
        run.notes.append("there was no compiled build of South Seas, so only the pure one is measured")


async def _run_round(worker: Worker, seconds: float, _: int) -> Round:
    measured: Round = await worker.request({"seconds": seconds})
    return measured


def figures(measured: Mapping[str, tuple[Contender, Sequence[Round]]], versions: Mapping[str, str]) -> list[Figure]:
    """Return for each measurement a figure of each engine; those of South Seas with their ratio to catanatron's."""
    result = []
    for key, (title, unit, better) in MEASUREMENTS.items():
        for entry, rounds in measured.values():
            is_south_seas = entry.library == SOUTH_SEAS
            figure = Figure(
                *(f"peers.engine.{entry.key}.{key}", GROUP, title, unit, [one[key] for one in rounds]),
                better=better,
                of=f"{entry.library}{'' if is_south_seas else ' ' + versions[entry.library]}{entry.title}",
                ceiling=[one[key] for one in measured[REFERENCE][1]] if is_south_seas else None,
                ceiling_title=REFERENCE if is_south_seas else "",
            )
            result.append(figure)
    return result
