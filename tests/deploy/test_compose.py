"""compose.yaml, the haproxy and Redis settings of the documentation, and pods that start and stop without failures."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import yaml
from jsonschema_rs import Draft201909Validator

from service.settings import Settings
from service.store import pipeline
from service.store.pipeline import Wait
from service.store.topology import SENTINEL_POLL_INTERVAL_S
from service.web.limits import Limits
from service.web.server import HANDLER_TIMEOUT_S
from service.web.streams import CLOSE_TIMEOUT_S
from tests.deploy.manifests import (
    PRODUCTION,
    environment,
    get_resource,
    list_resources,
    service_container,
    service_template,
)
from tests.deploy.test_image import DOCKERFILE, VERSION
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import SERVICE_NAME, cluster, connect, execute_text, sentinel, standalone
from tests.server_process import parse_settings, start_server
from tests.tcp_proxy import run_proxy
from tests.tools import ROOT
from tests.web.http_game import HTTPGame, create_game
from verification.chaos.haproxy import Haproxy, configure, run_haproxy
from verification.chaos.instances import start_instances
from verification.durability.writers import Writers, count_losses

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICE: dict[str, Any] = COMPOSE["services"]["south-seas"]
VALKEY: dict[str, Any] = COMPOSE["services"]["valkey"]
SCHEMA = json.loads(Path(__file__).with_name("data").joinpath("compose-spec.json").read_bytes())


def test_compose_takes_it() -> None:
    Draft201909Validator(SCHEMA).validate(COMPOSE)


def test_the_redis_url_names_a_service_that_is_healthy_first() -> None:
    host = urlsplit(SERVICE["environment"]["SOUTH_SEAS_REDIS_URL"]).hostname
    assert host in COMPOSE["services"]
    assert SERVICE["depends_on"][host] == {"condition": "service_healthy"}
    assert "healthcheck" in COMPOSE["services"][host]


def test_image_and_port_are_those_of_the_dockerfile() -> None:
    assert SERVICE["image"] == f"south-seas:{VERSION}"
    (exposed,) = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)
    assert SERVICE["ports"] == [f"{exposed}:{exposed}"]


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_container_is_hardened(name: str) -> None:
    container = COMPOSE["services"][name]
    assert container["read_only"] is True
    assert (container["cap_drop"], container["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert container["mem_limit"]
    user = container.get("user") or re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)[-1]
    assert user.split(":")[0] not in {"root", "0"}


def test_only_the_service_reaches_the_store() -> None:
    assert VALKEY["networks"] == ["store"]
    assert COMPOSE["networks"]["store"] == {"internal": True}
    assert SERVICE["networks"] == ["default", "store"]
    assert "ports" not in VALKEY


def test_a_full_store_rejects_moves_and_is_not_killed() -> None:
    maxmemory = VALKEY["command"][VALKEY["command"].index("--maxmemory") + 1]
    assert int(maxmemory.removesuffix("mb")) <= 0.8 * int(VALKEY["mem_limit"].removesuffix("m"))


def test_games_survive_the_container_that_keeps_them() -> None:
    (volume,) = VALKEY["volumes"]
    name, _, path = volume.partition(":")
    assert name in COMPOSE["volumes"]
    assert path == "/data"
    assert VALKEY["command"][1:5] == ["--appendonly", "yes", "--appendfsync", "everysec"]


def test_a_restart_leaves_time_to_finish() -> None:
    grace_s = int(SERVICE["stop_grace_period"].removesuffix("s"))
    assert grace_s > Limits().drain_time_s + Limits().close_window_s + 10


COMPRESSION = """\
    compression algo gzip
    compression type application/json
    compression offload
