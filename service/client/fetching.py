"""Fetching a whole game for verification: its log and its tile set, as they came."""

from typing import NamedTuple
from urllib.parse import urlsplit

from service.client.backoff import Backoff
from service.client.client import Client
from service.client.errors import ClientError
from service.client.replica import JsonObject

__all__ = ["FetchedLog", "NotTheUrlOfAGame", "fetch_log"]

BACKOFF = Backoff(tries=3, longest_s=5.0, timeout_s=30.0)
"""Somebody waits at a terminal."""


class NotTheUrlOfAGame(ClientError):
    """No game has this URL."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url} is not the URL of a game, as http://host/v1/games/ID")
        self.url = url


class FetchedLog(NamedTuple):
    """Diffs decoded from JSON, oldest first, and the tile set's answer."""

    diffs: list[JsonObject]
    tileset: bytes


async def fetch_log(url: str, token: str | None) -> FetchedLog:
    """The log of the game at `url` (`http://host/v1/games/ID`); raises ClientError in its kinds."""
    base, found, game = url.rstrip("/").partition("/v1/games/")
    if not found or "/" in game or urlsplit(url).scheme not in ("http", "https"):
        raise NotTheUrlOfAGame(url)
    async with Client(base, token, backoff=BACKOFF) as client:
        view = await client.game(game)
        tileset = await client.read(f"/v1/tilesets/{view.tileset}")
        return FetchedLog([diff async for diff in client.log(game)], tileset)
