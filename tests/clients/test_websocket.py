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
from tests.clients.connection_scripts import read_versions, send_and_close, send_and_stay
from tests.clients.scripted_service import ScriptedService, ServerSocket


async def test_a_missing_game_raises_every_time(script: ScriptedService, scripted_client: Client) -> None:
    gone = problem("not_found", "it is gone")
    script.connections.append(send_and_stay(1, 1, type="error", id=None, game="g", problem=gone))
    async with scripted_client.subscribe("g") as game:
        for _ in range(2):
            with pytest.raises(NotFoundError, match="gone"):
                await anext(game)


async def test_it_reconnects_after_an_unavailable_store(script: ScriptedService, scripted_client: Client) -> None:
    busy = problem("store_unavailable", "away", retry_after_s=0)
    script.connections.append(send_and_stay(1, 1, type="error", id=None, game="g", problem=busy))
    script.connections.append(send_and_stay(1, 2))
    async with scripted_client.subscribe("g") as game:
        assert await read_versions(game, 2) == [2]


@pytest.mark.parametrize(("code", "kind"), ((4404, "not_found"), (4401, "unauthorized"), (4413, "unknown")))
async def test_some_close_codes_are_final(
    script: ScriptedService, scripted_client: Client, code: int, kind: str
) -> None:
    script.connections.append(send_and_close(1, 1, code))
    with pytest.raises(APIError) as rejected:
        async with scripted_client.subscribe("g") as game:
            await anext(game)
    assert rejected.value.code == kind


async def test_a_rejected_upgrade_is_retried_if_the_service_is_busy(
    script: ScriptedService, scripted_client: Client
) -> None:
    script.upgrade_responses.extend([web.Response(status=503, headers={"Retry-After": "0"}), web.Response(status=502)])
    script.connections.append(send_and_stay(1, 2))
    async with scripted_client.subscribe("g") as game:
        assert await read_versions(game, 2) == [2]
    script.upgrade_responses.append(web.Response(status=403))
    with pytest.raises(ForbiddenError):
        async with scripted_client.subscribe("g"):
            pass


@pytest.mark.parametrize(
    ("status", "headers", "least_s"),
    (
        (503, {"Retry-After": "60"}, 60),
        (429, {"RateLimit": '"streams";r=0;t=60'}, 60),
        (503, {"Retry-After": "86400"}, 90),
        (503, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}, 90),
        (503, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 -0000"}, 90),
        (429, {"RateLimit": '"streams";r=0;t=86400'}, 90),
        (503, {"Retry-After": "9" * 5000}, 0),
    ),
    ids=lambda value: str(value)[:60],
)
async def test_a_rejected_upgrade_sets_the_wait_before_reconnecting_within_a_bound(
    script: ScriptedService, status: int, headers: dict[str, str], least_s: float
) -> None:
    """With at most 1 s of backoff; a number of too many digits is ignored."""
    script.upgrade_responses.append(web.Response(status=status, headers=headers))
    start = Snapshot(digest=script.digest(1), game=convert(script.state(1), GameView))
    backoff = Backoff(initial_wait_s=0.01, max_wait_s=90)
    async with Client(script.url, backoff=backoff) as client, client.subscribe("g", start=start) as game:
        event = await game.next_event()
    assert isinstance(event, Disconnected)
    assert least_s <= event.wait_s <= least_s + 1


async def test_a_failing_first_connection_raises_its_url(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    async with Client(url, backoff=Backoff(max_attempts=3, initial_wait_s=0.001)) as client:
        with pytest.raises(UnreachableError, match=url):
            async with client.subscribe("g"):
                pass


@pytest.mark.parametrize("text", ("<html>", "[1]", '{"type": "diff"}', '{"type": "error", "problem": 7}'))
async def test_an_invalid_message_raises(script: ScriptedService, scripted_client: Client, text: str) -> None:
    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(1, recovered=False)
        await socket.send_str(text)
        await socket.wait_until_closed()

    script.connections.append(connection)
    with pytest.raises(InvalidResponseError):
        async with scripted_client.subscribe("g") as game:
            await anext(game)


async def test_the_state_is_available_within_the_context_only(scripted_client: Client) -> None:
    game = scripted_client.subscribe("g")
    for name in ("view", "digest"):
        with pytest.raises(RuntimeError, match="async with"):
            getattr(game, name)
