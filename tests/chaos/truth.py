"""What the service says of each game in the end."""

import msgspec

from schemas.tileset import TileSet
from service.client import Client, NotFound
from service.games.verify import verify
from tests.chaos.history import Broke, Decided, Truth
from tests.chaos.world import World

__all__ = ["tell_truth"]


async def tell_truth(world: World) -> None:
    """Write down every game with its whole log, and what verifying it finds."""
    client = Client(world.url, session=world.session, backoff=world.backoff)
    tileset = await client.tileset("archipelago")
    for game in [record.game for record in world.history.records if isinstance(record, Decided)]:
        try:
            log = [diff async for diff in client.log(game)]
        except NotFound as gone:
            world.history.add(Broke(client="nobody", detail=f"{game} was created, and is lost: {gone}"))
            continue
        async with world.session.get(f"{world.url}/v1/games/{game}") as response:
            tag = response.headers.get("ETag", "").strip('"')
            document = msgspec.json.decode(await response.read())
        finished = document.get("status") == "finished"
        world.history.add(
            Truth(game=game, document=document, tag=tag, log=log, verified=_wrong(log, tileset) if finished else "")
        )


def _wrong(log: list[dict[str, object]], tileset: TileSet) -> str:
    """What `south-seas verify` finds wrong; empty where it finds nothing."""
    failed = [check for check in verify(log, tileset) if not check.passed]
    return "; ".join(f"{check.name}: {check.detail}" for check in failed)
