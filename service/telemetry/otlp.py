"""Traces by OpenTelemetry, sent with OTLP over HTTP. Imported only if traces are on: it needs the extra `otel`.

OpenTelemetry's own environment variables configure everything else: OTEL_EXPORTER_OTLP_*, OTEL_TRACES_SAMPLER,
OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_BSP_*.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from uuid import uuid4

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from service.telemetry import tracing

FLUSH_TIMEOUT_S = 2.0
"""How long the last spans may take to be sent."""

_PARENTS = TraceContextTextMapPropagator()


class OpenTelemetryBackend:
    """The backend of `service.telemetry.tracing` for OpenTelemetry."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("south-seas")

    def span(
        self, name: str, kind: tracing.SpanKind, headers: Mapping[str, str], attributes: tracing.Attributes
    ) -> AbstractContextManager[Span]:
        """Return a context manager that makes a new span the current one, a root unless the headers name a parent."""
        context = _PARENTS.extract(headers, Context())
        return self._tracer.start_as_current_span(name, context, SpanKind[kind.upper()], attributes)

    def trace_id(self) -> str | None:
        """Return the id of the current trace."""
        current = trace.get_current_span().get_span_context()
        return trace.format_trace_id(current.trace_id) if current.is_valid else None


@contextmanager
def export_traces(version: str) -> Iterator[None]:
    """Trace while the block runs, and send the last spans at its end.

    Enter it in the process that serves, since spans are sent by a thread.
    """
    own = Resource({"service.name": "south-seas", "service.version": version, "service.instance.id": str(uuid4())})
    provider = TracerProvider(shutdown_on_exit=False, resource=own.merge(OTELResourceDetector().detect()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracing.set_backend(OpenTelemetryBackend(provider))
    try:
        yield
    finally:
        tracing.set_backend(None)
        sending = Thread(target=provider.shutdown, daemon=True)
        sending.start()
        sending.join(FLUSH_TIMEOUT_S)
