"""The payload of a change for a webhook, and its signature.

Challenges: a new webhook's server must repeat a signed value before it receives any change.

Nothing else is sent to a URL before that, so nobody can send games to a server that is not theirs. Challenges are rate
limited. A client gets a few for each site and then one a minute; a site gets one a second in all. A correct response
refunds what its challenge took.
"""

import base64
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from standardwebhooks import Webhook as Signer

from schemas import webhooks
from schemas.base import DECODING_ERRORS, encode_json, without_bom
from schemas.commands import NextDecision
from schemas.events import TurnStarted
from service.games.access import key_of_subject
from service.games.ports import RateLimit, StoredDiff, WebhookRegistration
from service.i18n.events import decode_turn
from service.telemetry.clock import timestamp

TURN_STARTED = TurnStarted.__struct_config__.tag

SECRET_BYTES = 32
SECRET_PREFIX = "whsec_"  # noqa: S105  (a prefix, not a secret)


class WebhookPayload(NamedTuple):
    """A message ready to be sent; each attempt at the same change sends an equal one."""

    id: str
    type: str
    body: bytes
    at: str
    """Time of the change."""


class _Change(msgspec.Struct, frozen=True):
    """The decoded part of a diff; events stay generic, as other instances may know more types."""

    game: str
    seat: int | None
    move: str | None
    by: str | None
    events: list[dict[str, Any]]


def build_payload(webhook: WebhookRegistration, diff: StoredDiff) -> WebhookPayload | None:
    """Return the payload of a change, or None if the webhook's filters exclude all of it."""
    change = _DECODER.decode(diff.data)
    turn, *_ = decode_turn(diff.data) or [None]
    decider, phase = (None, None) if turn is None else (turn.decider, turn.phase)
    decision = NextDecision(seat=decider, phase=phase)
    events: list[Any] = [event for event in change.events if _matches_seat(webhook, event.get("seat"))]
    event_types = {event["type"] for event in events}
    is_begun = decision.seat != change.seat or any(event["type"] == TURN_STARTED for event in change.events)
    if decision.seat is not None and is_begun and _matches_seat(webhook, decision.seat):
        event_types.add(webhooks.DECISION_EVENT)
    if webhook.events is None:
        message_type = webhooks.DIFF_MESSAGE if event_types else None
    else:
        message_type = next((kind for kind in webhook.events if kind in event_types), None)
        events = [event for event in events if event["type"] in webhook.events]
    if message_type is None:
        return None
    data = webhooks.WebhookData(
        game=change.game,
        version=diff.version,
        digest=diff.digest.hex(),
        seat=change.seat,
        move=change.move,
        by=change.by,
        events=events,
        next=decision,
    )
    return WebhookPayload(
        message_id(change.game, diff.version, webhook.id),
        message_type,
        encode_json(webhooks.WebhookMessage(type=message_type, timestamp=diff.at, data=data)),
        diff.at,
    )


def message_id(game: str, version: int, webhook_id: str) -> str:
    """Return the id of a change's message, equal for every attempt."""
    return f"{game}.{version}.{webhook_id}"


def attempt_id(subject: str, message_type: str, webhook_id: str, at: int) -> str:
    """Return the id of a challenge or a ping; each attempt has its own, as each has another value to repeat."""
    return f"{subject}.{message_type}.{webhook_id}.{at}"


def create_ping(subject: str, webhook: WebhookRegistration, now: int) -> WebhookPayload:
    """Return the payload of a ping."""
    at = timestamp(now)
    message = webhooks.WebhookPing(type="ping", timestamp=at, webhook=webhook.id)
    return WebhookPayload(
        attempt_id(subject, webhooks.PING_MESSAGE, webhook.id, now), webhooks.PING_MESSAGE, encode_json(message), at
    )


def signature_headers(webhook: WebhookRegistration, payload: WebhookPayload, now: int) -> Mapping[str, str]:
    """Return the headers of an attempt (Standard Webhooks): id, timestamp, and the signatures of these and the body.

    After a rotation there is one for each valid secret.
    """
    at, body = datetime.fromtimestamp(now, UTC), payload.body.decode()
    signatures = [Signer(secret).sign(payload.id, at, body) for secret in webhook.secrets(now)]
    return {
        "Content-Type": "application/json",
        "webhook-id": payload.id,
        "webhook-timestamp": str(now),
        "webhook-signature": " ".join(signatures),
    }


