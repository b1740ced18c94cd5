"""Deployments of real Redis servers for one test: standalone, Sentinel and Cluster.

    async with sentinel(directory) as deployment:
        async with connect(deployment.url) as store: ...
        old = await deployment.primary()
        old.kill()
        await deployment.primary(instead_of=old)

Every server is a child of this process on a free port of 127.0.0.1 with its own directory. It ends with the
context, or with this process. `settings` are additional lines of each data server's configuration, as
`"appendfsync everysec"`. By default what a server acknowledges is in its append-only file, but not synced to the disk.

The ACLs are the least permissions of the service's Redis user, as in docs/operating.md. The user `default` may be
`off`, but must keep its permissions (`off ~* &* +@all`). Redis loads its append-only file as that user, and without
them it silently skips every script that wrote more than once.
"""

import asyncio
import fcntl
import os
import random
import secrets
import signal
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple
from urllib.parse import quote, urlencode

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.exceptions import RedisError

from service.store import game_store
from service.store.embedded import terminate_with_parent
from service.store.server_check import CLUSTER_COMMANDS, COMMANDS
from tests.polling import INTERVAL_S, TIMEOUT_S, wait_until
from tests.tools import OPENSSL, REDIS, REDIS_WITH_TLS, require

POLL_S = 1.0
"""The timeout of a question that is asked again, or of another server: this one may be stopped."""

connect = partial(game_store.connect, timeout_s=TIMEOUT_S)
"""Connects a store that waits for Redis as long as a busy machine may take."""

ADMIN_USER = "admin"
"""The user of the tests themselves."""

PEER_USER = "peer"
"""The user of the servers and sentinels among themselves. `Node.isolate` disables it."""

SERVICE_USER = "south-seas-service"
ALLOW_ALL = "~* &* +@all"


class Access(NamedTuple):
    """The users and the certificate of one deployment; `create_access` creates it."""

    acl: str
    """The rules of the service's user for `ACL SETUSER`."""
    certificate: Path | None
    """A PEM file with the certificate and key of all servers and clients; None: no TLS."""
    admin_password: str
    """The password of ADMIN_USER and PEER_USER."""
    password: str = "p:/@s%"
    """The password of the service's user, with characters that a URL must encode."""

    @property
    def userinfo(self) -> str:
        """User and password for the URL, with the `@`."""
        return f"{quote(SERVICE_USER)}:{quote(self.password, safe='')}@"

    @property
    def tls_query(self) -> dict[str, str]:
        """The TLS options of the URL."""
        if self.certificate is None:
            return {}
        named = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
        return {name: str(self.certificate) for name in named}

    def format_query(self, options: Mapping[str, str]) -> str:
        """Return the query of the URL with these options and those for TLS."""
        options = {**options, **self.tls_query}
        return f"?{urlencode(options)}" if options else ""

    def server_config(self) -> list[str]:
        """Return lines of a data server's configuration."""
        users = ["user default off ~* &* +@all", f'user {SERVICE_USER} on ">{self.password}" {self.acl}']
        users += (f"user {name} on >{self.admin_password} {ALLOW_ALL}" for name in (ADMIN_USER, PEER_USER))
        return [*users, f"masteruser {PEER_USER}", f"masterauth {self.admin_password}", *self.tls_config()]

    def tls_config(self) -> list[str]:
        """Return the lines for TLS in the configuration of a data server or a sentinel."""
        if self.certificate is None:
            return []
        pem = self.certificate
        files = [f"tls-{name} {pem}" for name in ("cert-file", "key-file", "ca-cert-file")]
        return [*files, "tls-auth-clients yes", "tls-replication yes"]

    def admin_options(self) -> dict[str, Any]:
        """Return the keyword arguments of a client of ADMIN_USER."""
        tls = {"ssl": True, **self.tls_query} if self.certificate is not None else {}
        return {"username": ADMIN_USER, "password": self.admin_password, **tls}


