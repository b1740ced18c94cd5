"""Counting and timing: plain numbers, which get the form of an exposition only when somebody asks for one.

Measured on the machine of docs/performance.md: 0.05 us for a count and 0.2 us for a duration. prometheus_client's own,
which take a lock each time, need 0.5 and 1.6 us.
"""

import logging
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

logger = logging.getLogger(__name__)

__all__ = [
    "Count",
    "Counter",
    "Distribution",
    "Family",
    "Gauge",
    "Histogram",
    "Level",
    "Sample",
    "families",
    "reading",
]

Kind = Literal["counter", "gauge", "histogram"]

Sample = tuple[str, dict[str, str], float]
"""A name as it is exposed, labels, and the value."""


class Family(NamedTuple):
    """Everything that one metric says now."""

    name: str
    help: str
    kind: Kind
    samples: list[Sample]


class Count:
    """One number that only grows: `count.n += 1`."""

    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n: float = 0


class Distribution:
    """How often a value fell between which bounds, and the sum of all."""

    __slots__ = ("_bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        """Of the values up to each bound, above the bound before it; at the end, of those above all."""
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self._bounds, value)] += 1
        self.sum += value


class _Told(Protocol):
    def family(self) -> Family: ...


_METERS: dict[str, _Told] = {}

T = TypeVar("T")


class _Meter(Generic[T]):
    """A metric with one `T` for each combination of its labels' values. All of them are in `_METERS`."""

    kind: Kind

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = (), known: Sequence[str] = ()) -> None:
        """`known` values of its only label are told from the start, as 0: else their first event would be lost.

        What Prometheus sees for the first time, it takes for what was always so.
        """
        self.name = f"south_seas_{name}"
        self.help = help_text
        self.labels = tuple(labels)
        self._children: dict[tuple[str, ...], T] = {}
        if self.name in _METERS:
            raise ValueError(f"there are two metrics {self.name}")
        _METERS[self.name] = self
        for value in known:
            self.of(value)

    def of(self, *values: str) -> T:
        """What belongs to these values of the labels, in their order; to be kept by whoever asks often."""
        child = self._children.get(values)
        if child is None:
            if len(values) != len(self.labels):
                raise ValueError(f"{self.name} has the labels {self.labels}")
            child = self._children[values] = self._new()
        return child

    def family(self) -> Family:
        """What it says now."""
        samples = [one for values, child in [*self._children.items()] for one in self._samples(values, child)]
        return Family(self.name, self.help, self.kind, samples)

    def _named(self, values: Sequence[str]) -> dict[str, str]:
        return dict(zip(self.labels, values, strict=True))

    def _new(self) -> T:
        raise NotImplementedError

    def _samples(self, values: Sequence[str], child: T) -> Iterator[Sample]:
        raise NotImplementedError


class Counter(_Meter[Count]):
    """Counts what happens. Its name is exposed with `_total` after it."""

    kind = "counter"

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = (), known: Sequence[str] = ()) -> None:
        super().__init__(name, help_text, labels, known)
        if not labels:
            self.of()

    def _new(self) -> Count:
        return Count()

    def _samples(self, values: Sequence[str], child: Count) -> Iterator[Sample]:
        yield f"{self.name}_total", self._named(values), child.n


class Histogram(_Meter[Distribution]):
    """Counts values by size; `bounds` ascend."""

    kind = "histogram"

    def __init__(self, name: str, help_text: str, bounds: Sequence[float], labels: Sequence[str] = ()) -> None:
        self.bounds = tuple(bounds)
        super().__init__(name, help_text, labels)
        if not labels:
            self.of()

    def _new(self) -> Distribution:
        return Distribution(self.bounds)

    def _samples(self, values: Sequence[str], child: Distribution) -> Iterator[Sample]:
        labels, below = self._named(values), 0
        for bound, count in zip((*map(_written, self.bounds), "+Inf"), child.counts, strict=True):
            below += count
            yield f"{self.name}_bucket", {**labels, "le": bound}, below
        yield f"{self.name}_count", labels, below
        yield f"{self.name}_sum", labels, child.sum


class Gauge:
    """A level, which is read where it is known when somebody asks: see `reading`."""

    kind: Kind = "gauge"

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = ()) -> None:
        self.name = f"south_seas_{name}"
        self.help = help_text
        self.labels = tuple(labels)
        _METERS[self.name] = self

    def at(self, value: float, *values: str) -> "Level":
        """That it is `value` now, for these values of the labels."""
        return Level(self, dict(zip(self.labels, values, strict=True)), value)

    def family(self) -> Family:
        """Itself without a level."""
        return Family(self.name, self.help, self.kind, [])


class Level(NamedTuple):
    """A gauge's level now."""

    gauge: Gauge
    labels: dict[str, str]
    value: float


_READ: list[Callable[[], Iterable[Level]]] = []


@contextmanager
def reading(levels: Callable[[], Iterable[Level]]) -> Iterator[None]:
    """Ask `levels` for the levels that it knows, whenever somebody asks for all."""
    _READ.append(levels)
    try:
        yield
    finally:
        _READ.remove(levels)


def families() -> list[Family]:
    """Every metric of this process, as it is now; one that nothing has happened to yet has no samples."""
    told = {name: meter.family() for name, meter in _METERS.items()}
    for levels in _READ:
        try:
            for gauge, labels, value in levels():
                told[gauge.name].samples.append((gauge.name, labels, value))
        except Exception:
            logger.exception("some levels cannot be read, all other metrics are told")
    return [*told.values()]


def _written(bound: float) -> str:
    """A bound as the exposition formats write it, the same in both.

    >>> _written(5), _written(0.0005)
    ('5.0', '0.0005')
    """
    return repr(float(bound))