"""

FLAGS = ("--drain-time-s", "2", "--close-window-s", "0", "--rate-limits", "off")


@asynccontextmanager
async def proxied(
    directory: Path, ports: Sequence[int], options: str = ""
) -> AsyncIterator[tuple[Haproxy, aiohttp.ClientSession]]:
    """Start the haproxy of the documentation before instances on these ports, and a client of it.

    `options` are further lines of its defaults.
    """
    socket = directory / "haproxy.sock"
    servers = dict(zip(("one", "two"), ports, strict=True))
    text, admin = configure(directory, f"unix@{socket}", servers, {"mode http\n": f"mode http\n{options}"})
    async with (
        run_haproxy(directory, text, admin),
        aiohttp.ClientSession("http://south-seas", connector=aiohttp.UnixConnector(str(socket))) as session,
    ):
        await wait_until(socket.exists)
        yield Haproxy(str(socket), admin), session


async def test_a_rolling_restart_fails_no_request(tmp_path: Path, redis_url: str) -> None:
    statuses: list[int] = []

    async def send_requests(session: aiohttp.ClientSession) -> None:
        while True:
            async with session.get("/v1/bots") as response:
                statuses.append(response.status)
            await asyncio.sleep(0)

    async def wait_for_requests() -> None:
        before = len(statuses)
        await wait_until(lambda: sending.done() or len(statuses) >= before + 100)
        assert not sending.done(), sending.exception()

    async with (
        start_instances(tmp_path, [redis_url] * 2, FLAGS) as instances,
        proxied(tmp_path, [instance.port for instance in instances]) as (proxy, session),
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
        proxied(tmp_path, [instance.port for instance in instances]) as (proxy, session),
    ):
        await proxy.wait_until_up(("one", "two"))
        for path, are_spread in ((f"/v1/games/{(await create_game(session)).id}", False), ("/v1/bots", True)):
            before = await responses_of(proxy)
            for _ in range(40):
                assert (await session.get(path)).status == 200
            grown = [after - first for after, first in zip(await responses_of(proxy), before, strict=True)]
            assert sum(grown) == 40
            assert all(grown) is are_spread


async def diff_or_close(socket: aiohttp.ClientWebSocketResponse) -> str:
    """Return whether a socket receives a diff, or is closed before."""
    async with asyncio.timeout(TIMEOUT_S):
        async for message in socket:
            if message.json()["type"] == "diff":
                return "diff"
    return "closed"


async def test_the_games_of_an_instance_without_its_way_to_redis_go_on_at_the_other(tmp_path: Path) -> None:
    """Without Redis for both, requests that do not need it succeed."""
    async with (
        standalone(tmp_path) as redis,
        run_proxy(redis.url) as first,
        run_proxy(redis.url) as second,
        start_instances(
            tmp_path,
            [redis.url.replace(redis.nodes[0].address, urlsplit(road.url).netloc) for road in (first, second)],
            FLAGS,
        ) as instances,
        proxied(tmp_path, [instance.port for instance in instances]) as (proxy, session),
    ):
        await proxy.wait_until_up(("one", "two"))
        games = [await create_game(session) for _ in range(24)]
        sockets = [await session.ws_connect(f"{game.path}/ws") for game in games]
        first.stop_forwarding()
        for game in games:

            async def acts(game: HTTPGame = game) -> bool:
                loaded = await game.get("/legal-moves")
                return loaded.status == 200 and (await game.act({"move": (await loaded.json())["moves"][0]["id"]})).ok

            await wait_until(acts)
        ends = [await diff_or_close(socket) for socket in sockets]
        assert {*ends} == {"diff", "closed"}
        first.forward()
        await proxy.wait_until_up(("one", "two"))
        for road in (first, second):
            road.stop_forwarding()

        async def has_no_redis() -> bool:
            return await proxy.list_up() == []

        async def is_served() -> bool:
            return (await session.get("/v1/bots")).status == 200

        await wait_until(has_no_redis)
        await wait_until(is_served)


async def test_without_an_instance_clients_get_a_problem_and_prometheus_counts_it(tmp_path: Path) -> None:
    metrics = aiohttp.UnixConnector(str(tmp_path / "metrics.sock"))
    async with (
        proxied(tmp_path, [1, 2]) as (_, session),
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
        proxied(tmp_path, [int(instance.url.rpartition(":")[2])] * 2, COMPRESSION) as (_, session),
    ):
        game = await create_game(session)
        response = await game.get()
        tag = response.headers["ETag"]
        assert (response.headers["Content-Encoding"], tag) == ("gzip", f'W/"1-{game.created["digest"]}"')
        assert (await game.get(**{"If-None-Match": tag})).status == 304
        move = await game.first_move()
        assert (await game.act(move, **{"If-Match": tag})).status == 200
        assert (await game.act(move, **{"If-Match": tag})).status == 412


REDIS = ROOT / "deploy" / "redis"


def settings(name: str) -> list[str]:
    """Return the settings of a file, without comments."""
    lines = (REDIS / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def sentinel_settings() -> list[str]:
    """Return what a Sentinel can be told at run time: name and value."""
    return [line.removeprefix("sentinel ") for line in settings("sentinel.conf") if "mymaster" in line][1:]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ("sentinel", "cluster"))
async def test_after_a_killed_primary_every_game_continues_after_the_failover(short_path: Path, kind: str) -> None:
    lines = settings("redis.conf")
    start = (
        sentinel(short_path, settings=lines)
        if kind == "sentinel"
        else cluster(short_path, replicas=2, settings=[*lines, *settings("cluster.conf")])
    )
    async with start as deployment, connect(deployment.url, wait=Wait(1)) as store:
        for node in deployment.sentinels:
            async with aclosing(node.client()) as client:
                for line in sentinel_settings():
                    name, _, value = line.split()
                    await execute_text(client, "SENTINEL", "SET", SERVICE_NAME, name, value)
        writers = Writers(store, 8, 0.01)
        writers.start()
        await writers.wait_for(200, TIMEOUT_S)
        game = writers.games[0]
        killed = await deployment.primary(game)
        killed.kill()
        await deployment.primary(game, killed)
        await writers.wait_for_all(TIMEOUT_S)
        await writers.stop()
        losses = await count_losses(store, writers)
    assert SENTINEL_POLL_INTERVAL_S + pipeline._BACKOFF.max_s + pipeline.RETRY_DELAY_S <= 2  # what a command waits
    assert not losses.lost_commits


POD_SHUTDOWN_REDIS = "redis://127.0.0.1:6379/0"


def settings_of(overlay: str) -> Settings:
    """Return the settings of the variables that an overlay sets."""
    variables = environment(overlay, service_container(overlay))
    return parse_settings(environment={name: value or POD_SHUTDOWN_REDIS for name, value in variables.items()})


def test_there_is_time_for_everything_before_the_end(overlay: str) -> None:
    """preStop; the drain; sockets told, and given time to answer; the last requests: all before SIGKILL."""
    limits = settings_of(overlay).limits
    needed = (
        service_container(overlay)["lifecycle"]["preStop"]["sleep"]["seconds"]
        + limits.drain_time_s
        + limits.close_window_s
        + (CLOSE_TIMEOUT_S + 1)
        + HANDLER_TIMEOUT_S
    )
    assert needed + 10 <= service_template(overlay)["spec"]["terminationGracePeriodSeconds"]


def test_no_pod_goes_before_its_successor_serves(overlay: str) -> None:
    strategy = get_resource(overlay, "Deployment", "south-seas")["spec"]["strategy"]["rollingUpdate"]
    assert strategy == {"maxSurge": 1, "maxUnavailable": 0}


@pytest.mark.parametrize("overlay", PRODUCTION)
def test_the_sockets_of_a_pod_have_gone_before_the_next_is_replaced(overlay: str) -> None:
    limits = settings_of(overlay).limits
    sleep = service_container(overlay)["lifecycle"]["preStop"]["sleep"]["seconds"]
    removed = sleep + limits.drain_time_s + limits.close_window_s
    assert removed <= get_resource(overlay, "Deployment", "south-seas")["spec"]["minReadySeconds"]


def test_a_pod_that_is_not_ready_is_asked_no_more_before_it_is_told_to_stop(overlay: str) -> None:
    container = service_container(overlay)
    ready = container["readinessProbe"]
    assert (ready["httpGet"]["path"], ready["failureThreshold"]) == ("/readyz", 1)
    assert ready["periodSeconds"] <= 2
    assert container["lifecycle"]["preStop"]["sleep"]["seconds"] >= 5


def test_redis_that_is_away_restarts_nobody(overlay: str) -> None:
    for probe in ("livenessProbe", "startupProbe"):
        assert service_container(overlay)[probe]["httpGet"]["path"] == "/livez"


def test_no_proxy_ends_a_socket_that_is_only_quiet(overlay: str) -> None:
    ping = settings_of(overlay).limits.ping_interval_s
    for ingress in list_resources(overlay, "Ingress"):
        annotations = ingress["metadata"]["annotations"]
        for way in ("read", "send"):
            assert int(annotations[f"nginx.ingress.kubernetes.io/proxy-{way}-timeout"]) > 10 * ping


def test_the_proxy_takes_as_large_a_body_as_the_service(overlay: str) -> None:
    for ingress in list_resources(overlay, "Ingress"):
        size = ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-body-size"]
        assert int(size.removesuffix("k")) * 1024 == settings_of(overlay).limits.max_body_bytes
