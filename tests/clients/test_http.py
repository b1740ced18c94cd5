"""Requests of the clients: retries, methods for every path, other versions of the service, and its clock."""

import asyncio
import inspect
import itertools
import json
import logging
import re
import time
import tomllib
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import resources
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, get_origin
from unittest.mock import Mock

import msgspec
import pytest
from aiohttp import ClientSession, web
from msgspec import to_builtins

import south_seas.clock
from schemas.problems import problem
from service.web.assembly import ROUTES
from service.web.routing import Route
from south_seas import (
    APIError,
    ApiKeyClient,
    Backoff,
    BadRequestError,
    Client,
    ConflictError,
    ForbiddenError,
    IllegalMoveError,
    InvalidResponseError,
    NotFoundError,
    RetryableError,
    ServerClock,
    UnauthorizedError,
    UnprocessableError,
    UnreachableError,
    VersionMismatchError,
)
from south_seas.decoding import DecodingError, Unknown, convert, decode
from south_seas.models import CreateGame, GameView, LegalMoves, Move, Pass, SeatRequest
from tests.clients.node_programs import run_script
from tests.clients.scripted_service import (
    GAME_ID,
    ScriptedService,
    final_game_response,
    problem_response,
    send_and_stay,
)
from tests.polling import TIMEOUT_S
from tests.tcp_proxy import run_proxy
from tests.tools import ROOT
from tools.openapi.code_samples import CALLS, PATH_VALUES, TILE_SET, make_code_samples

GONE = to_builtins(problem("not_found", "there is no such game"))
TABLE = CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(name="Bo")], first_seat=0)


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
async def test_a_rate_limited_request_is_retried_after_the_wait_and_logged(
    script: ScriptedService,
    scripted_client: Client,
    headers: dict[str, str],
    least_s: float,
    caplog: pytest.LogCaptureFixture,
) -> None:
    script.responses.append(problem_response(problem("rate_limited", "wait"), **headers))
    clock = asyncio.get_running_loop()
    before = clock.time()
    await scripted_client.game("g")
    assert least_s <= clock.time() - before < least_s + 10
    assert len(script.requests) == 2
    [(logger, level, text)] = caplog.record_tuples
    assert (logger, level) == ("south_seas", logging.WARNING)
    assert re.fullmatch(rf"retrying GET /v1/games/g in {least_s:.0f}\.\d s: wait", text)


async def test_all_attempts_of_a_post_have_the_same_key(script: ScriptedService, scripted_client: Client) -> None:
    unavailable = problem("store_unavailable", "the store does not answer", retry_after_s=0)
    script.responses.extend(
        [problem_response(unavailable), web.Response(status=502, text="a proxy's own"), problem_response(unavailable)]
    )
    script.responses.append(problem_response(problem("conflict", "still at work")))
    script.responses.append(problem_response(problem("key_reused", "with another body")))
    with pytest.raises(UnprocessableError):
        await scripted_client.create(TABLE)
    assert len(script.requests) == 5
    [key] = {request.headers["Idempotency-Key"] for request in script.requests}
    assert len(key) >= 32


MEMBERS: dict[str, Any] = {"rule": "R3.2", "index": 1, "version": 7, "digest": "0" * 32}


@pytest.mark.parametrize(
    ("code", "kind", "members"),
    (
        *(("malformed", BadRequestError, ()), ("unauthorized", UnauthorizedError, ()), ("internal", APIError, ())),
        *(("not_owner", ForbiddenError, ()), ("not_found", NotFoundError, ()), ("conflict", ConflictError, ())),
        *(("key_reused", UnprocessableError, ()), ("version_mismatch", VersionMismatchError, ("version", "digest"))),
        ("illegal_move", IllegalMoveError, ("rule", "index")),
    ),
)
async def test_a_rejected_request_raises_its_exception_and_is_not_retried(
    script: ScriptedService, scripted_client: Client, code: str, kind: type[APIError], members: tuple[str, ...]
) -> None:
    script.responses.append(problem_response(problem(code, "no", **MEMBERS)))
    with pytest.raises(kind, match="no") as raised:
        await scripted_client.game("g")
    assert (type(raised.value), raised.value.code) == (kind, code)
    assert [getattr(raised.value, name) for name in members] == [MEMBERS[name] for name in members]
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("tokens", "key", "sent"), ((("one", "two"), "secret", "one, two"), ((), "secret", "secret"), ((), None, "own"))
)
async def test_my_games_are_those_of_given_tokens_else_of_the_creator_key_else_of_the_token(
    script: ScriptedService, tokens: tuple[str, ...], key: str | None, sent: str
) -> None:
    script.responses.append(web.json_response({"games": []}))
    async with Client(script.url, "own", creator_key=key) as client:
        assert (await client.my_games(tokens)).games == []
    assert script.requests[0].headers["Authorization"] == f"Bearer {sent}"


