"""South Seas, boardgame.io and Colyseus with the same 32 matches of two clients, in turn, each server on one core."""

import asyncio
import math
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from benchmarks.matches import Match, PlayedMatches, play, service_matches
from benchmarks.peers.boardgame import boardgame_matches
from benchmarks.peers.colyseus import colyseus_matches
from benchmarks.peers.installed import FOLDER, MODULES, NODE, require, version_of
from benchmarks.processes import Server, redis, server, service
from benchmarks.results import Figure, percentile
from benchmarks.run import Run
from benchmarks.sample_games import MID_GAME_TILES, games_at, lagoon, samples
from service.engine import build_view

GROUP = "Services beside peers"
MATCHES = 32
MAX_PER_SECOND = 12_000
"""The number of prepared moves of South Seas allows at most this rate."""
SHORTEST_GAME = 120
LEAD_IN_MOVES = 72
"""Unmeasured moves of South Seas, from the start of a game to its middle, where the peers start."""
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
        "the peers check who moves and change one cell of the state, know no rules, and keep all in memory "
        "unless they are on Redis"
    ),
    (
        "on Redis: a peer writes each move to the same Redis with one command, and sends it on once Redis has replied; "
        "boardgame.io its state and log entry, as its storage interface asks, Colyseus the move with XADD"
    ),
    (
        "boardgame.io sends the whole state by default and patches with deltaState; "
        "Colyseus sends patches every 50 ms by default, or at once with broadcastPatch() after each move"
    ),
)


class Peer(NamedTuple):
    """A server in Node.js."""

    key: str
    package: str
    program: tuple[str, str]
    suffix: str
    """What the table adds to the name of the package."""
    open: Callable[[int, int], Awaitable[list[Match]]]
    is_durable: bool = False
    """Whether a move is in Redis before it is sent on."""


_BOARDGAME, _COLYSEUS = ("boardgame.mjs", "whole"), ("colyseus.mjs", "at-once")
PEERS = (
    Peer("boardgame-durable", "boardgame.io", _BOARDGAME, " on Redis", boardgame_matches, is_durable=True),
    Peer("boardgame", "boardgame.io", _BOARDGAME, "", boardgame_matches),
    Peer("boardgame-patches", "boardgame.io", ("boardgame.mjs", "patches"), " with deltaState", boardgame_matches),
    Peer(
        *("colyseus-durable", "@colyseus/core", _COLYSEUS, " with broadcastPatch() on Redis", colyseus_matches),
        is_durable=True,
    ),
    Peer("colyseus", "@colyseus/core", _COLYSEUS, " with broadcastPatch()", colyseus_matches),
    Peer("colyseus-50-ms", "@colyseus/core", ("colyseus.mjs", "every-50-ms"), "", colyseus_matches),
)
PACKAGES = (
    *dict.fromkeys(peer.package for peer in PEERS),
    *("@colyseus/ws-transport", "@colyseus/schema", "@redis/client"),
)
SOUTH_SEAS = {"post": "South Seas by POST", "socket": "South Seas by WebSocket"}
REFERENCE = "boardgame-durable"
"""The peer that South Seas is compared with: it makes the same promise, with the settings that are the faster ones."""
UNPACED = "colyseus-50-ms"
"""The server that is not measured at half load, since its patch interval determines its rate."""


class Contender(NamedTuple):
    """One server, and how to open new matches on it."""

    key: str
    of: str
    server: Server
    open: Callable[[], Awaitable[list[Match]]]


class LoadResult(NamedTuple):
    """The result of one load of one server."""

    played: PlayedMatches
    cpu_us: float
    """The server's processor time for one move."""

    def latency_ms(self, percent: float) -> float:
        """Return a percentile of the time from a move to the other client's update."""
        return percentile(self.played.seconds, percent) * 1e3


class Measured(NamedTuple):
    """One round of one server."""

    full: LoadResult
    half: LoadResult | None


async def services(run: Run) -> None:
    """Measure each server."""
    require(MODULES, NODE)
    run.report("services: starting all servers")
    async with contenders(run) as entries:
        for entry in entries:
            await _load(entry, run.seconds(SECONDS))
        rounds = await run.measure_in_turn(
            "services", *(partial(_run_round, entry, run.seconds(SECONDS)) for entry in entries)
        )
    measured = {entry.key: (entry, results) for entry, results in zip(entries, rounds, strict=True)}
    run.figures += figures(measured)
    run.versions |= {package: version_of(package) for package in PACKAGES}
    run.versions["node"] = version_of(NODE.resolve().parents[1].name)
    utilization = max(one.full.played.client_utilization for results in rounds for one in results)
    size = mean(mean(game.views) for game in samples())
    run.notes += NOTES
    run.notes += [
        *comparisons(measured),
        f"the state: GAME, {size:,.0f} bytes of JSON in the mean of a game; peers have one of {len(mid_game()):,}",
        f"the load is the same bare client for all, and took at most {utilization:.0%} of its core",
    ]


