"""Fetches the final state of a game from the service."""

import asyncio
import itertools
import time
from contextlib import suppress
from typing import Any

import aiohttp
import msgspec

from schemas.tileset import TileSet
from service.games.history import verify
from south_seas import Client
from verification.chaos.client_context import ClientContext
from verification.chaos.history import FinalState

MAX_FETCHES = 5


async def fetch_final_state(context: ClientContext, game: str) -> FinalState:
    """Fetch a game with its whole log, not verified yet, again if it changed meanwhile. Raise NotFoundError."""
    client = Client(context.url, session=context.session, backoff=context.backoff)
    for fetches in itertools.count(1):
        log = [diff async for diff in client.log(game)]
        document, tag = await _fetch_document(context, game)
        is_same = bool(log) and tag == f"{log[-1]['version']}-{log[-1]['digest']}"
        if is_same or fetches == MAX_FETCHES:
            return FinalState(at=time.monotonic(), game=game, document=document, tag=tag, log=log, verify_errors="")
    raise AssertionError


async def _fetch_document(context: ClientContext, game: str) -> tuple[dict[str, Any], str]:
    """Fetch a game and its ETag. Retry while the service or its proxy fails, since another fault may be active."""
    failures = 0
    while True:
        with suppress(aiohttp.ClientError, TimeoutError, OSError):
            timeout = aiohttp.ClientTimeout(total=context.backoff.timeout_s)
            headers = {"Accept-Encoding": "identity"}  # compressed responses have other ETags
            url = f"{context.url}/v1/games/{game}"
            async with context.session.get(url, headers=headers, timeout=timeout) as response:
                if response.status == 200:
                    return msgspec.json.decode(await response.read()), response.headers.get("ETag", "").strip('"')
        await asyncio.sleep(context.backoff.wait_s(failures))
        failures += 1


def with_verification(final_state: FinalState, tileset: TileSet) -> FinalState:
    """Return the state with the errors of `south-seas verify`, if the game is finished."""
    if final_state.document.get("status") != "finished":
        return final_state
    failed = [check for check in verify(final_state.log, tileset) if not check.passed]
    errors = "; ".join(f"{check.name}: {check.detail}" for check in failed)
    return msgspec.structs.replace(final_state, verify_errors=errors)
