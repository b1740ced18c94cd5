"""Processes that end are replaced, and none outlives its time limit."""

import faulthandler
import os
import time
from collections.abc import AsyncIterator
from multiprocessing import active_children
from pathlib import Path
from typing import NoReturn

import pytest

from service.supervision import ProcessEnded, ProcessPool, _run_within

LIMIT_S = 20.0


@pytest.fixture
async def pool() -> AsyncIterator[ProcessPool]:
    created = ProcessPool()
    yield created
    await created.aclose()


def end_process(path: Path) -> int:
    """Note an attempt, and end the process at the first one."""
    with path.open("a") as file:
        file.write("x")
    if (attempts := len(path.read_text())) == 1:
        os._exit(1)
    return attempts


def always_end_process(path: Path) -> NoReturn:
    """Note an attempt, and end the process."""
    with path.open("a") as file:
        file.write("x")
    os._exit(1)


async def test_a_job_whose_process_ends_is_tried_again(pool: ProcessPool, tmp_path: Path) -> None:
    assert await pool.run(end_process, tmp_path / "attempts", LIMIT_S) == 2


async def test_a_job_that_ends_every_process_is_tried_twice(pool: ProcessPool, tmp_path: Path) -> None:
    with pytest.raises(ProcessEnded, match="ended its process"):
        await pool.run(always_end_process, tmp_path / "attempts", LIMIT_S)
    assert (tmp_path / "attempts").read_text() == "xx"
    assert await pool.run(abs, -1, LIMIT_S) == 1


async def test_a_job_that_takes_too_long_ends_its_process_and_is_not_tried_again(pool: ProcessPool) -> None:
    assert await pool.run(abs, -1, LIMIT_S) == 1
    started_at = time.monotonic()
    with pytest.raises(ProcessEnded, match=r"took more than 0\.5 s"):
        await pool.run(time.sleep, LIMIT_S, 0.5)
    assert time.monotonic() - started_at < LIMIT_S / 2
    assert await pool.run(abs, -1, LIMIT_S) == 1


async def test_a_process_that_cannot_be_started_is_said(pool: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr("multiprocessing.util.spawnv_passfds", fail)
    with pytest.raises(ProcessEnded, match="cannot be started: no more processes"):
        await pool.run(abs, -1, LIMIT_S)
    monkeypatch.undo()
    assert await pool.run(abs, -1, LIMIT_S) == 1


async def test_the_processes_end_with_the_pool(pool: ProcessPool) -> None:
    before = {*active_children()}
    await pool.run(abs, -1, LIMIT_S)
    (process,) = {*active_children()} - before
    await pool.aclose()
    assert not process.is_alive()


def test_no_timer_outlasts_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would end the process during another one."""
    timers: list[float] = []
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda seconds, **_: timers.append(seconds))
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", timers.clear)
    assert _run_within(30.0, lambda _: [*timers], None) == [30.0]
    assert timers == []