@asynccontextmanager
async def contenders(run: Run) -> AsyncIterator[list[Contender]]:
    """Start all servers, South Seas first."""
    async with AsyncExitStack() as stack:
        position = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "position.json"
        position.write_bytes(mid_game())
        redis_url = await stack.enter_async_context(redis())
        south_seas = await stack.enter_async_context(service(redis_url))
        games_each = math.ceil((run.seconds(SECONDS) * MAX_PER_SECOND / MATCHES + LEAD_IN_MOVES) / SHORTEST_GAME)
        result = [
            Contender(
                key, of, south_seas, partial(_service_matches, south_seas.port, games_each, by_post=key == "post")
            )
            for key, of in SOUTH_SEAS.items()
        ]
        os.environ["NODE_ENV"] = "production"
        for peer in PEERS:
            program, mode = peer.program
            store = [unquote(urlsplit(redis_url).path)] if peer.is_durable else []
            started = await stack.enter_async_context(server(NODE, FOLDER / program, position, mode, *store))
            of = f"{peer.package} {version_of(peer.package)}{peer.suffix}"
            result.append(Contender(peer.key, of, started, partial(peer.open, started.port, MATCHES)))
        yield result


def mid_game() -> bytes:
    """Return GAME in the middle of a random game, as JSON: the initial state of the peers."""
    index = lagoon().index
    return msgspec.json.encode(build_view(index, games_at(index, MID_GAME_TILES, 1)[0]))


async def _service_matches(port: int, games_each: int, *, by_post: bool) -> list[Match]:
    matches = await service_matches(port, MATCHES, games_each, by_post=by_post)
    await play(matches, LEAD_IN_S, max_moves=LEAD_IN_MOVES)
    return matches


async def _run_round(entry: Contender, seconds: float, _: int) -> Measured:
    full = await _load(entry, seconds)
    return Measured(full, await _load(entry, seconds, full.played.per_second / 2) if entry.key != UNPACED else None)


async def _load(entry: Contender, seconds: float, per_second: float | None = None) -> LoadResult:
    """Play new matches on a server."""
    matches = await entry.open()
    try:
        await asyncio.sleep(SETTLE_S)
        before = entry.server.cpu_s()
        played = await play(matches, seconds, per_second)
        cpu_s = entry.server.cpu_s() - before
    finally:
        for match in matches:
            match.close()
        await asyncio.sleep(SETTLE_S)
    return LoadResult(played, cpu_s / len(played.seconds) * 1e6)


MEASUREMENTS: Sequence[tuple[str, str, str, Callable[[Measured], float | None], str]] = (
    ("rate", "all matches at once", "moves/s", lambda one: one.full.played.per_second, "1 times"),
    ("micros", "processor time of one move", "µs", lambda one: one.full.cpu_us, ""),
    ("full.p50", "to the other client at full load, p50", "ms", lambda one: one.full.latency_ms(50), ""),
    ("full.p99", "to the other client at full load, p99", "ms", lambda one: one.full.latency_ms(99), ""),
    ("half.p50", "to the other client at half load, p50", "ms", lambda one: one.half and one.half.latency_ms(50), ""),
    (
        *("half.p99", "to the other client at half load, p99", "ms"),
        *(lambda one: one.half and one.half.latency_ms(99), "under 10 ms and 1 times"),
    ),
)
"""The name, title, unit, value and target of each figure."""


def figures(measured: Mapping[str, tuple[Contender, Sequence[Measured]]]) -> list[Figure]:
    """Return for each measurement a figure of each server; those of South Seas with their ratio to REFERENCE's."""
    result = []
    for key, title, unit, get_value, target in MEASUREMENTS:
        values = {
            name: [value for one in rounds if (value := get_value(one))] for name, (_, rounds) in measured.items()
        }
        for name, rounds in values.items():
            if rounds:
                figure = Figure(
                    *(f"peers.service.{name}.{key}", GROUP, title, unit, rounds),
                    better="more" if key == "rate" else "less",
                    of=measured[name][0].of,
                    ceiling=values[REFERENCE] if name in SOUTH_SEAS else None,
                    ceiling_title=measured[REFERENCE][0].of if name in SOUTH_SEAS else "",
                    target=target if name in SOUTH_SEAS else "",
                )
                result.append(figure)
    return result


def comparisons(measured: Mapping[str, tuple[Contender, Sequence[Measured]]]) -> Iterator[str]:
    """Yield for each entry of South Seas the median ratio of its moves per second to those of each peer."""
    for name in SOUTH_SEAS:
        ours, rounds = measured[name]
        rates = [one.full.played.per_second for one in rounds]
        ratios = []
        for peer, others in measured.values():
            if peer.key not in SOUTH_SEAS:
                pairs = zip(rates, (one.full.played.per_second for one in others), strict=True)
                ratios.append(f"{median(rate / other for rate, other in pairs):.2f} times those of {peer.of}")
        yield f"moves per second of {ours.of}: {'; '.join(ratios)}"
