"""HTTP on every path: methods, CORS, half-closed clients, the access log, metrics, and the port for Prometheus."""

import json
import logging
import re
import threading
from asyncio import Event
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import pytest_asyncio
from aiohttp import ClientSession, web
from multidict import CIMultiDict
from prometheus_client import REGISTRY, CollectorRegistry
from yarl import URL

from schemas.problems import problem
from service.games.ports import GameStore
from service.store.game_store import RedisStore
from service.telemetry.logs import LOG_CONTEXT
from service.web import connection_limiter as limiter
from service.web import handling
from service.web import server as web_server
from service.web.accounts import Accounts
from service.web.app import DRAINING, App, HttpRequest
from service.web.assembly import ROUTES
from service.web.charge import Charge
from service.web.client_ip import parse_networks
from service.web.connection_limiter import CONNECTION_LIMITER, ConnectionLimiter
from service.web.handling import _DURATIONS, IN_FLIGHT, ProblemProtocol, ProblemServer, RequestContext
from service.web.limits import Limits
from service.web.server import serve_metrics
from tests.api_key_fixture import add_api_key, api_key_header
from tests.polling import TIMEOUT_S, wait_until
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, mocked_request, serve, wait_until_no_streams
from tests.web.http_game import JSON, TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
from tests.web.raw_http import UPGRADE, make_head, open_connection, read_to_end, send_raw
from tests.web.watcher_client import watch_game
from verification.fuzz.frames import TEXT, encode_frame

ANA, BO = "192.0.2.1", "2001:db8:1:2::7"

# With comments it sees that its client left.
BEHIND_A_PROXY = Limits(trusted_proxies=parse_networks("127.0.0.1"), sse_comment_interval_s=0.1)


@pytest_asyncio.fixture
async def proxied(store: RedisStore, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Client]:
    """Start an instance that trusts this machine as a proxy, with an access log."""
    caplog.set_level(logging.INFO, "service.web.access")
    async with serve(store, BEHIND_A_PROXY) as client:
        yield client


def read_lines(caplog: pytest.LogCaptureFixture, *names: str) -> list[tuple[Any, ...]]:
    """Return these fields of each line of the access log."""
    records = [vars(record) for record in caplog.records if record.name == "service.web.access"]
    return [tuple(record.get(name) for name in names) for record in records]


def forwarded_for(address: str) -> dict[str, str]:
    """Return the header with which a proxy names a client."""
    return {"X-Forwarded-For": address}


async def test_a_line_has_a_proxys_client(proxied: Client, store: RedisStore, caplog: pytest.LogCaptureFixture) -> None:
    await proxied.get("/livez", headers=forwarded_for(ANA))
    await proxied.get("/v1/games/none", headers=forwarded_for(BO))
    await proxied.get("/v1/keys/me", headers=api_key_header(await add_api_key(store, "host")) | forwarded_for(ANA))
    assert read_lines(caplog, "message", "method", "route", "status", "address", "api_key") == [
        ("GET /livez 200", "GET", "/livez", 200, ANA, None),
        ("GET /v1/games/{id} 404", "GET", "/v1/games/{id}", 404, "2001:db8:1:2::", None),
        ("GET /v1/keys/me 200", "GET", "/v1/keys/me", 200, ANA, "host"),
    ]
    for (milliseconds,) in read_lines(caplog, "milliseconds"):
        assert 0 < milliseconds == round(milliseconds, 3) < 1000 * TIMEOUT_S


async def test_without_a_trusted_proxy_a_line_has_the_peer(store: RedisStore, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "service.web.access")
    async with serve(store) as client:
        await client.get("/livez", headers=forwarded_for(ANA))
    assert read_lines(caplog, "address") == [("127.0.0.1",)]


async def test_malformed_http_has_a_line(proxied: Client, caplog: pytest.LogCaptureFixture) -> None:
    await send_raw(proxied, b"NONSENSE\r\n\r\n")
    assert read_lines(caplog, "route", "status") == [("unmatched", 400)]


async def connect(client: Client, game: HTTPGame) -> Any:
    """Open a WebSocket that watches the game."""
    return await client.ws_connect(
        f"{game.path}/ws?since=1", headers={**bearer_header(game.owner_token), **forwarded_for(ANA)}
    )


