"""The connection limiter: what it counts, rejects, logs and closes."""

import asyncio
import json
import logging
from http.client import HTTPResponse
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from multidict import CIMultiDict, CIMultiDictProxy

from service.games.ports import RateLimit
from service.web import connection_limiter as module
from service.web.accounts import MAX_DEBT, Accounts
from service.web.charge import Charge
from service.web.connection_limiter import CONNECTION_S, ConnectionLimiter
from service.web.limits import Limits
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import FrozenClock
from tests.web.raw_http import parse_response

ADDRESS = "192.0.2.1"


def make_limiter(**limits: Any) -> ConnectionLimiter:
    """Return a limiter with these limits."""
    return ConnectionLimiter(Accounts(Limits(**limits)))


def make_connection(limiter: ConnectionLimiter, client: str | None = ADDRESS) -> Any:
    """Return a connection of a client, or of a trusted proxy for None."""
    return Mock(client=client, limiter=limiter, charge=Charge(limiter.accounts.get(client or "unknown")))


def read_refusal(data: bytes) -> tuple[HTTPResponse, Any]:
    """Return a refusal and its problem."""
    response = parse_response(data)
    problem = response.read()
    assert data.endswith(b"\r\n\r\n" + problem)
    return response, json.loads(problem)


def codes(refusals: list[bytes]) -> list[str | None]:
    """Return the code of each refusal, None where there is none."""
    return [read_refusal(one)[1]["code"] if one else None for one in refusals]


@pytest.mark.parametrize(
    ("limits", "status", "code", "detail"),
    (
        (
            Limits(max_connections=0),
            "503 Service Unavailable",
            "instance_unavailable",
            "0 connections to this instance are already open (--max-connections): close one or retry later",
        ),
        (
            Limits(max_connections_per_address=0),
            "429 Too Many Requests",
            "rate_limited",
            "0 connections of this address are already open (--max-connections-per-address): close one or retry later",
        ),
    ),
)
def test_a_refusal_is_a_complete_response_with_the_headers_of_every_other(
    limits: Limits, status: str, code: str, detail: str
) -> None:
    limiter = ConnectionLimiter(Accounts(limits._replace(hsts_max_age_s=60)))
    refusal, problem = read_refusal(limiter.add(make_connection(limiter)))
    headers = refusal.headers
    assert (f"{refusal.status} {refusal.reason}", problem["status"], problem["code"]) == (status, refusal.status, code)
    assert (problem["detail"], problem["retry_after_s"]) == (detail, 10)
    assert [headers[name] for name in ("Retry-After", "Connection", "Content-Type", "Server")] == [
        *("10", "close", "application/problem+json", "south-seas")
    ]
    assert [headers[name] for name in ("Access-Control-Allow-Origin", "X-Content-Type-Options")] == ["*", "nosniff"]
    assert headers["Strict-Transport-Security"].startswith("max-age=60")
    assert headers["Date"].endswith("GMT")
    another, _ = read_refusal(limiter.add(make_connection(limiter)))
    assert another.headers["X-Request-Id"] != headers["X-Request-Id"]


def test_connections_are_rejected_beyond_both_limits() -> None:
    limiter = make_limiter(max_connections=4, max_connections_per_address=2)
    first = make_connection(limiter)
    refusals = [limiter.add(one) for one in (first, make_connection(limiter), make_connection(limiter))]
    assert codes(refusals) == [None, None, "rate_limited"]
    refusals = [limiter.add(one) for one in (make_connection(limiter, None), make_connection(limiter, None))]
    assert codes(refusals) == [None, "instance_unavailable"]
    assert (limiter.accounts.get(ADDRESS).connections, limiter.rejected) == (3, 2)
    for _ in range(2):
        limiter.remove(first)
    assert (limiter.accounts.get(ADDRESS).connections, len(limiter.connections)) == (2, 4)


