"""A real haproxy in front of the instances, configured as docs/operating.md says."""

import asyncio
import os
import re
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from service.store.embedded import terminate_with_parent
from tests.docs.blocks import blocks
from tests.polling import wait_until
from tests.tools import HAPROXY, require
from verification.chaos.instances import Instance

READY_TIMEOUT_S = 60.0

GLOBAL = """\
global
    nbthread 1
    maxconn 2000
    stats socket {admin} mode 600 level admin
"""

_SERVERS = re.compile(r"(?:    server \w+ 127\.0\.0\.1:\d+\n)+")


def configure(
    directory: Path, address: str, ports: Mapping[str, int], changes: Mapping[str, str] | None = None
) -> tuple[str, Path]:
    """Return the configuration of docs/operating.md, and the socket of its administration.

    It listens at `address`, and has the servers of these names and ports. `changes` replaces parts of it.
    """
    (text,) = [block.code for block in blocks("operating") if block.language == "haproxy"]
    changes = {
        "bind :8080": f"bind {address}",
        "bind 127.0.0.1:8405": f"bind unix@{directory / 'metrics.sock'}",
        **(changes or {}),
    }
    for documented, replacement in changes.items():
        assert text.count(documented) == 1, documented
        text = text.replace(documented, replacement)
    servers = "".join(f"    server {name} 127.0.0.1:{port}\n" for name, port in ports.items())
    admin = directory / "haproxy-admin.sock"
    return GLOBAL.format(admin=admin) + _SERVERS.sub(servers, text), admin


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
async def haproxy(
    directory: Path, instances: Sequence[Instance], changes: Mapping[str, str] | None = None
) -> AsyncIterator[Haproxy]:
    """Start a proxy on a free port, and yield it once all instances are ready. `changes` are of its configuration."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        os.set_inheritable(listener.fileno(), True)
        ports = {instance.name: instance.port for instance in instances}
        configuration, admin = configure(directory, f"fd@{listener.fileno()}", ports, changes)
        async with run_haproxy(directory, configuration, admin, (listener.fileno(),)):
            proxy = Haproxy(f"http://127.0.0.1:{listener.getsockname()[1]}", admin)
            listener.close()
            await proxy.wait_until_up([*ports])
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
