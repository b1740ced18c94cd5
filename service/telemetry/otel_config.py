"""Whether traces are on, and turning them on.

BadTracing   they are wanted and cannot be had, and why
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["BadTracing", "traced", "wanted"]

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
HTTP = "http/protobuf"


class BadTracing(Exception):
    """Says in one line why there can be no traces."""


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether OpenTelemetry's environment asks for traces: it names an endpoint, or the exporter, and does not say no.

    Raises BadTracing where it asks for what there is not here.

    >>> wanted({}), wanted({"OTEL_TRACES_EXPORTER": "otlp"})
    (False, True)
    >>> wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"})
    False
    """
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip()
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or exporter == "none":
        return False
    if exporter not in ("", "otlp"):
        raise BadTracing(f"OTEL_TRACES_EXPORTER is {exporter}: only otlp and none are known here")
    if not exporter and not any(environment.get(name) for name in ENDPOINTS):
        return False
    for name in PROTOCOLS:
        if environment.get(name, HTTP) not in ("", HTTP):
            raise BadTracing(f"{name} is {environment[name]}: only {HTTP} is known here")
    return True


@contextmanager
def traced(environment: Mapping[str, str], version: str) -> Iterator[None]:
    """Trace for the length of a `with` where the environment asks for it. Raises BadTracing."""
    if not wanted(environment):
        yield
        return
    try:
        # Only here, so that who traces nothing needs none of it.
        from service.telemetry.otlp import exporting  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "opentelemetry":
            raise
        raise BadTracing("traces need OpenTelemetry: install south-seas[otel]") from missing
    with exporting(version):
        yield
