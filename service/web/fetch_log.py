"""Fetching a game's whole log and its tile set from a running service, as any client would."""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

import aiohttp
import msgspec

PAGE = 500
TIMEOUT_S = 30

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises for bytes that are no JSON."""


class FetchFailed(Exception):
    """The log could not be fetched; says from where and why."""


class FetchedLog(NamedTuple):
    """A log as it came, decoded from JSON, and the tile set's answer."""

    diffs: list[dict[str, Any]]
    tileset: bytes


async def fetch_log(url: str, token: str | None) -> FetchedLog:
    """The log of the game at `url` (`http://host/v1/games/ID`); raises FetchFailed."""
    base, found, game = url.rstrip("/").partition("/v1/games/")
    if not found or "/" in game or urlsplit(url).scheme not in ("http", "https"):
        raise FetchFailed(f"{url} is not the URL of a game, as http://host/v1/games/ID")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        try:
            view = await _get(session, f"{base}/v1/games/{game}")
            tileset = await _get(session, f"{base}/v1/tilesets/{_member(view, 'tileset')}")
            diffs: list[dict[str, Any]] = []
            while True:
                page = await _get(session, f"{base}/v1/games/{game}/diffs?since={len(diffs)}&limit={PAGE}")
                found_diffs = _member(page, "diffs")
                diffs += found_diffs
                if not found_diffs:
                    return FetchedLog(diffs, tileset)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise FetchFailed(f"{base} does not answer: {str(error) or type(error).__name__}") from error


async def _get(session: aiohttp.ClientSession, url: str) -> bytes:
    async with session.get(url) as response:
        body = await response.read()
        if response.status != 200:
            raise FetchFailed(f"{url} answers {response.status}: {_detail(body)}")
        return body


def _member(body: bytes, name: str) -> Any:
    try:
        return msgspec.json.decode(body)[name]
    except (*UNREADABLE, KeyError, TypeError) as error:
        raise FetchFailed(f"this is no South Seas service: its answer has no {name}") from error


def _detail(body: bytes) -> str:
    try:
        return str(msgspec.json.decode(body)["detail"])
    except (*UNREADABLE, KeyError, TypeError):
        return body[:100].decode(errors="replace")
