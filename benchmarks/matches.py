"""Matches of two clients, whose next move is sent when the other client has the last one: the same for every server."""

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
"""After the time is up: how long the last moves may take before a match counts as stuck."""
OPEN_TIMEOUT_S = 10.0


class PlayedMatches(NamedTuple):
    """What some matches measured."""

    per_second: float
    """Moves that reached the other client."""
    seconds: list[float]
    """Of each move, from sending it to the other client's update."""
    busy: float
    """The share of the time that this process, the load, was busy."""


class Match(ABC):
    """One match; a kind of server says how to send a move, and tells of every update that a client receives."""

    def __init__(self) -> None:
        self.sockets: list[WebSocketConnection] = []
        self.ready = asyncio.Event()
        """Both clients are there."""
        self.moves = 0
        self.mover = 0
        self._updates = [0, 0]
        self._seconds: list[float] = []
        self._sent = 0.0
        self._next: asyncio.Future[None] | None = None

    @abstractmethod
    def send(self) -> int:
        """Send the next move, by whoever's turn it is; gives the seat."""

    async def play(self, begin: float, until: float, pause: float, max_pause_s: float) -> list[float]:
        """Play from `begin` on, `most` moves; with a `pause` they are that many seconds apart, if the server keeps up.

        Gives the seconds of each move. One that is overdue counts from when it was due.
        """
        self._seconds, due = [], begin
        while len(self._seconds) < max_pause_s:
            now = perf_counter()
            if due > now:
                await asyncio.sleep(due - now)
                now = perf_counter()
            elif pause:
                now = due
            if perf_counter() >= until:
                break
            self._sent = now
            self._next = asyncio.get_running_loop().create_future()
            self.moves += 1
            self.mover = self.send()
            await self._next
            due += pause
        return self._seconds

    def on_update(self, seat: int) -> bool:
        """Count an update; whether it brought the last move to the other client.

        Each client gets one for each move. What comes before the first move is not counted.
        """
        if not self.moves:
            return False
        self._updates[seat] += 1
        if seat == self.mover or self._updates[seat] < self.moves:
            return False
        self._seconds.append(perf_counter() - self._sent)
        return True

    def send_next(self) -> None:
        """Have the next move sent."""
        if self._next is not None and not self._next.done():
            self._next.set_result(None)

    def fail(self, why: object) -> None:
        """End with an error."""
        if self._next is not None and not self._next.done():
            self._next.set_exception(RuntimeError(str(why)))

    def close(self) -> None:
        """Close the sockets at once."""
        for socket in self.sockets:
            socket.transport.abort()


async def play(
    matches: Sequence[Match], seconds: float, per_second: float | None = None, most: float = float("inf")
) -> PlayedMatches:
    """Play all at once: as fast as they can, or together `per_second` moves, evenly spread; each `most` moves."""
    pause = len(matches) / per_second if per_second else 0.0
    begin = perf_counter() + 0.05
    until, before = begin + seconds, process_time()
    tasks = [
        asyncio.create_task(match.play(begin + pause * number / len(matches), until, pause, most))
        for number, match in enumerate(matches)
    ]
    finished, stuck = await asyncio.wait(tasks, timeout=seconds + GRACE_PERIOD_S, return_when=asyncio.FIRST_EXCEPTION)
    took, busy = perf_counter() - begin, process_time() - before
    for task in stuck:
        task.cancel()
    times = [second for task in finished for second in task.result()]
    if stuck:
        raise RuntimeError(f"{len(stuck)} of {len(matches)} matches got no update for {GRACE_PERIOD_S:g} s")
    return PlayedMatches(len(times) / took, times, busy / took)


class ServiceMatch(Match):
    """Two players with their seats' tokens, on the shared socket; they act there, or by POST."""

    def __init__(self, games: Sequence[CreatedGame], played: Sequence[SampleGame], *, by_post: bool) -> None:
        super().__init__()
        self._games = games
        self._by_post = by_post
        self._connections: list[HTTPConnection] = []
        self._requests = iter([*chain.from_iterable(map(self._prepare, games, played))])
        self._waits = 0
        self._snapshots = 2 * len(games)

    def _prepare(self, game: CreatedGame, played: SampleGame) -> Iterable[tuple[int, bytes]]:
        tokens = (game.tokens[seat] for seat in played.seats)
        requests = posts(game, played.moves, tokens) if self._by_post else messages(game, played)
        return zip(played.seats, requests, strict=True)

    async def open(self, port: int) -> None:
        """Connect both players and let them watch all the match's games."""
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
        """Send the move of the player who must decide; in the next game where one is over."""
        request = next(self._requests, None)
        if request is None:
            self.fail("too few games were prepared")
            return 0
        seat, data = request
        self._waits = 2
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
        self._waits -= 1
        if not self._waits:
            self.send_next()

    def _receive(self, seat: int, message: bytes) -> None:
        if DIFF in message:
            if self.on_update(seat):
                self._on_response()
        elif message.startswith(b'{"type":"ack"'):
            if self._waits:
                self._on_response()
        elif message.startswith(b'{"type":"snapshot"'):
            self._snapshots -= 1
            if not self._snapshots:
                self.ready.set()
        elif message.startswith(b'{"type":"error"'):
            self.fail(message)


async def service_matches(port: int, number: int, games_each: int, *, by_post: bool) -> list[Match]:
    """Open as many matches of so many games, both players connected and watching."""
    turn = cycle(samples())
    matches: list[Match] = []
    for _ in range(number):
        played = list(islice(turn, games_each))
        match = ServiceMatch(await create(port, (one.seed for one in played)), played, by_post=by_post)
        await match.open(port)
        matches.append(match)
    return matches
