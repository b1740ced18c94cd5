"""One server process of a test."""

import asyncio
import os
import random
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack, aclosing, suppress
from pathlib import Path

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from service.store.embedded.process import terminate_with_parent
from tests.redis_servers.access import PEER, Access

__all__ = ["Node", "free_ports", "said"]

START_S = 60.0
STOP_S = 10.0
HOST = "127.0.0.1"


class Node:
    """A server of `program` on a port and files of its own; as a context it runs, and is killed at the end."""

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
        """The process that was started last."""
        assert self._process is not None
        return self._process.pid

    @property
    def serves(self) -> bool:
        """Whether it runs and is not paused."""
        return self._process is not None and self._process.poll() is None and not self._paused

    def start(self, by: Sequence[str | Path] = (), **environment: str) -> None:
        """Start it on the files that it has, after `kill` too; `ready` waits until it answers.

        `by` is a program that starts the server whose command line follows.
        """
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                (*by, self._program, str(self.directory / "server.conf"), *self._mode()),
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                restore_signals=False,  # SIGXFSZ stays ignored: a file that may not grow is refused, as on a full disk
                preexec_fn=terminate_with_parent(os.getpid()),  # noqa: PLW1509  two system calls, no lock that a thread could hold
            )

    def _mode(self) -> tuple[str, ...]:
        return ("--sentinel",) if self.directory.name.startswith("sentinel") else ()

    async def ready(self) -> None:
        """Wait until it answers, with what it has loaded; RuntimeError where it ended, TimeoutError."""
        async with asyncio.timeout(START_S), aclosing(self.client()) as client:
            while True:
                if self._process is None or self._process.poll() is not None:
                    raise RuntimeError(f"{self} ended: {(self.directory / 'log').read_text()[-2000:]}")
                try:
                    info = await client.info()
                except (RedisError, OSError):
                    await asyncio.sleep(0.02)
                    continue
                if info["process_id"] != self.pid:
                    raise RuntimeError(f"another server has the port of {self}")
                if not info.get("loading"):
                    return
                await asyncio.sleep(0.02)

    def kill(self) -> None:
        """SIGKILL; its files stay, for `start`."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
        self._paused = False

    async def stop(self) -> None:
        """SIGTERM, which writes what it has; it ends within STOP_S."""
        self._signal(signal.SIGTERM)
        if self._process is not None:
            await asyncio.to_thread(self._process.wait, STOP_S)

    def pause(self) -> None:
        """SIGSTOP: connections stay open and nothing is answered until `resume`."""
        self._signal(signal.SIGSTOP)
        self._paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        self._paused = False
        self._signal(signal.SIGCONT)

    async def isolate(self) -> None:
        """Cut it off from its replicas and sentinels, but not from its clients. Not in a Cluster: its bus is open."""
        async with aclosing(self.client()) as client:
            await said(client, "ACL", "SETUSER", PEER, "off")
            await said(client, "CLIENT", "KILL", "USER", PEER)

    async def rejoin(self) -> None:
        """Let its replicas and sentinels in again."""
        async with aclosing(self.client()) as client:
            await said(client, "ACL", "SETUSER", PEER, "on")

    def client(self) -> Redis:
        """A client of this server alone that may do anything, tries once and gives up after a second; to be closed."""
        admin = self.access.admin()
        if self._mode():
            del admin["username"]
        return Redis(host=HOST, port=self.port, socket_timeout=1, retry=Retry(NoBackoff(), 0), **admin)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)


async def said(client: Redis, *command: str | int) -> str:
    """What a server answers, as text, to a command that redis-py has no types for."""
    answer = await client.execute_command(*command)  # type: ignore[no-untyped-call]
    return answer.decode() if isinstance(answer, bytes) else str(answer)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, below those that the kernel gives to outgoing connections.

    So nobody takes one by chance while its server is down.
    """
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    found: list[int] = []
    with ExitStack() as held:
        while len(found) < count:
            port = random.randrange(lowest // 2, lowest)
            with suppress(OSError):
                held.enter_context(socket.create_server((HOST, port)))
                found.append(port)
    return found
