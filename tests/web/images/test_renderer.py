"""Clients take turns, and a worker may die, hang or be overloaded without harm to the service."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from functools import partial
from itertools import count
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from time import monotonic
from unittest.mock import AsyncMock, Mock

import msgspec
import pytest

from service.drawing.scene import BoardOptions
from service.drawing.ships import ship_svg
from service.engine import build_view
from service.fair_queue import ANONYMOUS
from service.supervision import ProcessEnded
from service.web import renderer as module
from service.web.accounts import BUSY, Accounts
from service.web.charge import Charge
from service.web.limits import Limits
from service.web.problems import RenderingFailed, TooManyWaiting
from service.web.renderer import DrawingJob, ImageRenderer, board_job
from tests.drawing.example_tiles import LAGOON
from tests.engine.lockstep import new_game
from tests.polling import run_ready_tasks
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.images.image_inspection import failing_draw

RESULTS = ("drawn", "cached", "failed", "refused")

GOOD, BAD, OF_THE_SAME_SITE = "192.0.2.1", "2001:db8:1:2::", "2001:db8:1:3::"
ACCOUNTS = Accounts(Limits())
EMPTY_GAME = build_view(LAGOON.index, new_game(LAGOON.index, 1))
SHIP = DrawingJob(partial(ship_svg, LAGOON.tileset.ships[0]), "svg")


@pytest.fixture
async def renderer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ImageRenderer]:
    monkeypatch.setitem(globals(), "ACCOUNTS", Accounts(Limits()))
    created = ImageRenderer()
    yield created
    await created.aclose()


async def render(renderer: ImageRenderer, key: int, client: str = GOOD) -> bytes:
    """Draw a ship under a key."""
    return await renderer.render(key, SHIP, make_charge(client), is_large=False)


def make_charge(client: str = GOOD) -> Charge:
    """Return the charge of a client."""
    return Charge(ACCOUNTS.get(client))


async def start_worker(renderer: ImageRenderer) -> tuple[BaseProcess, bytes]:
    """Draw picture 1; return the process that drew it, and the picture."""
    before = {*active_children()}
    picture = await render(renderer, 1)
    (process,) = {*active_children()} - before
    return process, picture


async def occupy(renderer: ImageRenderer) -> Callable[[], None]:
    """Occupy a worker, as a picture does that is being drawn; return what ends it."""
    queue, started_at = (one := renderer.workers[False].queue), await one.acquire(ANONYMOUS)
    return lambda: queue.release(ANONYMOUS, started_at)


def make_busy(client: str) -> None:
    """Let a client's network have drawn much lately."""
    ACCOUNTS.get(client).site.drawing.take(2 * BUSY.quota, monotonic())


async def test_a_worker_that_died_is_restarted(renderer: ImageRenderer) -> None:
    worker, first = await start_worker(renderer)
    worker.kill()
    worker.join()
    assert await render(renderer, 2) == first


async def test_a_worker_outlives_the_sigint_of_a_terminal(renderer: ImageRenderer) -> None:
    worker, first = await start_worker(renderer)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGINT)
    assert await render(renderer, 2) == first
    assert worker.is_alive()


async def test_a_failed_job_gives_its_errors_stack(renderer: ImageRenderer, caplog: pytest.LogCaptureFixture) -> None:
    job = board_job(b"no tile set", EMPTY_GAME, [], BoardOptions(), "svg")
    with pytest.raises(RenderingFailed, match="in _decode_tileset"):
        await renderer.render(1, job, make_charge(), is_large=False)
    assert "a picture could not be drawn: Traceback" in caplog.text
    assert await render(renderer, 2)