@pytest.mark.parametrize(("kind", "route"), (("socket", "/v1/games/{id}/ws"), ("stream", "/v1/games/{id}/diffs")))
async def test_a_socket_or_stream_has_two_lines(
    proxied: Client, caplog: pytest.LogCaptureFixture, kind: str, route: str
) -> None:
    game = await create_game(proxied, visibility="private")
    caplog.clear()
    if kind == "socket":
        await (await connect(proxied, game)).close()
    else:
        headers = {"Accept": "text/event-stream", **bearer_header(game.owner_token), **forwarded_for(ANA)}
        async with proxied.get(f"{game.path}/diffs?since=1", headers=headers) as response:
            assert response.status == 200
    await wait_until_no_streams(proxied)
    await wait_until(lambda: len(read_lines(caplog, "kind")) >= 2)
    assert read_lines(caplog, "message", "kind", "route", "address") == [
        (f"{kind} {what} {route}", kind, route, ANA) for what in ("opened", "closed")
    ]
    ((opened,), (closed,)) = read_lines(caplog, "seconds")
    assert opened is None
    assert 0 <= closed == round(closed, 3) < TIMEOUT_S
    assert game.owner_token not in caplog.text


async def test_a_socket_that_is_refused_has_its_code(proxied: Client, caplog: pytest.LogCaptureFixture) -> None:
    async with proxied.ws_connect("/v1/ws", headers={"Authorization": "Bearer §", **forwarded_for(ANA)}) as socket:
        while not socket.closed:
            await socket.receive()
    await wait_until_no_streams(proxied)
    assert read_lines(caplog, "kind", "code") == [("socket", None), ("socket", 4401)]


async def test_a_lost_socket_is_logged_and_counted_as_1006(proxied: Client, caplog: pytest.LogCaptureFixture) -> None:
    before = read_samples()
    socket = await connect(proxied, await create_game(proxied))
    connection = socket._response.connection
    connection.transport.abort()
    await wait_until_no_streams(proxied)
    assert read_lines(caplog, "kind", "code")[-1] == ("socket", 1006)
    assert grown(before, "sockets_closed_total", code="1006") == grown(before, "sockets_closed_total") == 1
    await socket.close()


METHODS = {route.path: {one.method for one in ROUTES if one.path == route.path} for route in ROUTES}
REQUESTED = "authorization,baggage,cache-control,content-type,idempotency-key,sentry-trace,x-requested-with"


async def fill_path(client: Client, path: str) -> str:
    """Return a path with its parameters filled in: a tile set, or a new game."""
    id_ = "lagoon" if "tilesets" in path else (await create_game(client)).id
    return path.format_map({"id": id_, "hook": "none", "seat": "0", "tile": "cross", "ship": "s01"})