def create_access(directory: Path, acl: str = ALLOW_ALL, *, tls: bool = False) -> Access:
    """Return access with random secrets; with `tls`, create a certificate in `directory`."""
    return Access(acl, create_certificate(directory) if tls else None, admin_password=secrets.token_hex(16))


def create_certificate(directory: Path, days: int = 2) -> Path:
    """Create a self-signed certificate for 127.0.0.1 with its key."""
    openssl = str(require(OPENSSL))
    pem, key = directory / "tls.pem", directory / "tls.key"
    subprocess.run(
        (
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", str(days), "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(key), "-out", str(pem)),
        ),
        check=True,
        capture_output=True,
    )
    pem.write_text(pem.read_text() + key.read_text())
    return pem


ACL = " ".join(("~south-seas:* &south-seas:* -@all", *(f"+{command}" for command in COMMANDS)))
"""Rules for `ACL SETUSER NAME on >PASSWORD ...`: keys and channels, then commands."""

CLUSTER_ACL = " ".join((ACL, *(f"+{command}" for command in CLUSTER_COMMANDS)))
"""The same for a Cluster."""

SENTINEL_ACL = "+auth +hello +sentinel|get-master-addr-by-name"
"""Rules for the user of the sentinels, if they require one."""


HOST = "127.0.0.1"
BUS_PORT_OFFSET = 10_000


