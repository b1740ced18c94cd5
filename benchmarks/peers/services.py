"""South Seas, boardgame.io and Colyseus under the same 32 matches of two clients, in turn, each server on one core."""

import asyncio
import math
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import msgspec

from benchmarks.matches import Match, PlayedMatches, play, service_matches
from benchmarks.peers.boardgame import boardgame_matches
from benchmarks.peers.colyseus import colyseus_matches
from benchmarks.peers.installed import FOLDER, MODULES, NODE, require, version_of
from benchmarks.processes import Server, redis, server, service
from benchmarks.results import Figure, percentile
from benchmarks.run import Run
from benchmarks.sample_games import MID_GAME_TILES, archipelago, games_at, samples
from service.engine import build_view

GROUP = "Services beside peers"
MATCHES = 32
MAX_PER_SECOND = 12_000
"""So many moves of ours are prepared at most."""
SHORTEST_GAME = 120
LEAD_IN_MOVES = 72
"""Moves of ours that are not measured: from a game's beginning to its middle, where the peers begin."""
LEAD_IN_S = 10.0
SECONDS = 2.0
SETTLE_S = 0.2

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


class Peer(NamedTuple):
    """A server in Node."""

    key: str
    package: str
    program: tuple[str, str]
    told: str
    open: Callable[[int, int], Awaitable[list[Match]]]


PEERS = (
    Peer("boardgame", "boardgame.io", ("boardgame.mjs", "whole"), "", boardgame_matches),
    Peer("boardgame-patches", "boardgame.io", ("boardgame.mjs", "patches"), " with deltaState", boardgame_matches),
    Peer("colyseus", "@colyseus/core", ("colyseus.mjs", "at-once"), " with broadcastPatch()", colyseus_matches),
    Peer("colyseus-50-ms", "@colyseus/core", ("colyseus.mjs", "every-50-ms"), "", colyseus_matches),
)
PACKAGES = (*dict.fromkeys(peer.package for peer in PEERS), "@colyseus/ws-transport", "@colyseus/schema")
SOUTH_SEAS = {"post": "South Seas by POST", "socket": "South Seas by WebSocket"}
REFERENCE = "boardgame"
"""Whom ours is compared with: boardgame.io as it is set up by default, which is also its faster way."""
UNPACED = "colyseus-50-ms"
"""Who is not measured at half of its maximum, since its clock sets that."""


class Contender(NamedTuple):
    """One server, and how fresh matches are opened on it."""

    key: str
    of: str
    server: Server
    open: Callable[[], Awaitable[list[Match]]]


class LoadResult(NamedTuple):
    """What one load of one server measured."""

    played: PlayedMatches
    micros: float
    """The server's processor time for one move."""

    def millis(self, percent: float) -> float:
        """Return how long a move took to the other client."""
        return percentile(self.played.seconds, percent) * 1e3


class Measured(NamedTuple):
    """One round of one server."""

    full: LoadResult
    half: LoadResult | None


async def services(run: Run) -> None:
    """Measure each."""
    require(MODULES, NODE)
    run.report("services: starting all of them")
    async with contenders(run) as result:
        for one in result:
            await _load(one, run.seconds(SECONDS))
        rounds = await run.measure_in_turn(
            "services", *(partial(_run_round, one, run.seconds(SECONDS)) for one in result)
        )
    run.figures += figures({one.key: (one, received) for one, received in zip(result, rounds, strict=True)})
    run.versions |= {package: version_of(package) for package in PACKAGES}
    run.versions["node"] = version_of(NODE.resolve().parents[1].name)
    busy = max(one.full.played.busy for own in rounds for one in own)
    size = mean(mean(game.views) for game in samples())
    run.notes += NOTES
    run.notes += [
        f"the state: GAME, {size:,.0f} bytes of JSON in the mean of a game; peers keep one of {len(mid_game()):,}",
        f"the load is the same bare client for all, and took at most {busy:.0%} of its core",
    ]


