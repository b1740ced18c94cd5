"""One server process."""

import asyncio
import fcntl
import os
import random
import signal
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import aclosing, suppress
from functools import cache
from pathlib import Path
from typing import IO

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from service.store.embedded import terminate_with_parent
from tests.polling import INTERVAL_S, TIMEOUT_S
from tests.redis_servers.access import PEER_USER, Access

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
                env={**os.environ, **environment},
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
        async with asyncio.timeout(TIMEOUT_S), aclosing(self.client()) as client:
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

    def client(self) -> Redis:
        """Return a client of ADMIN_USER for this server, without retries and with a timeout of 1 s. Close it."""
        admin = self.access.admin_options()
        if self._mode():
            del admin["username"]
        return Redis(host=HOST, port=self.port, socket_timeout=1, retry=Retry(NoBackoff(), 0), **admin)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)


async def execute_text(client: Redis, *command: str | int) -> str:
    """Execute a command for which redis-py has no types, and return the reply as text."""
    reply = await client.execute_command(*command)  # type: ignore[no-untyped-call]
    return reply.decode() if isinstance(reply, bytes) else str(reply)


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
