"""Games on the service, and the prepared requests that play them, with the moves of sample games."""

import itertools
import secrets
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import aiohttp
import msgspec

from benchmarks.load_client import TEXT, encode_frame, post_request
from benchmarks.sample_games import SampleGame, samples

CONCURRENT = 32
GAMES_PER_CONNECTION = 8


class CreatedGame(NamedTuple):
    """A created game."""

    id: str
    version: int
    owner_token: str
    tokens: list[str]
    """The tokens of the seats."""


async def create(port: int, seeds: Iterable[str], address: str = "127.0.0.1") -> list[CreatedGame]:
    """Create games for two, in which seat 0 starts, from an address of this machine."""
    connector = aiohttp.TCPConnector(local_addr=(address, 0))
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", raise_for_status=True, connector=connector) as session:
        return [await _create(session, seed) for seed in seeds]


async def _create(session: aiohttp.ClientSession, seed: str) -> CreatedGame:
    body = {"players": [{"name": "Ana"}, {"name": "Bo"}], "seed": seed, "first_seat": 0}
    async with session.post("/v1/games", json=body) as response:
        created: dict[str, Any] = await response.json()
    game, tokens = created["game"], [seat["token"] for seat in created["seats"]]
    return CreatedGame(game["id"], game["version"], created["owner_token"], tokens)


def posts(game: CreatedGame, moves: Sequence[str], tokens: Iterable[str] | None = None) -> Iterator[bytes]:
    """Encode the game's moves as requests, each with a token, If-Match and a new idempotency key."""
    tokens = tokens or itertools.repeat(game.owner_token)
    for version, (move, token) in enumerate(zip(moves, tokens, strict=False), game.version):
        headers = f'Authorization: Bearer {token}\r\nIf-Match: "{version}"\r\n'
        headers += f"Idempotency-Key: {secrets.token_hex(16)}\r\n"
        yield post_request(f"/v1/games/{game.id}/actions", msgspec.json.encode({"move": move}), headers)


def messages(game: CreatedGame, played: SampleGame) -> Iterator[bytes]:
    """Encode the game's moves as WebSocket messages."""
    for version, (move, seat) in enumerate(zip(played.moves, played.seats, strict=True), game.version):
        act = {"type": "act", "id": "m", "game": game.id, "seat": seat, "move": move}
        yield encode_frame(TEXT, msgspec.json.encode(act | {"if_match": str(version), "key": secrets.token_hex(16)}))


async def prepare(port: int, games_per_connection: int = GAMES_PER_CONNECTION) -> list[list[bytes]]:
    """Create games for each connection, and return the requests of each connection, game after game."""
    played = list(itertools.islice(itertools.cycle(samples()), CONCURRENT * games_per_connection))
    games = await create(port, (game.seed for game in played))
    requests = [[*posts(game, sample.moves)] for game, sample in zip(games, played, strict=True)]
    return [
        [*itertools.chain(*requests[start : start + games_per_connection])]
        for start in range(0, len(requests), games_per_connection)
    ]


def baseline_posts(number: int) -> list[list[bytes]]:
    """Return as many requests of the same length for the ceiling, for the games of round `number`."""
    headers = f'Authorization: Bearer {"t" * 43}\r\nIf-Match: "100"\r\nIdempotency-Key: {"k" * 32}\r\n'
    body = msgspec.json.encode({"move": samples()[0].moves[0]})
    return [
        [post_request(f"/bare/r{number}c{connection}", body, headers)] * (GAMES_PER_CONNECTION * 150)
        for connection in range(CONCURRENT)
    ]
