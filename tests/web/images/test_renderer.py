"""The worker process may die, hang or be overloaded without harm to the service."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator

import pytest

from service.web.errors import QueueFull, RenderingFailed
from service.web.images import renderer as module
from service.web.images.jobs import ShipJob
from service.web.images.renderer import ImageRenderer
from tests.polling import wait_until
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.drawing.example_tiles import ARCHIPELAGO

RESULTS = ("drawn", "cached", "failed", "refused")

SHIP = ShipJob(ARCHIPELAGO.tileset.ships[0], "light", 64, "svg")


class FailingRender:
    """Draws a picture as often as it may, and fails before."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = [*failures]
        self.calls = 0

    async def __call__(self, job: bytes) -> bytes:
        """Draw."""
        del job
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return b"picture"


@pytest.fixture
async def renderer() -> AsyncIterator[ImageRenderer]:
    created = ImageRenderer()
    yield created
    await created.aclose()


@pytest.fixture
def sigint_is_handled() -> Iterator[None]:
    """Handle SIGINT here: a process started in the background ignores it, and so would the processes it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


async def start_worker(renderer: ImageRenderer) -> tuple[asyncio.subprocess.Process, bytes]:
    """Draw picture 1; return the worker that drew it, and the picture."""
    picture = await renderer.render(1, SHIP)
    assert renderer._worker is not None
    return renderer._worker, picture


async def test_a_worker_that_died_is_restarted(renderer: ImageRenderer) -> None:
    worker, first = await start_worker(renderer)
    worker.kill()
    await worker.wait()
    assert await renderer.render(2, SHIP) == first
    assert renderer._worker is not worker


@pytest.mark.usefixtures("sigint_is_handled")
async def test_a_worker_outlives_the_sigint_of_a_terminal(renderer: ImageRenderer) -> None:
    worker, first = await start_worker(renderer)
    worker.send_signal(signal.SIGINT)
    assert await renderer.render(2, SHIP) == first
    assert renderer._worker is worker


async def test_a_worker_that_dies_during_a_job_is_replaced(renderer: ImageRenderer) -> None:
    worker, first = await start_worker(renderer)
    worker.send_signal(19)  # SIGSTOP: it hangs during the job
    waiting = asyncio.create_task(renderer.render(2, SHIP))
    await wait_until(renderer._lock.locked)
    worker.kill()
    assert await waiting == first


async def test_a_job_that_ends_every_worker_fails(renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with pytest.raises(RenderingFailed):
        await renderer.render(1, SHIP)
    monkeypatch.undo()
    assert await renderer.render(2, SHIP)


async def test_a_worker_that_hangs_is_stopped(renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, _ = await start_worker(renderer)
    worker.send_signal(19)
    monkeypatch.setattr(module, "RENDER_TIMEOUT_S", 0.05)
    with pytest.raises(RenderingFailed):
        await renderer.render(2, SHIP)
    monkeypatch.undo()
    assert await renderer.render(3, SHIP)


async def test_more_pending_jobs_than_allowed_are_rejected(
    renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_PENDING", 2)
    first = [asyncio.create_task(renderer.render(number, SHIP)) for number in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(QueueFull):
        await renderer.render(2, SHIP)
    await asyncio.gather(*first)
    assert await renderer.render(2, SHIP)


async def test_the_cache_is_bounded(renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = await renderer.render(0, SHIP)
    monkeypatch.setattr(module, "MAX_CACHE_BYTES", 2 * len(picture))
    for number in (1, 0, 2):
        await renderer.render(number, SHIP)
    assert {*renderer._cache} == {0, 2}
    assert renderer._cache_bytes == 2 * len(picture)


async def test_the_recorded_failures_are_a_bounded_number(
    renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_FAILURES", 2)
    monkeypatch.setattr(sys, "executable", "/nonexistent")
    for number in range(3):
        with pytest.raises(RenderingFailed, match="cannot be started"):
            await renderer.render(number, SHIP)
    assert ([*renderer._failures], renderer.pending_count) == ([1, 2], 0)


async def test_close_cancels_pending_jobs(renderer: ImageRenderer) -> None:
    waiting = asyncio.create_task(renderer.render(0, SHIP))
    await asyncio.sleep(0)
    await renderer.aclose()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize("uptime_s", (1.0, 1_000.0))
async def test_a_failed_picture_is_not_drawn_again_for_a_minute(
    renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, uptime_s: float
) -> None:
    now = uptime_s
    monkeypatch.setattr(module, "monotonic", lambda: now)
    draw = FailingRender(RenderingFailed("too large"))
    monkeypatch.setattr(renderer, "_render_with_retries", draw)
    with pytest.raises(RenderingFailed, match="too large"):
        await renderer.render(1, SHIP)
    assert [record.getMessage() for record in caplog.records] == ["a picture could not be drawn: too large"]
    now += 59.9
    with pytest.raises(RenderingFailed, match="the last attempt failed less than a minute ago"):
        await renderer.render(1, SHIP)
    assert (await renderer.render(2, SHIP), draw.calls) == (b"picture", 2)
    now += 0.1
    assert (await renderer.render(1, SHIP), draw.calls) == (b"picture", 3)


async def test_pictures_are_counted_by_result_and_timed(
    renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_samples()
    monkeypatch.setattr(renderer, "_render_with_retries", FailingRender(RenderingFailed("too large")))
    with pytest.raises(RenderingFailed):
        await renderer.render(1, SHIP)
    for _ in range(3):
        await renderer.render(2, SHIP)
    monkeypatch.setattr(module, "MAX_PENDING", 0)
    with pytest.raises(QueueFull):
        await renderer.render(3, SHIP)
    results = {result: grown(before, "pictures_total", result=result) for result in RESULTS}
    assert results == {"drawn": 1, "cached": 2, "failed": 1, "refused": 1}
    assert grown(before, "picture_drawing_seconds_count") == 2
    assert 0 <= grown(before, "picture_drawing_seconds_sum") < 60
    assert (renderer.cache_bytes, renderer.pending_count) == (len(b"picture"), 0)


@pytest.mark.parametrize(("failures", "is_drawn"), ((1, True), (2, False)))
async def test_a_worker_that_ends_is_replaced_once_for_a_picture(
    renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch, failures: int, is_drawn: bool
) -> None:
    draw = FailingRender(*[asyncio.IncompleteReadError(b"", 1), ConnectionResetError()][:failures])
    monkeypatch.setattr(renderer, "_render_once", draw)
    if is_drawn:
        assert await renderer.render(1, SHIP) == b"picture"
    else:
        with pytest.raises(RenderingFailed, match="the worker ended"):
            await renderer.render(1, SHIP)
    assert draw.calls == 2
