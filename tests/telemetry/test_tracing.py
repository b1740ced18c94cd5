"""A span of each request and background turn is sent to a collector, and the log has their context and no secrets."""

import io
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import time
from typing import Any, NamedTuple

import aiohttp
import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from redis.asyncio import Redis

from service.games.scheduler import make_scheduler
from service.release import VERSION
from service.store.game_store import RedisStore
from service.telemetry import tracing
from service.telemetry.logs import LOG_CONTEXT, DueGameContext, JSONFormatter, TextFormatter
from service.telemetry.otlp import OpenTelemetryBackend
from service.telemetry.tracing import TracingConfigError, is_tracing_configured
from tests.games.game_fixture import bot_seats, make_context
from tests.games.game_fixture import create_game as create_stored_game
from tests.polling import wait_until
from tests.redis_servers import connect
from tests.server_process import start_server
from tests.tools import run_program
from tests.web.app_server import Client, serve
from tests.web.http_game import create_game
from tests.web.watcher_client import watch_game


class Received(NamedTuple):
    """A received span."""

    name: str
    resource: dict[str, str]
    attributes: dict[str, str]


@asynccontextmanager
async def start_collector() -> AsyncIterator[tuple[str, list[Received]]]:
    """Start a collector; yields its URL, and the spans that it has received."""
    app, received = web.Application(), list[Received]()

    async def receive(request: web.Request) -> web.Response:
        message = ExportTraceServiceRequest.FromString(await request.read())
        received.extend(
            Received(
                name=span.name,
                resource={one.key: one.value.string_value for one in resource.resource.attributes},
                attributes={one.key: one.value.string_value for one in span.attributes},
            )
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        )
        accepted = ExportTraceServiceResponse().SerializeToString()
        return web.Response(body=accepted, content_type="application/x-protobuf")

    app.router.add_post("/v1/traces", receive)
    async with TestServer(app) as server:
        yield str(server.make_url("/")).rstrip("/"), received


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """Collect the spans of this process."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.set_backend(OpenTelemetryBackend(provider))
    yield exporter
    tracing.set_backend(None)
    provider.shutdown()


@pytest.fixture
async def two(redis: Redis, redis_url: str) -> AsyncIterator[list[Client]]:
    """Start two instances on one empty Redis."""
    del redis
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(connect(redis_url)) for _ in range(2)]
        yield [await stack.enter_async_context(serve(store)) for store in stores]


async def test_a_request_has_one_span_if_its_trace_is_sampled_and_its_watchers_none(
    two: list[Client], spans: InMemorySpanExporter
) -> None:
    game = await create_game(two[0])
    async with watch_game(two[0], game.id) as here, watch_game(two[1], game.id) as there:
        await here.request({"type": "auth", "game": game.id, "token": game.owner_token}, "ack")
        move = await game.first_move()
        spans.clear()
        for flags, body in (("01", move), ("00", {"action": {"type": "pass"}})):
            assert (await game.act(body, traceparent=f"00-{TRACE}-{PARENT}-{flags}")).status == 200
            diff = await there.receive("diff")
            assert await here.receive("diff") == diff
            assert TRACE not in str(diff)
    (request,) = spans.get_finished_spans()
    assert (request.name, request.kind) == ("POST /v1/games/{id}/actions", SpanKind.SERVER)
    assert request.context is not None
    assert request.parent is not None
    assert (f"{request.context.trace_id:032x}", f"{request.parent.span_id:016x}") == (TRACE, PARENT)
    assert dict(request.attributes or {})["http.response.status_code"] == 200


async def test_a_turn_in_the_background_has_a_trace_of_its_own(store: RedisStore, spans: InMemorySpanExporter) -> None:
    context = make_context(store, time, bot_budget_s=0.0)
    game = (await create_stored_game(context, *bot_seats("random", "random"))).id
    await make_scheduler(context).process(game)
    (turn,) = spans.get_finished_spans()
    assert (turn.name, turn.kind, turn.parent) == ("turn", SpanKind.INTERNAL, None)
    assert dict(turn.attributes or {}) == {"south_seas.game": game}


async def test_a_socket_message_is_a_trace_and_no_socket_is(two: list[Client], spans: InMemorySpanExporter) -> None:
    game = await create_game(two[0])
    move = await game.first_move()
    spans.clear()
    async with watch_game(two[0], game.id) as watcher:
        await watcher.request({"type": "auth", "game": game.id, "token": game.owner_token}, "ack")
        await watcher.request({"type": "act", "game": game.id, **move}, "diff")
    names = [span.name for span in spans.get_finished_spans()]
    assert names[-2:] == ["auth", "act"]
    assert not [name for name in names if name.startswith("GET")]


async def test_event_streams_are_no_traces_but_pages_of_a_log(two: list[Client], spans: InMemorySpanExporter) -> None:
    """Generated clients accept both, and get the page."""
    game = await create_game(two[0])
    spans.clear()
    (await game.get("/diffs", Accept="text/event-stream")).close()
    page = await game.get("/diffs", Accept="application/json, text/event-stream")
    assert page.content_type == "application/json"
    assert [span.name for span in spans.get_finished_spans()].count("GET /v1/games/{id}/diffs") == 1


async def test_a_requests_span_follows_the_conventions(
    two: list[Client], spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of an internal error too."""
    monkeypatch.setattr(RedisStore, "list_by_status", None)
    game = await create_game(two[0])
    spans.clear()
    answers = (
        await game.act({"move": "p9.9.0"}),
        await two[0].get("/v1/tilesets/lagoon"),
        await two[0].request("PROPFIND", "/nowhere"),
        await two[0].get("/v1/games"),
    )
    assert answers[-1].status == 500
    described: tuple[tuple[str, str, dict[str, str]], ...] = (
        ("POST", "POST /v1/games/{id}/actions", {"south_seas.game": game.id}),
        ("GET", "GET /v1/tilesets/{id}", {}),
        ("_OTHER", "PROPFIND", {}),
        ("GET", "GET /v1/games", {}),
    )
    served = [span for span in spans.get_finished_spans() if span.kind is SpanKind.SERVER]
    for span, answer, (method, name, more) in zip(served, answers, described, strict=True):
        route = {"http.route": name.split()[-1]} if " " in name else {}
        common = {"url.path": answer.url.path, "url.scheme": "http", "http.response.status_code": answer.status}
        own = {"http.request.method": method, "south_seas.request_id": answer.headers["X-Request-Id"]}
        assert (span.name, dict(span.attributes or {})) == (name, {**common, **own, **route, **more})


