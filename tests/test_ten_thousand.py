"""One instance serves ten thousand sockets of a game: each receives every diff, and all resources are released.

The service runs in its own process, so that its open files and its memory can be measured.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from tests.many_subscribers import TIMEOUT_S, Subscriber, connect_subscribers, open_files, wait_for_frames
from tests.polling import wait_until
from tests.server_process import start_server
from tests.web.http_game import create_game

NO_PINGS = ("--ping-interval-s", "1000")
"""All clients share a process, which on a busy machine may answer ten thousand pings too late."""

SOCKETS = 10_000

DIFFS = 8

OPEN_FILES = SOCKETS + 500

SOCKET_BYTES = 21_000
"""The limit for an idle socket. It takes 18,900 bytes, and 19,200 after pings."""

SPARE = 10
"""The number of connections to Redis that may be opened during the test."""

FIRST_FRAMES = 2
"""`welcome` and `subscribed`."""


def memory(pid: int) -> int:
    """Return the resident memory of a process in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def files(pid: int) -> int:
    """Return the number of open files of a process."""
    return len([*Path(f"/proc/{pid}/fd").iterdir()])


def check_frames(subscribers: list[Subscriber]) -> None:
    """Check that all subscribers have received the same frames after `welcome`."""
    assert {subscriber.frames for subscriber in subscribers} == {FIRST_FRAMES + DIFFS}
    assert {tuple(subscriber.checksums) for subscriber in subscribers} == {tuple(subscribers[0].checksums)}
    assert not any(subscriber.closed for subscriber in subscribers)


@pytest.mark.usefixtures("slow_gate")
@pytest.mark.timeout(240)
async def test_ten_thousand_sockets(tmp_path: Path, redis_url: str) -> None:
    with open_files(OPEN_FILES):
        async with (
            start_server(tmp_path, redis_url, "--drain-time-s", "0", "--rate-limits", "off", *NO_PINGS) as service,
            aiohttp.ClientSession(service.url) as session,
        ):
            game = await create_game(session)
            port, path = urlsplit(service.url).port, f"{game.path}/ws?since=1"
            assert port is not None
            pid, before = service.process.pid, memory(service.process.pid)
            files_before = files(pid)
            async with connect_subscribers(port, path, SOCKETS) as subscribers:
                await wait_for_frames(subscribers, FIRST_FRAMES)
                assert files(pid) >= SOCKETS
                assert (memory(pid) - before) / SOCKETS < SOCKET_BYTES
                for _ in range(DIFFS):
                    await game.act_successfully()
                await wait_for_frames(subscribers, FIRST_FRAMES + DIFFS)
                check_frames(subscribers)
            await wait_until(lambda: files(pid) <= files_before + SPARE, TIMEOUT_S)
            assert await service.stop() == 0
