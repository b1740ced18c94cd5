"""Challenges: a new webhook's server must repeat a signed value before it receives any change.

Nothing else is sent to a URL before that, so nobody can send games to a server that is not theirs. Challenges are rate
limited. A client gets a few for each site and then one a minute; a site gets one a second in all. A correct response
refunds what its challenge took.
"""

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from schemas.base import DECODING_ERRORS, encode_json, without_bom
from schemas.webhooks import CHALLENGE_MESSAGE, WebhookChallenge, WebhookChallengeAnswer
from service.games.access import key_of_subject
from service.games.ports.game_store import RateLimit
from service.games.ports.webhook_store import WebhookRegistration
from service.games.webhooks.delivery_slots import site_of_url
from service.games.webhooks.payloads import WebhookPayload, challenge_id
from service.telemetry.clock import timestamp

CHALLENGE_RETRY_DELAYS_S: tuple[float, ...] = (5, 30, 120, 600)
"""Delay before each retry; after the last, about 13 minutes after the first, the webhook is disabled."""

CHALLENGE_BYTES = 32

MAX_KEYS = 10_000
"""Number of keys that are remembered; the least recently used are dropped."""


CLIENT_RATE = RateLimit(20, 20 * 60)
"""Challenges of one client at one site; the burst exceeds what one client can have in progress."""

SITE_RATE = RateLimit(100, 100)
"""Challenges at one site."""


class KeyedRateLimiter:
    """Rate limits by key, in this process only (GCRA).

    It calculates in whole milliseconds: rounded fractions would reject the last of a burst at some times.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._full_at: OrderedDict[str, int] = OrderedDict()
        """When a key's burst is full again, in milliseconds of the clock."""

    def wait_s(self, key: str, rate: RateLimit) -> float:
        """Return the seconds until one may be taken; 0 for now."""
        now, interval = self._now_ms(), _interval_ms(rate)
        missing = max(self._full_at.get(key, now) - now, 0)
        return max(0, missing + interval - rate.quota * interval) / 1000

    def take(self, key: str, rate: RateLimit) -> None:
        """Take one."""
        now = self._now_ms()
        self._full_at[key] = max(self._full_at.get(key, now), now) + _interval_ms(rate)
        self._full_at.move_to_end(key)
        if len(self._full_at) > MAX_KEYS:
            self._full_at.popitem(last=False)

    def refund(self, key: str, rate: RateLimit) -> None:
        """Give one back."""
        if key in self._full_at:
            self._full_at[key] -= _interval_ms(rate)

    def _now_ms(self) -> int:
        return round(self._clock() * 1000)


def _interval_ms(rate: RateLimit) -> int:
    """Return the time in which one token refills."""
    return round(1000 * rate.window_s / rate.quota)


class ChallengeRateLimiter:
    """The rate limits of one instance's challenges, by client and site."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._rate_limiter = KeyedRateLimiter(clock)

    def take(self, client: str, url: str) -> float:
        """Take one challenge and return 0; or take nothing, and return the seconds to wait."""
        wait_s = max(self._rate_limiter.wait_s(key, rate) for key, rate in _rates_by_key(client, url))
        if not wait_s:
            for key, rate in _rates_by_key(client, url):
                self._rate_limiter.take(key, rate)
        return wait_s

    def refund(self, client: str, url: str) -> None:
        """Give a challenge back, after a correct response."""
        for key, rate in _rates_by_key(client, url):
            self._rate_limiter.refund(key, rate)


def _rates_by_key(client: str, url: str) -> tuple[tuple[str, RateLimit], ...]:
    site = site_of_url(url)
    return (f"{client} {site}", CLIENT_RATE), (site, SITE_RATE)


def create_challenge(subject: str, webhook: WebhookRegistration, now: int) -> tuple[str, WebhookPayload]:
    """Return a random challenge and its payload."""
    challenge, at = secrets.token_urlsafe(CHALLENGE_BYTES), timestamp(now)
    game = subject if key_of_subject(subject) is None else None
    message = WebhookChallenge(type="challenge", timestamp=at, challenge=challenge, game=game, webhook=webhook.id)
    return challenge, WebhookPayload(
        challenge_id(subject, webhook.id, now), CHALLENGE_MESSAGE, encode_json(message), at
    )


def is_correct_response(body: bytes, challenge: str) -> bool:
    """Return whether a response repeats the challenge as its own document, and does not echo the message."""
    try:
        repeated = _ANSWER.decode(without_bom(body)).challenge
    except DECODING_ERRORS:
        return False
    return hmac.compare_digest(repeated.encode(), challenge.encode())


_ANSWER = msgspec.json.Decoder(WebhookChallengeAnswer)