class Node:
    """A server process of `program` with its own port and directory."""

    def __init__(self, program: Path, directory: Path, port: int, access: Access, settings: Sequence[str]) -> None:
        self.directory = directory
        self.port = port
        self.access = access
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._paused = False
        self.environment: Mapping[str, str] = {}
        """Variables of every start."""
        directory.mkdir()
        lines = [f"bind {HOST}", self._port_line(), f"dir {directory}", "daemonize no", *settings]
        (directory / "server.conf").write_text("\n".join(lines) + "\n")

    def _port_line(self) -> str:
        if self.access.certificate is None:
            return f"port {self.port}"
        return f"port 0\ntls-port {self.port}"

    def __repr__(self) -> str:
        return f"<Node {self.directory.name} on {self.port}>"

    @property
    def address(self) -> str:
        """`HOST:PORT`."""
        return f"{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        """The id of the process that was started last."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_serving(self) -> bool:
        """Whether the server runs and is not paused."""
        return self._process is not None and self._process.poll() is None and not self._paused

    def start(self, wrapper: Sequence[str | Path] = (), **environment: str) -> None:
        """Start the server on its files, also after `kill`. `wait_until_ready` waits until it replies.

        `wrapper` is a command that runs the server's command line, which follows it.
        """
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                (*wrapper, self._program, str(self.directory / "server.conf"), *self._mode()),
                env={**os.environ, **self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                restore_signals=False,  # SIGXFSZ stays ignored, so a size limit acts as a full disk
                preexec_fn=terminate_with_parent(os.getpid()),  # noqa: PLW1509  two system calls, no lock that a thread could hold
            )

    def _mode(self) -> tuple[str, ...]:
        return ("--sentinel",) if self.directory.name.startswith("sentinel") else ()

    async def wait_until_ready(self) -> None:
        """Wait until the server has loaded its files and replies. Raise RuntimeError if it ends, TimeoutError."""
        async with asyncio.timeout(TIMEOUT_S), aclosing(self.client(POLL_S)) as client:
            while True:
                if self._process is None or self._process.poll() is not None:
                    raise RuntimeError(f"{self} ended: {(self.directory / 'log').read_text()[-2000:]}")
                try:
                    info = await client.info()
                except (RedisError, OSError):
                    await asyncio.sleep(INTERVAL_S)
                    continue
                if info["process_id"] != self.pid:
                    raise RuntimeError(f"another server has the port of {self}")
                if not info.get("loading"):
                    return
                await asyncio.sleep(INTERVAL_S)

    def kill(self) -> None:
        """Send SIGKILL. The files stay for the next `start`."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
        self._paused = False

    async def stop(self) -> None:
        """Send SIGTERM, upon which the server saves its data, and wait for its end."""
        self._signal(signal.SIGTERM)
        if self._process is not None:
            await asyncio.to_thread(self._process.wait, TIMEOUT_S)

    def pause(self) -> None:
        """Send SIGSTOP: connections stay open without replies until `resume`."""
        self._signal(signal.SIGSTOP)
        self._paused = True

    def resume(self) -> None:
        """Continue after `pause`."""
        self._paused = False
        self._signal(signal.SIGCONT)

    async def isolate(self) -> None:
        """Disconnect the server from its replicas and sentinels, but not from its clients. Not for a Cluster."""
        async with aclosing(self.client()) as client:
            await execute_text(client, "ACL", "SETUSER", PEER_USER, "off")
            await execute_text(client, "CLIENT", "KILL", "USER", PEER_USER)

    async def rejoin(self) -> None:
        """Let replicas and sentinels connect again."""
        async with aclosing(self.client()) as client:
            await execute_text(client, "ACL", "SETUSER", PEER_USER, "on")

    def client(self, timeout_s: float = TIMEOUT_S) -> Redis:
        """Return a client of ADMIN_USER for this server, without retries. Close it."""
        admin = self.access.admin_options()
        if self._mode():
            del admin["username"]
        retry = Retry(NoBackoff(), 0)
        return Redis(
            host=HOST, port=self.port, socket_timeout=timeout_s, socket_connect_timeout=timeout_s, retry=retry, **admin
        )

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)


async def execute_text(client: Redis, *command: str | int) -> str:
    """Execute a command for which redis-py has no types, and return the reply as text."""
    reply = await client.execute_command(*command)  # type: ignore[no-untyped-call]
    return reply.decode() if isinstance(reply, bytes) else str(reply)


@asynccontextmanager
async def set_to_1(client: Redis, name: str = "maxmemory") -> AsyncIterator[None]:
    """Set a setting to 1 that is 0 otherwise: with so little memory, or without a replica, a server takes no writes."""
    await client.config_set(name, 1)
    try:
        yield
    finally:
        await client.config_set(name, 0)


def reserve_ports(count: int) -> list[int]:
    """Return free ports, below the range of the kernel for outgoing connections.

    So no connection takes one of them while its server is down, and nor does a server of another test, which may run in
    another process: a port is locked, as a byte of a file, until this process ends. The port of a Cluster's bus that a
    node takes by default is free too, and below that range.
    """
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports: list[int] = []
    while len(ports) < count:
        port = random.randrange(lowest // 2, lowest - BUS_PORT_OFFSET)
        if port in _reserved:
            continue
        with suppress(OSError):
            fcntl.lockf(_port_locks(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
            socket.create_server((HOST, port)).close()
            socket.create_server((HOST, port + BUS_PORT_OFFSET)).close()
            ports.append(port)
            _reserved.add(port)
    return ports


_reserved: set[int] = set()
"""By this process, which would get its own locks again."""


@cache
def _port_locks() -> IO[bytes]:
    """Open the file whose bytes stand for ports."""
    return (Path(tempfile.gettempdir()) / f"south-seas-test-ports-{os.getuid()}").open("ab")


Replication = dict[str, str | int]


class Deployment:
    """Running servers. `url` is for the service; `nodes` hold data, `sentinels` monitor them."""

    def __init__(self, url: str, access: Access, nodes: Sequence[Node], sentinels: Sequence[Node] = ()) -> None:
        self.url = url
        self.access = access
        self.nodes = nodes
        self.sentinels = sentinels

    @property
    def admin_url(self) -> str:
        """The URL for an operator."""
        return self.url.replace(self.access.userinfo, f"{ADMIN_USER}:{self.access.admin_password}@")

    @property
    def is_cluster(self) -> bool:
        """Whether it is a Cluster."""
        return "+cluster" in self.url

    async def primaries(self) -> list[Node]:
        """Return the nodes that take writes: primaries that most sentinels, if there are any, name."""
        states = await self._read_replication()
        primaries = [node for node, state in zip(self.nodes, states, strict=True) if state.get("role") == "master"]
        if not self.sentinels:
            return primaries
        named = await asyncio.gather(
            *(_read_primary_port(sentinel) for sentinel in self.sentinels if sentinel.is_serving)
        )
        return [node for node in primaries if named.count(node.port) > len(self.sentinels) // 2]

    async def primary(self, game: str = "g", instead_of: Node | None = None) -> Node:
        """Return the primary of this game's keys, once there is one, and it is another than `instead_of`."""
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                for node in await self.primaries():
                    slot, ranges = key_slot(game.encode()), await read_slots(node) if self.is_cluster else ()
                    if node is not instead_of and (
                        not self.is_cluster or any(first <= slot <= last for first, last in ranges)
                    ):
                        return node
                await asyncio.sleep(INTERVAL_S)

    async def replicas(self, primary: Node) -> list[Node]:
        """Return the nodes that replicate `primary`."""
        states = await self._read_replication()
        return [
            node for node, state in zip(self.nodes, states, strict=True) if state.get("master_port") == primary.port
        ]

    async def wait_until_healthy(self) -> None:
        """Wait until every node runs, replicas are in sync, and the Cluster or the sentinels are in a consistent state.

        After a failover with Sentinel this takes about 10 s, until the old primary becomes a replica.
        """
        await wait_until(self._is_healthy)

    async def _is_healthy(self) -> bool:
        states = await self._read_replication()
        if not all(_is_in_sync(state) for state in states):
            return False
        if self.is_cluster:
            return all([await _is_cluster_ok(node) for node in self.nodes])
        return len(await self.primaries()) == sum(state["role"] == "master" for state in states)

    async def _read_replication(self) -> list[Replication]:
        return await asyncio.gather(*(_read_replication(node) for node in self.nodes))

    async def clear(self) -> None:
        """Empty all data nodes."""
        for node in await self.primaries():
            async with aclosing(node.client(POLL_S)) as client:
                await client.flushall()


