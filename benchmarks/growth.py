"""What a thousand, ten thousand and a hundred thousand stored games change: nothing should grow with their number."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec
from redis.asyncio import Redis

from benchmarks.action import SETTLING_TIME_S
from benchmarks.load_client import send_load
from benchmarks.memory import measure_start
from benchmarks.processes import Server, service
from benchmarks.request_corpus import create, posts
from benchmarks.results import Figure, percentile
from benchmarks.run import Run
from benchmarks.sample_games import samples
from schemas.lobby import CreateGame, SeatRequest
from service.games.commands.create import CreationRequest
from service.games.commands.create import create as create_in_store
from service.games.ports import Change
from service.games.repository import Context
from service.games.tilesets import load_catalogue
from service.store.embedded import embedded_server
from service.store.game_store import connect

GROUP = "Growth"
SIZES = (1, 1_000, 10_000, 100_000)
QUICK_SIZES = (1, 100)
MIN_GAMES_FOR_MEMORY = 100
"""With fewer, the buffers of connections are most of the difference."""
PAGE = 20
CREATOR = "key-of-the-lists-9f86d081884c7d659a2feaa0c55ad015"
TURN_TIMEOUT_S = 7 * 86_400
AT_ONCE = 200
"""Games that are created concurrently, so that their commits share pipelines."""
PROGRESS_GAMES = 10_000
ACTION_GAMES = 2
"""Games that are played one after the other in each round."""
LIST_REQUESTS = 100
ROUND_TIMEOUT_S = 60.0


class Sized(NamedTuple):
    """An instance on a Redis with this number of games."""

    games: int
    directory: Path
    redis_url: str
    server: Server
    kilobytes: float
    """The memory of a game in Redis, with its share of all indexes."""


class GrowthRound(NamedTuple):
    """One round of one instance."""

    action_p50_ms: float
    action_p99_ms: float
    lobby_ms: float
    my_games_ms: float
    ready_s: float
    """From the start of a further instance to its readiness."""


MEASUREMENTS: Sequence[tuple[str, str, str, Callable[[GrowthRound], float]]] = (
    ("action.p50", "an action, p50", "ms", lambda one: one.action_p50_ms),
    ("action.p99", "an action, p99", "ms", lambda one: one.action_p99_ms),
    ("lobby", "a lobby page", "ms", lambda one: one.lobby_ms),
    ("mine", '"my games"', "ms", lambda one: one.my_games_ms),
    ("ready", "start to ready", "s", lambda one: one.ready_s),
)
"""The name, title, unit and value of each figure."""


async def growth(run: Run) -> None:
    """Measure instances on Redises with different numbers of games, in turn; then starts that load these games."""
    sizes = QUICK_SIZES if run.quick else SIZES
    async with AsyncExitStack() as directories:
        async with AsyncExitStack() as stack:
            instances = []
            for games in sizes:
                directory = Path(directories.enter_context(tempfile.TemporaryDirectory()))
                instances.append(await stack.enter_async_context(_sized(run, directory, games)))
            rounds = await run.measure_in_turn("growth", *(partial(_measure, run, one) for one in instances))
        loads = await run.measure_in_turn("growth, own Redis", *(partial(_start_own, one) for one in instances))
    run.figures += figures(instances, rounds, loads)
    run.notes += [
        f"the games are public and new, for two people, with a deadline; {PAGE} more are those of one client",
        "most memory of a new game is the 4 KB that Redis reserves for the first entries of its log",
        f"one request at a time, medians unless the column says otherwise; a page has {PAGE} games",
        "all instances run at once and are measured in turn, so that a slower minute of the machine slows all of them",
    ]


def figures(
    instances: Sequence[Sized], rounds: Sequence[Sequence[GrowthRound]], loads: Sequence[Sequence[float]]
) -> Iterator[Figure]:
    """Yield the figures of each number of games."""
    for instance, measured, own_s in zip(instances, rounds, loads, strict=True):
        values = [(name, title, unit, [*map(of, measured)]) for name, title, unit, of in MEASUREMENTS]
        values.append(("ready.own-redis", "start to ready, loading its own Redis", "s", [*own_s]))
        if instance.games >= MIN_GAMES_FOR_MEMORY:
            values.append(("memory", "Redis memory for a game", "KB", [instance.kilobytes]))
        for name, title, unit, each in values:
            figure = (f"growth.{name}.{instance.games}", GROUP, title, unit, each)
            yield Figure(*figure, better="less", of=f"{instance.games:,} game{'s' if instance.games > 1 else ''}")


@asynccontextmanager
async def _sized(run: Run, directory: Path, games: int) -> AsyncIterator[Sized]:
    """Run an instance on a Redis with this number of games, and those of one client."""
    async with embedded_server(directory) as started, Redis.from_url(started.url) as connection:
        await _fill(run, started.url, PAGE, creator=CREATOR)
        before = (await connection.info("memory"))["used_memory"]
        await _fill(run, started.url, games)
        kilobytes = ((await connection.info("memory"))["used_memory"] - before) / games / 1e3
        async with service(started.url) as server:
            yield Sized(games, directory, started.url, server, kilobytes)


async def _fill(run: Run, redis_url: str, games: int, creator: str | None = None) -> None:
    """Create games by the service's own command, without HTTP, a second apart until now."""
    body = CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(name="Bo")], turn_timeout_s=TURN_TIMEOUT_S)
    first_at = time.time() - games
    async with connect(redis_url) as store:
        context = Context(store=store, tilesets=load_catalogue(None), clock=time.time, on_committed=_ignore)
        for number in range(0, games, AT_ONCE):
            if number % PROGRESS_GAMES == 0 and creator is None:
                run.report(f"growth: {number:,} of {games:,} games are stored")
            contexts = (
                msgspec.structs.replace(context, clock=partial(float, first_at + created))
                for created in range(number, min(number + AT_ONCE, games))
            )
            await asyncio.gather(
                *(create_in_store(one, CreationRequest(body=body, creator_key=creator)) for one in contexts)
            )


def _ignore(_change: Change) -> None:
    """Tell nobody of a commit."""


async def _measure(run: Run, one: Sized, number: int) -> GrowthRound:
    """Play new games, request lists, and start a further instance."""
    played = [samples()[(number * ACTION_GAMES + each) % len(samples())] for each in range(ACTION_GAMES)]
    created = await create(one.server.port, (game.seed for game in played))
    actions = [*chain.from_iterable(posts(game, sample.moves) for game, sample in zip(created, played, strict=True))]
    lobby, mine = (
        _get(f"/v1/games?limit={PAGE}"),
        _get(f"/v1/seats/me/games?limit={PAGE}", f"Authorization: Bearer {CREATOR}\r\n"),
    )
    times = []
    for requests in (actions, [lobby] * LIST_REQUESTS, [mine] * LIST_REQUESTS):
        await asyncio.sleep(SETTLING_TIME_S / 4)
        load = await send_load(one.server.port, [requests[: run.number(len(requests))]], ROUND_TIMEOUT_S)
        times.append([second * 1e3 for second in load.seconds])
    action, lobby_pages, own_pages = times
    ready_s, _ = await measure_start("--redis-url", one.redis_url)
    return GrowthRound(median(action), percentile(action, 99), median(lobby_pages), median(own_pages), ready_s)


async def _start_own(one: Sized, _: int) -> float:
    """Start an instance with a Redis of its own on these games, after all others have ended."""
    return (await measure_start("--data-dir", str(one.directory)))[0]


def _get(path: str, headers: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode()
