"""`south-seas serve --workers 2`: processes that are stopped, killed and replaced, and nothing acknowledged is lost."""

import asyncio
import os
import random
import secrets
import signal
import sys
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from schemas.lobby import Created, CreateGame, SeatAsked
from service.client import Client
from service.client.backoff import Backoff
from tests.managed import children, ended, family, keeper, one_each, running, two_workers, workers
from tests.started import started

TWO = ("--workers", "2")
SOON = (*TWO, "--drain-s", "0.5", "--close-spread-s", "0.2")
PATIENT = Backoff(first_s=0.01, longest_s=2.0, tries=30, timeout_s=10.0)
PEOPLE = CreateGame(players=[SeatAsked(name="Ana"), SeatAsked(name="Bo")])


async def act(session: aiohttp.ClientSession, created: Created, move: str, key: str) -> Any:
    """Do a move over the session's connection; gives the version and the moves after it."""
    path = f"/v1/games/{created.game.id}/actions?include=legal_moves"
    headers = {"Authorization": f"Bearer {created.owner_token}", "Idempotency-Key": key}
    async with session.post(path, json={"move": move}, headers=headers) as response:
        assert response.status == 200, await response.text()
        return await response.json()


async def versions(client: Client, created: Created, last: int) -> list[int]:
    """Those that a watcher is told of, from the creation on; each continues the chain of digests."""
    seen = [1]
    async with client.follow(created.game.id, start=created) as game:
        while seen[-1] < last:
            seen.append((await anext(game)).version)
    return seen


async def played(url: str, client: Client, created: Created, last: int) -> list[int]:
    """Play on, through lost connections, until there are so many versions; gives what was acknowledged."""
    move, acknowledged, chance = (await client.legal_moves(created.game.id)).moves[0].id, [1], random.Random(3)
    async with aiohttp.ClientSession(url) as session:
        while acknowledged[-1] < last:
            key = secrets.token_hex(16)
            answer: Any = None
            while answer is None:
                with suppress(aiohttp.ClientError):
                    answer = await act(session, created, move, key)
            acknowledged.append(answer["version"])
            move = chance.choice(answer["legal_moves"]["moves"])["id"]
    return acknowledged


@pytest.mark.parametrize("own_redis", (False, True), ids=("redis", "embedded"))
async def test_a_game_acted_on_through_both_workers_gives_every_watcher_every_diff_once(
    tmp_path: Path, redis_url: str, *, own_redis: bool
) -> None:
    last = 41
    async with AsyncExitStack() as stack:
        instance = await stack.enter_async_context(started(tmp_path, None if own_redis else redis_url, *SOON))
        sessions = await stack.enter_async_context(one_each(instance))
        clients = [await stack.enter_async_context(Client(instance.url)) for _ in range(8)]
        created = await clients[0].create(PEOPLE)
        watching = [asyncio.create_task(versions(client, created, last)) for client in clients]
        move = (await clients[0].legal_moves(created.game.id)).moves[0].id
        for number in range(last - 1):
            session = sessions[sorted(sessions)[number % 2]]
            answer = await act(session, created, move, secrets.token_hex(16))
            move = answer["legal_moves"]["moves"][0]["id"]
        async with asyncio.timeout(10):
            assert await asyncio.gather(*watching) == [[*range(1, last + 1)]] * len(clients)


@pytest.mark.parametrize("number", (signal.SIGKILL, signal.SIGTERM), ids=("killed", "stopped"))
async def test_a_worker_that_ends_under_load_is_replaced_and_nothing_acknowledged_is_lost_or_done_twice(
    tmp_path: Path, number: signal.Signals
) -> None:
    last, games = 121, 4
    async with started(tmp_path, None, *SOON) as instance, Client(instance.url, backoff=PATIENT) as client:
        created = [await client.create(PEOPLE) for _ in range(games)]
        watching = [asyncio.create_task(versions(client, each, last)) for each in created]
        playing = [asyncio.create_task(played(instance.url, client, each, last)) for each in created]
        for _ in range(2):
            await asyncio.sleep(0.1)
            one = (await two_workers(instance.process.pid))[0]
            os.kill(one, number)
            await two_workers(instance.process.pid, without=one)
        async with asyncio.timeout(60):
            assert await asyncio.gather(*playing, *watching) == [[*range(1, last + 1)]] * 2 * games
        for each in created:
            assert [diff["version"] async for diff in client.log(each.game.id)] == [*range(1, last + 1)]


