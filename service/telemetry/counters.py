"""Counters and histograms as plain numbers, which prometheus_client exposes.

Its own take a lock for each change, and 5,000 to 9,000 instructions: a request counts a dozen things. These are for one
thread, that of the event loop.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Self

from prometheus_client import REGISTRY
from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

INFINITY = float("inf")


class _Family(Collector):
    """A metric, or, where it has labels, its series by their values."""

    def __init__(self, name: str, documentation: str, labelnames: Sequence[str] = ()) -> None:
        self._name, self._documentation, self._labelnames = name, documentation, labelnames
        self._series: dict[tuple[str, ...], Self] = {}
        if not labelnames:
            self._series[()] = self  # type: ignore[assignment]
        REGISTRY.register(self)

    def labels(self, *values: object) -> Self:
        """Return the series with these values of the labels, which exists from then on. Raise ValueError."""
        key = tuple(map(str, values))
        if (series := self._series.get(key)) is None:
            if not values or len(values) != len(self._labelnames):
                raise ValueError(f"{self._name} has the labels {self._labelnames}")
            series = self._series[key] = self._new_series()
        return series

    def _new_series(self) -> Self:
        raise NotImplementedError

    def describe(self) -> Iterable[Metric]:
        """Return the metric, without its numbers."""
        return self.collect()


class Counter(_Family):
    """A number that only grows."""

    value = 0.0

    def inc(self, amount: float = 1) -> None:
        """Add to the number."""
        self.value += amount

    def collect(self) -> Iterator[Metric]:
        """Yield the metric with its numbers."""
        family = CounterMetricFamily(self._name, self._documentation, labels=self._labelnames)
        for labels, series in self._series.items():
            family.add_metric(labels, series.value)
        yield family

    def _new_series(self) -> Self:
        return type(self).__new__(type(self))


class Histogram(_Family):
    """How many observations were at most each of the bounds, and their sum."""

    def __init__(
        self, name: str, documentation: str, labelnames: Sequence[str] = (), *, buckets: Sequence[float]
    ) -> None:
        self._start((*buckets, INFINITY))
        super().__init__(name, documentation, labelnames)

    def _start(self, bounds: Sequence[float]) -> None:
        self.sum = 0.0
        self._bounds = bounds
        self._counts = [0] * len(bounds)

    def observe(self, value: float) -> None:
        """Count an observation."""
        self.sum += value
        self._counts[bisect_left(self._bounds, value)] += 1

    def collect(self) -> Iterator[Metric]:
        """Yield the metric with its numbers."""
        family = HistogramMetricFamily(self._name, self._documentation, labels=self._labelnames)
        bounds = [*map(floatToGoString, self._bounds)]
        for labels, series in self._series.items():
            family.add_metric(labels, [*zip(bounds, accumulate(series._counts), strict=True)], series.sum)  # noqa: SLF001
        yield family

    def _new_series(self) -> Self:
        series = type(self).__new__(type(self))
        series._start(self._bounds)  # noqa: SLF001  its own class
        return series