@pytest.mark.parametrize("path", sorted(METHODS))
async def test_options_lists_the_methods_of_a_path(client: Client, path: str) -> None:
    there = await fill_path(client, path)
    allowed = METHODS[path] | {"OPTIONS"} | ({"HEAD"} if "GET" in METHODS[path] else set())
    for method in ("PUT", "PATCH", "TRACE", "PROPFIND", "DELETE", "POST", "GET"):
        if method in allowed:
            continue
        response = await client.request(method, there)
        await check_problem(response, 405, "method_not_allowed")
        assert set(response.headers["Allow"].split(", ")) == allowed
    options = await client.options(there)
    assert (options.status, await options.read()) == (204, b"")
    assert set(options.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize("path", sorted(path for path in METHODS if "GET" in METHODS[path]))
async def test_head_is_get_without_the_body(client: Client, path: str) -> None:
    there = await fill_path(client, path)
    head, get = await client.head(there), await client.get(there)
    assert (head.status, await head.read()) == (get.status, b"")
    assert head.headers.keys() == get.headers.keys()
    for name in ("Content-Type", "Content-Length", "Content-Encoding", "ETag", "Cache-Control", "Vary", "Link"):
        assert head.headers.get(name) == get.headers.get(name)


@pytest.mark.parametrize("path", sorted(METHODS))
async def test_preflight_allows_every_origin(client: Client, path: str) -> None:
    there, headers = await fill_path(client, path), {"Access-Control-Request-Headers": REQUESTED}
    for method in METHODS[path]:
        asked = {"Origin": "https://example.org", "Access-Control-Request-Method": method}
        response = await client.options(there, headers=headers | asked)
        assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (204, "*")
        assert method in response.headers["Access-Control-Allow-Methods"].split(", ")
        assert response.headers["Access-Control-Allow-Headers"].split(", ") == REQUESTED.split(",")
        assert int(response.headers["Access-Control-Max-Age"]) > 0
        assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize(("path", "method"), (("/nowhere", "GET"), ("/v1/games", "PUT"), ("/v1/games/none", "BREW")))
async def test_a_preflight_of_a_bad_request_lets_pages_read_problems(client: Client, path: str, method: str) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": method}
    response = await client.options(path, headers={**asked, "Access-Control-Request-Headers": "x-one"})
    assert response.status == 204
    assert method in response.headers["Access-Control-Allow-Methods"].split(", ")
    assert response.headers["Access-Control-Allow-Headers"] == "x-one"
    assert (await client.options("/nowhere")).status == 404


@pytest.mark.parametrize("path", ("/v1/games", "/v1/bots", "/nowhere", "/docs"))
async def test_a_token_in_a_url_is_refused(client: Client, path: str) -> None:
    response = await client.get(path, params={"token": "a" * 43, "limit": "1"})
    problem = await response.json(content_type="application/problem+json")
    assert (response.status, problem["code"], problem["path"]) == (400, "malformed", "token")
    assert "aaa" not in problem["detail"]


async def test_a_preflight_lists_names_of_headers_only(client: Client) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
    assert "Access-Control-Allow-Headers" not in (await client.options("/v1/games", headers=asked)).headers
    for requested, listed in (
        ("x-one , ,x-two\t", "x-one, x-two"),
        ('x-one;"<two>"', "x-one, two"),
        (",".join(["x-one"] * 100), ", ".join(["x-one"] * 100)),
    ):
        response = await client.options("/v1/games", headers={**asked, "Access-Control-Request-Headers": requested})
        assert response.headers["Access-Control-Allow-Headers"] == listed


async def test_an_unknown_path_is_not_found(client: Client) -> None:
    for path in ("/nowhere", "/v1", "/v1/", "/v1/games/", "/v1/game", "/V1/games", "/v1/games/abc/moves"):
        for response in (await client.get(path), await client.post(path, json={})):
            await check_problem(response, 404, "not_found")


async def test_the_service_itself_has_options(client: Client) -> None:
    """RFC 9110, 9.3.7."""
    asterisk = await send_raw(client, make_head("*", method="OPTIONS"))
    assert (asterisk.status, asterisk.headers["Allow"]) == (204, "OPTIONS")


async def test_an_internal_error_reveals_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game = await create_game(client)
    monkeypatch.setattr("service.web.routes.games.build_view", Mock(side_effect=ZeroDivisionError("broken")))
    response = await game.get(**{"X-Request-Id": "the-broken-one"})
    document = await check_problem(response, 500, "internal")
    assert (response.headers["Connection"], response.headers["X-Request-Id"]) == ("close", "the-broken-one")
    assert document["detail"] == problem("internal", "internal server error").detail
    assert "broken" not in await response.text()
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert record.getMessage() == f"GET {game.path} failed"
    assert game.owner_token not in caplog.text
    with pytest.raises(ConnectionError, match="has already begun"):
        ProblemProtocol.handle_error(Mock(), Mock(writer=Mock(output_size=1), headers=CIMultiDict()))


BODY = json.dumps({"players": TWO_PLAYERS}).encode()


CREATE = make_head("/v1/games", f"Content-Type: {JSON}", f"Content-Length: {len(BODY)}", method="POST") + BODY
GET, LAST = make_head("/v1/bots"), make_head("/v1/bots", "Connection: close")


async def send_and_close(server: Client | URL, *parts: bytes) -> list[int]:
    """Send a request in parts, close the sending half, and return the statuses of the responses."""
    async with open_connection(server) as (reader, writer):
        received = b""
        for number, part in enumerate(parts):
            if number:
                received += await reader.readuntil(b"\r\n\r\n")
            writer.write(part)
        writer.write_eof()
        received += await read_to_end(reader)
    return [int(status) for status in re.findall(rb"HTTP/1\.\d (\d+)", received)]


async def test_requests_before_a_client_closed_its_sending_half_are_answered(client: Client) -> None:
    for parts, statuses in (
        ([CREATE + GET * 2 + GET[:-1]], [201, 200, 200]),
        ([CREATE[:-1]], [400]),
        ([CREATE[:-1].replace(b"/v1/games", b"/nowhere")], [404]),
        ([GET, b"NONSENSE\r\n\r\n" + GET], [200, 400]),
        ([GET * 2 + b"NONSENSE\r\n\r\n"], [400]),
        ([LAST, GET], [200]),
    ):
        assert await send_and_close(client, *parts) == statuses
        await wait_until(lambda: not client.app[CONNECTION_LIMITER].connections)


async def test_a_stream_ends_when_its_client_closes_its_sending_half(client: Client) -> None:
    """Nothing else tells that a client is gone; if it closes before the stream has begun, it is told why."""
    game = await create_game(client)
    stream = make_head(f"{game.path}/diffs", "Accept: text/event-stream")
    for request in (stream, make_head("/v1/ws", *UPGRADE)):
        async with open_connection(client) as (reader, writer):
            writer.write(request)
            await reader.readuntil(b"\r\n\r\n")
            writer.write_eof()
            await read_to_end(reader)
        # From Python 3.12 on a handler may start before the end is read, and then ends with it.
        assert await send_and_close(client, request) in ([400], [101])
        assert await send_and_close(client, GET + request + GET) in ([200, 400, 200], [200, 101])
        await wait_until_no_streams(client)


async def test_the_service_as_a_program_answers_too(service_url: str) -> None:
    """It runs on uvloop."""
    for request, statuses in ((CREATE + GET, [201, 200]), (CREATE[:-1], [400])):
        assert await send_and_close(URL(service_url), request) == statuses


async def test_a_socket_answers_the_messages_that_arrived(client: Client) -> None:
    game = await create_game(client)
    move = (await game.legal_moves())[0]["id"]
    act = json.dumps({"type": "act", "id": "c1", "game": game.id, "move": move}).encode()
    async with open_connection(client) as (reader, writer):
        writer.write(make_head(f"/v1/games/{game.id}/ws", *UPGRADE, f"Authorization: Bearer {game.owner_token}"))
        assert b"Server: south-seas\r\n" in await reader.readuntil(b"\r\n\r\n")
        writer.write(encode_frame(TEXT, act, mask=bytes(4)))
        writer.write_eof()
        received = await read_to_end(reader)
    assert b'"type":"diff"' in received
    assert b'"type":"ack","id":"c1"' in received


COUNT = "http_request_duration_seconds_count"
STREAM = {"Accept": "text/event-stream"}
UPGRADE_HEADER = {"Upgrade": "websocket"}


@pytest.fixture
async def client(store: GameStore) -> AsyncIterator[Client]:
    async with serve(store, Limits(sse_comment_interval_s=0.1)) as served:
        yield served


async def test_every_response_has_the_clients_request_id_or_its_own(client: Client) -> None:
    made = [(await client.get("/v1/bots")).headers["X-Request-Id"] for _ in range(2)]
    assert made[0] != made[1]
    values = await client.get("/v1/games/nothing", headers={"X-Request-Id": "from.outside_1"})
    assert (values.status, values.headers["X-Request-Id"]) == (404, "from.outside_1")
    for bad in ("a b", 'a"b', "x" * 65, ""):
        assert (await client.get("/v1/bots", headers={"X-Request-Id": bad})).headers["X-Request-Id"] != bad
    assert "X-Request-Id" in values.headers["Access-Control-Expose-Headers"]


async def test_requests_are_counted_by_route_template(client: Client) -> None:
    before = read_samples()
    for path in ("/v1/games/aaa", "/v1/games/bbb", "/nowhere", "/else/where", "/v1/games/A_B"):
        assert (await client.get(path)).status == 404
    assert (await client.request("PROPFIND", "/v1/bots")).status == 405
    added = {labels for name, labels in read_samples().keys() - before.keys() if name == f"south_seas_{COUNT}"}
    assert {dict(labels)["route"] for labels in added} <= {"/v1/games/{id}", "unmatched"}
    assert grown(before, COUNT, route="/v1/games/{id}", status="4xx") == 2
    assert grown(before, COUNT, route="unmatched", status="4xx") == 4
    assert grown(before, COUNT, method="other") == 1
    remembered = {method for method, _, _ in _DURATIONS}
    assert "GET" in remembered
    assert "PROPFIND" not in remembered
    assert grown(before, "problems_total", code="not_found", via="http") == 5


async def test_the_duration_of_a_request_is_recorded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_samples()
    monkeypatch.setattr(handling, "perf_counter", Mock(side_effect=(7.0, 9.5)))
    assert (await client.get("/v1/bots")).status == 200
    assert grown(before, "http_request_duration_seconds_sum") == 2.5


async def test_sockets_and_streams_are_counted_as_connections(client: Client) -> None:
    game, before = await create_game(client), read_samples()
    async with watch_game(client, game.id) as watcher:
        await watcher.request_error("{", "malformed")
        await watcher.request({"type": "ping"}, "pong")
    streams = [await game.get("/diffs", **STREAM)]
    assert IN_FLIGHT.count == 1
    streams.append(await game.get("/diffs", **STREAM))
    assert IN_FLIGHT.count == 2
    for stream in streams:
        assert await stream.content.readline()
        assert stream.headers["X-Request-Id"]
        stream.close()
    await wait_until(lambda: not IN_FLIGHT.count)
    assert grown(before, COUNT) == 0
    assert [grown(before, "connections_opened_total", kind=kind) for kind in ("socket", "stream")] == [1, 2]
    for received in ("malformed", "ping"):
        assert grown(before, "socket_messages_received_total", type=received) == 1
    assert grown(before, "sockets_closed_total", code="1000") == 1
    assert grown(before, "problems_total", code="malformed", via="socket") == 1


async def test_the_events_of_a_game_are_counted(client: Client) -> None:
    before = read_samples()
    game = await create_game(client)
    move = await game.first_move()
    assert [(await game.act(move)).status for _ in range(2)] == [200, 422]
    assert (await game.delete()).status == 200
    events = ("created", "started", "aborted", "finished")
    assert [grown(before, "games_total", event=event) for event in events] == [1, 1, 1, 0]
    assert (grown(before, "actions_total", by="owner"), grown(before, "actions_total")) == (1, 1)
    assert grown(before, "commits_total", outcome="committed") == 3
    assert grown(before, "game_cache_misses_total") == 0
    assert grown(before, "problems_total", code="illegal_move") == 1


def make_request(headers: Mapping[str, str]) -> HttpRequest:
    """Return a request whose connection has a client."""
    charge = Charge(Accounts(Limits()).get("192.0.2.1"))
    connection = Mock(client=charge.account.client, charge=charge, ssl_context=None)
    return mocked_request("GET", "/", headers, protocol=connection)


@pytest.mark.parametrize(
    ("headers", "outcome", "status", "logged"),
    (
        ({}, web.Response(status=204), "2xx", 204),
        ({}, web.StreamResponse(), "2xx", 200),
        (STREAM, web.Response(status=404), "4xx", 404),
        (UPGRADE_HEADER, web.Response(status=400), "4xx", 400),
        ({}, ZeroDivisionError(), "5xx", 500),
        ({}, ConnectionResetError(), "disconnected", 0),
        (STREAM, ConnectionResetError(), None, None),
        (UPGRADE_HEADER, ConnectionResetError(), None, None),
        (STREAM, web.StreamResponse(headers={"Content-Type": "text/event-stream"}), None, None),
        (UPGRADE_HEADER, web.WebSocketResponse(), None, None),
    ),
)
async def test_a_request_is_counted_and_logged_by_its_outcome_and_a_stream_is_not(
    caplog: pytest.LogCaptureFixture,
    headers: dict[str, str],
    outcome: web.StreamResponse | Exception,
    status: str | None,
    logged: int | None,
) -> None:
    caplog.set_level(logging.INFO, "service.web.access")
    before, contexts = read_samples(), []
    app = App()
    app[DRAINING] = Event()
    limiter: ConnectionLimiter = Mock()
    app[CONNECTION_LIMITER] = limiter

    async def handle(_request: HttpRequest) -> web.StreamResponse:
        contexts.append(LOG_CONTEXT.get())
        assert IN_FLIGHT.count == 1
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    app.router.add(("GET",), "/", handle)
    try:
        assert await ProblemServer(app, 1.0, is_measured=True).measure(make_request(headers)) is outcome
    except (ConnectionResetError, ZeroDivisionError) as error:
        assert error is outcome  # noqa: PT017  some cases raise nothing
    assert IN_FLIGHT.count == 0
    assert grown(before, COUNT) == (status is not None)
    assert grown(before, COUNT, method="GET", route="/", status=str(status)) == (status is not None)
    assert [vars(record)["status"] for record in caplog.records] == ([] if logged is None else [logged])
    ((context),) = contexts
    assert isinstance(context, RequestContext)
    assert context.request is None  # timers that were cancelled keep the context


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    """Serve metrics, and return their URL."""
    async with serve_metrics("127.0.0.1", 0) as served:
        assert served is not None
        yield URL(served)


async def test_connections_are_bounded_and_take_no_threads(url: URL) -> None:
    threads = threading.active_count()
    async with AsyncExitStack() as stack:
        for _ in range(web_server.METRICS_LIMITS.max_connections):
            await stack.enter_async_context(open_connection(url))
        refused, _ = await stack.enter_async_context(open_connection(url))
        assert (await read_to_end(refused)).startswith(b"HTTP/1.1 503 ")
        assert threading.active_count() == threads


async def test_no_web_page_can_read_metrics(url: URL) -> None:
    """Neither one of another origin, nor one whose name was pointed here (DNS rebinding)."""
    names = ("192.0.2.7:9464", "[::1]", "localhost", "south-seas", "south-seas.games.svc", "ip-10-0-0-7.eu.internal")
    async with ClientSession() as session:
        for host in (*names, "evil.example:9464", "127.0.0.1.evil.example"):
            async with session.get(url, headers={"Host": host, "Origin": "https://evil.example"}) as response:
                assert response.status == (400 if "evil" in host else 200), host
                assert "Access-Control-Allow-Origin" not in response.headers


async def test_a_slow_client_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "SWEEP_INTERVAL_S", 0.05)
    monkeypatch.setattr(web_server, "METRICS_LIMITS", web_server.METRICS_LIMITS._replace(request_timeout_s=0.2))
    async with serve_metrics("127.0.0.1", 0) as served, open_connection(URL(str(served))) as (reader, writer):
        writer.write(b"GET /metrics HTTP/1.1\r\n")
        assert await read_to_end(reader) == b""


