"""The download of a game's log and tile set from a service."""

from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec

from schemas.diffs import Diffs
from schemas.game import GameView
from schemas.problems import Problem
from service.cli.log_file import Log

__all__ = ["DownloadFailed", "download_log"]

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
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DownloadFailed(f"{base} is not a South Seas service: {error}") from error


async def _get(session: aiohttp.ClientSession, url: str) -> bytes:
    """Return the body of a response. Raises DownloadFailed for a problem."""
    async with session.get(url) as response:
        content = await response.read()
    if response.ok:
        return content
    try:
        detail = msgspec.json.decode(content, type=Problem).detail
    except (msgspec.DecodeError, UnicodeDecodeError):
        detail = f"{response.status} {response.reason}"
    raise DownloadFailed(f"{url}: {detail}")
