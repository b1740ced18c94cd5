"""The download of a game's log and tile set for verification, as raw JSON."""

from typing import NamedTuple
from urllib.parse import urlsplit

from service.client.backoff import Backoff
from service.client.client import Client
from service.client.errors import ClientError
from service.client.replica import JsonObject

__all__ = ["GameLog", "InvalidGameURL", "download_log"]

BACKOFF = Backoff(max_attempts=3, max_wait_s=5.0, timeout_s=30.0)
"""Shorter than the default, since a person waits at a terminal."""


class InvalidGameURL(ClientError):
    """A URL that is not the URL of a game."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url} is not the URL of a game, as http://host/v1/games/ID")
        self.url = url


class GameLog(NamedTuple):
    """A game's diffs as decoded JSON, oldest first, and its tile set as JSON."""

    diffs: list[JsonObject]
    tileset: bytes


async def download_log(url: str, token: str | None) -> GameLog:
    """Download the log of the game at `url` (`http://host/v1/games/ID`). Raises ClientError."""
    base, separator, game = url.rstrip("/").partition("/v1/games/")
    if not separator or "/" in game or urlsplit(url).scheme not in ("http", "https"):
        raise InvalidGameURL(url)
    async with Client(base, token, backoff=BACKOFF) as client:
        view = await client.game(game)
        tileset = await client.read(f"/v1/tilesets/{view.tileset}")
        return GameLog([diff async for diff in client.log(game)], tileset)