async def _read_replication(node: Node) -> Replication:
    """Return `INFO replication`; nothing if the node does not reply, as while a sentinel changes its role."""
    if not node.is_serving:
        return {}
    try:
        async with aclosing(node.client()) as client:
            info: Replication = await client.info("replication")
    except (RedisError, OSError):
        return {}
    return info


async def _read_primary_port(sentinel: Node) -> int | None:
    """Return the port of the primary that a sentinel names; None during a failover, or while it reaches no majority."""
    try:
        async with aclosing(sentinel.client(POLL_S)) as client:
            masters: Any = await client.sentinel_masters()
            await client.sentinel_ckquorum(SERVICE_NAME)
    except (RedisError, OSError):
        return None
    (master,) = masters.values()
    port: int = master["port"]
    return None if master["is_sdown"] or "failover_in_progress" in master["flags"] else port


def _is_in_sync(state: Replication) -> bool:
    """Whether a replica has its primary's data; a primary always has."""
    if state.get("role") == "slave":
        return state["master_link_status"] == "up" and not state["master_sync_in_progress"]
    return "role" in state


async def cluster_lines(client: Redis, subcommand: str) -> list[str]:
    """Return the lines of `CLUSTER INFO` or `CLUSTER NODES`."""
    return (await execute_text(client, "CLUSTER", subcommand)).splitlines()


async def _is_cluster_ok(node: Node) -> bool:
    return "cluster_state:ok" in await _read_cluster(node, "INFO")


async def read_slots(node: Node) -> list[tuple[int, int]]:
    """Return the first and the last of each range of slots that a node of a Cluster serves."""
    for line in await _read_cluster(node, "NODES"):
        fields = line.split()
        if "myself" in fields[2]:
            ranges = [part.partition("-") for part in fields[8:] if not part.startswith("[")]
            return [(int(first), int(last or first)) for first, _, last in ranges]
    return []


async def _read_cluster(node: Node, subcommand: str) -> list[str]:
    """Return the lines of `CLUSTER INFO` or `CLUSTER NODES`; none if the node does not reply, as on a busy machine."""
    try:
        async with aclosing(node.client(POLL_S)) as client:
            return await cluster_lines(client, subcommand)
    except (RedisError, OSError):
        return []


