"""The download of a game's log and tile set from a service."""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

import aiohttp
import msgspec

from schemas.base import DECODING_ERRORS, without_bom
from schemas.diffs import Diffs
from schemas.game import GameView
from schemas.problems import Problem

__all__ = [
    "BadLog",
    "DownloadFailed",
    "Log",
    "decode_log",
    "download_log",
    "encode_log",
]


class BadLog(Exception):
    """The file contains no log; the message says why."""


class Log(NamedTuple):
    """A game's log: decoded diffs, oldest first, and the JSON of the tile set where the file contains it."""

    diffs: list[dict[str, Any]]
    tileset: bytes | None


def decode_log(data: bytes) -> Log:
    """Return the log of a file. Raises BadLog."""
    document = _decode(without_bom(data))
    tileset = None
    if isinstance(document, dict) and "diffs" in document:
        if "tileset" in document:
            tileset = msgspec.json.encode(document["tileset"])
        document = document["diffs"]
    elif isinstance(document, dict):
        document = [document]
    if not isinstance(document, list) or not all(isinstance(diff, dict) for diff in document):
        raise BadLog("it contains no list of diffs")
    return Log(document, tileset)


def encode_log(log: Log) -> bytes:
    """Return the content of a file, diffs and tile set, for `decode_log`."""
    return msgspec.json.encode({"tileset": msgspec.Raw(log.tileset or b"null"), "diffs": log.diffs})


def _decode(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except DECODING_ERRORS as error:
        try:
            return msgspec.json.Decoder().decode_lines(data)
        except DECODING_ERRORS:
            raise BadLog(f"it is not JSON: {error}") from error


TIMEOUT = aiohttp.ClientTimeout(total=30.0)
"""The limit of one request."""

PAGE_SIZE = 500
"""The number of diffs per request."""


class DownloadFailed(Exception):
    """The log cannot be downloaded; the message says why."""


async def download_log(url: str, token: str | None) -> Log:
    """Download the log of the game at `url` (`http://host/v1/games/ID`). Raises DownloadFailed."""
    url = url.rstrip("/")
    base, separator, game = url.partition("/v1/games/")
    if not separator or "/" in game or urlsplit(url).scheme not in ("http", "https"):
        raise DownloadFailed(f"{url} is not the URL of a game, as http://host/v1/games/ID")
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    diffs: list[dict[str, Any]] = []
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=TIMEOUT) as session:
            view = msgspec.json.decode(await _get(session, url), type=GameView)
            tileset = await _get(session, f"{base}/v1/tilesets/{view.tileset}")
            while True:
                content = await _get(session, f"{url}/diffs?since={len(diffs)}&limit={PAGE_SIZE}")
                page = msgspec.json.decode(content, type=Diffs[dict[str, Any]])
                diffs += page.diffs
                if not page.diffs or len(diffs) >= page.version:
                    return Log(diffs, tileset)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise DownloadFailed(f"{base} is unreachable: {str(error) or type(error).__name__}") from error
    except DECODING_ERRORS as error:
        raise DownloadFailed(f"{base} is not a South Seas service: {error}") from error


async def _get(session: aiohttp.ClientSession, url: str) -> bytes:
    """Return the body of a response. Raises DownloadFailed for a problem."""
    async with session.get(url) as response:
        content = await response.read()
    if response.ok:
        return content
    try:
        detail = msgspec.json.decode(content, type=Problem).detail
    except DECODING_ERRORS:
        detail = f"{response.status} {response.reason}"
    raise DownloadFailed(f"{url}: {detail}")
