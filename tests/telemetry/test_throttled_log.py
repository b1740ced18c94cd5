"""Throttled warnings: one line per second, which counts them all."""

import asyncio
import gc
import logging
import re
import weakref

import pytest

from service.telemetry.throttled_log import ThrottledLog
from tests.polling import wait_until

LOGGER = logging.getLogger("tests.throttled")


def count_warnings(caplog: pytest.LogCaptureFixture) -> int:
    """Return how many warnings the lines stand for."""
    result = (re.search(r"the last of (\d+) within", line) for line in caplog.messages)
    return sum(int(one[1]) if one else 1 for one in result)


async def test_many_warnings_at_once_are_two_lines(caplog: pytest.LogCaptureFixture) -> None:
    log = ThrottledLog(LOGGER, 0.2)
    for number in range(1000):
        log.warning("%d is %s", number, "refused")
    assert caplog.messages == ["0 is refused"]
    await wait_until(lambda: len(caplog.messages) >= 2)
    assert caplog.messages[1].startswith("999 is refused (the last of 999 within ")


async def test_every_warning_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    log = ThrottledLog(LOGGER, 0.01)
    warnings = 0
    while len(caplog.messages) < 5:
        log.warning("again")
        warnings += 1
        await asyncio.sleep(0)
    await wait_until(lambda: count_warnings(caplog) >= warnings)
    assert count_warnings(caplog) == warnings
    assert len(caplog.messages) in (5, 6)
    assert len(caplog.messages) < warnings


def test_without_an_event_loop_warnings_are_throttled(caplog: pytest.LogCaptureFixture) -> None:
    log = ThrottledLog(LOGGER, 1000)
    log.warning("first")
    log.warning("second")
    assert caplog.messages == ["first"]
    ThrottledLog(LOGGER, 1000).warning("alone")  # another kind
    assert caplog.messages == ["first", "alone"]


def test_an_error_is_not_kept_with_the_frames_of_its_traceback() -> None:
    """They hold the socket of the client that met it."""

    class Socket:
        """What a frame holds."""

    def fail(log: ThrottledLog) -> "weakref.ref[Socket]":
        socket = Socket()
        try:
            int("no number")
        except ValueError as error:
            log.warning("cannot read: %s", error)
        return weakref.ref(socket)

    silent = logging.getLogger("tests.silent")
    silent.setLevel(logging.CRITICAL)
    log = ThrottledLog(silent)
    is_kept = fail(log)
    gc.collect()
    assert is_kept() is None
    assert log is not None
