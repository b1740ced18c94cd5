"""The service on one core: actions per second, and what reaches a thousand sockets, beside the ceilings of bare.py."""

import asyncio
import itertools
import secrets
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import aiohttp
import msgspec

from benchmarks.load import Load, load, post
from benchmarks.processes import Server, server
from benchmarks.report import Figure, percentile, spread
from benchmarks.sample import SampleGame, archipelago, sample_game
from benchmarks.watchers import Watchers

CONCURRENT = 32
SECONDS = 4.0
ROUNDS = 5
GAMES_PER_CONNECTION = 8
SAMPLES = 24
ANSWER_EXTRA = 140
"""What an action's answer has around its one diff."""

WATCHERS = 1_000
DIFFS_PER_ROUND = 140
IDLE_WATCHERS = 1_000


class Sample(NamedTuple):
    """The games that are played, and their mean sizes in bytes."""

    games: list[SampleGame]
    snapshot: int
    diff: int
    answer: int


def sample() -> Sample:
    """Random games played beforehand."""
    tables = archipelago().tables
    games = [sample_game(tables, f"load-{number}") for number in range(SAMPLES)]
    diff = sum(game.diff_bytes for game in games) // len(games)
    snapshot = sum(game.snapshot_bytes for game in games) // len(games)
    return Sample(games, snapshot, diff, diff + ANSWER_EXTRA)


async def service_figures(redis_url: str) -> list[Figure]:
    """Rounds of the service and of its ceilings in turn, so that both meet the same noise."""
    sizes = sample()
    bare_arguments = ("-m", "benchmarks.bare", redis_url, str(sizes.snapshot), str(sizes.diff), str(sizes.answer))
    flags = ("--port", "0", "--redis-url", redis_url, "--log-level", "error")
    async with server("-m", "service.main", "serve", *flags) as ours, server(*bare_arguments) as bare:
        idle = await _idle(ours)
        acted = await _actions(ours, bare, sizes)
        delivered = await _deliveries(ours, bare, sizes)
    return [*acted, *delivered, idle]


async def _actions(ours: Server, bare: Server, sizes: Sample) -> list[Figure]:
    measured: list[Load] = []
    ceilings: list[Load] = []
    for number in range(ROUNDS):
        measured.append(await load(ours.port, await _prepare(ours, sizes.games), SECONDS))
        ceilings.append(await load(bare.port, _bare_requests(sizes, number), SECONDS))
    if refused := sum(one.refused for one in measured):
        raise RuntimeError(f"{refused} actions were refused")
    ratios = [one.per_second / ceiling.per_second for one, ceiling in zip(measured, ceilings, strict=True)]
    millis = [second * 1e3 for one in measured for second in one.seconds]
    return [
        Figure("bare aiohttp with the same Redis traffic, per second", spread([one.per_second for one in ceilings])),
        Figure(
            f"actions per second, {CONCURRENT} games at once",
            spread([one.per_second for one in measured]),
            f"{median(ratios):.2f}",
            "0.4",
        ),
        Figure("one action: median (p99)", f"{median(millis):.1f} ms ({percentile(millis, 99):.1f})"),
    ]


async def _prepare(ours: Server, games: Sequence[SampleGame]) -> list[list[bytes]]:
    """Create the games of a round, and all their requests: token, If-Match and a fresh idempotency key in each."""
    samples = itertools.cycle(games)
    requests: list[list[bytes]] = []
    async with aiohttp.ClientSession(f"http://127.0.0.1:{ours.port}") as session:
        for _ in range(CONCURRENT):
            own: list[bytes] = []
            for game in itertools.islice(samples, GAMES_PER_CONNECTION):
                created = await _create(session, game.seed)
                own += _action_requests(created, game.moves)
            requests.append(own)
    return requests


async def _create(session: aiohttp.ClientSession, seed: str) -> dict[str, Any]:
    asked = {"players": [{"name": "Ana"}, {"name": "Bo"}], "seed": seed, "first_seat": 0}
    async with session.post("/v1/games", json=asked) as response:
        response.raise_for_status()
        created: dict[str, Any] = await response.json()
        return created


def _action_requests(created: dict[str, Any], moves: Sequence[str]) -> list[bytes]:
    path = f"/v1/games/{created['game']['id']}/actions"
    return [
        post(
            path,
            msgspec.json.encode({"move": move}),
            f'Authorization: Bearer {created["owner_token"]}\r\nIf-Match: "{version}"\r\n'
            f"Idempotency-Key: {secrets.token_hex(16)}\r\n",
        )
        for version, move in enumerate(moves, created["game"]["version"])
    ]


def _bare_requests(sizes: Sample, number: int) -> list[list[bytes]]:
    """As many requests of the same length."""
    headers = f'Authorization: Bearer {"t" * 43}\r\nIf-Match: "100"\r\nIdempotency-Key: {"k" * 32}\r\n'
    body = msgspec.json.encode({"move": sizes.games[0].moves[0]})
    return [
        [post(f"/bare/r{number}c{connection}", body, headers)] * (GAMES_PER_CONNECTION * 150)
        for connection in range(CONCURRENT)
    ]


async def _deliveries(ours: Server, bare: Server, sizes: Sample) -> list[Figure]:
    """One game's diffs to a thousand sockets, as fast as one connection acts."""
    measured, ceilings = [], []
    for number in range(ROUNDS):
        game = sizes.games[number]
        async with aiohttp.ClientSession(f"http://127.0.0.1:{ours.port}") as session:
            created = await _create(session, game.seed)
        moves = _action_requests(created, game.moves[:DIFFS_PER_ROUND])
        watched = f"/v1/games/{created['game']['id']}/ws"
        measured.append(await _delivered(ours.port, watched, b'"type":"diff"', moves))
        writes = [post("/fan-out", b"{}")] * DIFFS_PER_ROUND
        ceilings.append(await _delivered(bare.port, "/watch", b"md", writes))
    ratios = [one / ceiling for one, ceiling in zip(measured, ceilings, strict=True)]
    return [
        Figure(f"bare loop writing to {WATCHERS:,} sockets, deliveries per second", spread(ceilings)),
        Figure(f"deliveries per second to {WATCHERS:,} sockets", spread(measured), f"{median(ratios):.2f}", "0.8"),
    ]


async def _delivered(port: int, path: str, mark: bytes, requests: list[bytes]) -> float:
    """Deliveries per second from the first request until every watcher has everything."""
    async with Watchers(port, path, WATCHERS) as watchers:
        return await watchers.measure(len(requests), mark, lambda: load(port, [requests], 60.0))


async def _idle(ours: Server) -> Figure:
    """Memory of a socket that watches and hears nothing; measured first, while nothing freed could be used again."""
    async with aiohttp.ClientSession(f"http://127.0.0.1:{ours.port}") as session:
        created = await _create(session, "idle")
    before = ours.rss_bytes()
    async with Watchers(ours.port, f"/v1/games/{created['game']['id']}/ws", IDLE_WATCHERS):
        await asyncio.sleep(1)
        per_socket = (ours.rss_bytes() - before) / IDLE_WATCHERS
    return Figure("memory per idle socket", f"{per_socket / 1024:.1f} KB", reach="20 KB")