async def test_a_redis_of_their_own_that_ends_is_started_again_with_its_games(tmp_path: Path) -> None:
    async with started(tmp_path, None, *TWO) as instance, Client(instance.url, backoff=PATIENT) as client:
        created = await client.create(PEOPLE)
        (redis,) = children(keeper(instance.process.pid))
        os.kill(redis, signal.SIGKILL)
        await ended({redis})
        assert await client.game(created.game.id) == created.game
        (again,) = children(keeper(instance.process.pid))
        assert again != redis


async def test_sighup_replaces_the_workers_without_a_failed_request(tmp_path: Path) -> None:
    flags = (*SOON, "--rate-limits", "off")
    async with started(tmp_path, None, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        before = {*await two_workers(instance.process.pid)}
        instance.process.send_signal(signal.SIGHUP)
        async with asyncio.timeout(30):
            while before & {*workers(instance.process.pid)}:
                async with session.get("/v1/bots") as response:
                    assert response.status == 200


@pytest.mark.parametrize("to_all", (False, True), ids=("sigterm", "ctrl_c"))
async def test_told_to_stop_each_worker_says_not_ready_serves_on_sends_sockets_away_and_all_ends_with_0(
    tmp_path: Path, *, to_all: bool
) -> None:
    async with (
        started(tmp_path, None, *SOON) as instance,
        one_each(instance) as sessions,
        aiohttp.ClientSession(instance.url) as other,
    ):
        everybody = family(instance.process.pid)
        sockets = [await other.ws_connect("/v1/ws") for _ in range(8)]
        for socket in sockets:
            assert (await socket.receive_json())["type"] == "welcome"
        if to_all:
            for pid in (instance.process.pid, *children(instance.process.pid)):
                os.kill(pid, signal.SIGINT)
        else:
            instance.process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.2)
        for session in sessions.values():
            async with session.get("/readyz") as response:
                assert response.status == 503
        for socket in sockets:
            assert (await socket.receive_json())["type"] == "closing"
            assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
            assert socket.close_code == 1012
        async with asyncio.timeout(10):
            assert await instance.process.wait() == 0
        assert not running(everybody)


async def test_a_second_signal_stops_at_once(tmp_path: Path) -> None:
    async with started(tmp_path, None, *TWO, "--drain-s", "300") as instance, one_each(instance) as sessions:
        everybody = family(instance.process.pid)
        async with Client(instance.url) as client:
            created = await client.create(PEOPLE)
            async with client.follow(created.game.id):
                instance.process.send_signal(signal.SIGTERM)
                await asyncio.sleep(0.3)
                for session in sessions.values():
                    async with session.get("/readyz") as response:
                        assert response.status == 503
                assert await instance.stop() == 0
        assert not running(everybody)


@pytest.mark.parametrize("whom", ("manager", "keeper"))
async def test_whichever_of_the_two_that_are_not_replaced_is_killed_nothing_is_left_behind(
    tmp_path: Path, whom: str
) -> None:
    async with started(tmp_path, None, *SOON) as instance, aiohttp.ClientSession(instance.url) as session:
        await two_workers(instance.process.pid)
        everybody = family(instance.process.pid)
        assert len(everybody) == 5  # manager, keeper, Redis and two workers
        async with session.ws_connect("/v1/ws"):
            os.kill(instance.process.pid if whom == "manager" else keeper(instance.process.pid), signal.SIGKILL)
            await ended(everybody)
        assert await instance.process.wait() == (-signal.SIGKILL if whom == "manager" else 1)
    async with started(tmp_path, None, *TWO, "--port", instance.url.rpartition(":")[2]) as again:
        assert again.url == instance.url


async def test_what_the_service_cannot_have_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "bad.json").write_text("{}")
    async with started(tmp_path, None, *TWO) as instance:
        for flags in (
            ("--data-dir", str(tmp_path)),
            ("--data-dir", str(tmp_path / "other"), "--port", instance.url.rpartition(":")[2]),
            ("--data-dir", str(tmp_path / "other"), "--tilesets-dir", str(tmp_path / "sets")),
        ):
            second = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "service.main", "serve", "--port", "0", *TWO, *flags),
                stderr=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(20):
                told, errors = await second.communicate()
            assert (second.returncode, told) == (1, b"")
            assert errors.startswith(b"south-seas: ")
            assert errors.count(b"\n") == 1


FAILING = """
from service.processes.manager import Managed, manage
from service.web.listening import bind

async def instance(sockets, stop, ready):
    raise RuntimeError("no rudder")

manage(Managed(2, bind("127.0.0.1", 0), instance, print, lambda: False, 1))
"""


async def test_a_worker_that_cannot_start_ends_the_command() -> None:
    command = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", FAILING), stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(30):
        told, errors = await command.communicate()
    assert (command.returncode, told) == (1, b"")
    assert b"no rudder" in errors