@asynccontextmanager
async def contenders(run: Run) -> AsyncIterator[list[Contender]]:
    """Start all of them, ours first."""
    async with AsyncExitStack() as stack:
        position = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "position.json"
        position.write_bytes(mid_game())
        ours = await stack.enter_async_context(service(await stack.enter_async_context(redis())))
        each = math.ceil((run.seconds(SECONDS) * MAX_PER_SECOND / MATCHES + LEAD_IN_MOVES) / SHORTEST_GAME)
        result = [
            Contender(key, of, ours, partial(_service_matches, ours.port, each, by_post=key == "post"))
            for key, of in SOUTH_SEAS.items()
        ]
        os.environ["NODE_ENV"] = "production"
        for peer in PEERS:
            program, how = peer.program
            started = await stack.enter_async_context(server(NODE, FOLDER / program, position, how))
            of = f"{peer.package} {version_of(peer.package)}{peer.told}"
            result.append(Contender(peer.key, of, started, partial(peer.open, started.port, MATCHES)))
        yield result


def mid_game() -> bytes:
    """Return GAME in the middle of a random game, as JSON: the state that the peers keep."""
    index = archipelago().index
    return msgspec.json.encode(build_view(index, games_at(index, MID_GAME_TILES, 1)[0]))


async def _service_matches(port: int, games_each: int, *, by_post: bool) -> list[Match]:
    matches = await service_matches(port, MATCHES, games_each, by_post=by_post)
    await play(matches, LEAD_IN_S, most=LEAD_IN_MOVES)
    return matches


async def _run_round(one: Contender, seconds: float, _: int) -> Measured:
    full = await _load(one, seconds)
    return Measured(full, await _load(one, seconds, full.played.per_second / 2) if one.key != UNPACED else None)


async def _load(one: Contender, seconds: float, per_second: float | None = None) -> LoadResult:
    """Play fresh matches while nothing else goes on."""
    matches = await one.open()
    try:
        await asyncio.sleep(SETTLE_S)
        before = one.server.cpu_s()
        played = await play(matches, seconds, per_second)
        spent = one.server.cpu_s() - before
    finally:
        for match in matches:
            match.close()
        await asyncio.sleep(SETTLE_S)
    return LoadResult(played, spent / len(played.seconds) * 1e6)


MEASUREMENTS: Sequence[tuple[str, str, str, Callable[[Measured], float | None], str]] = (
    ("rate", "all matches at once", "moves/s", lambda one: one.full.played.per_second, "2 times"),
    ("micros", "processor time of one move", "µs", lambda one: one.full.micros, ""),
    ("full.p50", "to the other client at full load, p50", "ms", lambda one: one.full.millis(50), ""),
    ("full.p99", "to the other client at full load, p99", "ms", lambda one: one.full.millis(99), ""),
    ("half.p50", "to the other client at half load, p50", "ms", lambda one: one.half and one.half.millis(50), ""),
    (
        *("half.p99", "to the other client at half load, p99", "ms"),
        *(lambda one: one.half and one.half.millis(99), "under 10 ms and 1 times"),
    ),
)
"""Name, title, unit, answer and target of each figure."""


def figures(measured: Mapping[str, tuple[Contender, Sequence[Measured]]]) -> list[Figure]:
    """Make question by question a figure of each; ours with its ratio to boardgame.io's of the same round."""
    created = []
    for key, title, unit, answer, target in MEASUREMENTS:
        answers = {who: [number for one in rounds if (number := answer(one))] for who, (_, rounds) in measured.items()}
        for who, numbers in answers.items():
            if numbers:
                figure = Figure(
                    *(f"peers.service.{who}.{key}", GROUP, title, unit, numbers),
                    better="more" if key == "rate" else "less",
                    of=measured[who][0].of,
                    ceiling=answers[REFERENCE] if who in SOUTH_SEAS else None,
                    ceiling_title="boardgame.io" if who in SOUTH_SEAS else "",
                    target=target if who in SOUTH_SEAS else "",
                )
                created.append(figure)
    return created
