"""The worker process may die, hang or be overloaded without harm to the service."""

import asyncio
import sys
from collections.abc import AsyncIterator

import pytest

from service.web.errors import QueueFull, RenderingFailed
from service.web.images import renderer as module
from service.web.images.jobs import ShipJob
from service.web.images.renderer import ImageRenderer
from tests.web.drawing.example_tiles import ARCHIPELAGO

SHIP = ShipJob(ARCHIPELAGO.tileset.ships[0], "light", 64, "svg")


@pytest.fixture
async def studio() -> AsyncIterator[ImageRenderer]:
    made = ImageRenderer()
    yield made
    await made.aclose()


async def test_a_worker_that_died_is_restarted(studio: ImageRenderer) -> None:
    first = await studio.render(1, lambda: SHIP)
    process = studio._worker
    assert process is not None
    process.kill()
    await process.wait()
    assert await studio.render(2, lambda: SHIP) == first
    assert studio._worker is not process


async def test_a_worker_that_dies_during_a_job_is_replaced(studio: ImageRenderer) -> None:
    first = await studio.render(1, lambda: SHIP)
    process = studio._worker
    assert process is not None
    process.send_signal(19)  # SIGSTOP: it is killed with the picture begun
    waiting = asyncio.create_task(studio.render(2, lambda: SHIP))
    await asyncio.sleep(0.05)
    process.kill()
    assert await waiting == first


async def test_a_job_that_ends_every_worker_fails(studio: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with pytest.raises(RenderingFailed):
        await studio.render(1, lambda: SHIP)
    monkeypatch.undo()
    assert await studio.render(2, lambda: SHIP)


async def test_a_worker_that_hangs_is_stopped(studio: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    await studio.render(1, lambda: SHIP)
    process = studio._worker
    assert process is not None
    process.send_signal(19)
    monkeypatch.setattr(module, "RENDER_TIMEOUT_S", 0.05)
    with pytest.raises(RenderingFailed):
        await studio.render(2, lambda: SHIP)
    monkeypatch.undo()
    assert await studio.render(3, lambda: SHIP)


async def test_more_pending_jobs_than_allowed_are_rejected(
    studio: ImageRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_PENDING", 2)
    first = [asyncio.create_task(studio.render(number, lambda: SHIP)) for number in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(QueueFull):
        await studio.render(2, lambda: SHIP)
    await asyncio.gather(*first)
    assert await studio.render(2, lambda: SHIP)


async def test_the_cache_is_bounded(studio: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = await studio.render(0, lambda: SHIP)
    monkeypatch.setattr(module, "MAX_CACHE_BYTES", 2 * len(picture))
    for number in (1, 0, 2):
        await studio.render(number, lambda: SHIP)
    assert {*studio._cache} == {0, 2}
    assert studio._cache_bytes == 2 * len(picture)


async def test_close_cancels_pending_jobs(studio: ImageRenderer) -> None:
    waiting = asyncio.create_task(studio.render(0, lambda: SHIP))
    await asyncio.sleep(0)
    await studio.aclose()
    with pytest.raises(asyncio.CancelledError):
        await waiting