async def test_the_log_goes_on_to_its_last_page(script: ScriptedService, scripted_client: Client) -> None:
    del script.log[51:]  # a page has 50
    assert [diff async for diff in scripted_client.log(GAME_ID)] == script.log


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


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    (
        *((status, {"Content-Type": "text/html"}, b"<html>") for status in (200, 403, 404, 408, 425, 500, 520, 524)),
        (429, {"Content-Type": "text/html", "Retry-After": "86400"}, b"<html>"),
        (302, {"Location": "http://192.0.2.1/login"}, b""),
        (307, {"Location": "http://192.0.2.1/login"}, b""),
        (404, {"Content-Type": "application/json"}, b'{"error": "no such page"}'),
        (401, {"Content-Type": "application/problem+json"}, b'{"title": "another application\'s"}'),
        (404, {"Content-Type": "application/problem+json"}, msgspec.json.encode({**GONE, "type": "/problems/x"})),
        *((200, {"Content-Type": "application/json"}, body) for body in (b"", b"<html>", b"7", b'{"id": 7}', b"\xff")),
    ),
)
async def test_what_the_service_did_not_send_is_an_outage(
    script: ScriptedService, status: int, headers: dict[str, str], body: bytes
) -> None:
    """A captive portal's page, a firewall's, a proxy's, or another application's."""
    script.responses.extend(web.Response(status=status, headers=headers, body=body) for _ in range(5))
    backoff = Backoff(max_attempts=3, initial_wait_s=0.001, max_wait_s=0.01)
    async with Client(script.url, backoff=backoff) as client:
        with pytest.raises((UnreachableError, InvalidResponseError), match=script.url):
            await client.game("g")
        assert (await client.game("g")).id == GAME_ID
    assert len(script.requests) == 6


def test_a_client_is_back_within_two_seconds_of_the_service_in_the_median() -> None:
    def delay_s(outage_s: float) -> float:
        waits = itertools.accumulate(Backoff().wait_s(failures) for failures in itertools.count())
        return next(at for at in waits if at > outage_s) - outage_s

    assert median(delay_s(30 + outage_s / 2) for outage_s in range(1_000)) < 2


