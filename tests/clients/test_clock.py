"""The service's clock in the Python client, beside a device whose clock is wrong."""

import time
from datetime import UTC, datetime, timedelta

from aiohttp import web

from south_seas import Client, ServerClock
from tests.clients.connection_scripts import send_and_stay
from tests.clients.scripted_service import ScriptedService, final_game_response

NOW = datetime(2026, 11, 25, 18, 0, 0, tzinfo=UTC)


def test_before_the_first_response_it_is_the_devices_clock() -> None:
    clock = ServerClock()
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=0.1)
    assert 59 < clock.seconds_left((datetime.now(UTC) + timedelta(seconds=60)).isoformat()) <= 60
    assert clock.seconds_left("2026-01-01T00:00:00Z") == 0


def test_responses_narrow_it_down_to_less_than_their_second() -> None:
    """Each tells a second that has begun when it arrives, and had not ended when it was requested."""
    clock, at = ServerClock(), time.monotonic()
    for later in (0.25, 0.5, 0.75, 1.0):  # the service's clock: NOW + 0.4 s at `at`
        clock.observe((NOW + timedelta(seconds=0.4 + later)).replace(microsecond=0), at + later, at + later)
    assert abs((clock.now() - NOW).total_seconds() - 0.4 - (time.monotonic() - at)) <= 0.2


def test_a_time_that_contradicts_the_others_replaces_them() -> None:
    """As after a device's sleep."""
    clock, at = ServerClock(), time.monotonic()
    clock.observe(NOW, at, at)
    clock.observe(NOW + timedelta(hours=8), at, at)
    assert abs(clock.now() - NOW - timedelta(hours=8)) < timedelta(seconds=1)


async def test_it_is_set_by_responses_to_post_alone(script: ScriptedService, scripted_client: Client) -> None:
    """A cache may answer a GET, with a Date of its own."""
    date = {"Date": "Wed, 25 Nov 2026 18:00:00 GMT"}
    cached = final_game_response(script)
    cached.headers.update(date)
    script.responses.extend([cached, web.json_response({"seat": 0, "token": "t"}, headers=date)])
    await scripted_client.game("g")
    assert abs(scripted_client.clock.now() - datetime.now(UTC)) < timedelta(seconds=1)
    await scripted_client.with_token("t").replace_token("g", 0)
    assert abs(scripted_client.clock.now() - NOW) < timedelta(seconds=2)


async def test_it_is_set_by_the_welcome(script: ScriptedService, scripted_client: Client) -> None:
    script.connections.append(send_and_stay(1, 1))
    async with scripted_client.subscribe("g"):
        welcomed = datetime(2026, 1, 1, tzinfo=UTC)
        assert abs(scripted_client.clock.now() - welcomed) < timedelta(seconds=3)
