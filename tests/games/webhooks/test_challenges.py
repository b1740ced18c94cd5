"""Challenges: what passes them, and their rate limits: a burst, then one per interval, for a bounded number of keys."""

import pytest

from service.games import webhook_payloads
from service.games.ports import RateLimit
from service.games.webhook_payloads import KeyedRateLimiter, is_correct_response, site_of_url
from tests.games.game_fixture import Clock

RATE = RateLimit(2, 20)
CHALLENGE = "q0xIVUWK1cnpzjcsmm7h9s0Vd1i2k3TNfDTdJcGxOYs"


@pytest.fixture
def clock() -> Clock:
    return Clock(0.0)


def test_after_a_burst_there_is_one_per_interval(clock: Clock) -> None:
    limiter = KeyedRateLimiter(clock)
    waits = []
    for _ in range(3):
        waits.append(limiter.wait_s("a", RATE))
        limiter.take("a", RATE)
    assert (waits, limiter.wait_s("a", RATE), limiter.wait_s("b", RATE)) == ([0, 0, 10], 20, 0)
    clock.now = 15.0
    assert limiter.wait_s("a", RATE) == 5
    limiter.refund("a", RATE)
    limiter.refund("b", RATE)
    assert (limiter.wait_s("a", RATE), limiter.wait_s("b", RATE)) == (0, 0)


@pytest.mark.parametrize("now", (59.324, 501.546, 2896.071134715))
def test_a_burst_is_whole_at_any_time(clock: Clock, now: float) -> None:
    clock.now = now
    limiter = KeyedRateLimiter(clock)
    for burst in (1, 20):
        rate = RateLimit(burst, 60 * burst)
        for taken in range(burst):
            assert limiter.wait_s(f"{burst}", rate) == 0, taken
            limiter.take(f"{burst}", rate)
        assert limiter.wait_s(f"{burst}", rate) == 60


def test_the_least_recently_used_key_is_forgotten(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_payloads, "MAX_KEYS", 2)
    limiter = KeyedRateLimiter(clock)
    for key in ("a", "b", "a", "c"):
        limiter.take(key, RATE)
    assert [*limiter._full_at] == ["a", "c"]


def test_a_response_may_begin_with_a_byte_order_mark() -> None:
    assert is_correct_response('{"challenge": "c"}'.encode("utf-8-sig"), "c")


@pytest.mark.parametrize(
    "body",
    (
        b"",
        b"\xff{",
        CHALLENGE.encode(),
        f'{{"type": "challenge", "challenge": "{CHALLENGE}"}}'.encode(),
        f'["{CHALLENGE}"]'.encode(),
        f'{{"challenge": "{CHALLENGE} "}}'.encode(),
        '{"challenge": "é"}'.encode(),
        b'{"challenge": null}',
        b'{"challenge": "' + b"x" * 43 + b'"}',
        b"[" * 100_000,
    ),
)
def test_only_the_challenge_itself_passes(body: bytes) -> None:
    assert is_correct_response(f' {{"challenge": "{CHALLENGE}"}}'.encode(), CHALLENGE)
    assert not is_correct_response(body, CHALLENGE)


@pytest.mark.parametrize(
    ("url", "expected"),
    (
        ("https://bot.example/x", "bot.example"),
        ("https://A.B.Bot.Example./x", "bot.example"),
        ("https://a.bot.co.uk:8443/", "bot.co.uk"),
        ("https://a.bot.com.au/", "bot.com.au"),
        ("https://co.uk/", "co.uk"),
        ("https://a.b.shop/", "b.shop"),
        ("https://192.0.2.77/", "192.0.2.0/24"),
        ("https://[2001:db8:1:2::3]:8443/", "2001:db8:1::/48"),
        ("http://localhost:1/", "localhost"),
    ),
)
def test_a_site_is_the_registered_domain_or_network(url: str, expected: str) -> None:
    assert site_of_url(url) == expected