def test_the_connections_that_an_address_opens_take_of_its_time() -> None:
    """However soon each is closed, since each takes longer than a plain GET."""
    clock = FrozenClock()
    limiter = ConnectionLimiter(Accounts(Limits(rate_time=RateLimit(30, 10)), clock=clock))

    def open_and_close(client: str | None = ADDRESS) -> bytes:
        connection = make_connection(limiter, client)
        refusal = limiter.add(connection)
        limiter.remove(connection)
        return refusal

    opened = int((30 + 30 * MAX_DEBT) / (1000 * CONNECTION_S)) + 1
    refusals = [open_and_close() for _ in range(opened + 2)]
    assert codes(refusals) == [None] * opened + ["rate_limited"] * 2
    assert read_refusal(refusals[-1])[1]["detail"] == "over the limit of time, 30 in 10 s: retry in 1 s"
    assert [open_and_close(None) for _ in range(5)] == [b""] * 5
    assert open_and_close("192.0.2.9") == b""
    clock.now += 1
    assert open_and_close() == b""


def test_without_limits_by_address_only_the_instance_is_limited() -> None:
    limiter = make_limiter(max_connections=2, max_connections_per_address=1, rate_limits=False)
    assert codes([limiter.add(make_connection(limiter)) for _ in range(3)]) == [None, None, "instance_unavailable"]


def test_every_thousandth_rejection_is_logged_and_each_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    limiter, before = make_limiter(max_connections=1), read_samples()
    for client in (ADDRESS, ADDRESS, *[None] * 1_000):
        limiter.add(make_connection(limiter, client))
    assert grown(before, "rate_limited_total", policy="all-connections") == 1_001
    rejected = "connections are rejected: {} are open, {} of them from {}, which was rejected last"
    assert [record.getMessage() for record in caplog.records] == [
        rejected.format(2, 2, ADDRESS),
        rejected.format(1_002, 0, "a trusted proxy"),
    ]


async def test_a_connection_whose_timeouts_cannot_be_checked_is_closed_and_the_others_are_checked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In batches, and again and again."""
    pauses: list[float] = []

    async def sleep(delay_s: float) -> None:
        pauses.append(delay_s)
        if len(pauses) > 5:
            raise TimeoutError

    monkeypatch.setattr(module, "BATCH_SIZE", 2)
    limiter = make_limiter()
    connections = [make_connection(limiter) for _ in range(3)]
    connections[0].check_timeouts.side_effect = ZeroDivisionError
    for connection in connections:
        limiter.add(connection)
    clock = SimpleNamespace(time=lambda: 7.0)
    paused = SimpleNamespace(**{**vars(asyncio), "sleep": sleep, "get_running_loop": lambda: clock})
    monkeypatch.setattr(module, "asyncio", paused)  # not of asyncio itself: other loops of this process use it
    with pytest.raises(TimeoutError):
        await limiter.enforce_timeouts()
    assert pauses == [5.0, 0, 5.0, 0, 5.0, 0]
    assert [connection.force_close.call_count for connection in connections] == [3, 0, 0]
    assert [connection.check_timeouts.call_count for connection in connections] == [3, 3, 2]
    assert all(connection.check_timeouts.call_args.args == (7.0,) for connection in connections)
    assert "it is closed" in caplog.text


@pytest.mark.parametrize(
    ("client", "headers", "is_warned"),
    (
        (ADDRESS, {"X-Forwarded-For": "192.0.2.7"}, True),
        (ADDRESS, {"Forwarded": "for=192.0.2.7"}, False),
        (ADDRESS, {"X-Real-IP": "192.0.2.7"}, False),
        (None, {"X-Forwarded-For": "192.0.2.7"}, False),
    ),
)
def test_the_operator_is_warned_once_of_what_may_be_a_proxy(
    caplog: pytest.LogCaptureFixture, client: str | None, headers: dict[str, str], is_warned: bool
) -> None:
    caplog.set_level(logging.WARNING)
    before, proxies = read_samples(), make_limiter().proxies
    for _ in range(2):
        proxies.report_untrusted(client, CIMultiDictProxy(CIMultiDict(headers)))
    assert [record.getMessage() for record in caplog.records] == [
        f"{ADDRESS} is limited as one client, but forwards for others: if it is your proxy, add it to --trusted-proxies"
    ] * is_warned
    assert grown(before, "untrusted_proxy_rejections_total") == 2 * is_warned