def generate_secret() -> str:
    """Return a random signing secret."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def derive_secret(source: bytes, webhook_id: str) -> str:
    """Return a webhook's signing secret that is derived from a secret, always the same."""
    digest = hmac.digest(source, f"webhook.{webhook_id}".encode(), "sha256")
    return SECRET_PREFIX + base64.b64encode(digest).decode()


def _matches_seat(webhook: WebhookRegistration, seat: int | None) -> bool:
    return seat is None or webhook.seats is None or seat in webhook.seats


_DECODER = msgspec.json.Decoder(_Change)


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

    def take(self, rates: Mapping[str, RateLimit]) -> float:
        """Take one of each key and return 0; or take nothing, and return the seconds to wait."""
        now = round(self._clock() * 1000)
        full_at = {key: max(self._full_at.get(key, now), now) + _interval_ms(rate) for key, rate in rates.items()}
        wait_ms = max(full_at[key] - now - rate.quota * _interval_ms(rate) for key, rate in rates.items())
        if wait_ms > 0:
            return wait_ms / 1000
        for key, at in full_at.items():
            self._full_at[key] = at
            self._full_at.move_to_end(key)
            if len(self._full_at) > MAX_KEYS:
                self._full_at.popitem(last=False)
        return 0.0

    def refund(self, rates: Mapping[str, RateLimit]) -> None:
        """Give one of each key back."""
        for key, rate in rates.items():
            if key in self._full_at:
                self._full_at[key] -= _interval_ms(rate)


def _interval_ms(rate: RateLimit) -> int:
    """Return the time in which one token refills."""
    return round(1000 * rate.window_s / rate.quota)


SHARED_SUFFIXES = frozenset({"ac", "co", "com", "edu", "gov", "net", "or", "org"})
"""Second-level domains of country domains under which anybody registers names, such as co.uk."""

IPV4_BITS, IPV6_BITS = 24, 48
"""Prefix lengths of the networks that one owner often has in full."""


def site_of_url(url: str) -> str:
    """Return the site of a URL's server.

    >>> site_of_url("https://a.b.example.org:8080/hook"), site_of_url("https://[2001:db8:1:2::3]/")
    ('example.org', '2001:db8:1::/48')
    """
    return site_of_host(host_of_url(url))


def host_of_url(url: str) -> str:
    """Return the host name or address of a URL, in lower case."""
    return (urlsplit(url).hostname or "").rstrip(".")


def site_of_host(host: str) -> str:
    """Return the site of a host: its registered domain, by a heuristic, or its address's network.

    >>> site_of_host("bot.example.co.uk"), site_of_host("192.0.2.1"), site_of_host("localhost")
    ('example.co.uk', '192.0.2.0/24', 'localhost')
    """
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        labels = host.split(".")
        shared = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SHARED_SUFFIXES
        return ".".join(labels[-3 if shared else -2 :])
    bits = IPV4_BITS if isinstance(address, IPv4Address) else IPV6_BITS
    return str(ip_network((address, bits), strict=False))


def challenge_rates(client: str, url: str) -> Mapping[str, RateLimit]:
    """Return the rates of a challenge: of its client at the site, and of the site."""
    site = site_of_url(url)
    return {f"{client} {site}": CLIENT_RATE, site: SITE_RATE}


def create_challenge(subject: str, webhook: WebhookRegistration, now: int) -> tuple[str, WebhookPayload]:
    """Return a random challenge and its payload."""
    challenge, at = secrets.token_urlsafe(CHALLENGE_BYTES), timestamp(now)
    game = subject if key_of_subject(subject) is None else None
    message = webhooks.WebhookChallenge(
        type="challenge", timestamp=at, challenge=challenge, game=game, webhook=webhook.id
    )
    payload_id = attempt_id(subject, webhooks.CHALLENGE_MESSAGE, webhook.id, now)
    return challenge, WebhookPayload(payload_id, webhooks.CHALLENGE_MESSAGE, encode_json(message), at)


def is_correct_response(body: bytes, challenge: str) -> bool:
    """Return whether a response repeats the challenge as its own document, and does not echo the message."""
    try:
        repeated = _ANSWER.decode(without_bom(body)).challenge
    except DECODING_ERRORS:
        return False
    return hmac.compare_digest(repeated.encode(), challenge.encode())


_ANSWER = msgspec.json.Decoder(webhooks.WebhookChallengeAnswer)
