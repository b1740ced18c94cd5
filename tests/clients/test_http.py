"""Requests with lost responses, and busy services."""

import asyncio
import signal
from pathlib import Path

import pytest
from aiohttp import web

from schemas.problems import problem
from south_seas import (
    APIError,
    Backoff,
    Client,
    ConflictError,
    InvalidResponseError,
    NotFoundError,
    RetryableError,
    UnreachableError,
)
from south_seas.models import CreateGame, SeatRequest
from tests.clients.conftest import QUICK
from tests.clients.scripted_service import ScriptedService, problem_response
from tests.polling import wait_until
from tests.server_process import start_server
from tests.tcp_proxy import Proxy, run_proxy

TABLE = CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(name="Bo")], first_seat=0)


async def test_a_request_is_retried_after_a_lost_response_and_applied_once(client: Client, proxy: Proxy) -> None:
    proxy.responses_to_drop = 2
    created = await client.create(TABLE)
    assert proxy.responses_to_drop == 0
    assert [game.id for game in (await client.games()).games] == [created.game.id]
    ana = client.with_token(created.seats[0].token)
    moves = await ana.legal_moves(created.game.id)
    proxy.responses_to_drop = 2
    acted = await ana.act(created.game.id, moves.moves[0])
    assert proxy.responses_to_drop == 0
    assert acted.version == created.game.version + 1
    assert (await ana.game(created.game.id)).version == acted.version


async def test_a_request_is_retried_on_another_instance_after_one_was_killed(tmp_path: Path, redis_url: str) -> None:
    async with (
        start_server(tmp_path / "one", redis_url) as first,
        run_proxy(first.url) as proxy,
        Client(proxy.url, backoff=QUICK) as client,
    ):
        created = await client.create(TABLE)
        moves = await client.legal_moves(created.game.id)
        first.process.send_signal(signal.SIGSTOP)
        owner, sent = client.with_token(created.owner_token), proxy.requested
        acting = asyncio.create_task(owner.act(created.game.id, moves.moves[0], seat=0))
        await wait_until(lambda: proxy.requested > sent)
        assert not acting.done()
        async with start_server(tmp_path / "two", redis_url) as second:
            first.process.kill()
            proxy.target = second.url
            acted = await acting
            assert acted.version == created.game.version + 1
            assert (await client.game(created.game.id)).version == acted.version


async def test_an_unreachable_service_is_retried(client: Client, proxy: Proxy, url: str) -> None:
    proxy.target = "http://127.0.0.1:9"
    creating = asyncio.create_task(client.create(TABLE))
    await wait_until(lambda: proxy.accepted > 1)
    proxy.target = url
    await creating


@pytest.mark.parametrize(
    ("headers", "least_s"),
    (
        ({"Retry-After": "1"}, 1.0),
        ({"RateLimit": '"default";r=0;t=1'}, 1.0),
        ({"Retry-After": "Sun, 01 Nov 2020 08:49:37 GMT"}, 0.0),
        ({"Retry-After": "soon"}, 0.0),
        ({}, 0.0),
    ),
)
async def test_a_rate_limited_request_is_retried_after_the_wait(
    script: ScriptedService, scripted_client: Client, headers: dict[str, str], least_s: float
) -> None:
    script.responses.append(problem_response(problem("rate_limited", "wait"), **headers))
    clock = asyncio.get_running_loop()
    before = clock.time()
    await scripted_client.game("g")
    assert least_s <= clock.time() - before < least_s + 10
    assert len(script.requests) == 2


async def test_all_attempts_of_a_post_have_the_same_key(script: ScriptedService, scripted_client: Client) -> None:
    unavailable = problem("store_unavailable", "the store does not answer", retry_after_s=0)
    script.responses.extend(
        [problem_response(unavailable), web.Response(status=502, text="a proxy's own"), problem_response(unavailable)]
    )
    script.responses.append(problem_response(problem("conflict", "still at work")))
    with pytest.raises(InvalidResponseError):
        await scripted_client.create(TABLE)
    assert len(script.requests) == 5
    [key] = {request.headers["Idempotency-Key"] for request in script.requests}
    assert len(key) >= 32


async def test_a_rejected_request_is_not_retried(script: ScriptedService, scripted_client: Client) -> None:
    for code, kind in (("not_found", NotFoundError), ("conflict", ConflictError), ("internal", APIError)):
        script.responses.append(problem_response(problem(code, "no")))
        with pytest.raises(kind):
            await scripted_client.game("g")
    assert len(script.requests) == 3


async def test_a_wait_beyond_the_bound_is_not_retried(script: ScriptedService, scripted_client: Client) -> None:
    script.responses.append(problem_response(problem("rate_limited", "tomorrow", retry_after_s=86_400)))
    with pytest.raises(RetryableError) as busy:
        await scripted_client.game("g")
    assert busy.value.retry_after_s == 86_400
    assert len(script.requests) == 1


async def test_a_request_with_any_number_of_attempts_waits_no_longer_than_the_bound(script: ScriptedService) -> None:
    script.responses.extend(
        problem_response(problem("rate_limited", "tomorrow", retry_after_s=86_400)) for _ in range(9)
    )
    async with Client(script.url) as client:
        await client.with_backoff(Backoff(max_attempts=None, initial_wait_s=0.001, max_wait_s=0.01)).game("g")
    assert len(script.requests) == 10


@pytest.mark.parametrize("text", ("a proxy's own", "{}", '{"error": "bad gateway"}', "[]"))
async def test_an_error_without_a_problem_document_has_its_status(script: ScriptedService, text: str) -> None:
    script.responses.append(web.Response(status=418, text=text))
    async with Client(script.url) as client:
        with pytest.raises(APIError, match="418") as raised:
            await client.game("g")
    assert (raised.value.code, raised.value.problem.status) == ("unknown", 418)


async def test_attempts_are_bounded(script: ScriptedService) -> None:
    script.responses.extend(web.Response(status=503) for _ in range(9))
    async with Client(script.url, backoff=Backoff(max_attempts=3, initial_wait_s=0.001)) as client:
        with pytest.raises(RetryableError, match="503"):
            await client.game("g")
    assert len(script.requests) == 3


async def test_an_unreachable_service_raises_its_url(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    async with Client(f"{url}/", backoff=Backoff(max_attempts=2, initial_wait_s=0.001)) as client:
        with pytest.raises(UnreachableError) as raised:
            await client.games()
    assert raised.value.url == url


@pytest.mark.parametrize("content", (b"", b"<html>", b"7", b'{"id": 7}', b"\xff"))
async def test_an_invalid_response_raises_its_url(
    script: ScriptedService, scripted_client: Client, content: bytes
) -> None:
    script.responses.append(web.Response(body=content))
    with pytest.raises(InvalidResponseError, match=script.url):
        await scripted_client.game("g")


async def test_requests_have_language_and_token(script: ScriptedService) -> None:
    async with Client(script.url, "secret", language="fr") as client:
        await client.game("g")
        await client.with_token(None).game("g")
    first, second = script.requests
    assert (first.headers["Authorization"], first.headers["Accept-Language"]) == ("Bearer secret", "fr")
    assert "Authorization" not in second.headers
