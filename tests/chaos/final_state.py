"""What the service says of a game in the end."""

import asyncio
import time
from contextlib import suppress
from typing import Any

import aiohttp
import msgspec

from schemas.tileset import TileSet
from service.games.verify import verify
from south_seas import Client
from tests.chaos.client_context import ClientContext
from tests.chaos.history import FinalState

__all__ = ["fetch_final_state", "with_verification"]


async def fetch_final_state(world: ClientContext, game: str) -> FinalState:
    """Fetch a game with its whole log, not verified yet. Raise NotFound."""
    client = Client(world.url, session=world.session, backoff=world.backoff)
    log = [diff async for diff in client.log(game)]
    document, tag = await _document(world, game)
    return FinalState(at=time.monotonic(), game=game, document=document, tag=tag, log=log, verified="")


async def _document(world: ClientContext, game: str) -> tuple[dict[str, Any], str]:
    """Fetch a game and its ETag. Retry while the service or its proxy fails, since another fault may be active."""
    failures = 0
    while True:
        with suppress(aiohttp.ClientError, TimeoutError, OSError):
            timeout = aiohttp.ClientTimeout(total=world.backoff.timeout_s)
            plain = {"Accept-Encoding": "identity"}  # other codings have other tags
            async with world.session.get(f"{world.url}/v1/games/{game}", headers=plain, timeout=timeout) as response:
                if response.status == 200:
                    return msgspec.json.decode(await response.read()), response.headers.get("ETag", "").strip('"')
        await asyncio.sleep(world.backoff.wait_s(failures))
        failures += 1


def with_verification(truth: FinalState, tileset: TileSet) -> FinalState:
    """Return the state with the findings of `south-seas verify`, if the game is finished."""
    if truth.document.get("status") != "finished":
        return truth
    failed = [check for check in verify(truth.log, tileset) if not check.passed]
    return msgspec.structs.replace(truth, verified="; ".join(f"{check.name}: {check.detail}" for check in failed))
