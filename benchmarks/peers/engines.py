"""Our engine in every build there is, catanatron, and games of open_spiel, in turn on one core."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from benchmarks.builds import COMPILED, PURE, environments
from benchmarks.peers.programs import PYTHON, ROOT, Asked, asked, needed
from benchmarks.peers.subject import Round
from benchmarks.results import Figure, ratios, series
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

QUESTIONS: dict[str, tuple[str, str, Literal["more", "less"]]] = {
    "games": ("random games", "games/s", "more"),
    "actions": ("actions in random games", "actions/s", "more"),
    "list": ("list the legal actions, mid-game", "µs", "less"),
    "apply": ("apply an action, mid-game", "µs", "less"),
    "copy": ("copy a state, mid-game", "µs", "less"),
    "encode": ("serialise a state, mid-game", "µs", "less"),
    "decode": ("read a serialised state, mid-game", "µs", "less"),
}
OUR_BUILDS = (PURE, COMPILED)
BESIDE = "catanatron"
"""Whom ours is compared with: the engine of its family that is not C++ either."""

NO_COMPILED = "no compiled build of our engine was named, so only the pure one is measured"
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

    library: str
    """Ours: the build."""
    key: str
    title: str
    program: tuple[str | Path, ...]
    environment: dict[str, str]

    def __hash__(self) -> int:
        return hash(self.key)


def contenders() -> list[Contender]:
    """Our builds, then the peers; raises NotInstalled."""
    needed(PYTHON)
    here = {"PYTHONPATH": str(ROOT)}
    peer = (PYTHON, "-m")
    own = (sys.executable, "-m", "benchmarks.peers.engine_ours")
    return [
        *(Contender(build, build, "", own, environment) for build, environment in environments().items()),
        Contender(BESIDE, BESIDE, ": Catan", (*peer, "benchmarks.peers.engine_catanatron"), here),
        *(
            Contender("open_spiel", name, f": {title}", (*peer, "benchmarks.peers.engine_open_spiel", name), here)
            for name, title in GAMES.items()
        ),
    ]


async def engines(run: Run) -> tuple[list[Figure], list[str], dict[str, str]]:
    """The figures of each, notes, and the peers' versions."""
    found = contenders()
    async with AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(asked(one.program, one.environment)) for one in found]
        about = [await process.hear() for process in processes]
        seconds = run.seconds(ROUND_S)
        rounds = await run.in_turn("engines", *(partial(_round, process, seconds) for process in processes))
    versions = {
        one.library: told["version"] for one, told in zip(found, about, strict=True) if one.library not in OUR_BUILDS
    }
    figures = _figures(dict(zip(found, rounds, strict=True)), versions)
    missing = [] if COMPILED in environments() else [NO_COMPILED]
    return figures, [*NOTES, *missing], versions


async def _round(process: Asked, seconds: float, _: int) -> Round:
    told: Round = await process.ask({"seconds": seconds})
    return told


def _figures(measured: Mapping[Contender, Sequence[Round]], versions: Mapping[str, str]) -> list[Figure]:
    """Question by question what each was measured at; ours with its ratio to catanatron's of the same round."""
    beside = next(rounds for one, rounds in measured.items() if one.library == BESIDE)
    return [
        _figure(one, key, rounds, beside, versions.get(one.library))
        for key in QUESTIONS
        for one, rounds in measured.items()
    ]


def _figure(one: Contender, key: str, rounds: Sequence[Round], beside: Sequence[Round], version: str | None) -> Figure:
    title, unit, better = QUESTIONS[key]
    own, other = ([told[key] for told in some] for some in (rounds, beside))
    ours = version is None
    return Figure(
        name=f"peers.engine.{one.key}.{key}",
        group=GROUP,
        title=title,
        unit=unit,
        better=better,
        measured=series(own),
        of=f"South Seas, {one.key}" if ours else f"{one.library} {version}{one.title}",
        ceiling=series(other) if ours else None,
        ceiling_title=BESIDE if ours else "",
        ratio=(ratios(own, other) if better == "more" else ratios(other, own)) if ours else None,
        note=_note(key, rounds),
    )


def _note(key: str, rounds: Sequence[Round]) -> str:
    if key == "games":
        return f"{sum(told['actions'] / told['games'] for told in rounds) / len(rounds):.0f} actions a game"
    return f"{rounds[0]['bytes']:.0f} bytes" if key == "encode" else ""
