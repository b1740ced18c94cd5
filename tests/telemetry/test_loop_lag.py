"""How late the event loop resumes tasks."""

import asyncio
from unittest.mock import AsyncMock, Mock

import pytest

from service import observability
from tests.telemetry.metric_samples import grown, read_samples


@pytest.mark.parametrize("lag_s", (0.25, 0.0))
async def test_the_lag_of_the_event_loop_is_measured(monkeypatch: pytest.MonkeyPatch, lag_s: float) -> None:
    resumed_at = 7 + observability.LOOP_LAG_INTERVAL_S + lag_s
    loop = Mock(time=Mock(side_effect=[7, resumed_at, asyncio.CancelledError]))
    monkeypatch.setattr(observability, "get_running_loop", lambda: loop)
    monkeypatch.setattr(observability, "sleep", AsyncMock())
    before = read_samples()
    with pytest.raises(asyncio.CancelledError):
        await observability.measure_loop_lag()
    assert grown(before, "event_loop_lag_seconds_sum") == pytest.approx(lag_s)
    assert grown(before, "event_loop_lag_seconds_count") == 1
