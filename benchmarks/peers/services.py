"""South Seas, boardgame.io and Colyseus under the same 32 matches of two clients, in turn, each server on one core."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from benchmarks.peers.contenders import BESIDE, MATCHES, OURS, PEERS, Contender, contenders, mid_game
from benchmarks.peers.matches import Match, Played, play
from benchmarks.peers.ours import our_games
from benchmarks.peers.programs import node_version, version_of
from benchmarks.results import Figure, percentile, ratios, series
from benchmarks.run import Run

GROUP = "Services beside peers"
SECONDS = 2.0
WARM_UP_S = 2.0
SETTLE_S = 0.2
REACH_P99_MS = 10.0
REACH_TIMES = 2.0

NOTES = (
    (
        f"services: {MATCHES} matches of two clients on WebSockets, players alternate; a move counts when the other "
        "client has its update; each server has one core, the load and Redis the other (its time is not counted)"
    ),
    (
        "full load: each match sends its next move as soon as it may; half load: each server at half of the moves "
        "per second that it had just done, evenly spread, and a move that is overdue counts from when it was due"
    ),
    (
        "South Seas has everything on: rules, Redis, seat token, If-Match, idempotency key and log; "
        "the peers check who moves and change one cell of the state, know no rules and keep all in memory"
    ),
    (
        "boardgame.io sends the whole state by default and patches with deltaState; "
        "Colyseus sends patches every 50 ms by default, or at once with broadcastPatch() after each move"
    ),
)


class Loaded(NamedTuple):
    """What one load of one server measured."""

    played: Played
    micros: float
    """The server's processor time for one move."""

    def millis(self, percent: float) -> float:
        """How long a move took to the other client."""
        return percentile(self.played.seconds, percent) * 1e3


class Measured(NamedTuple):
    """One round of one server."""

    full: Loaded
    half: Loaded | None


async def services(run: Run, node: Path, build: str) -> tuple[list[Figure], list[str], dict[str, str]]:
    """The figures of each, ours with that build of the engine, notes, and the peers' versions."""
    run.tell("services: starting all of them")
    games = our_games()
    async with contenders(node, build, games) as found:
        for one in found:
            await _load(one, run.seconds(WARM_UP_S))
        rounds = await run.in_turn("services", *(partial(_round, one, run.seconds(SECONDS)) for one in found))
    busy = max(one.full.played.busy for own in rounds for one in own)
    load = f"the load is the same bare client for all, and took at most {busy:.0%} of its core"
    versions = {peer.package: version_of(peer.package) for peer in PEERS}
    versions |= {package: version_of(package) for package in ("@colyseus/ws-transport", "@colyseus/schema")}
    versions["node"] = node_version(node)
    mean = sum(game.game_bytes for game in games) // len(games)
    sizes = f"the state: GAME, {mean:,} bytes of JSON in the mean of a game; peers keep one of {len(mid_game()):,}"
    return _figures(dict(zip(found, rounds, strict=True))), [*NOTES, sizes, load], versions


async def _round(one: Contender, seconds: float, _: int) -> Measured:
    full = await _load(one, seconds)
    half = await _load(one, seconds, full.played.per_second / 2) if one.paced else None
    return Measured(full, half)


async def _load(one: Contender, seconds: float, per_second: float | None = None) -> Loaded:
    async with _opened(one, seconds) as matches:
        before = one.server.cpu_s()
        played = await play(matches, seconds, per_second)
        spent = one.server.cpu_s() - before
    return Loaded(played, spent / len(played.seconds) * 1e6)


@asynccontextmanager
async def _opened(one: Contender, seconds: float) -> AsyncIterator[list[Match]]:
    """Fresh matches, all clients there and nothing else going on."""
    matches = await one.open(seconds)
    try:
        await asyncio.sleep(SETTLE_S)
        yield matches
    finally:
        for match in matches:
            match.close()
        await asyncio.sleep(SETTLE_S)


def _half(percent: float, one: Measured) -> float | None:
    return one.half and one.half.millis(percent)


class Question(NamedTuple):
    """One figure of each server."""

    key: str
    title: str
    unit: str
    of: Callable[[Measured], float | None]
    better: Literal["more", "less"] = "less"
    reach: float | None = None
    reach_ratio: float | None = None


QUESTIONS = (
    Question(
        "rate",
        "all matches at once",
        "moves/s",
        lambda one: one.full.played.per_second,
        "more",
        reach_ratio=REACH_TIMES,
    ),
    Question("micros", "processor time of one move", "µs", lambda one: one.full.micros),
    Question("full.p50", "to the other client at full load, p50", "ms", lambda one: one.full.millis(50)),
    Question("full.p99", "to the other client at full load, p99", "ms", lambda one: one.full.millis(99)),
    Question("half.p50", "to the other client at half load, p50", "ms", partial(_half, 50)),
    Question(
        "half.p99",
        "to the other client at half load, p99",
        "ms",
        partial(_half, 99),
        reach=REACH_P99_MS,
        reach_ratio=1.0,
    ),
)


def _figures(measured: Mapping[Contender, Sequence[Measured]]) -> list[Figure]:
    """Question by question what each was measured at; ours with its ratio to boardgame.io's of the same round."""
    beside = next(rounds for one, rounds in measured.items() if one.key == BESIDE)
    made = (_figure(question, one, rounds, beside) for question in QUESTIONS for one, rounds in measured.items())
    return [figure for figure in made if figure is not None]


def _figure(
    question: Question, one: Contender, rounds: Sequence[Measured], beside: Sequence[Measured]
) -> Figure | None:
    own, other = (
        [number for measured in some if (number := question.of(measured)) is not None] for some in (rounds, beside)
    )
    if not own:
        return None
    ours = one.key in OURS
    return Figure(
        name=f"peers.service.{one.key}.{question.key}",
        group=GROUP,
        title=question.title,
        unit=question.unit,
        better=question.better,
        measured=series(own),
        of=one.of,
        ceiling=series(other) if ours else None,
        ceiling_title="boardgame.io" if ours else "",
        ratio=(ratios(own, other) if question.better == "more" else ratios(other, own)) if ours else None,
        reach=question.reach if ours else None,
        reach_ratio=question.reach_ratio if ours else None,
    )
