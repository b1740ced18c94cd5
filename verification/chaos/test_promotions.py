import time
from pathlib import Path

import pytest

from tests.polling import wait_until
from tests.redis_servers import Deployment, cluster, sentinel
from tests.store.conftest import SERVERS, server_name
from verification.chaos.history import Fault, History
from verification.chaos.promotions import Failover, find_failovers


async def promote_another(deployment: Deployment) -> Failover:
    """Kill the primary, and return the failover that followed."""
    begun_at = time.monotonic()
    (await deployment.primary()).kill()
    found: list[Failover] = []

    async def is_found() -> bool:
        found[:] = [one for one in find_failovers(History(), deployment.nodes) if one.begun_at >= begun_at]
        return bool(found)

    await wait_until(is_found)
    assert begun_at < found[0].begun_at <= time.monotonic()
    return found[0]


@pytest.mark.parametrize("program", SERVERS, ids=server_name)
async def test_promotions_behind_sentinels_are_found(short_path: Path, program: Path) -> None:
    async with sentinel(short_path, replicas=1, down_after_ms=1000, program=program) as deployment:
        await promote_another(deployment)


async def test_promotions_in_a_cluster_are_found(short_path: Path) -> None:
    async with cluster(short_path) as deployment:
        await promote_another(deployment)


@pytest.mark.parametrize(("promotes", "found"), ((True, [Failover(1, 5)]), (False, [])))
def test_faults_that_may_promote_are_failovers(promotes: bool, found: list[Failover]) -> None:
    history = History()
    history.add(Fault(kind="kill Redis", detail="", at=1, healed_at=5, promotes=promotes))
    assert find_failovers(history, ()) == found
