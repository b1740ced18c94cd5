"""The exposition of the metrics, in Prometheus's text format or OpenMetrics, whichever is asked for.

prometheus_client writes it, and tells what the system knows of the process.
"""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from service.telemetry import meters

__all__ = ["exposition"]


def exposition(accept: str) -> tuple[bytes, str]:
    """Write all metrics in a format that this Accept header allows; gives its media type too."""
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    registry.register(_Meters())
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


class _Meters(Collector):
    def collect(self) -> Iterator[Metric]:
        for family in meters.families():
            metric = Metric(family.name, family.help, family.kind)
            for name, labels, value in family.samples:
                metric.add_sample(name, labels, value)
            yield metric