async def test_a_picture_over_its_time_ends_a_worker(renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    await start_worker(renderer)
    board = board_job(msgspec.json.encode(LAGOON.tileset), EMPTY_GAME, [], BoardOptions(width=4096), "png")
    monkeypatch.setattr(module, "RENDER_TIMEOUT_S", 0.05)
    with pytest.raises(RenderingFailed, match=r"the worker took more than 0\.05 s"):
        await renderer.render(2, board, make_charge(), is_large=False)
    monkeypatch.undo()
    assert await render(renderer, 3)


@pytest.mark.parametrize(("is_busy", "order"), ((False, [0, 100, 1, 101]), (True, [100, 101, 0, 1])))
async def test_clients_take_turns_and_one_whose_pictures_took_long_comes_last(
    renderer: ImageRenderer, is_busy: bool, order: list[int]
) -> None:
    drawn: list[int] = []

    async def request(key: int, client: str) -> None:
        await render(renderer, key, client)
        drawn.append(key)

    if is_busy:
        make_busy(BAD)
    release = await occupy(renderer)
    requested = [asyncio.create_task(request(number, client)) for number, client in enumerate((BAD, OF_THE_SAME_SITE))]
    await run_ready_tasks()
    requested += [asyncio.create_task(request(number, GOOD)) for number in (100, 101)]
    await run_ready_tasks()
    release()
    await asyncio.gather(*requested)
    assert drawn == order


async def test_the_time_of_a_picture_is_charged_and_counts_for_its_clients_turn(renderer: ImageRenderer) -> None:
    charge = Mock(account=ACCOUNTS.get(GOOD))
    full_at = charge.account.site.drawing.full_at
    await renderer.render(1, SHIP, charge, is_large=False)
    (seconds,) = charge.charge_time.call_args.args
    assert seconds > 0
    assert charge.account.site.drawing.full_at > full_at


@pytest.mark.parametrize(("processor_s", "charged_s"), ((0.0, 0.125), (20.0, 5.0)))
async def test_a_picture_whose_worker_ended_pays_for_no_waiting(
    renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch, processor_s: float, charged_s: float
) -> None:
    """By the clock it may have taken any time: a machine may be busy, or a process stopped."""
    charge = Mock(account=ACCOUNTS.get(GOOD))
    ended = AsyncMock(side_effect=ProcessEnded("ended its process", processor_s))
    monkeypatch.setattr(renderer.workers[False].processes, "run", ended)
    monkeypatch.setattr(module, "perf_counter", count(0, 600).__next__)
    with pytest.raises(RenderingFailed, match="the worker ended its process"):
        await renderer.render(1, SHIP, charge, is_large=False)
    charge.charge_time.assert_called_once_with(charged_s)


async def test_a_picture_that_another_client_loses_is_drawn_for_those_who_wait_for_it_too(
    renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = await occupy(renderer)
    monkeypatch.setattr(renderer.workers[False].queue, "max_waiting", 3)
    bad = [asyncio.create_task(render(renderer, number, BAD)) for number in range(3)]
    await run_ready_tasks()
    same, other = (asyncio.create_task(render(renderer, number)) for number in (2, 100))
    await run_ready_tasks()
    release()
    results = await asyncio.gather(*bad, return_exceptions=True)
    assert [type(result) for result in results] == [bytes, TooManyWaiting, TooManyWaiting]
    assert results[0] == await other == await same


async def test_the_cache_is_bounded(renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = await render(renderer, 0)
    monkeypatch.setattr(module, "MAX_CACHE_BYTES", 2 * len(picture))
    for number in (1, 0, 2):
        await render(renderer, number)
    assert {*renderer._cache} == {0, 2}
    assert renderer.cache_bytes == 2 * len(picture)


async def test_the_recorded_failures_are_bounded(renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FAILURES", 2)
    monkeypatch.setattr(renderer.workers[False], "draw", failing_draw(*[RenderingFailed("too large")] * 3))
    for number in range(3):
        with pytest.raises(RenderingFailed, match="too large"):
            await render(renderer, number)
    assert ([*renderer._failures], renderer.pending) == ([1, 2], {})


async def test_close_cancels_pending_jobs(renderer: ImageRenderer) -> None:
    waiting = asyncio.create_task(render(renderer, 0))
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
    draw = failing_draw(RenderingFailed("too large"))
    monkeypatch.setattr(renderer.workers[False], "draw", draw)
    with pytest.raises(RenderingFailed, match="too large"):
        await render(renderer, 1)
    assert [record.getMessage() for record in caplog.records] == ["a picture could not be drawn: too large"]
    now += 59.9
    with pytest.raises(RenderingFailed, match="the last attempt failed less than a minute ago"):
        await render(renderer, 1)
    assert (await render(renderer, 2), draw.await_count) == (b"picture", 2)
    now += 0.1
    assert (await render(renderer, 1), draw.await_count) == (b"picture", 3)


async def test_pictures_are_timed_and_counted(renderer: ImageRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_samples()
    failures = RenderingFailed("too large"), TooManyWaiting("pictures", 32)
    monkeypatch.setattr(renderer.workers[False], "draw", failing_draw(*failures))
    with pytest.raises(RenderingFailed):
        await render(renderer, 1)
    with pytest.raises(TooManyWaiting):
        await render(renderer, 2)
    for concurrent in (4, 1, 1):
        await asyncio.gather(*(render(renderer, 2) for _ in range(concurrent)))
    results = {result: grown(before, "pictures_total", result=result) for result in RESULTS}
    assert results == {"drawn": 1, "cached": 2, "failed": 1, "refused": 1}
    assert grown(before, "picture_drawing_seconds_count") == 2
    assert 0 <= grown(before, "picture_drawing_seconds_sum") < 60
    assert (renderer.cache_bytes, renderer.pending) == (len(b"picture"), {})
