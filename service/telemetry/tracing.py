"""Spans, where traces are on; where they are off, nothing is imported and a span is one and the same nothing.

A trace goes with the commit, as W3C's `traceparent` beside its diffs in the log, so that whoever tells them to watchers
does so in the committer's trace, in whichever instance.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

__all__ = ["Attributes", "Span", "Tracing", "install", "on", "span", "trace_id", "traceparent"]

Attributes = Mapping[str, str | int]
SpanKind = Literal["internal", "server", "client", "producer", "consumer"]


class Span(Protocol):
    """Something under way, of which more may be told."""

    def set_attribute(self, name: str, value: str | int) -> None:
        """Tell more."""

    def update_name(self, name: str) -> None:
        """Call it otherwise."""


class Tracing(Protocol):
    """What traces are made with: `service.telemetry.otlp`."""

    def span(
        self, name: str, kind: SpanKind, parent: str | Mapping[str, str] | None, attributes: Attributes | None
    ) -> AbstractContextManager[Span]:
        """Make one the current span of this task, below `parent` (a traceparent, or headers), or below the current."""

    def traceparent(self) -> str:
        """The current span, if it is sampled."""

    def trace_id(self) -> str | None:
        """The trace of the current span."""


class _Nothing:
    def set_attribute(self, name: str, value: str | int) -> None:
        """Nobody listens."""

    def update_name(self, name: str) -> None:
        """Nobody listens."""


_NOTHING: AbstractContextManager[Span] = nullcontext(_Nothing())
_tracing: Tracing | None = None


def install(tracing: Tracing | None) -> None:
    """Trace with this from now on; None ends it."""
    global _tracing  # noqa: PLW0603 (one for the process: spans are everywhere)
    _tracing = tracing


def on() -> bool:
    """Whether anything is traced."""
    return _tracing is not None


def span(
    name: str,
    kind: SpanKind = "internal",
    parent: str | Mapping[str, str] | None = None,
    attributes: Attributes | None = None,
) -> AbstractContextManager[Span]:
    """A span for the length of a `with`; an exception that leaves it is told."""
    if _tracing is None:
        return _NOTHING
    return _tracing.span(name, kind, parent, attributes)


def traceparent() -> str:
    """What a commit carries of its trace; empty where there is none, or nobody wants it."""
    return "" if _tracing is None else _tracing.traceparent()


def trace_id() -> str | None:
    """What a log line carries."""
    return None if _tracing is None else _tracing.trace_id()
