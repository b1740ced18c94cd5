"""The port for Prometheus: whatever is sent to it, it takes few connections, no thread, and little time."""

import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from types import SimpleNamespace

import pytest
from aiohttp import ClientSession
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.openmetrics import exposition
from yarl import URL

from service.web import connection_limiter as limiter
from service.web import server as web_server
from service.web.server import serve_metrics
from tests.web.raw_http import open_connection, read_to_end


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

    monkeypatch.setattr(web_server, "generate_latest", generate_slowly)
    monkeypatch.setattr(exposition, "generate_latest", generate_slowly)
    monkeypatch.setattr(web_server, "time", SimpleNamespace(monotonic=lambda: now))
    async with serve_metrics("127.0.0.1", 0) as served, ClientSession() as session:
        for _ in range(60):
            for accept in accepts:
                async with session.get(str(served), headers={"Accept": accept}) as response:
                    assert (response.content_type, await response.read()) == (accept, b"metrics")
            now += 1
    assert len(accepts) < made <= (now - 100) / 10 + len(accepts)  # the last of each format is paid for after the end
