"""Asking a server whether it wants a webhook: a signed challenge, which the answer must repeat.

Nothing else is sent to a URL before that, so nobody can have games told to a server that is not theirs. Challenges
themselves are limited: who registers webhooks at a site that does not answer rightly gets a few, then one a minute, and
a site gets one a second of all together. A right answer gives back what it took.
"""

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from schemas.base import encode_json
from schemas.webhooks import CHALLENGE_MESSAGE, WebhookChallenge, WebhookChallengeAnswer
from service.games.timestamps import timestamp
from service.games.webhooks.payloads import WebhookPayload, challenge_id
from service.games.webhooks.port import WebhookRegistration
from service.games.webhooks.sites import site_of_url

__all__ = [
    "CHALLENGE_RETRY_DELAYS_S",
    "ChallengeRateLimiter",
    "KeyedRateLimiter",
    "Rate",
    "create_challenge",
    "is_correct_response",
]

CHALLENGE_RETRY_DELAYS_S: tuple[float, ...] = (5, 30, 120, 600)
"""Before each further challenge; after the last, some 13 minutes after the first, the webhook is disabled."""

CHALLENGE_BYTES = 32

MAX_KEYS = 10_000
"""Paces that are remembered; those not used for longest are forgotten."""


class Rate(NamedTuple):
    """So many at once, then one each so many seconds."""

    burst: int
    interval_s: float


CLIENT_RATE = Rate(20, 60.0)
"""Challenges of one client at one site; so many at once that those under way never keep others waiting."""

SITE_RATE = Rate(100, 1.0)
"""Challenges at one site."""


class KeyedRateLimiter:
    """How fast something is done, by keys; in this process only (GCRA)."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()
        """When nothing will have been taken of a key."""

    def wait_s(self, key: str, pace: Rate) -> float:
        """How long until one may be taken; 0 for now."""
        now = self._clock()
        return max(0.0, max(self._full_at.get(key, now), now) + pace.interval_s - now - pace.burst * pace.interval_s)

    def take(self, key: str, pace: Rate) -> None:
        """Take one."""
        now = self._clock()
        self._full_at[key] = max(self._full_at.get(key, now), now) + pace.interval_s
        self._full_at.move_to_end(key)
        if len(self._full_at) > MAX_KEYS:
            self._full_at.popitem(last=False)

    def refund(self, key: str, pace: Rate) -> None:
        """Give back what was taken."""
        if key in self._full_at:
            self._full_at[key] -= pace.interval_s


class ChallengeRateLimiter:
    """How many challenges one instance sends, by who wants them and where to."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._rate_limiter = KeyedRateLimiter(clock)

    def take(self, client: str, url: str) -> float:
        """Take what one challenge needs; or take nothing, and give the seconds until there is enough."""
        wait_s = max(self._rate_limiter.wait_s(key, pace) for key, pace in _rates_by_key(client, url))
        if not wait_s:
            for key, pace in _rates_by_key(client, url):
                self._rate_limiter.take(key, pace)
        return wait_s

    def refund(self, client: str, url: str) -> None:
        """Give it back: the server wanted the challenge."""
        for key, pace in _rates_by_key(client, url):
            self._rate_limiter.refund(key, pace)


def _rates_by_key(client: str, url: str) -> tuple[tuple[str, Rate], ...]:
    where = site_of_url(url)
    return (f"{client} {where}", CLIENT_RATE), (where, SITE_RATE)


def create_challenge(game: str, hook: WebhookRegistration, now: int) -> tuple[str, WebhookPayload]:
    """A challenge that nobody can know who does not get it, and its message."""
    challenge, at = secrets.token_urlsafe(CHALLENGE_BYTES), timestamp(now)
    message = WebhookChallenge(type="challenge", timestamp=at, challenge=challenge, game=game, webhook=hook.id)
    return challenge, WebhookPayload(challenge_id(game, hook.id, now), CHALLENGE_MESSAGE, encode_json(message), at)


def is_correct_response(answer: bytes, challenge: str) -> bool:
    """Whether an answer repeats a challenge, and does so knowingly: not with the rest of the message."""
    try:
        repeated = _ANSWER.decode(answer).challenge
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return hmac.compare_digest(repeated.encode(), challenge.encode())


_ANSWER = msgspec.json.Decoder(WebhookChallengeAnswer)