async def test_anything_but_a_scrape_is_a_problem(url: URL) -> None:
    async with ClientSession(url.origin()) as session:
        for method, path, status in (("GET", "/", 404), ("POST", "/metrics", 405), ("GET", "/livez", 404)):
            async with session.request(method, path) as response:
                assert (response.status, response.content_type) == (status, "application/problem+json")
    async with open_connection(url) as (reader, writer):
        writer.write(b"NONSENSE\r\n\r\n")
        received = await read_to_end(reader)
    assert b"\r\nServer: south-seas\r\n" in received
    assert b"NONSENSE" not in received


@pytest.mark.parametrize("accepts", (["text/plain"], ["application/openmetrics-text", "text/plain"]))
async def test_scrapes_take_a_tenth_of_the_time_at_most(monkeypatch: pytest.MonkeyPatch, accepts: list[str]) -> None:
    """However many are sent, and in which format."""
    now, made = 100.0, 0

    def generate_slowly(registry: CollectorRegistry) -> bytes:
        nonlocal now, made
        assert registry is REGISTRY
        now, made = now + 1, made + 1
        return b"metrics"

    monkeypatch.setattr(web_server, "choose_encoder", lambda accept: (generate_slowly, accept))
    monkeypatch.setattr(web_server, "time", SimpleNamespace(monotonic=lambda: now))
    async with serve_metrics("127.0.0.1", 0) as served, ClientSession() as session:
        for _ in range(60):
            for accept in accepts:
                async with session.get(str(served), headers={"Accept": accept}) as response:
                    assert (response.content_type, await response.read()) == (accept, b"metrics")
            now += 1
    assert len(accepts) < made <= (now - 100) / 10 + len(accepts)  # the last of each format is paid for after the end