async def test_traces_are_sent_to_the_configured_collector(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start_collector() as (url, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test,service.instance.id=one")
        async with (
            start_server(tmp_path, redis_url, "--drain-time-s", "0") as instance,
            aiohttp.ClientSession(instance.url) as session,
        ):
            await create_game(session)
            await wait_until(lambda: "POST /v1/games" in {span.name for span in received})
            monkeypatch.undo()
            async with session.get("/v1/bots") as response:
                assert response.status == 200
            assert await instance.stop(signal.SIGTERM) == 0
        assert "GET /v1/bots" in {span.name for span in received}  # sent at the end
    (request,) = [span for span in received if span.name == "POST /v1/games"]
    assert request.attributes["http.route"] == "/v1/games"
    described = ("service.name", "service.version", "service.instance.id", "deployment.environment.name")
    assert [request.resource[name] for name in described] == ["south-seas", VERSION, "one", "test"]


async def test_a_missing_collector_does_not_affect_the_service(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    flags = ("--drain-time-s", "0")
    async with start_server(tmp_path, redis_url, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        await create_game(session)
        assert await instance.stop(signal.SIGTERM) == 0


async def test_an_unsupported_exporter_is_rejected_in_one_line(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "service.main", "serve", "--port", "0", "--data-dir", tmp_path)
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    ended = await run_program(*command, env=environment)
    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = [line for line in ended.stderr.splitlines() if "limit on open files" not in line]
    assert "OTEL_EXPORTER_OTLP_PROTOCOL" in line


def test_the_environment_configures_tracing() -> None:
    endpoint = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}
    assert is_tracing_configured(endpoint)
    assert not is_tracing_configured({**endpoint, "OTEL_TRACES_EXPORTER": "none"})
    assert not is_tracing_configured({**endpoint, "OTEL_SDK_DISABLED": "TRUE"})
    assert not is_tracing_configured({"OTEL_SERVICE_NAME": "mine"})
    for exporter in ("console", "zipkin"):
        with pytest.raises(TracingConfigError, match=r"OTEL_TRACES_EXPORTER.*only otlp"):
            is_tracing_configured({"OTEL_TRACES_EXPORTER": exporter})


LOGGER = logging.getLogger("tests.telemetry")


def logged(formatter: logging.Formatter, level: int, message: str, *arguments: object, **more: Any) -> str:
    """Return a line as the formatter writes it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    handler.handle(LOGGER.makeRecord(LOGGER.name, level, __file__, 1, message, arguments, **{"exc_info": None, **more}))
    return stream.getvalue()


@pytest.mark.usefixtures("spans")
def test_a_json_line_is_one_object_with_its_context() -> None:
    LOG_CONTEXT.set(DueGameContext("k7m2"))
    with tracing.span("turn") as span:
        line = logged(JSONFormatter(), logging.WARNING, "two\nlines of %s", "it", extra={"seat": 2, "odd": {3}})
    received = msgspec.json.decode(line)
    assert line.count("\n") == 1
    assert received["time"].endswith("+00:00")
    context = {"process": os.getpid(), "trace_id": f"{span.get_span_context().trace_id:032x}", "game": "k7m2"}
    own = {"level": "warning", "logger": LOGGER.name, "message": "two\nlines of it"}
    more = {"seat": 2, "odd": "{3}" if isinstance(received["odd"], str) else [3]}
    assert received == {"time": received["time"], **context, **own, **more}


def test_an_exception_is_a_field() -> None:
    try:
        raise KeyError("lost")  # noqa: TRY301
    except KeyError:
        received = msgspec.json.decode(logged(JSONFormatter(), logging.ERROR, "failed", exc_info=sys.exc_info()))
    assert (received["exception"]["type"], received["exception"]["message"]) == ("KeyError", "'lost'")
    assert received["exception"]["stack"].startswith("Traceback")


def test_a_text_line_ends_with_its_context() -> None:
    LOG_CONTEXT.set(DueGameContext("k7m2"))
    assert logged(TextFormatter("%(message)s"), logging.INFO, "late") == "late [game=k7m2]\n"
    LOG_CONTEXT.set(None)
    assert logged(TextFormatter("%(message)s"), logging.INFO, "late") == "late\n"


@pytest.mark.parametrize(("form", "line"), (("text", r".* INFO root: late\n"), ("json", r"\{.*\}\n")))
def test_the_form_of_the_log_is_configured(form: str, line: str) -> None:
    source = (
        "import logging, sys; from service.telemetry.logs import configure_logging; "
        "configure_logging('INFO', sys.argv[1]); logging.debug('early'); logging.info('late')"
    )
    ran = subprocess.run([sys.executable, "-c", source, form], capture_output=True, text=True, check=True)
    assert re.fullmatch(line, ran.stderr)


def test_a_text_line_is_one_printable_line() -> None:
    """Whatever is in it, a terminal does nothing but show it."""
    LOG_CONTEXT.set(None)
    formatter = TextFormatter("%(message)s")
    line = logged(formatter, logging.INFO, "%s", "one\n2026 INFO another\x1b[2J", extra={"who": "\x1b[1A"})
    assert line == "one\\n2026 INFO another\\x1b[2J [who=\\x1b[1A]\n"
    try:
        raise ValueError("\x1b[2J")  # noqa: TRY301
    except ValueError:
        whole = logged(formatter, logging.ERROR, "failed", exc_info=sys.exc_info())
    assert whole.startswith("failed\nTraceback")
    assert all(line.isprintable() for line in whole.splitlines())


async def test_a_service_logs_requests_in_the_configured_form(
    tmp_path: Path, redis_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    flags = ("--log-format", "json", "--access-log", "--log-level", "debug", "--drain-time-s", "0")
    async with start_server(tmp_path, redis_url, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        game = await create_game(session)
        assert (await game.get(**{"X-Request-Id": "find-me"})).status == 200
        assert await instance.stop(signal.SIGTERM) == 0
    lines = [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]
    (access,) = [line for line in lines if line.get("request_id") == "find-me"]
    assert (access["route"], access["status"], access["game"]) == ("/v1/games/{id}", 200, game.id)
