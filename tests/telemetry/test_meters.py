"""Counting and timing, and the forms in which that is told."""

import pytest

from service.telemetry import meters
from service.telemetry.meters import Counter, Gauge, Histogram, reading
from service.telemetry.rendering import exposition
from tests.telemetry.promtool import promtool
from tests.telemetry.scraped import OPENMETRICS, here, of


@pytest.fixture(autouse=True)
def _own_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is declared here is no metric of the service's."""
    monkeypatch.setattr(meters, "_METERS", {})


def test_a_counter_is_0_before_anything_happens_so_that_the_first_event_is_seen() -> None:
    plain, known = Counter("plain", "?"), Counter("known", "?", ("kind",), ("a", "b"))
    assert (of(here(), "plain_total"), of(here(), "known_total", kind="b")) == (0, 0)
    assert len(here()) == 3
    plain.of().n += 1
    known.of("b").n += 2
    known.of("c").n += 4
    values = here()
    assert [of(values, "known_total", kind=kind) for kind in "abc"] == [0, 2, 4]
    assert of(values, "plain_total") == 1


def test_a_histogram_tells_how_many_values_are_at_most_each_bound() -> None:
    histogram = Histogram("seconds", "?", (0.1, 1.0))
    for value in (0.05, 0.1, 0.5, 1.0, 7.0):
        histogram.of().observe(value)
    values = here()
    assert [of(values, "seconds_bucket", le=le) for le in ("0.1", "1.0", "+Inf")] == [2, 4, 5]
    assert of(values, "seconds_count") == 5
    assert of(values, "seconds_sum") == pytest.approx(8.65)


def test_a_gauge_is_read_when_somebody_asks() -> None:
    gauge, levels = Gauge("level", "?", ("of",)), [3, 4]
    with reading(lambda: [gauge.at(levels.pop(), "it")]):
        assert [of(here(), "level", of="it") for _ in range(2)] == [4, 3]
    assert of(here(), "level", of="it") == 0


def test_a_metric_has_one_name_and_its_labels() -> None:
    counter = Counter("twice", "?", ("kind",))
    with pytest.raises(ValueError, match="two metrics"):
        Counter("twice", "?")
    with pytest.raises(ValueError, match="labels"):
        counter.of("a", "b")


@pytest.mark.parametrize("accept", (OPENMETRICS, "text/plain;version=0.0.4", ""))
def test_metrics_have_the_format_that_is_asked_for(accept: str) -> None:
    Counter("things", "Of which there are many.").of().n += 5
    body, media_type = exposition(accept)
    assert b"south_seas_things_total 5.0" in body
    assert body.count(b"# TYPE south_seas_things") == 1
    assert ("openmetrics" in media_type) is (accept == OPENMETRICS)


def test_promtool_finds_nothing_wrong_with_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    body, media_type = exposition("text/plain")
    assert media_type.startswith("text/plain")
    assert promtool("check", "metrics", given=body) == ""