SERVICE_NAME = "the-games"
"""The name by which the sentinels know the primary."""

SLOTS = 16384
CLUSTER_CONFIG = Path(__file__).parents[1] / "deploy" / "redis" / "cluster.conf"

DATA_CONFIG = (
    *("appendonly yes", "appendfsync no", 'save ""'),  # `everysec` writes up to 2 s after the reply while it syncs
    "repl-diskless-sync-delay 0",
    "repl-ping-replica-period 1",
)


NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


def _require_program(access: Access) -> Path:
    return require(REDIS if access.certificate is None else REDIS_WITH_TLS)


@contextmanager
def _running(nodes: Sequence[Node], environment: Mapping[str, str] = NO_VARIABLES) -> Iterator[None]:
    """Run nodes with these variables, and kill them at the end."""
    with ExitStack() as stack:
        for node in nodes:
            node.environment = environment
            stack.callback(node.kill)
            node.start()
        yield


@asynccontextmanager
async def standalone(
    directory: Path,
    *,
    access: Access | None = None,
    settings: Sequence[str] = (),
    environment: Mapping[str, str] = NO_VARIABLES,
) -> AsyncIterator[Deployment]:
    """Run a single server."""
    access = access or create_access(directory)
    (port,) = reserve_ports(1)
    node = Node(
        _require_program(access), directory / "node0", port, access, [*DATA_CONFIG, *access.server_config(), *settings]
    )
    scheme = "redis" if access.certificate is None else "rediss"
    url = f"{scheme}://{access.userinfo}{node.address}/0{access.format_query({})}"
    with _running([node], environment):
        await node.wait_until_ready()
        yield Deployment(url, access, [node])


@asynccontextmanager
async def sentinel(
    directory: Path,
    *,
    replicas: int = 2,
    sentinels: int = 3,
    down_after_ms: int = 60_000,
    access: Access | None = None,
    settings: Sequence[str] = (),
    environment: Mapping[str, str] = NO_VARIABLES,
    program: Path | None = None,
) -> AsyncIterator[Deployment]:
    """Run a primary, its replicas, and sentinels that know all of them from the start.

    `program` is the data servers', by default the preferred one on this machine. What waits for an unplanned failover
    chooses a shorter `down_after_ms`: on a busy machine a server or sentinel may be silent for a second.
    """
    access = access or create_access(directory)
    ports = reserve_ports(1 + replicas + sentinels)
    data_ports, sentinel_ports = ports[: 1 + replicas], ports[1 + replicas :]
    nodes = []
    for number, port in enumerate(data_ports):
        replicaof = [f"replicaof {HOST} {data_ports[0]}"] if number else []
        lines = [*DATA_CONFIG, *access.server_config(), *replicaof, *settings]
        nodes.append(Node(program or _require_program(access), directory / f"node{number}", port, access, lines))
    sentinel_nodes = _create_sentinels(directory, data_ports, sentinel_ports, access, down_after_ms)
    scheme = "redis+sentinel" if access.certificate is None else "rediss+sentinel"
    hosts = ",".join(node.address for node in sentinel_nodes)
    query = access.format_query({"sentinel_password": access.admin_password})
    url = f"{scheme}://{access.userinfo}{hosts}/{quote(SERVICE_NAME)}/0{query}"
    deployment = Deployment(url, access, nodes, sentinel_nodes)
    with _running(nodes, environment), _running(sentinel_nodes):
        await asyncio.gather(*(node.wait_until_ready() for node in (*nodes, *sentinel_nodes)))
        await deployment.wait_until_healthy()
        yield deployment


