"""Why `WAIT` for one of two replicas is not enough: while one is promoted, the other still follows the old primary.

The model in `tests/model` found it; this is the same with real servers. The sentinels are paused in the middle of their
failover, so that the moment, a part of a second, lasts as long as the test needs it.
"""

import asyncio
from contextlib import aclosing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from redis.exceptions import ConnectionError as ServerGone

from service.store.client import Wait, connect
from tests.durability.writers import Counted, Writers, count
from tests.redis_servers import Deployment, Node, sentinel

WRITING_S = 1.5
CAUGHT_S = 60.0
ATTEMPTS = 5


async def followed(node: Node) -> int | None:
    """The port of the primary that a node follows; None where it is one itself.

    Sentinels end a server's connections as they make it follow another.
    """
    while True:
        try:
            async with aclosing(node.client()) as client:
                port: int | None = (await client.info("replication")).get("master_port")
                return port
        except ServerGone:
            await asyncio.sleep(0)


async def half_promoted(deployment: Deployment, old: Node) -> bool:
    """Have the sentinels stop when they have promoted one replica; whether the other still follows the old primary."""
    replicas = [node for node in deployment.nodes if node is not old]
    old.pause()
    async with asyncio.timeout(CAUGHT_S):
        while None not in [await followed(node) for node in replicas]:  # noqa: ASYNC110  others give no sign of it
            await asyncio.sleep(0.002)
    for guard in deployment.sentinels:
        guard.pause()
    following = [await followed(node) for node in replicas]
    old.resume()
    return old.port in following


async def mended(deployment: Deployment) -> None:
    """Let the sentinels finish."""
    for guard in deployment.sentinels:
        guard.resume()
    await deployment.healthy()


async def written_to_old_primary(directory: Path, wait: Wait) -> Counted:
    """What is acknowledged by a primary that was just replaced, and what is left of that at the end."""
    async with sentinel(directory) as deployment:
        old = await deployment.primary()
        for _ in range(ATTEMPTS):
            if await half_promoted(deployment, old):
                break
            await mended(deployment)
            old = await deployment.primary()
        else:
            pytest.fail(f"the sentinels were too fast, {ATTEMPTS} times")
        user = urlsplit(deployment.url).netloc.rpartition("@")[0]
        async with connect(f"redis://{user}@{old.address}/0", timeout_s=1.0, wait=wait) as store:
            writers = Writers(store, 4, 0.01)
            writers.start()
            await asyncio.sleep(WRITING_S)
            await writers.stop()
        await mended(deployment)
        async with connect(deployment.url) as store:
            return await count(store, writers)


@pytest.mark.timeout(240)
async def test_who_waits_for_one_replica_is_told_by_the_old_primary_what_is_lost(short_path: Path) -> None:
    counted = await written_to_old_primary(short_path, Wait(1))
    assert counted.acknowledged > 0
    assert len(counted.lost) == counted.acknowledged


@pytest.mark.timeout(240)
async def test_who_waits_for_all_replicas_is_told_nothing_by_the_old_primary(short_path: Path) -> None:
    counted = await written_to_old_primary(short_path, Wait(2, timeout_ms=300))
    assert counted.acknowledged == 0
