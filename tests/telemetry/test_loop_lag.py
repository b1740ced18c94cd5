"""How late the event loop resumes tasks."""

import asyncio
import time

import pytest

from service import observability
from tests.polling import wait_until
from tests.telemetry.metric_samples import grown, read_samples

BLOCKED_S = 0.2


async def test_a_blocked_event_loop_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observability, "LOOP_LAG_INTERVAL_S", 0.01)
    before = read_samples()
    measuring = asyncio.create_task(observability.measure_loop_lag())
    await asyncio.sleep(0)
    time.sleep(BLOCKED_S)  # noqa: ASYNC251 (to block the loop is the point)
    await wait_until(lambda: grown(before, "event_loop_lag_seconds_count") > 0)
    measuring.cancel()
    assert grown(before, "event_loop_lag_seconds_sum") > BLOCKED_S / 2
