"""Matches on South Seas: acted by POST or over the socket, heard by the other client on its socket."""

import asyncio
import itertools
import random
import secrets
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import aiohttp
import msgspec

from benchmarks.answers import OK, Answers
from benchmarks.peers import wire
from benchmarks.peers.matches import Match
from benchmarks.sample import archipelago, new_game
from service.engine import apply, is_finished, legal_moves, move_id, view

GAMES = 24
"""Games played beforehand."""


class OurGame(NamedTuple):
    """A random game: who moves and how, and the mean size of GAME in bytes."""

    seed: str
    moves: list[tuple[int, str]]
    game_bytes: int


class Request(NamedTuple):
    """One move as it goes over the wire."""

    seat: int
    data: bytes


def our_games(number: int = GAMES) -> list[OurGame]:
    """Whole random games, so that the load knows legal moves without asking."""
    return [_prepare(f"peers-{seed}") for seed in range(number)]


def _prepare(seed: str) -> OurGame:
    tables = archipelago().tables
    game, chance, sizes = new_game(tables, seed), random.Random(seed), []
    moves = []
    while not is_finished(game):
        seat = game.decider
        action, _ = apply(tables, game, chance.choice(legal_moves(tables, game)))
        moves.append((seat, move_id(action)))
        sizes.append(len(msgspec.json.encode(view(tables, game))))
    return OurGame(seed, moves, sum(sizes) // len(sizes))


class OurMatch(Match):
    """Two players with their seats' tokens; a match goes on in its next game where one is over."""

    def __init__(self, requests: Iterator[Request], *, by_post: bool) -> None:
        super().__init__()
        self._requests = requests
        self._by_post = by_post
        self._waits = 0
        self._missing = 0
        self._watched = asyncio.Event()
        self._posts: list[_Posts] = []

    async def open(self, port: int, games: Sequence[dict[str, Any]]) -> None:
        """Connect both players and let them watch all the match's games."""
        loop = asyncio.get_running_loop()
        self._missing = 2 * len(games)
        for seat in (0, 1):
            socket = await wire.connect(port, "/v1/ws", partial(self._message, seat))
            self.sockets.append(socket)
            for game in games:
                own = game["game"]["id"]
                token = game["seats"][seat]["token"]
                socket.send(wire.TEXT, msgspec.json.encode({"type": "auth", "game": own, "token": token}))
                socket.send(wire.TEXT, msgspec.json.encode({"type": "subscribe", "game": own}))
            _, posts = await loop.create_connection(lambda: _Posts(self), "127.0.0.1", port)
            self._posts.append(posts)
        async with asyncio.timeout(10):
            await self._watched.wait()

    def send(self) -> int:
        """The player who must decide moves."""
        request = next(self._requests, None)
        if request is None:
            self.fail("too few games were prepared")
            return 0
        self._waits = 2
        if self._by_post:
            self._posts[request.seat].transport.write(request.data)
        else:
            self.sockets[request.seat].transport.write(request.data)
        return request.seat

    def close(self) -> None:
        """Close the sockets and the HTTP connections at once."""
        super().close()
        for posts in self._posts:
            posts.transport.abort()

    def answered(self) -> None:
        """The move's own answer is here: who moves twice in a row waits for it."""
        self._waits -= 1
        if not self._waits:
            self.go_on()

    def _message(self, seat: int, message: bytes) -> None:
        if b'"type":"diff"' in message:
            if self.updated(seat):
                self.answered()
        elif message.startswith(b'{"type":"ack"'):
            if self._waits:
                self.answered()
        elif message.startswith(b'{"type":"snapshot"'):
            self._missing -= 1
            if not self._missing:
                self._watched.set()
        elif message.startswith(b'{"type":"error"'):
            self.fail(message)


class _Posts(Answers):
    """A player's keep-alive connection."""

    def __init__(self, match: OurMatch) -> None:
        super().__init__()
        self._match = match

    def answered(self, answer: bytes) -> None:
        if answer.startswith(OK):
            self._match.answered()
        else:
            self._match.fail(answer)


def _requests(games: Sequence[dict[str, Any]], played: Sequence[OurGame], *, by_post: bool) -> Iterator[Request]:
    """All moves of a match: seat's token, If-Match and a fresh idempotency key with each."""
    make = _post if by_post else _act
    for game, one in zip(games, played, strict=True):
        for version, (seat, move) in enumerate(one.moves, game["game"]["version"]):
            yield Request(seat, make(game, seat, version, move))


def _post(game: dict[str, Any], seat: int, version: int, move: str) -> bytes:
    body = msgspec.json.encode({"move": move})
    return (
        f"POST /v1/games/{game['game']['id']}/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f'Authorization: Bearer {game["seats"][seat]["token"]}\r\nIf-Match: "{version}"\r\n'
        f"Idempotency-Key: {secrets.token_hex(16)}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def _act(game: dict[str, Any], seat: int, version: int, move: str) -> bytes:
    act = {
        "type": "act",
        "id": "m",
        "game": game["game"]["id"],
        "seat": seat,
        "move": move,
        "if_match": str(version),
        "key": secrets.token_hex(16),
    }
    return wire.frame(wire.TEXT, msgspec.json.encode(act))


async def our_matches(
    port: int, number: int, played: Sequence[OurGame], games_each: int, *, by_post: bool
) -> list[Match]:
    """As many matches of so many games, both players connected and watching."""
    turn = itertools.cycle(played)
    matches: list[Match] = []
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
        for _ in range(number):
            own = list(itertools.islice(turn, games_each))
            games = [await _create(session, one.seed) for one in own]
            made = OurMatch(iter(list(_requests(games, own, by_post=by_post))), by_post=by_post)
            await made.open(port, games)
            matches.append(made)
    return matches


async def _create(session: aiohttp.ClientSession, seed: str) -> dict[str, Any]:
    asked = {"players": [{"name": "Ana"}, {"name": "Bo"}], "seed": seed, "first_seat": 0}
    async with session.post("/v1/games", json=asked) as response:
        response.raise_for_status()
        created: dict[str, Any] = await response.json()
        return created
