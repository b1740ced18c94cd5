"""The OpenTelemetry configuration: whether the environment asks for traces."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["TracingConfigError", "is_tracing_configured", "trace_if_configured"]

ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PROTOCOL_VARIABLES = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
HTTP_PROTOBUF = "http/protobuf"


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


@contextmanager
def trace_if_configured(environment: Mapping[str, str], version: str) -> Iterator[None]:
    """Trace while the block runs, if the environment asks for it. Raises TracingConfigError."""
    if not is_tracing_configured(environment):
        yield
        return
    try:
        # Imported here, so that nothing of it is needed without traces.
        from service.telemetry.otlp import export_traces  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "opentelemetry":
            raise
        raise TracingConfigError("traces need OpenTelemetry: install south-seas-service[otel]") from missing
    with export_traces(version):
        yield
