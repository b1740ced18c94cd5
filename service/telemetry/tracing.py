"""Spans, if traces are on; otherwise nothing is imported and all spans are one empty context manager.

The trace travels with the commit, as W3C's `traceparent` beside its diffs, so that every instance delivers them in the
committer's trace.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from service.telemetry.otlp import OpenTelemetryBackend

__all__ = ["Attributes", "Parent", "SpanKind", "is_enabled", "set_backend", "span", "trace_id", "traceparent"]

Attributes = Mapping[str, str | int] | None
Parent = str | Mapping[str, str] | None
"""A traceparent, or headers that may contain one; None for the current span."""
SpanKind = Literal["internal", "server", "client", "producer", "consumer"]

_NO_SPAN: AbstractContextManager[Any] = nullcontext()
_backend: "OpenTelemetryBackend | None" = None


def set_backend(tracing: "OpenTelemetryBackend | None") -> None:
    """Trace with this backend from now on; None turns traces off."""
    global _backend  # noqa: PLW0603 (one for the process: spans are everywhere)
    _backend = tracing


def is_enabled() -> bool:
    """Return whether traces are on."""
    return _backend is not None


def span(
    name: str, kind: SpanKind = "internal", parent: Parent = None, attributes: Attributes = None
) -> AbstractContextManager["Span"]:
    """Return a context manager for a span, which records an exception; it yields None if traces are off."""
    return _NO_SPAN if _backend is None else _backend.span(name, kind, parent, attributes)


def traceparent() -> str:
    """Return the traceparent of the current span; empty if traces are off or it is not sampled."""
    return "" if _backend is None else _backend.traceparent()


def trace_id() -> str | None:
    """Return the id of the current trace, for log lines; None if there is none."""
    return None if _backend is None else _backend.trace_id()
