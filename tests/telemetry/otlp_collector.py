"""An OTLP collector over HTTP, on a port of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from aiohttp import web
from aiohttp.test_utils import TestServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Received(NamedTuple):
    """A received span."""

    name: str
    service: str
    attributes: dict[str, str]


class Collector:
    """The received spans."""

    def __init__(self) -> None:
        self.url = ""
        self.spans: list[Received] = []
        self._more = asyncio.Event()

    async def receive(self, request: web.Request) -> web.Response:
        """Receive a message of spans."""
        body = await request.read()
        self.spans += _spans(ExportTraceServiceRequest.FromString(body))
        self._more.set()
        received = ExportTraceServiceResponse().SerializeToString()
        return web.Response(body=received, content_type="application/x-protobuf")

    async def wait_for(self, *names: str) -> None:
        """Wait until spans of all these names were received."""
        async with asyncio.timeout(20):
            while not {*names} <= {span.name for span in self.spans}:
                self._more.clear()
                await self._more.wait()


@asynccontextmanager
async def start_collector() -> AsyncIterator[Collector]:
    """Start a collector."""
    app, collector = web.Application(), Collector()
    app.router.add_post("/v1/traces", collector.receive)
    async with TestServer(app) as server:
        collector.url = str(server.make_url("/")).rstrip("/")
        yield collector


def _spans(request: ExportTraceServiceRequest) -> list[Received]:
    return [
        Received(
            name=span.name,
            service=next(one.value.string_value for one in resource.resource.attributes if one.key == "service.name"),
            attributes={one.key: one.value.string_value or str(one.value.int_value) for one in span.attributes},
        )
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
