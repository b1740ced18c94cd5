"""The shared clock, and the stamp of a commit."""

import time
from unittest.mock import AsyncMock

import pytest

from service.games.ports import GameStore
from service.store.game_store import RedisStore
from service.telemetry import clock
from service.telemetry.clock import ClockOffset


async def test_the_clock_offset_is_measured_against_redis(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(store, RedisStore)
    true = await store.monitor.measure_clock_offset()
    assert abs(true.ahead_s) < 0.5
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() - 100)
    wrong = await store.monitor.measure_clock_offset()
    assert abs(wrong.ahead_s - 100 - true.ahead_s) <= wrong.error_s + true.error_s + 0.01


async def test_the_sample_with_the_shortest_round_trip_counts(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = [ClockOffset(1.0, 0.3), ClockOffset(2.0, 0.1), ClockOffset(-1.0, 0.2), *[ClockOffset(0.0, 0.4)] * 2]
    monkeypatch.setattr(store.monitor, "_sample_clock_offset", AsyncMock(side_effect=samples))
    assert await store.monitor.measure_clock_offset() == samples[1]


async def test_a_jump_of_the_local_clock_does_not_change_the_shared_clock(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(store, RedisStore)
    monkeypatch.setattr(clock, "_offset", clock._offset)
    now = time.time
    for off_s in (-3600, 3600):
        monkeypatch.setattr(time, "time", lambda off_s=off_s: now() + off_s)
        clock.set_offset(await store.monitor.measure_clock_offset())
        assert abs(clock.now() - now()) < 0.5
        monkeypatch.setattr(time, "time", now)
        assert abs(clock.now() - now()) < 0.5
