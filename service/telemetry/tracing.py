"""Spans, where traces are on; where they are off, nothing is imported and a span is one and the same nothing.

A trace goes with the commit, as W3C's `traceparent` beside its diffs in the log, so that whoever tells them to watchers
does so in the committer's trace, in whichever instance.
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
"""A traceparent, or headers that may have one; None for the current span."""
SpanKind = Literal["internal", "server", "client", "producer", "consumer"]

_NO_SPAN: AbstractContextManager[Any] = nullcontext()
_backend: "OpenTelemetryBackend | None" = None


def set_backend(tracing: "OpenTelemetryBackend | None") -> None:
    """Trace with this from now on; None ends it."""
    global _backend  # noqa: PLW0603 (one for the process: spans are everywhere)
    _backend = tracing


def is_enabled() -> bool:
    """Whether anything is traced."""
    return _backend is not None


def span(
    name: str, kind: SpanKind = "internal", parent: Parent = None, attributes: Attributes = None
) -> AbstractContextManager["Span"]:
    """A span for the length of a `with`; an exception that leaves it is told. Where traces are off, it is None."""
    return _NO_SPAN if _backend is None else _backend.span(name, kind, parent, attributes)


def traceparent() -> str:
    """What a commit carries of its trace; empty where there is none, or nobody wants it."""
    return "" if _backend is None else _backend.traceparent()


def trace_id() -> str | None:
    """What a log line carries."""
    return None if _backend is None else _backend.trace_id()