@pytest.mark.parametrize("call", (Client.games, lambda client: client.subscribe(GAME_ID).__aenter__()))
async def test_an_unreachable_service_raises_its_url(call: Callable[[Client], Any], unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    async with Client(f"{url}/", backoff=Backoff(max_attempts=3, initial_wait_s=0.001)) as client:
        with pytest.raises(UnreachableError) as raised:
            await call(client)
    assert raised.value.url == url


async def test_clients_that_derive_from_another_share_its_connections_alone(script: ScriptedService) -> None:
    quick = Backoff(max_attempts=1)
    async with Client(script.url, "secret", language="fr") as client:
        derived = client.with_token(None).with_language("de").with_backoff(quick)
        await derived.game("g")
        await client.game("g")
        assert (derived.backoff, client.backoff) == (quick, Backoff())
    first, second = script.requests
    assert ("Authorization" in first.headers, first.headers["Accept-Language"]) == (False, "de")
    assert (second.headers["Authorization"], second.headers["Accept-Language"]) == ("Bearer secret", "fr")
    assert first.transport is second.transport


@pytest.mark.parametrize(
    ("make", "call"),
    (
        (Client, Client.games),
        (Client, lambda client: client.subscribe(GAME_ID).__aenter__()),
        (partial(ApiKeyClient, api_key="key"), ApiKeyClient.games),
    ),
    ids=("request", "subscription", "API key"),
)
async def test_a_client_has_the_session_and_the_patience_of_its_caller(
    script: ScriptedService, make: Callable[..., Any], call: Callable[[Any], Coroutine[Any, Any, object]]
) -> None:
    """Of two calls of a service that does not answer, the later one with the shorter timeout ends first."""
    script.responses.append(problem_response(problem("not_found", "no")))
    async with run_proxy(script.url) as road, ClientSession(headers={"X-Own": "yes"}) as session:
        async with make(road.url, session=session) as client:
            with pytest.raises(NotFoundError):
                await client.games()
        assert script.requests[0].headers["X-Own"]
        road.stop_forwarding()
        waiting = [
            asyncio.create_task(call(make(road.url, session=session, backoff=Backoff(max_attempts=1, timeout_s=s))))
            for s in (TIMEOUT_S, 0.01)
        ]
        ended, (patient,) = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert [isinstance(one.exception(), UnreachableError) for one in ended] == [True]
        assert patient is waiting[0]
        patient.cancel()


PASS = {"type": "pass", "phase": "islander"}


@pytest.mark.parametrize(
    ("action", "body"),
    (
        (convert(PASS, Pass), {"action": PASS}),
        ([convert(PASS, Pass)], {"actions": [PASS]}),
        ("p0.1.2", {"move": "p0.1.2"}),
        (convert({"id": "i0", "text": "", "action": PASS}, Move), {"move": "i0"}),
    ),
)
async def test_an_action_has_its_form_its_seat_and_the_version_that_it_is_for(
    script: ScriptedService, scripted_client: Client, action: Any, body: dict[str, Any]
) -> None:
    script.responses.append(problem_response(problem("not_found", "no")))
    with pytest.raises(NotFoundError):
        await scripted_client.act("g", action, seat=3, if_match="9-ab")
    (request,) = script.requests
    assert (await request.json(), request.headers["If-Match"]) == ({**body, "seat": 3}, '"9-ab"')


@pytest.mark.parametrize(
    ("call", "reason"),
    (
        (lambda _: Client("http://host/v1/"), "without /v1"),
        (lambda client: client.read("v1/bots"), "a path begins with /"),
        (lambda client: client.subscribe(GAME_ID, start=GONE), "with game and digest"),
        (lambda client: client.subscribe(None), "by its id"),
        (lambda client: client.play(GAME_ID, "A", min), "by its number"),
        (lambda client: client.play(GAME_ID, 9, min), "no seat 9: its seats are 0 to "),
    ),
)
async def test_a_wrong_argument_is_named(
    script: ScriptedService, scripted_client: Client, call: Callable[[Client], Any], reason: str
) -> None:
    script.connections.append(send_and_stay(1, 1))
    with pytest.raises((TypeError, ValueError), match=reason):
        await call(scripted_client)


def test_the_versions_of_the_clients_follow_the_api() -> None:
    document = json.loads(resources.files("schemas").joinpath("openapi.json").read_bytes())
    python = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]
    typescript = json.loads((ROOT / "clients/typescript/package.json").read_text())
    for client in (python, typescript):
        assert client["version"].split(".")[:2] == document["info"]["version"].split(".")[:2]


EXAMPLES = msgspec.json.decode((ROOT / "tools/openapi/examples.json").read_bytes())
GAME = convert(EXAMPLES["game"]["value"], GameView)


def moves(*actions: dict[str, Any]) -> dict[str, Any]:
    listed = [{"id": f"m{index}", "text": "", "action": action} for index, action in enumerate(actions)]
    return {**EXAMPLES["legal_moves"]["value"], "phase": "storm", "moves": listed}


def test_a_missing_field_is_null() -> None:
    document = {name: value for name, value in moves().items() if name != "next_cursor"}
    assert convert(document, LegalMoves).next_cursor is None


def test_unknown_values_and_types_pass_through() -> None:
    received = moves({"type": "pass", "phase": "storm"}, {"type": "swim", "to": [1, 2]})
    legal = decode(msgspec.json.encode(received), LegalMoves)
    assert (legal.phase, legal.moves[0].action) == ("storm", Pass(phase="storm"))
    assert repr(legal.moves[1].action) == repr(Unknown("swim", {"type": "swim", "to": [1, 2]}))


