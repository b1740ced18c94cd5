"""From a POST to the second client: at half of what the service can do, how long until another client has the diff."""

import asyncio
from collections import deque
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import cast

from benchmarks.action import GROUP, Pair, measure_ours, pair
from benchmarks.answers import OK, Answers
from benchmarks.asked import CONCURRENT, actions, create
from benchmarks.processes import Server
from benchmarks.results import Figure, percentile, series
from benchmarks.run import Run
from benchmarks.sample import SampleGame
from benchmarks.watchers import UPGRADE

SECONDS = 4.0
SHARE = 0.5
REACH_P99_MS = 10.0
DIFF = b'"type":"diff"'
PATIENCE_S = 5.0
"""How long the last diffs may take."""
STEP_S = 0.001
"""The loop's timers count whole milliseconds: with less it would be busy. What is due meanwhile goes together."""


async def latency(run: Run) -> tuple[list[Figure], list[str]]:
    """Median and p99 of what reached the second clients, paced at half of the rate of a round before."""
    async with pair(run) as both:
        await measure_ours(run, both)
        most = (await measure_ours(run, both)).per_second
        (rounds,) = await run.in_turn("latency", lambda _: _paced(run, both, SHARE * most))
    note = (
        f"at {SHARE * most:,.0f} actions/s, half of what it did before, to a WebSocket of another client in each game"
    )
    return [_figure(rounds, 50, note), _figure(rounds, 99)], []


def _figure(rounds: Sequence[Sequence[float]], percent: int, note: str = "") -> Figure:
    return Figure(
        name=f"action.to-second-client.p{percent}",
        group=GROUP,
        title=f"POST to the second client's diff, p{percent}",
        unit="ms",
        better="less",
        measured=series([percentile(seconds, percent) * 1e3 for seconds in rounds]),
        reach=REACH_P99_MS if percent == 99 else None,
        note=note,
    )


async def _paced(run: Run, both: Pair, rate: float) -> list[float]:
    """The seconds of each diff of one round, in as many games as the load has connections."""
    length = run.seconds(SECONDS)
    games = (both.sample.games * 2)[:CONCURRENT]
    matches = [await _match(both.ours, game) for game in games]
    loop = asyncio.get_running_loop()
    begin, sent = loop.time() + 0.05, 0
    while (now := loop.time()) < begin + length:
        while begin + sent / rate <= now:
            matches[sent % len(matches)].act(perf_counter() - (now - begin - sent / rate))
            sent += 1
        await asyncio.sleep(STEP_S)
    until = loop.time() + PATIENCE_S
    while (missing := sum(match.missing for match in matches)) and loop.time() < until:  # noqa: ASYNC110 (as above)
        await asyncio.sleep(STEP_S)
    for match in matches:
        match.close()
    if missing:
        raise RuntimeError(f"{missing} diffs did not come within {PATIENCE_S:g} s")
    return [second for match in matches for second in match.seconds]


async def _match(ours: Server, game: SampleGame) -> "_Match":
    """A game with its two clients: one acts over HTTP, the other watches."""
    created = await create(ours, game.seed)
    loop = asyncio.get_running_loop()
    match = _Match(actions(created, game.moves))
    _, actor = await loop.create_connection(partial(_Actor, match), "127.0.0.1", ours.port)
    transport, _ = await loop.create_connection(partial(_Watcher, match), "127.0.0.1", ours.port)
    transport.write(UPGRADE.format(path=f"/v1/games/{created.id}/ws").encode())
    match.actor, match.watcher = actor, transport
    async with asyncio.timeout(5):
        await match.watched.wait()
    return match


class _Match:
    """One game: when each action was due, and how long its diff took to the watcher."""

    actor: "_Actor"
    watcher: asyncio.BaseTransport

    def __init__(self, requests: Sequence[bytes]) -> None:
        self.seconds: list[float] = []
        self.watched = asyncio.Event()
        self._requests = deque(requests)
        self._due: deque[float] = deque()
        self._unsent: deque[float] = deque()

    @property
    def missing(self) -> int:
        """Actions whose diff has not come."""
        return len(self._due)

    def act(self, due: float) -> None:
        """Send the next action, or have it wait for the answer to the one before; its time runs from `due`."""
        if len(self._unsent) >= len(self._requests):
            return
        self._due.append(due)
        self._unsent.append(due)
        self.send()

    def send(self) -> None:
        """Send what waits, if nothing is under way."""
        if self._unsent and not self.actor.busy:
            self._unsent.popleft()
            self.actor.send(self._requests.popleft())

    def told(self, diffs: int) -> None:
        """So many diffs have come to the watcher."""
        now = perf_counter()
        self.seconds += [now - self._due.popleft() for _ in range(diffs)]

    def close(self) -> None:
        """Close both connections."""
        self.actor.transport.close()
        cast("asyncio.Transport", self.watcher).abort()


class _Actor(Answers):
    """The first client's connection."""

    def __init__(self, match: _Match) -> None:
        super().__init__()
        self.busy = False
        self._match = match

    def answered(self, answer: bytes) -> None:
        if not answer.startswith(OK):
            raise RuntimeError(answer.decode())
        self.busy = False
        self._match.send()

    def send(self, request: bytes) -> None:
        self.busy = True
        self.transport.write(request)


class _Watcher(asyncio.Protocol):
    """The second client's connection."""

    def __init__(self, match: _Match) -> None:
        self._match = match
        self._tail = b""

    def data_received(self, data: bytes) -> None:
        data = self._tail + data
        if not self._match.watched.is_set():
            if b'"type":"snapshot"' in data or DIFF in data:
                self._match.watched.set()
            return
        self._match.told(data.count(DIFF))
        self._tail = data[-len(DIFF) + 1 :]
