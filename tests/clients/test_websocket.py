"""Connections that are rejected, or fail."""

import pytest
from aiohttp import web
from msgspec import convert

from schemas.problems import problem
from south_seas import (
    APIError,
    Backoff,
    Client,
    Disconnected,
    ForbiddenError,
    InvalidResponseError,
    NotFoundError,
    UnreachableError,
)
from south_seas.models import GameView, Snapshot
from tests.clients.connection_scripts import closing, staying, versions
from tests.clients.scripted_service import Scripted, Socket


async def test_a_game_that_is_gone_is_told(script: Scripted, scripted_client: Client) -> None:
    async def line(socket: Socket) -> None:
        await socket.subscribed(1, recovered=False)
        await socket.say(type="error", id=None, game="g", problem=problem("not_found", "it is gone"))
        await socket.stay()

    script.lines.append(line)
    async with scripted_client.subscribe("g") as game:
        for _ in range(2):
            with pytest.raises(NotFoundError, match="gone"):
                await anext(game)


async def test_a_busy_service_is_come_back_to(script: Scripted, scripted_client: Client) -> None:
    async def line(socket: Socket) -> None:
        await socket.subscribed(1, recovered=False)
        busy = problem("store_unavailable", "away", retry_after_s=0)
        await socket.say(type="error", id=None, game="g", problem=busy)
        await socket.stay()

    script.lines.extend([line, staying(1, 2)])
    async with scripted_client.subscribe("g") as game:
        assert await versions(game, 2) == [2]


@pytest.mark.parametrize(("code", "kind"), ((4404, "not_found"), (4401, "unauthorized"), (4413, "unknown")))
async def test_some_close_codes_are_final(script: Scripted, scripted_client: Client, code: int, kind: str) -> None:
    script.lines.append(closing(1, 1, code))
    with pytest.raises(APIError) as rejected:
        async with scripted_client.subscribe("g") as game:
            await anext(game)
    assert rejected.value.code == kind


async def test_a_refused_upgrade_is_tried_again_where_the_service_is_busy(
    script: Scripted, scripted_client: Client
) -> None:
    script.upgrades.extend([web.Response(status=503, headers={"Retry-After": "0"}), web.Response(status=502)])
    script.lines.append(staying(1, 2))
    async with scripted_client.subscribe("g") as game:
        assert await versions(game, 2) == [2]
    script.upgrades.append(web.Response(status=403))
    with pytest.raises(ForbiddenError):
        async with scripted_client.subscribe("g"):
            pass


@pytest.mark.parametrize(
    ("status", "headers"),
    (
        (503, {"Retry-After": "60"}),
        (429, {"RateLimit": '"streams";r=0;t=60'}),
    ),
)
async def test_a_rejected_upgrade_sets_the_wait(script: Scripted, status: int, headers: dict[str, str]) -> None:
    assert 60 <= await reconnect_wait_s(script, status, headers) <= 61


@pytest.mark.parametrize(
    ("status", "headers"),
    (
        (503, {"Retry-After": "86400"}),
        (503, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}),
        (503, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 -0000"}),
        (429, {"RateLimit": '"streams";r=0;t=86400'}),
    ),
)
async def test_the_wait_before_reconnecting_is_bounded(script: Scripted, status: int, headers: dict[str, str]) -> None:
    assert 90 <= await reconnect_wait_s(script, status, headers) <= 91


async def test_a_retry_after_of_many_digits_is_ignored(script: Scripted) -> None:
    assert await reconnect_wait_s(script, 503, {"Retry-After": "9" * 5000}) <= 1


async def reconnect_wait_s(script: Scripted, status: int, headers: dict[str, str]) -> float:
    """Reject an upgrade with these headers; return how long the client waits, with at most 1 s of backoff."""
    script.upgrades.append(web.Response(status=status, headers=headers))
    start = Snapshot(digest=script.digest(1), game=convert(script.state(1), GameView))
    backoff = Backoff(initial_wait_s=0.01, max_wait_s=90)
    async with Client(script.url, backoff=backoff) as client, client.subscribe("g", start=start) as game:
        event = await game.next_event()
    assert isinstance(event, Disconnected)
    return event.wait_s


async def test_a_first_connection_that_fails_is_named(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    async with Client(url, backoff=Backoff(max_attempts=3, initial_wait_s=0.001)) as client:
        with pytest.raises(UnreachableError, match=url):
            async with client.subscribe("g"):
                pass


@pytest.mark.parametrize("text", ("<html>", "[1]", '{"type": "diff"}', '{"type": "error", "problem": 7}'))
async def test_something_else_on_the_socket_is_named(script: Scripted, scripted_client: Client, text: str) -> None:
    async def line(socket: Socket) -> None:
        await socket.subscribed(1, recovered=False)
        await socket.send_str(text)
        await socket.stay()

    script.lines.append(line)
    with pytest.raises(InvalidResponseError):
        async with scripted_client.subscribe("g") as game:
            await anext(game)


async def test_a_game_is_followed_within_its_context_only(scripted_client: Client) -> None:
    game = scripted_client.subscribe("g")
    for name in ("view", "digest"):
        with pytest.raises(RuntimeError, match="async with"):
            getattr(game, name)