def test_an_unknown_value_or_field_does_not_affect_the_rest() -> None:
    document = {**decode(msgspec.json.encode(GAME), dict), "status": "becalmed", "weather": "fine"}
    game = convert(document, GameView)
    assert game.status == "becalmed"
    assert (game.players, game.board, game.deck) == (GAME.players, GAME.board, GAME.deck)


@pytest.mark.parametrize(
    ("change", "path"),
    (
        ({"version": "one"}, "$.version"),
        ({"version": None}, "$.version"),
        ({"version": True}, "$.version"),
        ({"moves": {}}, "$.moves"),
        ({"moves": [7]}, "$.moves[0]"),
        ({"moves": [{}]}, "$.moves[0].id"),
        ({"seat": "first"}, "$.seat"),
        ({"seat": {}}, "$.seat"),
    ),
)
def test_the_error_names_the_first_mismatch(change: dict[str, Any], path: str) -> None:
    with pytest.raises(DecodingError) as raised:
        convert({**moves(), **change}, LegalMoves)
    assert raised.value.path == path


@pytest.mark.parametrize("content", (b"", b"{", b"\xff", "[" * 10_000))
def test_other_than_json_is_an_error(content: bytes | str) -> None:
    with pytest.raises(DecodingError):
        decode(content, GameView)


NOW = datetime(2026, 11, 25, 18, 0, 0, tzinfo=UTC)


def test_before_the_first_response_it_is_the_devices_clock() -> None:
    clock = ServerClock()
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=0.1)
    assert 59 < clock.seconds_left((datetime.now(UTC) + timedelta(seconds=60)).isoformat()) <= 60
    assert clock.seconds_left("2026-01-01T00:00:00Z") == 0


def test_responses_narrow_it_down_to_less_than_their_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tells a second that has begun when it arrives, and had not ended when it was requested."""
    clock, at = ServerClock(), 1_000.0
    monkeypatch.setattr(south_seas.clock, "time", SimpleNamespace(monotonic=lambda: at + 5))
    for later in (0.25, 0.5, 0.75, 1.0):  # the service's clock: NOW + 0.4 s at `at`
        clock.observe((NOW + timedelta(seconds=0.4 + later)).replace(microsecond=0), at + later, at + later)
    assert abs((clock.now() - NOW).total_seconds() - 5.4) <= 0.2


def test_a_time_that_contradicts_the_others_replaces_them() -> None:
    """As after a device's sleep."""
    clock, at = ServerClock(), time.monotonic()
    clock.observe(NOW, at, at)
    clock.observe(NOW + timedelta(hours=8), at, at)
    assert abs(clock.now() - NOW - timedelta(hours=8)) < timedelta(seconds=1)


async def test_it_is_set_by_the_welcome_and_by_posts(script: ScriptedService, scripted_client: Client) -> None:
    """A cache may answer a GET, with a Date of its own."""
    date = {"Date": "Wed, 25 Nov 2026 18:00:00 GMT"}
    cached = final_game_response(script)
    cached.headers.update(date)
    script.responses.extend([cached, web.json_response({"seat": 0, "token": "t"}, headers=date)])
    await scripted_client.game("g")
    assert abs(scripted_client.clock.now() - datetime.now(UTC)) < timedelta(seconds=1)
    await scripted_client.with_token("t").replace_token("g", 0)
    assert abs(scripted_client.clock.now() - NOW) < timedelta(seconds=2)
    script.connections.append(send_and_stay(1, 1))
    async with scripted_client.subscribe(GAME_ID):
        assert abs(scripted_client.clock.now() - datetime(2026, 1, 1, tzinfo=UTC)) < timedelta(seconds=3)


OPERATIONS = {route.operation_id: route for route in ROUTES if route.path.startswith("/v1/")}

SETTINGS: dict[str, Any] = {"token": "token", "creator_key": "creator", "api_key": "key", "language": "fr"}

OPTIONS = {"key": "again", "include_legal_moves": True, "if_match": '"9-ab"', "return_game": True, "seat": 4}
"""What the methods take by these names, of those that create, join or act."""

HEADERS = ("Accept-Language", "Api-Key", "Authorization", "Creator-Key", "Idempotency-Key", "If-Match", "Prefer")


