"""Spans, if traces are on; otherwise nothing is imported and all spans are one empty context manager.

Each request and each turn in the background has one span; nothing inside them has another.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from service.telemetry.otlp import OpenTelemetryBackend


ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PROTOCOL_VARIABLES = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
HTTP_PROTOBUF = "http/protobuf"

Attributes = Mapping[str, str | int] | None
SpanKind = Literal["internal", "server"]

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
    name: str, kind: SpanKind = "internal", headers: Mapping[str, str] | None = None, attributes: Attributes = None
) -> AbstractContextManager["Span"]:
    """Return a context manager for a span, which records an exception; it yields None if traces are off.

    `headers` may name its parent (W3C's `traceparent`).
    """
    return _NO_SPAN if _backend is None else _backend.span(name, kind, headers or {}, attributes)


def trace_id() -> str | None:
    """Return the id of the current trace, for log lines; None if there is none."""
    return None if _backend is None else _backend.trace_id()


class TracingConfigError(Exception):
    """Traces are configured and not possible; the message says why in one line."""


def is_tracing_configured(environment: Mapping[str, str]) -> bool:
    """Return whether OpenTelemetry's environment variables ask for traces.

    They do if they name an endpoint or the exporter `otlp`, unless they disable it. Raises TracingConfigError for what
    is not supported.

    >>> is_tracing_configured({}), is_tracing_configured({"OTEL_TRACES_EXPORTER": "otlp"})
    (False, True)
    >>> is_tracing_configured({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"})
    False
    """
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip()
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or exporter == "none":
        return False
    if exporter not in ("", "otlp"):
        raise TracingConfigError(f"OTEL_TRACES_EXPORTER is {exporter}: only otlp and none are supported")
    if not exporter and not any(environment.get(name) for name in ENDPOINT_VARIABLES):
        return False
    for name in PROTOCOL_VARIABLES:
        if environment.get(name, HTTP_PROTOBUF) not in ("", HTTP_PROTOBUF):
            raise TracingConfigError(f"{name} is {environment[name]}: only {HTTP_PROTOBUF} is supported")
    return True


def trace_if_configured(environment: Mapping[str, str], version: str) -> AbstractContextManager[None]:
    """Return a context manager that traces, if the environment asks for it. Raises TracingConfigError."""
    if not is_tracing_configured(environment):
        return nullcontext()
    try:
        # Imported here, so that nothing of it is needed without traces.
        from service.telemetry.otlp import export_traces  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "opentelemetry":
            raise
        raise TracingConfigError("traces need OpenTelemetry: install south-seas-service[otel]") from missing
    return export_traces(version)
