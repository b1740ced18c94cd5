"""Instances behind haproxy, set up as in docs/operating.md, are restarted one by one without failed requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from tests.docs.blocks import blocks
from tests.server_process import ServerProcess, start_server
from tests.tools import HAPROXY, require

PORTS = ("8081", "8082")
FLAGS = ("--drain-time-s", "2", "--close-window-s", "0", "--rate-limits", "off")


@asynccontextmanager
async def proxied(directory: Path, ports: list[str]) -> AsyncIterator[str]:
    """Start the haproxy of the documentation before instances on these ports; yields its URL."""
    (text,) = [block.code for block in blocks("operating") if block.language == "haproxy"]
    socket = directory / "haproxy.sock"
    assert text.count("bind :8080") == 1
    text = text.replace("bind :8080", f"bind unix@{socket}")
    for documented, port in zip(PORTS, ports, strict=True):
        assert text.count(f"127.0.0.1:{documented}") == 1
        text = text.replace(f"127.0.0.1:{documented}", f"127.0.0.1:{port}")
    (directory / "haproxy.cfg").write_text(text)
    process = await asyncio.create_subprocess_exec(require(HAPROXY), "-db", "-f", str(directory / "haproxy.cfg"))
    try:
        async with asyncio.timeout(20):
            while not socket.exists():
                assert process.returncode is None
                await asyncio.sleep(0.02)
        yield str(socket)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def restart(instance: ServerProcess, directory: Path, redis_url: str) -> None:
    """Stop an instance, and run another on its port until cancelled."""
    assert await instance.stop() == 0
    async with start_server(directory, redis_url, *FLAGS, "--port", instance.url.rpartition(":")[2]):
        await asyncio.Event().wait()


async def test_a_rolling_restart_fails_no_request(tmp_path: Path, redis_url: str) -> None:
    statuses: list[int] = []

    async def ask(session: aiohttp.ClientSession) -> None:
        while True:
            async with session.get("/v1/bots") as response:
                statuses.append(response.status)
            await asyncio.sleep(0.005)

    async with (
        start_server(tmp_path, redis_url, *FLAGS) as one,
        start_server(tmp_path, redis_url, *FLAGS) as two,
        proxied(tmp_path, [each.url.rpartition(":")[2] for each in (one, two)]) as socket,
        aiohttp.ClientSession("http://south-seas", connector=aiohttp.UnixConnector(socket)) as session,
        asyncio.timeout(60),
    ):
        asking = asyncio.create_task(ask(session))
        restarting = []
        for instance in (one, two):
            restarting.append(asyncio.create_task(restart(instance, tmp_path, redis_url)))
            await instance.process.wait()
            before = len(statuses)
            while len(statuses) < before + 100:
                assert not asking.done(), asking.exception()
                assert not restarting[-1].done(), restarting[-1].exception()
                await asyncio.sleep(0.02)
            await answers(instance.url)
            await asyncio.sleep(1)  # until haproxy has seen that it is ready
        for task in (asking, *restarting):
            task.cancel()
        await asyncio.gather(asking, *restarting, return_exceptions=True)
    assert {*statuses} == {200}


async def answers(url: str) -> None:
    """Wait until an instance answers."""
    async with aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(f"{url}/readyz") as response:
                    if response.status == 200:
                        return
            except aiohttp.ClientConnectionError:
                pass
            await asyncio.sleep(0.05)
