"""The exposition: what all processes say, in Prometheus's text format or OpenMetrics, whichever is asked for.

prometheus_client writes it, and tells what the system knows of a process.
"""

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from service.telemetry import meters
from service.telemetry.meters import Family, Kind

__all__ = ["exposition", "told"]

_KINDS: dict[str, Kind] = {"counter": "counter", "gauge": "gauge"}


def told() -> list[Family]:
    """All that this process can say of itself."""
    own = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=own)
    GCCollector(registry=own)
    return [*meters.families(), *map(_family, own.collect())]


def exposition(workers: Mapping[str, Iterable[Family]], accept: str) -> tuple[bytes, str]:
    """What the processes say, by name, each sample with its process's; and the media type.

    A process alone has the empty name, and its samples no such label.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Gathered(workers))
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


class _Gathered(Collector):
    def __init__(self, workers: Mapping[str, Iterable[Family]]) -> None:
        self._workers = workers

    def collect(self) -> Iterator[Metric]:
        metrics: dict[str, Metric] = {}
        for worker, families in self._workers.items():
            for family in families:
                metric = metrics.setdefault(family.name, Metric(family.name, family.help, family.kind))
                for name, labels, value in family.samples:
                    metric.add_sample(name, {**labels, "worker": worker} if worker else labels, value)
        yield from metrics.values()


def _family(metric: Metric) -> Family:
    samples = [(one.name, one.labels, one.value) for one in metric.samples]
    return Family(metric.name, metric.documentation, _KINDS[metric.type], samples)
