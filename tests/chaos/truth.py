"""What the service says of a game in the end."""

import time

import msgspec

from schemas.tileset import TileSet
from service.client import Client
from service.games.verify import verify
from tests.chaos.history import Truth
from tests.chaos.world import World

__all__ = ["fetch_truth", "proved"]


async def fetch_truth(world: World, game: str) -> Truth:
    """A game with its whole log, which nobody has verified; raises NotFound."""
    client = Client(world.url, session=world.session, backoff=world.backoff)
    log = [diff async for diff in client.log(game)]
    async with world.session.get(f"{world.url}/v1/games/{game}") as response:
        tag = response.headers.get("ETag", "").strip('"')
        document = msgspec.json.decode(await response.read())
    return Truth(at=time.monotonic(), game=game, document=document, tag=tag, log=log, verified="")


def proved(truth: Truth, tileset: TileSet) -> Truth:
    """The same with what `south-seas verify` finds wrong, where the game is finished."""
    if truth.document.get("status") != "finished":
        return truth
    failed = [check for check in verify(truth.log, tileset) if not check.passed]
    return msgspec.structs.replace(truth, verified="; ".join(f"{check.name}: {check.detail}" for check in failed))