def call_sample(target: Any, operation: str) -> Any:
    """Call the method of an operation in Python with the arguments of its sample."""
    names = {"target": target, "token": SETTINGS["token"]}
    _, python, _ = make_code_samples(OPERATIONS[operation], ())
    exec(python["source"].partition("\n\n")[0], names)  # noqa: S102  the project's own
    return eval(f"target.{CALLS[operation].python}", names)  # noqa: S307  the project's own


def make_client(script: ScriptedService, route: Route) -> Client | ApiKeyClient:
    """Return the client that has the method of an operation, with all settings."""
    script.responses.append(problem_response(problem("not_found", "no")))
    is_host = route.access == "key"
    return ApiKeyClient(script.url, SETTINGS["api_key"]) if is_host else Client(script.url, **SETTINGS)


async def describe(request: web.Request) -> tuple[Any, ...]:
    """Return a request: what is null in its body is absent, and a key that the client made is as any other."""
    headers = {name: request.headers[name] for name in HEADERS if request.headers.get(name, "*") != "*"}
    if len(headers.get("Idempotency-Key", "")) == 2 * 32:
        headers["Idempotency-Key"] = "random"
    body = await request.json() if request.body_exists else {}
    sent = {name: value for name, value in body.items() if value is not None}
    return request.method, request.path, dict(request.query), headers, sent


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_method_sends_all_that_its_caller_and_its_client_say(script: ScriptedService, operation: str) -> None:
    """The value of each parameter of a query is its name here."""
    route, sample, said = OPERATIONS[operation], Mock(), dict[str, Any]()
    taken = route.decoder
    query = {} if taken.query is None else dict.fromkeys(taken.query.__struct_fields__)
    call_sample(sample, operation)
    ((method, args, kwargs),) = sample.mock_calls
    async with make_client(script, route) as client:
        call = inspect.signature(getattr(client, method)).bind(*args, **kwargs)
        for name, parameter in call.signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                known = parameter.annotation.__args__[0].__annotations__ if name == "options" else query
                call.arguments[name] = {one: OPTIONS.get(one, one) for one in known}
                said |= call.arguments[name]
            elif name in {*query, "seed"}:
                call.arguments[name] = said[name] = name
        with pytest.raises(NotFoundError):
            await getattr(client, method)(*call.args, **call.kwargs)
    result, content = (get_origin(one) or one for one in (call.signature.return_annotation, route.content))
    assert result is content or result.__name__ == content.__name__ or (result, content) == (bytes, str)
    headers = {} if route.access == "key" else {"Authorization": "Bearer token", "Accept-Language": "fr"}
    headers |= {"Api-Key": "key"} if taken.takes_api_key else {}
    headers |= {"Creator-Key": "creator"} if "creator_key" in taken.headers else {}
    headers |= {"If-Match": '"9-ab"', "Prefer": "return=representation"} if "prefers_game" in taken.headers else {}
    headers |= {"Idempotency-Key": said.get("key", "random")} if route.method == "POST" else {}
    body: dict[str, Any] = {"move": args[1]} if method == "act" else {}
    body |= next((msgspec.to_builtins(one) for one in args if isinstance(one, msgspec.Struct)), {})
    body |= {one: said[one] for one in said if taken.body and one in taken.body.type.__struct_fields__}
    path = route.path.format_map(PATH_VALUES | ({"id": TILE_SET} if "/tilesets/" in route.path else {}))
    queried = {one: "legal_moves" if one == "include" else said[one] for one in query}
    (request,) = script.requests
    assert await describe(request) == (route.method, path, queried, headers, body)
    if taken.body is not None and (request.body_exists or not taken.is_body_optional):
        taken.body.decode(await request.read())


async def test_typescript_sends_what_python_does(script: ScriptedService, node: str, built: Path) -> None:
    """By the samples of all operations."""
    for operation in CALLS:
        async with make_client(script, OPERATIONS[operation]) as client:
            with pytest.raises(NotFoundError):
                await call_sample(client, operation)
    script.responses.extend(problem_response(problem("not_found", "no")) for _ in CALLS)
    calls = [(OPERATIONS[operation].access == "key", call.typescript) for operation, call in CALLS.items()]
    await run_script("samples.mjs", node, built, script.url, json.dumps(SETTINGS), json.dumps(calls))
    sent = [await describe(request) for request in script.requests]
    assert sent[len(CALLS) :] == sent[: len(CALLS)]