def _create_sentinels(
    directory: Path, data_ports: Sequence[int], sentinel_ports: Sequence[int], access: Access, down_after_ms: int
) -> list[Node]:
    """Create sentinels that know each other and the replicas, which would take them some seconds to discover."""
    ids = {port: secrets.token_hex(20) for port in sentinel_ports}
    sentinel_nodes = []
    for number, port in enumerate(sentinel_ports):
        lines = [
            f"requirepass {access.admin_password}",
            f"sentinel sentinel-pass {access.admin_password}",
            f"sentinel myid {ids[port]}",
            f"sentinel monitor {SERVICE_NAME} {HOST} {data_ports[0]} {len(sentinel_ports) // 2 + 1}",
            f"sentinel auth-user {SERVICE_NAME} {PEER_USER}",
            f"sentinel auth-pass {SERVICE_NAME} {access.admin_password}",
            f"sentinel down-after-milliseconds {SERVICE_NAME} {down_after_ms}",
            f"sentinel failover-timeout {SERVICE_NAME} {max(3 * down_after_ms, 3000)}",
            f"sentinel parallel-syncs {SERVICE_NAME} {len(data_ports)}",
            *(f"sentinel known-replica {SERVICE_NAME} {HOST} {replica}" for replica in data_ports[1:]),
            *(
                f"sentinel known-sentinel {SERVICE_NAME} {HOST} {other} {ids[other]}"
                for other in sentinel_ports
                if other != port
            ),
            *access.tls_config(),
        ]
        sentinel_nodes.append(Node(_require_program(access), directory / f"sentinel{number}", port, access, lines))
    return sentinel_nodes


@asynccontextmanager
async def cluster(
    directory: Path,
    *,
    primaries: int = 3,
    replicas: int = 1,
    node_timeout_ms: int = 1000,
    access: Access | None = None,
    settings: Sequence[str] = (),
    environment: Mapping[str, str] = NO_VARIABLES,
) -> AsyncIterator[Deployment]:
    """Run primaries with an equal share of the slots, each with `replicas`, with the settings in `deploy/redis`."""
    access = access or create_access(directory)
    count = primaries * (1 + replicas)
    ports = reserve_ports(2 * count)
    common = [
        *(line for line in CLUSTER_CONFIG.read_text(encoding="utf-8").splitlines() if not line.startswith("#")),
        f"cluster-node-timeout {node_timeout_ms}",
        *(["tls-cluster yes"] if access.certificate is not None else []),
    ]
    nodes = []
    for number in range(count):
        lines = [*DATA_CONFIG, *access.server_config(), *common, f"cluster-port {ports[count + number]}", *settings]
        nodes.append(Node(_require_program(access), directory / f"node{number}", ports[number], access, lines))
    scheme = "redis+cluster" if access.certificate is None else "rediss+cluster"
    hosts = ",".join(node.address for node in nodes[:primaries])
    deployment = Deployment(f"{scheme}://{access.userinfo}{hosts}{access.format_query({})}", access, nodes)
    with _running(nodes, environment):
        await asyncio.gather(*(node.wait_until_ready() for node in nodes))
        await _create_cluster(nodes, ports[count:], primaries)
        await deployment.wait_until_healthy()
        yield deployment


async def _create_cluster(nodes: Sequence[Node], buses: Sequence[int], primaries: int) -> None:
    """Join nodes into a Cluster, in which node i + primaries * n replicates node i."""
    bounds = [SLOTS * number // primaries for number in range(primaries + 1)]
    ids: list[str] = []
    for number, node in enumerate(nodes):
        async with aclosing(node.client()) as client:
            ids.append(await execute_text(client, "CLUSTER", "MYID"))
            await execute_text(client, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            if number < primaries:
                await execute_text(client, "CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)
    for node in nodes:
        async with aclosing(node.client()) as client:
            for other, bus in zip(nodes, buses, strict=True):
                await execute_text(client, "CLUSTER", "MEET", HOST, other.port, bus)
    for number, node in enumerate(nodes[primaries:]):
        async with aclosing(node.client()) as client:
            await _wait_for_handshakes(client, len(nodes))
            await execute_text(client, "CLUSTER", "REPLICATE", ids[number % primaries])


async def _wait_for_handshakes(client: Redis, count: int) -> None:
    """Wait until a node has completed the handshake with all others."""

    async def are_complete() -> bool:
        nodes = await cluster_lines(client, "NODES")
        return len(nodes) == count and not any("handshake" in line for line in nodes)

    await wait_until(are_complete)
