"""Instances behind haproxy, set up as in docs/operating.md, are restarted one by one without failed requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from tests.docs.blocks import blocks
from tests.polling import wait_until
from tests.server_process import start_server
from tests.web.http_game import create_game
from verification.chaos.haproxy import Haproxy, run_haproxy
from verification.chaos.instances import start_instances

COMPRESSION = """\
    compression algo gzip
    compression type application/json
    compression offload
"""

PORTS = ("8081", "8082")
FLAGS = ("--drain-time-s", "2", "--close-window-s", "0", "--rate-limits", "off")


@asynccontextmanager
async def proxied(directory: Path, ports: list[str], options: str = "") -> AsyncIterator[Haproxy]:
    """Start the haproxy of the documentation before instances on these ports; its URL is the path of a socket.

    `options` are further lines of its defaults.
    """
    (text,) = [block.code for block in blocks("operating") if block.language == "haproxy"]
    socket, admin = directory / "haproxy.sock", directory / "admin.sock"
    text = f"global\n    stats socket {admin}\n{text}"
    assert text.count("bind :8080") == 1
    text = text.replace("bind :8080", f"bind unix@{socket}").replace("mode http\n", f"mode http\n{options}")
    text = text.replace("bind 127.0.0.1:8405", f"bind unix@{directory / 'metrics.sock'}")
    for documented, port in zip(PORTS, ports, strict=True):
        assert text.count(f"127.0.0.1:{documented}") == 1
        text = text.replace(f"127.0.0.1:{documented}", f"127.0.0.1:{port}")
    async with run_haproxy(directory, text, admin):
        await wait_until(socket.exists)
        yield Haproxy(str(socket), admin)


async def test_a_rolling_restart_fails_no_request(tmp_path: Path, redis_url: str) -> None:
    statuses: list[int] = []

    async def send_requests(session: aiohttp.ClientSession) -> None:
        while True:
            async with session.get("/v1/bots") as response:
                statuses.append(response.status)
            await asyncio.sleep(0.005)

    async def wait_for_requests() -> None:
        before = len(statuses)
        await wait_until(lambda: sending.done() or len(statuses) >= before + 100)
        assert not sending.done(), sending.exception()

    async with (
        start_instances(tmp_path, [redis_url] * 2, FLAGS) as instances,
        proxied(tmp_path, [str(instance.port) for instance in instances]) as proxy,
        aiohttp.ClientSession("http://south-seas", connector=aiohttp.UnixConnector(proxy.url)) as session,
    ):
        sending = asyncio.create_task(send_requests(session))
        for instance in instances:
            instance.terminate()
            assert await instance.wait_until_ended() == 0
            await wait_for_requests()
            await instance.start()
            await proxy.wait_until_up(("one", "two"))
            await wait_for_requests()
        sending.cancel()
    assert {*statuses} == {200}


async def responses_of(proxy: Haproxy) -> list[int]:
    """Return how many responses each instance has sent."""
    lines = (await proxy.command("show stat")).splitlines()
    column = lines[0].split(",").index("hrsp_2xx")
    return [int(line.split(",")[column]) for line in lines if line.startswith(("instances,one,", "instances,two,"))]


async def test_a_game_stays_on_one_instance_and_other_requests_are_spread(tmp_path: Path, redis_url: str) -> None:
    async with (
        start_instances(tmp_path, [redis_url] * 2, FLAGS) as instances,
        proxied(tmp_path, [str(instance.port) for instance in instances]) as proxy,
        aiohttp.ClientSession("http://south-seas", connector=aiohttp.UnixConnector(proxy.url)) as session,
    ):
        await proxy.wait_until_up(("one", "two"))
        for path, are_spread in ((f"/v1/games/{(await create_game(session)).id}", False), ("/v1/bots", True)):
            before = await responses_of(proxy)
            for _ in range(40):
                assert (await session.get(path)).status == 200
            grown = [after - first for after, first in zip(await responses_of(proxy), before, strict=True)]
            assert sum(grown) == 40
            assert all(grown) is are_spread


async def test_without_an_instance_clients_get_a_problem_and_prometheus_counts_it(tmp_path: Path) -> None:
    metrics = aiohttp.UnixConnector(str(tmp_path / "metrics.sock"))
    async with (
        proxied(tmp_path, ["1", "2"]) as proxy,
        aiohttp.ClientSession("http://south-seas", connector=aiohttp.UnixConnector(proxy.url)) as session,
        aiohttp.ClientSession("http://south-seas", connector=metrics) as prometheus,
    ):
        response = await session.get("/v1/bots")
        assert (response.status, response.content_type) == (503, "application/problem+json")
        assert (response.headers["Retry-After"], (await response.json())["code"]) == ("5", "store_unavailable")
        text = await (await prometheus.get("/metrics")).text()
        assert 'haproxy_frontend_http_responses_total{proxy="players",code="5xx"} 1' in text


async def test_the_service_takes_back_the_tags_that_a_compressing_proxy_weakens(tmp_path: Path, redis_url: str) -> None:
    async with (
        start_server(tmp_path, redis_url, *FLAGS) as instance,
        proxied(tmp_path, [instance.url.rpartition(":")[2]] * 2, COMPRESSION) as proxy,
        aiohttp.ClientSession("http://south-seas", connector=aiohttp.UnixConnector(proxy.url)) as session,
    ):
        game = await create_game(session)
        response = await game.get()
        tag = response.headers["ETag"]
        assert (response.headers["Content-Encoding"], tag) == ("gzip", f'W/"1-{game.created["digest"]}"')
        assert (await game.get(**{"If-None-Match": tag})).status == 304
        move = await game.first_move()
        assert (await game.act(move, **{"If-Match": tag})).status == 200
        assert (await game.act(move, **{"If-Match": tag})).status == 412
