"""Malformed HTTP gets its problem, never a 500, and `Expect: 100-continue` is answered before the body.

For that the service uses one private attribute of aiohttp.
"""

import ast
import asyncio
import gzip
import inspect
import json
import pkgutil
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from aiohttp import web_protocol
from aiohttp.http_parser import HttpRequestParserC, HttpRequestParserPy

import service
from service.games.ports import RateLimit
from service.store.game_store import RedisStore
from service.web import connection as connection_module
from service.web.connection import MAX_DRAINED_BYTES
from service.web.limits import Limits
from service.web.parsing import MAX_BODY_CHUNKS
from tests.polling import TIMEOUT_S, wait_until
from tests.security.limited_client import count_admitted, make_limits, request_game
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import JSON, TWO_PLAYERS, check_problem, create_game
from tests.web.raw_http import make_head, open_connection, read_raw, read_to_end, send_raw

pytestmark = pytest.mark.usefixtures("short_linger")

BODY = json.dumps({"players": TWO_PLAYERS}).encode()
CHUNKED = "Transfer-Encoding: chunked"


@pytest.mark.parametrize(
    "media_type",
    (
        *("text/plain", "application/x-www-form-urlencoded", "application/problem+json"),
        *("application/json; charset=latin-1", "json", "application", "*/*", ";", "multipart/form-data"),
        *("(" * 7_000, "application/json" + ";" * 7_000),
    ),
)
async def test_other_media_types_are_rejected(client: Client, media_type: str) -> None:
    response = await client.post("/v1/games", data=b'{"players": []}', headers={"Content-Type": media_type})
    await check_problem(response, 415, "unsupported_media_type")


@pytest.mark.parametrize("media_type", ("application/json;charset=utf-8", 'Application/JSON; charset="UTF-8"; v=1'))
async def test_json_with_charset_utf_8_is_accepted(client: Client, media_type: str) -> None:
    assert (await client.post("/v1/games", data=BODY, headers={"Content-Type": media_type})).status == 201


async def test_a_body_without_a_content_type_is_rejected(client: Client) -> None:
    response = await send_raw(client, make_head("/v1/games", "Content-Length: 2", method="POST") + b"{}")
    assert (response.status, json.load(response)["code"]) == (415, "unsupported_media_type")


async def test_a_body_above_the_limit_is_too_large(store: RedisStore) -> None:
    async with serve(store, Limits(max_body_bytes=1000)) as client:
        fits, headers = BODY.ljust(1000), {"Content-Type": JSON}
        assert (await client.post("/v1/games", data=fits, headers=headers)).status == 201
        await check_problem(await client.post("/v1/games", data=fits + b" ", headers=headers), 413, "too_large")


async def test_a_body_has_a_thousand_chunks_at_most(client: Client) -> None:
    head = make_head("/v1/games", f"Content-Type: {JSON}", CHUNKED, method="POST")
    for spaces, status in ((MAX_BODY_CHUNKS - 1, 201), (MAX_BODY_CHUNKS, 400)):
        chunks = b"%x\r\n%b\r\n" % (len(BODY), BODY) + b"1\r\n \r\n" * spaces
        assert (await send_raw(client, head + chunks + b"0\r\n\r\n")).status == status


async def test_a_declared_length_above_the_limit_is_rejected_early(store: RedisStore) -> None:
    async with serve(store, Limits(max_body_bytes=1000)) as client:
        for line, begin in (("Content-Length: 1000000000", b"{"), (CHUNKED, b"400\r\n" + b" " * 1024 + b"\r\n")):
            head = make_head("/v1/games", f"Content-Type: {JSON}", line, method="POST")
            response = await send_raw(client, head + begin)
            assert (response.status, json.load(response)["code"]) == (413, "too_large")


