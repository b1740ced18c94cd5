"""A real haproxy in front of the instances, configured as an operator would."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from service.store.embedded import terminate_with_parent
from tests.polling import wait_until
from tests.tools import HAPROXY, require
from verification.chaos.instances import Instance

READY_TIMEOUT_S = 60.0

CONFIGURATION = """
global
    nbthread 1
    maxconn 2000
    stats socket {admin} mode 600 level admin
defaults
    mode http
    timeout connect 1s
    timeout check 1s
    timeout client 60s
    timeout server 60s
    timeout tunnel {tunnel}
    option forwardfor
    # Redispatch only requests that reached no instance. Clients retry the others themselves, with their keys.
    option redispatch
    retries 3
    retry-on conn-failure
frontend players
    bind fd@{listener}
    default_backend instances
backend instances
    balance roundrobin
    option httpchk GET /readyz
    http-check expect status 200
    default-server check inter 500ms fall 1 rise 1
{servers}
"""


class Haproxy:
    """The running proxy, which listens at `url`."""

    def __init__(self, url: str, admin: Path) -> None:
        self.url = url
        self._admin = admin

    async def command(self, text: str) -> str:
        """Send a command to the administration socket and return the response."""
        reader, writer = await asyncio.open_unix_connection(str(self._admin))
        writer.write(text.encode() + b"\n")
        response = (await reader.read()).decode()
        writer.close()
        return response

    async def close_connections(self, server: str) -> None:
        """Close all connections to an instance, and those of its clients."""
        await self.command(f"shutdown sessions server instances/{server}")

    async def list_up(self) -> list[str]:
        """Return the names of the instances that receive requests."""
        rows = (line.split(",") for line in (await self.command("show stat")).splitlines())
        return [row[1] for row in rows if row[0] == "instances" and row[17] == "UP" and row[36] == "L7OK"]

    async def wait_until_up(self, names: Sequence[str]) -> None:
        """Wait until all these instances receive requests."""
        async with asyncio.timeout(READY_TIMEOUT_S):
            while not {*names} <= {*await self.list_up()}:  # noqa: ASYNC110  haproxy sends no event
                await asyncio.sleep(0.05)


@asynccontextmanager
async def haproxy(directory: Path, instances: Sequence[Instance], tunnel: str = "1h") -> AsyncIterator[Haproxy]:
    """Start a proxy on a free port, and yield it once all instances are ready. Sockets may be silent for `tunnel`."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        os.set_inheritable(listener.fileno(), True)
        admin = directory / "haproxy.sock"
        configuration = CONFIGURATION.format(
            admin=admin,
            tunnel=tunnel,
            listener=listener.fileno(),
            servers="\n".join(f"    server {instance.name} 127.0.0.1:{instance.port}" for instance in instances),
        )
        async with run_haproxy(directory, configuration, admin, (listener.fileno(),)):
            proxy = Haproxy(f"http://127.0.0.1:{listener.getsockname()[1]}", admin)
            listener.close()
            await proxy.wait_until_up([instance.name for instance in instances])
            yield proxy


def is_listening(path: Path) -> bool:
    """Return whether a server accepts connections at a Unix socket. Its file exists a moment earlier."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
    return True


@asynccontextmanager
async def run_haproxy(
    directory: Path, configuration: str, ready: Path, pass_fds: Sequence[int] = ()
) -> AsyncIterator[None]:
    """Run a proxy, and yield once it listens at `ready`. Raise AssertionError with its log if it does not start."""
    file, log = directory / "haproxy.cfg", directory / "haproxy.log"
    file.write_text(configuration)
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *(require(HAPROXY), "-db", "-f", str(file)),
            stdout=output,
            stderr=output,
            pass_fds=pass_fds,
            preexec_fn=terminate_with_parent(os.getpid()),
        )
    try:
        await wait_until(lambda: process.returncode is not None or is_listening(ready), READY_TIMEOUT_S)
        assert process.returncode is None, log.read_text()
        yield
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
