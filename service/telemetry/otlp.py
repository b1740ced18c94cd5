"""Traces by OpenTelemetry, sent as OTLP over HTTP. Only imported where they are on: it needs the extra `otel`.

Everything else is OpenTelemetry's own environment: OTEL_EXPORTER_OTLP_*, OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME,
OTEL_RESOURCE_ATTRIBUTES, OTEL_BSP_*.
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
from service.telemetry.tracing import Attributes

__all__ = ["OpenTelemetry", "exporting"]

PATIENCE_S = 2.0

_PARENTS = TraceContextTextMapPropagator()
_KINDS = {
    "internal": SpanKind.INTERNAL,
    "server": SpanKind.SERVER,
    "client": SpanKind.CLIENT,
    "producer": SpanKind.PRODUCER,
    "consumer": SpanKind.CONSUMER,
}


class OpenTelemetry:
    """`service.telemetry.tracing.Tracing` over a tracer provider."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("south-seas")

    def span(
        self,
        name: str,
        kind: tracing.SpanKind,
        parent: str | Mapping[str, str] | None,
        attributes: Attributes | None,
    ) -> AbstractContextManager[Span]:
        """Make one the current span of this task."""
        context = None if parent is None else _context(parent)
        return self._tracer.start_as_current_span(name, context, _KINDS[kind], attributes)

    def traceparent(self) -> str:
        """The current span, if it is sampled."""
        current = trace.get_current_span().get_span_context()
        if not current.is_valid or not current.trace_flags.sampled:
            return ""
        carrier: dict[str, str] = {}
        _PARENTS.inject(carrier)
        return carrier["traceparent"]

    def trace_id(self) -> str | None:
        """The trace of the current span."""
        current = trace.get_current_span().get_span_context()
        return trace.format_trace_id(current.trace_id) if current.is_valid else None


@contextmanager
def exporting(version: str) -> Iterator[None]:
    """Trace for the length of a `with`, and send what there is at its end.

    To be entered in the process that serves: the sending is a thread's.
    """
    own = Resource({"service.name": "south-seas", "service.version": version, "service.instance.id": str(uuid4())})
    provider = TracerProvider(
        shutdown_on_exit=False, resource=Resource.get_empty().merge(own).merge(OTELResourceDetector().detect())
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracing.install(OpenTelemetry(provider))
    try:
        yield
    finally:
        tracing.install(None)
        _end(provider)


def _end(provider: TracerProvider) -> None:
    """Send what there is, but do not wait long for a collector that does not answer."""
    sending = Thread(target=provider.shutdown, daemon=True)
    sending.start()
    sending.join(PATIENCE_S)


def _context(parent: str | Mapping[str, str]) -> Context:
    """Where a span belongs; nowhere, where the parent is none."""
    carrier = {"traceparent": parent} if isinstance(parent, str) else parent
    return _PARENTS.extract(carrier, Context())
