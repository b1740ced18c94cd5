"""The worker process may die, hang or be overloaded without harm to the service."""

import asyncio
import sys
from collections.abc import AsyncIterator

import pytest

from service.web.errors import QueueFull, RenderingFailed
from service.web.images import renderer as module
from service.web.images.jobs import ShipJob
from service.web.images.renderer import ImageRenderer
from tests.polling import wait_until
from tests.web.drawing.example_tiles import ARCHIPELAGO

SHIP = ShipJob(ARCHIPELAGO.tileset.ships[0], "light", 64, "svg")


@pytest.fixture
async def renderer() -> AsyncIterator[ImageRenderer]:
    created = ImageRenderer()
    yield created
    await created.aclose()


async def test_a_worker_that_died_is_restarted(renderer: ImageRenderer) -> None:
    first = await renderer.render(1, SHIP)
    worker = renderer._worker
    assert worker is not None
    worker.kill()
    await worker.wait()
    assert await renderer.render(2, SHIP) == first
    assert renderer._worker is not worker


async def test_a_worker_that_dies_during_a_job_is_replaced(renderer: ImageRenderer) -> None:
    first = await renderer.render(1, SHIP)
    worker = renderer._worker
    assert worker is not None
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
    await renderer.render(1, SHIP)
    worker = renderer._worker
    assert worker is not None
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
