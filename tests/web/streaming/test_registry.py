"""The registry of streams: what it counts and logs, and how it closes all of them."""

import asyncio
import logging
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from service.web import streaming as module
from service.web.limits import Limits
from service.web.problems import TooManyConnections
from service.web.streaming import StreamRegistry, check_subscriber_limit
from tests.telemetry.metric_samples import grown, read_samples


def make_stream(kind: str = "socket", close_code: int | None = 1000) -> Any:
    """Return a stream that only records that it is to close."""
    return Mock(kind=kind, close_code=close_code)


@pytest.fixture
def registry() -> StreamRegistry:
    return StreamRegistry(Limits(close_window_s=2.0))


async def test_a_stream_is_registered_counted_and_logged_while_it_is_open(
    registry: StreamRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[tuple[Any, ...]] = []
    monkeypatch.setattr(
        module, "log_stream", lambda _request, kind, event, **fields: logged.append((kind, event, fields.get("code")))
    )
    before, request, socket, stream = read_samples(), Mock(), make_stream(), make_stream("stream", None)
    with registry.registered(request, socket), registry.registered(request, stream):
        assert ([*registry], len(registry)) == ([socket, stream], 2)
        assert [registry.count(kind) for kind in ("socket", "stream")] == [1, 1]
    assert (len(registry), grown(before, "connections_opened_total", kind="stream")) == (0, 1)
    opened = [("socket", "opened", None), ("stream", "opened", None)]
    assert logged == [*opened, ("stream", "closed", None), ("socket", "closed", 1000)]


async def test_streams_are_told_to_reconnect_one_after_the_other(
    registry: StreamRegistry, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One that fails does not keep the others open, and one that has left meanwhile is told nothing."""
    streams = [make_stream() for _ in range(4)]
    for stream in streams:
        registry.add(stream)
        stream.request_reconnect.side_effect = lambda _ms, stream=stream: registry.remove(stream)
    failing, leaving = streams[1], streams[3]
    failing.request_reconnect.side_effect = ZeroDivisionError
    clock, pauses = [1_000.0], []

    async def sleep(delay_s: float) -> None:
        pauses.append(delay_s)
        clock[0] += delay_s
        if len(pauses) == 3:
            registry.remove(leaving)
            registry.remove(failing)

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        paused = SimpleNamespace(**{**vars(asyncio), "sleep": sleep})
        patch.setattr(module, "asyncio", paused)  # not of asyncio itself: other loops of this process use it
        patch.setattr(asyncio.get_running_loop(), "time", lambda: clock[0])
        await registry.close_all()
    assert pauses == [0.5, 0.5, 0.5]
    assert [stream.request_reconnect.call_args for stream in streams[:3]] == [((100,),), ((600,),), ((1_100,),)]
    leaving.request_reconnect.assert_not_called()
    assert [record.getMessage() for record in caplog.records] == ["closing a socket failed; closing the others"]


async def test_closing_waits_for_the_last_stream_but_not_for_ever(
    registry: StreamRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CLOSE_TIMEOUT_S", -0.99)
    silent, late = make_stream(), make_stream()
    registry.add(silent)
    await registry.close_all()
    assert registry.is_closing
    silent.request_reconnect.assert_called_once_with(100)
    await registry.close_all()
    silent.request_reconnect.assert_called_once_with(100)
    registry.add(late)
    ((delay_ms,), _) = late.request_reconnect.call_args
    assert 100 <= delay_ms < 2_100


async def test_closing_ends_when_the_last_stream_has(registry: StreamRegistry) -> None:
    stream = make_stream()
    registry.add(stream)
    closing = asyncio.create_task(registry.close_all())
    await asyncio.sleep(0)
    assert not closing.done()
    registry.remove(stream)
    async with asyncio.timeout(20):
        await closing


async def test_without_streams_closing_takes_no_time(registry: StreamRegistry) -> None:
    registry._all_closed = Mock()
    await registry.close_all()
    assert registry.is_closing


def test_the_watchers_of_a_game_are_limited_and_rejections_counted() -> None:
    before, hub = read_samples(), Mock()
    hub.count_subscribers.return_value = 1
    check_subscriber_limit(hub, "game", Limits(max_watchers_per_game=2))
    hub.count_subscribers.return_value = 2
    with pytest.raises(TooManyConnections) as rejected:
        check_subscriber_limit(hub, "game", Limits(max_watchers_per_game=2))
    assert (rejected.value.what, rejected.value.limit) == ("sockets and event streams that watch this game", 2)
    assert grown(before, "rate_limited_total", policy="watchers") == 1
    hub.count_subscribers.assert_called_with("game")
