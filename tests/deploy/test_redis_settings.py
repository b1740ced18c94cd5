"""The settings of `deploy/redis` are those of the page and of the tests, and recover within 2 s of a failover."""

import re
import time
from contextlib import aclosing
from pathlib import Path

import pytest

from service.store.game_store import connect
from service.store.pipeline import Wait
from tests.redis_servers import SERVICE_NAME, cluster, sentinel
from tests.redis_servers.node import execute_text
from tests.tools import ROOT
from verification.durability.writers import Writers, count_losses

REDIS = ROOT / "deploy" / "redis"
SLACK_S = 2.0
"""For a busy machine."""


def settings(name: str) -> list[str]:
    """Return the settings of a file, without comments."""
    lines = (REDIS / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def sentinel_settings() -> list[str]:
    """Return what a Sentinel can be told at run time: name and value."""
    return [line.removeprefix("sentinel ") for line in settings("sentinel.conf") if "mymaster" in line][1:]


def test_the_page_has_these_settings() -> None:
    page = (ROOT / "docs" / "operating.md").read_text()
    block = re.split(r"```(?:text)?\n", page.partition("[Durability](durability.md) lists")[2])[1]
    shown = [line.partition("#")[0].strip() for line in block.splitlines()]
    shipped = [line for name in ("redis.conf", "sentinel.conf", "cluster.conf") for line in settings(name)]
    assert {*shown} - {*shipped} == {"maxmemory 6gb"}
    assert {*settings("redis.conf")} <= {*shown}


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", ("sentinel", "cluster"))
async def test_after_a_killed_primary_every_game_continues_within_2_s_of_the_failover(
    short_path: Path, kind: str
) -> None:
    lines = settings("redis.conf")
    start = (
        sentinel(short_path, settings=lines)
        if kind == "sentinel"
        else cluster(short_path, replicas=2, settings=[*lines, *settings("cluster.conf")])
    )
    async with start as deployment, connect(deployment.url, wait=Wait(1)) as store:
        for node in deployment.sentinels:
            async with aclosing(node.client()) as client:
                for line in sentinel_settings():
                    name, _, value = line.split()
                    await execute_text(client, "SENTINEL", "SET", SERVICE_NAME, name, value)
        writers = Writers(store, 8, 0.01)
        writers.start()
        await writers.wait_for(200, 30)
        game = writers.games[0]
        killed = await deployment.primary(game)
        killed.kill()
        killed_at = time.monotonic()
        await deployment.wait_for_promotion(killed, game)
        promoted_at = time.monotonic()
        await writers.wait_for_all(30)
        continued_at = time.monotonic()
        await writers.stop()
        losses = await count_losses(store, writers)
    assert promoted_at - killed_at < 5 + SLACK_S
    assert continued_at - promoted_at < 2 + SLACK_S
    assert not losses.lost_commits
