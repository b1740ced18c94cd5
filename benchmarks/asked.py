"""The requests of a load, made beforehand: games of the sample, and each of their moves as a POST."""

import itertools
import secrets
from collections.abc import Sequence
from statistics import mean
from typing import Any, NamedTuple

import aiohttp
import msgspec

from benchmarks.commits import Sizes
from benchmarks.load import post
from benchmarks.processes import Server
from benchmarks.sample import SampleGame, archipelago, sample_game

CONCURRENT = 32
GAMES_PER_CONNECTION = 8
SAMPLES = 24
ANSWER_EXTRA = 140
"""What an action's answer has around its one diff."""


class Sample(NamedTuple):
    """The games that are played, and their mean sizes."""

    games: list[SampleGame]
    sizes: Sizes


class Created(NamedTuple):
    """A game that the service has made."""

    id: str
    owner_token: str
    version: int


def sample() -> Sample:
    """Random games played beforehand."""
    tables = archipelago().tables
    games = [sample_game(tables, f"load-{number}") for number in range(SAMPLES)]
    snapshot = round(mean(size for game in games for size in game.snapshots))
    diff = round(mean(size for game in games for size in game.diffs))
    return Sample(games, Sizes(snapshot, diff, diff + ANSWER_EXTRA))


async def create(ours: Server, seed: str) -> Created:
    """One game with a seed; seat 0 is first."""
    async with aiohttp.ClientSession() as session:
        return await _create(session, ours.port, seed)


async def prepare(ours: Server, games: Sequence[SampleGame], each: int = GAMES_PER_CONNECTION) -> list[list[bytes]]:
    """For each connection, all requests of `each` games after another, which are created now."""
    samples = itertools.cycle(games)
    requests: list[list[bytes]] = []
    async with aiohttp.ClientSession() as session:
        for _ in range(CONCURRENT):
            own: list[bytes] = []
            for game in itertools.islice(samples, each):
                own += actions(await _create(session, ours.port, game.seed), game.moves)
            requests.append(own)
    return requests


def actions(game: Created, moves: Sequence[str]) -> list[bytes]:
    """The game's moves as requests: token, If-Match and a fresh idempotency key in each."""
    return [
        post(
            f"/v1/games/{game.id}/actions",
            msgspec.json.encode({"move": move}),
            f'Authorization: Bearer {game.owner_token}\r\nIf-Match: "{version}"\r\n'
            f"Idempotency-Key: {secrets.token_hex(16)}\r\n",
        )
        for version, move in enumerate(moves, game.version)
    ]


def bare_actions(games: Sequence[SampleGame], number: int) -> list[list[bytes]]:
    """As many requests of the same length for the ceiling, in the games of round `number`."""
    headers = f'Authorization: Bearer {"t" * 43}\r\nIf-Match: "100"\r\nIdempotency-Key: {"k" * 32}\r\n'
    body = msgspec.json.encode({"move": games[0].moves[0]})
    return [
        [post(f"/bare/r{number}c{connection}", body, headers)] * (GAMES_PER_CONNECTION * 150)
        for connection in range(CONCURRENT)
    ]


async def _create(session: aiohttp.ClientSession, port: int, seed: str) -> Created:
    asked = {"players": [{"name": "Ana"}, {"name": "Bo"}], "seed": seed, "first_seat": 0}
    async with session.post(f"http://127.0.0.1:{port}/v1/games", json=asked) as response:
        response.raise_for_status()
        told: dict[str, Any] = await response.json()
        return Created(told["game"]["id"], told["owner_token"], told["game"]["version"])