ENCODINGS = ("gzip", "deflate", "br", "zstd", "nonsense", "gzip, gzip", "identity, gzip", "identityx")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("path", ("/v1/games", "/v1/games/none/undo", "/livez", "/nowhere"))
async def test_encodings_are_rejected(
    client: Client, encoding: str, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    """No encoding is accepted, whether or not the body is valid (RFC 9110, 15.5.16)."""
    lines = (f"Content-Type: {JSON}", f"Content-Encoding: {encoding}")
    for body in (b"\x00\x01\x02{}x", gzip.compress(b'{"players": []}')):
        head = make_head(path, *lines, f"Content-Length: {len(body)}", method="POST")
        response = await send_raw(client, head + body)
        assert response.getheader("Content-Type") == "application/problem+json"
        assert response.getheader("Accept-Encoding") == ""
        assert (response.status, json.load(response)["code"]) == (415, "unsupported_media_type")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("encoding", ("identity", "Identity", "", "identity,"))
async def test_identity_is_no_content_encoding(client: Client, encoding: str) -> None:
    headers = {"Content-Type": JSON, "Content-Encoding": encoding}
    created = await client.post("/v1/games", data=BODY, headers=headers, compress=None)
    assert created.status == 201, await created.text()


async def test_content_encoding_without_a_body_is_accepted(client: Client) -> None:
    for path in ("/livez", "/v1/games"):
        assert (await send_raw(client, make_head(path, "Content-Encoding: gzip"))).status == 200


def _has_received_head(client: Client) -> bool:
    """Return whether the instance has received a request's head."""
    return any(one._request_count for one in client.connections)


@pytest.mark.parametrize(("path", "status"), (("/v1/games", b"400"), ("/livez", b"405"), ("/nowhere", b"404")))
@pytest.mark.parametrize("rest", (b"zz\r\n{}\r\n", b"2\r\n{}xx\r\n0\r\n\r\n", b"2\r\n{}\r\n0\r\nX\x00: a\r\n\r\n"))
@pytest.mark.parametrize("is_begun", (True, False))
async def test_malformed_chunks_are_answered_at_once_and_not_logged(
    client: Client, path: str, status: bytes, rest: bytes, is_begun: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The error is the client's, even if the response was sent before the chunks arrived."""
    async with asyncio.timeout(10), open_connection(client) as (reader, writer):
        writer.write(make_head(path, f"Content-Type: {JSON}", CHUNKED, method="POST"))
        if is_begun:
            await wait_until(lambda: _has_received_head(client))
        writer.write(b"1\r\n \r\n" + rest)
        # In one packet with the head, aiohttp reports what is malformed first.
        assert (await read_to_end(reader))[9:12] in ({status} if is_begun else {status, b"400"})
    assert (await client.get("/livez")).status == 200
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


MALFORMED = {
    "no HTTP": (b"SECRET\r\n\r\n", "the method is unknown"),
    "method": (b"SECR'T / HTTP/1.1\r\n\r\n", "the method is unknown"),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "the method is unknown"),
    "version": (b"GET /?token=SECRET HTTP/x.y\r\n\r\n", "the request line"),
    "header line": (b"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer SECRET" + b"a" * 9_000, "a header"),
    "header name": (b"GET / HTTP/1.1\r\nHost: x\r\nSECRET" + b"a" * 9_000 + b": x\r\n\r\n", "a header"),
    "header value": (b"GET / HTTP/1.1\r\nHost: x\r\nX: SECRET\x00b\r\n\r\n", ""),
    "header without a colon": (b"GET / HTTP/1.1\r\nHost: x\r\nSECRET\r\n\r\n", ""),
    "header that is continued": (b"GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n SECRET\r\n\r\n", ""),
    "headers": (b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: SECRET\r\n" % one for one in range(300)) + b"\r\n", ""),
    "no Host": (b"GET /SECRET HTTP/1.1\r\n\r\n", ""),
    "two Hosts": (b"GET / HTTP/1.1\r\nHost: SECRET\r\nHost: x\r\n\r\n", ""),
    "target": (b"GET SECRET HTTP/1.1\r\nHost: x\r\n\r\n", ""),
    "length": (make_head("/v1/games", "Content-Length: -SECRET", method="POST"), ""),
    "length and chunks": (make_head("/v1/games", "Content-Length: 1", CHUNKED, method="POST"), ""),
    "chunks that are not last": (make_head("/v1/games", f"{CHUNKED}, gzip", method="POST"), ""),
    "two lines of codings": (make_head("/v1/games", "Transfer-Encoding: gzip", CHUNKED, method="POST"), ""),
}
"""What is malformed: a request, and what its problem's detail begins with."""


@pytest.mark.parametrize("name", MALFORMED)
async def test_bytes_that_are_not_http_are_malformed_and_counted(client: Client, name: str) -> None:
    request_bytes, detail = MALFORMED[name]
    before = read_samples()
    response = await send_raw(client, request_bytes)
    assert grown(before, "http_malformed_requests_total") == 1
    problem = json.load(response)
    assert (response.status, response.version, problem["code"]) == (400, 11, "malformed")
    assert problem["detail"].startswith(detail)


@pytest.mark.parametrize("parser", (HttpRequestParserC, HttpRequestParserPy))
@pytest.mark.parametrize("name", MALFORMED)
async def test_a_problem_never_quotes_what_was_sent_whichever_parser_found_it(
    client: Client, name: str, parser: type, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A header's value and a query may be a token."""
    monkeypatch.setattr(web_protocol, "HttpRequestParser", parser)
    request_bytes, _ = MALFORMED[name]
    response = await send_raw(client, request_bytes)
    assert response.status in (400, 414)
    assert "SECRET" not in f"{response.getheaders()} {response.read().decode()} {caplog.text}"


async def test_a_request_that_cannot_be_parsed_gets_the_headers_of_any_problem(store: RedisStore) -> None:
    async with serve(store, Limits(hsts_max_age_s=60)) as client:
        parsed = await send_raw(client, b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n")
        names = {name for name, _ in parsed.getheaders()} - {"Content-Length", "RateLimit", "RateLimit-Policy"}
        assert {"X-Request-Id", "Strict-Transport-Security", "Access-Control-Expose-Headers"} <= names
        for request_bytes, _ in [*MALFORMED.values(), (b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\n\r\n", "")]:
            response = await send_raw(client, request_bytes)
            assert names <= {name for name, _ in response.getheaders()}
            for name in names - {"X-Request-Id", "Date"}:
                assert response.getheader(name) == parsed.getheader(name)
            assert response.getheader("X-Request-Id") != parsed.getheader("X-Request-Id")
            assert response.status == (414 if request_bytes.startswith(b"GET /aaa") else 400)


async def test_the_rest_of_a_malformed_request_is_discarded_before_the_connection_closes(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be reset, and the client could not read why."""
    monkeypatch.setattr(connection_module, "LINGER_TIMEOUT_S", TIMEOUT_S)
    async with open_connection(client) as (reader, writer):
        writer.write(b"NONSENSE\r\n\r\n")
        assert b" 400 " in await reader.readuntil(b"\r\n\r\n")
        (connection,) = client.connections
        for number in range(1, 4):
            writer.write(b"x" * 100_000)
            await writer.drain()  # fails on a connection that was reset
            await wait_until(lambda: connection.discarded_bytes >= number * 100_000)  # noqa: B023  it is waited for
        writer.write_eof()
        await read_to_end(reader)
        assert reader.exception() is None


@pytest.mark.parametrize("rate_limits", (True, False))
async def test_pipelined_requests_are_answered_until_the_connection_closes(
    store: RedisStore, rate_limits: bool
) -> None:
    """However many come at once: no response is lost because others are unread."""
    limits = Limits(rate_limits=rate_limits, rate_requests=RateLimit(50, 60))
    async with serve(store, limits) as client, open_connection(client) as (reader, writer):
        writer.write(make_head("/v1/bots") * 1_000 + make_head("/livez", "Connection: close"))
        received = await reader.read(100)
        writer.write(bytes(100_000))
        received += await read_to_end(reader)
        assert reader.exception() is None
    statuses = [part[1:4] for part in received.split(b"HTTP/1.1")[1:]]
    assert received.count(b"\r\nConnection: close\r\n") == 1
    if rate_limits:
        assert ({*statuses[:-1]}, statuses[-1]) == ({b"200"}, b"429")
    else:
        assert statuses == [b"200"] * 1_001


@pytest.mark.parametrize("coding", ("gzip, chunked", "deflate,chunked", "identity, chunked", "x, Chunked"))
async def test_a_transfer_coding_but_chunked_is_not_implemented(client: Client, coding: str) -> None:
    for path in ("/v1/games", "/nowhere"):
        head = make_head(path, f"Content-Type: {JSON}", f"Transfer-Encoding: {coding}", method="POST")
        response = await send_raw(client, head + b"2\r\n{}\r\n0\r\n\r\n")
        assert (response.status, json.load(response)["code"]) == (501, "not_implemented")


@pytest.mark.parametrize("version", (b"0.9", b"2.0"))
async def test_other_versions_of_http_are_malformed(client: Client, version: bytes) -> None:
    """HTTP/2 begins in another way."""
    async with open_connection(client) as (reader, writer):
        writer.write(b"GET /livez HTTP/" + version + b"\r\nHost: x\r\n\r\n")
        received = await read_to_end(reader)
        assert (received[:7], b'"code":"malformed"' in received) == (b"HTTP/1.", True)


@pytest.mark.parametrize(
    ("lines", "status"),
    (
        *(
            (f"Host: {host}\r\n", 200)
            for host in ("", "x:", "a_b%20:80", "192.0.2.1", "[2001:db8::1]:8080", "[v1.x:y]")
        ),
        *((f"Host: {host}\r\n", 400) for host in ("x/y", "a@b", "x:80:80", "x:y", "[::1", "::1", "%2", "\xe4", "x y")),
        ("", 200),
        ("Host: x\r\nHost: x\r\n", 400),
    ),
)
async def test_an_invalid_host_is_malformed(client: Client, lines: str, status: int) -> None:
    """It is `host[:port]`, which may be empty, and only HTTP/1.0 may leave it out (RFC 9112, 3.2)."""
    for version, expected in (("1.0", status), ("1.1", status if lines else 400)):
        assert (await send_raw(client, f"GET /livez HTTP/{version}\r\n{lines}\r\n".encode())).status == expected


async def test_an_empty_path_is_the_root(client: Client) -> None:
    assert (await send_raw(client, make_head("http://x"))).status == 200


KEEP = "Connection: keep-alive"
CHUNKS = b"2\r\n{}\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("version", "lines", "body", "connection"),
    (
        (b"1.1", ("Content-Length: 2",), b"{}", None),
        (b"1.1", ("Content-Length: 2", "Connection: Upgrade", "Upgrade: h2c"), b"{}", "close"),
        (b"1.1", (f"Content-Length: {MAX_DRAINED_BYTES + 1}",), b"{", None),
        (b"1.1", (f"Content-Length: {MAX_DRAINED_BYTES + 2}",), b"{", "close"),
        (b"1.1", ("Content-Length: 2", "Expect: 100-continue"), b"{", None),
        (b"1.1", (CHUNKED,), CHUNKS, None),
        (b"1.1", (CHUNKED,), CHUNKS[:4], "close"),
        (b"1.0", ("Content-Length: 2",), b"{}", "close"),
        (b"1.0", ("Content-Length: 2", KEEP), b"{}", "keep-alive"),
        (b"1.0", (CHUNKED, KEEP), CHUNKS, "close"),
    ),
)
async def test_the_connection_closes_where_no_request_can_follow(
    client: Client, version: bytes, lines: tuple[str, ...], body: bytes, connection: str | None
) -> None:
    """What follows may be lost, or not be what it seems (RFC 9110, 7.8; RFC 9112, 6.1)."""
    response = await send_raw(client, make_head("/livez", *lines, method="POST").replace(b"1.1", version) + body)
    assert (response.status, response.getheader("Connection")) == (405, connection)


@pytest.mark.parametrize(
    "path",
    (
        *(b"/v1/games/%00", b"/v1/games/%", b"/v1/games/%ff%fe", b"/v1/games/../../etc/passwd"),
        *(b"/v1/games/%2e%2e%2f", b"/v1/games//actions", b"//v1/games", b"/v1/games/"),
        *(b"/v1/games/k7m2x9qd4t1w/%C0%AE", b"/v1/games/k7m2x9qd4t1w\xff"),
    ),
)
async def test_odd_paths_are_not_found(client: Client, path: bytes) -> None:
    response = await send_raw(client, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    assert response.getheader("Content-Type") == "application/problem+json"
    assert (response.status, json.load(response)["code"]) in ((404, "not_found"), (400, "malformed"))


@pytest.mark.parametrize(
    "header", ("Authorization", "Idempotency-Key", "If-Match", "If-None-Match", "Prefer", "Accept")
)
async def test_headers_with_invalid_bytes(client: Client, header: str) -> None:
    game = await create_game(client)
    lines = (f"Content-Type: {JSON}", "Content-Length: 13", f"{header}: \udcff\udcfe\udced\udca0\udc80")
    response = await send_raw(client, make_head(f"{game.path}/actions", *lines, method="POST") + b'{"move":"i0"}')
    assert response.status in (400, 401)
    assert response.getheader("Content-Type") == "application/problem+json"


async def test_a_client_that_leaves_in_its_body_does_no_harm(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    async with open_connection(client) as (_, writer):
        writer.write(make_head("/v1/games", f"Content-Type: {JSON}", "Content-Length: 99", method="POST") + b"{")
        await wait_until(lambda: _has_received_head(client))
        writer.close()
        await writer.wait_closed()
    assert (await client.get("/livez")).status == 200
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def expecting(path: str, *lines: str, length: int = len(BODY), media_type: str = JSON) -> bytes:
    usual = ("Expect: 100-continue", f"Content-Type: {media_type}", f"Content-Length: {length}")
    return make_head(path, *usual, *lines, method="POST")


async def test_a_request_that_is_accepted_is_continued(client: Client) -> None:
    async with open_connection(client) as (reader, writer):
        for _ in range(2):
            writer.write(expecting("/v1/games"))
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            writer.write(BODY)
            assert (await read_raw(reader)).status == 201


async def test_a_body_that_comes_at_once_is_not_waited_for(client: Client) -> None:
    assert (await send_raw(client, expecting("/v1/games") + BODY)).status == 201


@pytest.mark.parametrize(
    ("usual", "sent"),
    ((b"100-continue", b"200-ok"), (b" 100-continue", b""), (b"HTTP/1.1", b"HTTP/1.0")),
)
async def test_any_other_expectation_and_any_of_http_1_0_is_ignored(client: Client, usual: bytes, sent: bytes) -> None:
    async with open_connection(client) as (reader, writer):
        writer.write(expecting("/v1/games").replace(usual, sent))
        await wait_until(lambda: any(one._current_request is not None for one in client.connections))
        writer.write(BODY)
        assert (await reader.readuntil(b"\r\n"))[8:13] == b" 201 "


async def test_what_would_be_rejected_is_rejected_instead(client: Client) -> None:
    """The connection closes, since nobody knows whether the body still comes."""
    public, private = await create_game(client), await create_game(client, visibility="private")
    unknown = "Authorization: Bearer unknown"
    rejected = (
        (expecting("/nowhere"), 404),
        (expecting("/livez"), 405),
        (expecting(f"{public.path}/actions"), 401),
        (expecting(f"{public.path}/actions", unknown), 401),
        (expecting(f"{public.path}/actions", "Authorization: none"), 401),
        (expecting(f"{public.path}/seats", unknown), 401),
        (expecting(f"{private.path}/actions", unknown), 404),
        (expecting(f"{private.path}/seats"), 404),
        (expecting("/v1/games/none/undo", unknown), 404),
        (expecting("/v1/keys/me/webhooks"), 401),
        (expecting("/v1/games", length=1_000_000), 413),
        (expecting("/v1/games", media_type="text/plain"), 415),
        (expecting("/v1/games", "Content-Encoding: gzip"), 415),
    )
    for request, status in rejected:
        response = await send_raw(client, request)
        assert (response.status, response.getheader("Connection")) == (status, "close")


async def test_a_client_above_its_limit_is_not_continued(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_creations=2)) as client, open_connection(client) as (reader, writer):
        await count_admitted(10, partial(request_game, client), status=201)
        writer.write(expecting("/v1/games"))
        assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 429")


def used_names(code: ast.AST) -> Iterator[str]:
    """Yield the attributes of `self` and `super()` that code uses, and the methods that it defines."""
    for part in ast.walk(code):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.name
        elif isinstance(part, ast.Attribute) and ast.unparse(part.value) in ("self", "super()"):
            yield part.attr


def private_names_by_module() -> dict[str, set[str]]:
    """Return the private names of aiohttp that classes use or override, by module of the service."""
    names_by_module: dict[str, set[str]] = {}
    for module in pkgutil.walk_packages(service.__path__, "service."):
        if module.name.endswith("__main__"):
            continue
        for cls in vars(import_module(module.name)).values():
            if inspect.isclass(cls) and cls.__module__ == module.name:
                peers = {
                    name
                    for base in cls.__mro__
                    if base.__module__.startswith("aiohttp.")
                    for name in (
                        *vars(base),
                        *getattr(base, "__slots__", ()),
                        *used_names(ast.parse(inspect.getsource(base))),
                    )
                    if name.startswith("_") and not name.startswith("__")
                }
                if peers and (private := peers & {*used_names(ast.parse(inspect.getsource(cls)))}):
                    names_by_module.setdefault(module.name, set()).update(private)
    return names_by_module


def test_one_private_attribute_is_used() -> None:
    """Nothing public tells that a body is malformed."""
    assert private_names_by_module() == {"service.web.connection": {"_messages"}}


def test_a_new_minor_version_of_aiohttp_does_not_come_by_itself() -> None:
    project = (Path(service.__file__).parents[1] / "pyproject.toml").read_text()
    (bounds,) = [line for line in project.splitlines() if line.strip().startswith('"aiohttp>=')]
    assert bounds.strip() == '"aiohttp>=3.14.5,<3.15",', "run all tests with the new version, and raise the bound"
