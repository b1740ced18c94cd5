"""Matches of two clients, which send the next move once the other client has the last one; for every server alike."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, cycle, islice
from time import perf_counter, process_time
from typing import NamedTuple

import msgspec

from benchmarks.load_client import OK, HTTPConnection, WebSocketConnection
from benchmarks.request_corpus import CreatedGame, create, messages, posts
from benchmarks.sample_games import SampleGame, samples
from benchmarks.watcher_clients import DIFF

GRACE_PERIOD_S = 10.0
"""How long the last moves may take after the end of the load, before a match counts as stuck."""
OPEN_TIMEOUT_S = 60.0


class PlayedMatches(NamedTuple):
    """The result of matches."""

    per_second: float
    """Moves that reached the other client."""
    seconds: list[float]
    """The latency of each move, from sending it to the other client's update."""
    client_utilization: float
    """The share of the time in which this process, the load generator, was busy."""


class Match(ABC):
    """One match. A subclass sends moves to its server, and calls `on_update` for each update that a client receives."""

    def __init__(self) -> None:
        self.sockets: list[WebSocketConnection] = []
        self.ready = asyncio.Event()
        """Set once both clients are connected."""
        self.moves = 0
        self.mover = 0
        self._updates = [0, 0]
        self._seconds: list[float] = []
        self._sent = 0.0
        self._next: asyncio.Future[None] | None = None

    @abstractmethod
    def send(self) -> int:
        """Send the next move of the seat whose turn it is, and return the seat."""

    async def play(self, start: float, until: float, interval_s: float, max_moves: float) -> list[float]:
        """Play from `start` until `until`, at most `max_moves`, and return the latency of each move in seconds.

        With an interval, moves are due that far apart, and the latency of a late one counts from when it was due.
        """
        self._seconds, due = [], start
        while len(self._seconds) < max_moves:
            now = perf_counter()
            if due > now:
                await asyncio.sleep(due - now)
                now = perf_counter()
            elif interval_s:
                now = due
            if perf_counter() >= until:
                break
            self._sent = now
            self._next = asyncio.get_running_loop().create_future()
            self.moves += 1
            self.mover = self.send()
            await self._next
            due += interval_s
        return self._seconds

    def on_update(self, seat: int) -> bool:
        """Count an update, and return whether it brought the last move to the other client.

        Each client gets one update for each move. Updates before the first move are ignored.
        """
        if not self.moves:
            return False
        self._updates[seat] += 1
        if seat == self.mover or self._updates[seat] < self.moves:
            return False
        self._seconds.append(perf_counter() - self._sent)
        return True

    def send_next(self) -> None:
        """Let `play` send the next move."""
        if self._next is not None and not self._next.done():
            self._next.set_result(None)

    def fail(self, reason: object) -> None:
        """Let `play` fail."""
        if self._next is not None and not self._next.done():
            self._next.set_exception(RuntimeError(str(reason)))

    def close(self) -> None:
        """Close the sockets at once."""
        for socket in self.sockets:
            socket.transport.abort()


async def play(
    matches: Sequence[Match], seconds: float, per_second: float | None = None, max_moves: float = float("inf")
) -> PlayedMatches:
    """Play matches concurrently, at full speed or with `per_second` moves in total, each at most `max_moves`."""
    interval_s = len(matches) / per_second if per_second else 0.0
    start = perf_counter() + 0.05
    until, before = start + seconds, process_time()
    tasks = [
        asyncio.create_task(match.play(start + interval_s * number / len(matches), until, interval_s, max_moves))
        for number, match in enumerate(matches)
    ]
    finished, stuck = await asyncio.wait(tasks, timeout=seconds + GRACE_PERIOD_S, return_when=asyncio.FIRST_EXCEPTION)
    duration_s, cpu_s = perf_counter() - start, process_time() - before
    for task in stuck:
        task.cancel()
    times = [second for task in finished for second in task.result()]
    if stuck:
        raise RuntimeError(f"{len(stuck)} of {len(matches)} matches got no update for {GRACE_PERIOD_S:g} s")
    return PlayedMatches(len(times) / duration_s, times, cpu_s / duration_s)


class ServiceMatch(Match):
    """Two players with their seats' tokens, on sockets for many games; they act there, or by POST."""

    def __init__(self, games: Sequence[CreatedGame], played: Sequence[SampleGame], *, by_post: bool) -> None:
        super().__init__()
        self._games = games
        self._by_post = by_post
        self._connections: list[HTTPConnection] = []
        self._requests = iter([*chain.from_iterable(map(self._prepare, games, played))])
        self._pending = 0
        self._snapshots = 2 * len(games)

    def _prepare(self, game: CreatedGame, played: SampleGame) -> Iterable[tuple[int, bytes]]:
        tokens = (game.tokens[seat] for seat in played.seats)
        requests = posts(game, played.moves, tokens) if self._by_post else messages(game, played)
        return zip(played.seats, requests, strict=True)

    async def open(self, port: int) -> None:
        """Connect both players, and subscribe them to all games of the match."""
        for seat in (0, 1):
            socket = await WebSocketConnection.open(port, "/v1/ws", partial(self._receive, seat))
            self.sockets.append(socket)
            for game in self._games:
                socket.send(msgspec.json.encode({"type": "auth", "game": game.id, "token": game.tokens[seat]}))
                socket.send(msgspec.json.encode({"type": "subscribe", "game": game.id}))
            self._connections.append(await HTTPConnection.open(port))
        async with asyncio.timeout(OPEN_TIMEOUT_S):
            await self.ready.wait()

    def send(self) -> int:
        """Send the move of the player who must decide, or the first move of the next game."""
        request = next(self._requests, None)
        if request is None:
            self.fail("too few games were prepared")
            return 0
        seat, data = request
        self._pending = 2
        if self._by_post:
            self._connections[seat].request(data).add_done_callback(self._read_response)
        else:
            self.sockets[seat].transport.write(data)
        return seat

    def close(self) -> None:
        """Close the sockets and the HTTP connections at once."""
        super().close()
        for connection in self._connections:
            connection.transport.abort()

    def _read_response(self, response: asyncio.Future[bytes]) -> None:
        if response.exception() is not None:
            self.fail(response.exception())
        elif not response.result().startswith(OK):
            self.fail(response.result())
        else:
            self._on_response()

    def _on_response(self) -> None:
        """Send the next move once both the other client's update and this move's response have arrived."""
        self._pending -= 1
        if not self._pending:
            self.send_next()

    def _receive(self, seat: int, message: bytes) -> None:
        if DIFF in message:
            if self.on_update(seat):
                self._on_response()
        elif message.startswith(b'{"type":"ack"'):
            if self._pending:
                self._on_response()
        elif message.startswith(b'{"type":"snapshot"'):
            self._snapshots -= 1
            if not self._snapshots:
                self.ready.set()
        elif message.startswith(b'{"type":"error"'):
            self.fail(message)


async def service_matches(port: int, number: int, games_each: int, *, by_post: bool) -> list[Match]:
    """Open matches of `games_each` games, with both players subscribed."""
    turn = cycle(samples())
    matches: list[Match] = []
    for _ in range(number):
        played = list(islice(turn, games_each))
        match = ServiceMatch(await create(port, (game.seed for game in played)), played, by_post=by_post)
        await match.open(port)
        matches.append(match)
    return matches
