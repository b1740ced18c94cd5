"""One instance holds ten thousand sockets that watch a game: each is told every diff, and none leaves anything behind.

The service is a process of its own, so its open files and its memory are its own, too.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from tests.many_subscribers import TIMEOUT_S, Subscriber, connect_subscribers, open_files, wait_for_frames
from tests.polling import wait_until
from tests.server_process import start_server

SOCKETS = 10_000

DIFFS = 8

OPEN_FILES = SOCKETS + 500

SOCKET_BYTES = 20_000
"""Memory of an idle socket at most; it is about three quarters of that."""

SPARE = 10
"""Connections to Redis that may be opened meanwhile."""

BEGINNING = 2
"""`welcome` and `subscribed`."""


def memory(pid: int) -> int:
    """Return the resident memory of a process in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def files(pid: int) -> int:
    """How many files a process has open."""
    return len([*Path(f"/proc/{pid}/fd").iterdir()])


async def play(session: aiohttp.ClientSession, created: dict[str, Any]) -> None:
    """Make as many changes as fast as they are taken."""
    path = f"/v1/games/{created['game']['id']}"
    headers = {"Authorization": f"Bearer {created['owner_token']}"}
    for _ in range(DIFFS):
        async with session.get(f"{path}/legal-moves") as response:
            moves = (await response.json())["moves"]
        async with session.post(f"{path}/actions", json={"move": moves[0]["id"]}, headers=headers) as response:
            assert response.status == 200, await response.text()


def told_the_same(watchers: list[Subscriber]) -> None:
    """After `welcome`, all were told the same, frame by frame, and nothing beside it."""
    assert {watcher.frames for watcher in watchers} == {BEGINNING + DIFFS}
    assert {tuple(watcher.sums) for watcher in watchers} == {tuple(watchers[0].sums)}
    assert not any(watcher.closed for watcher in watchers)


async def test_ten_thousand_sockets(tmp_path: Path, redis_url: str) -> None:
    with open_files(OPEN_FILES):
        async with (
            start_server(tmp_path, redis_url, "--drain-time-s", "0", "--rate-limits", "off") as service,
            aiohttp.ClientSession(service.url) as session,
        ):
            async with session.post("/v1/games", json={"players": [{"name": "Ana"}, {"name": "Bo"}]}) as response:
                created = await response.json()
            port, path = urlsplit(service.url).port, f"/v1/games/{created['game']['id']}/ws?since=1"
            assert port is not None
            pid, before = service.process.pid, memory(service.process.pid)
            opened = files(pid)
            async with connect_subscribers(port, path, SOCKETS) as watchers:
                await wait_for_frames(watchers, BEGINNING)
                assert files(pid) >= SOCKETS
                assert (memory(pid) - before) / SOCKETS < SOCKET_BYTES
                await play(session, created)
                await wait_for_frames(watchers, BEGINNING + DIFFS)
                told_the_same(watchers)
            await wait_until(lambda: files(pid) <= opened + SPARE, TIMEOUT_S)
            assert await service.stop() == 0
