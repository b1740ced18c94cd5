"""The payload of a change for a webhook, and its signature."""

import base64
import hmac
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from standardwebhooks import Webhook as Signer

from schemas.base import encode_json
from schemas.commands import NextDecision
from schemas.events import TurnStarted
from schemas.webhooks import DECISION_EVENT, DIFF_MESSAGE, PING_MESSAGE, WebhookData, WebhookMessage, WebhookPing
from service.games.ports.game_store import StoredDiff
from service.games.ports.webhook_store import WebhookRegistration
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


class _Operation(msgspec.Struct, frozen=True):
    """The decoded part of a patch operation."""

    path: str
    value: Any = None


class _Change(msgspec.Struct, frozen=True):
    """The decoded part of a diff; events stay generic, as other instances may know more types."""

    game: str
    version: int
    at: str
    digest: str
    seat: int | None
    move: str | None
    by: str | None
    events: list[dict[str, Any]]
    patch: list[_Operation]


def build_payload(webhook: WebhookRegistration, diff: StoredDiff) -> WebhookPayload | None:
    """Return the payload of a change, or None if the webhook's filters exclude all of it."""
    change = _DECODER.decode(diff.data)
    decision = _next_decision(change)
    events: list[Any] = [event for event in change.events if _matches_seat(webhook, event.get("seat"))]
    event_types = {event["type"] for event in events}
    if _is_decision(change, decision) and _matches_seat(webhook, decision.seat):
        event_types.add(DECISION_EVENT)
    if webhook.events is None:
        message_type = DIFF_MESSAGE if event_types else None
    else:
        message_type = next((kind for kind in webhook.events if kind in event_types), None)
        events = [event for event in events if event["type"] in webhook.events]
    if message_type is None:
        return None
    data = WebhookData(
        game=change.game,
        version=change.version,
        digest=change.digest,
        seat=change.seat,
        move=change.move,
        by=change.by,
        events=events,
        next=decision,
    )
    return WebhookPayload(
        message_id(change.game, change.version, webhook.id),
        message_type,
        encode_json(WebhookMessage(type=message_type, timestamp=change.at, data=data)),
        change.at,
    )


def message_id(game: str, version: int, webhook_id: str) -> str:
    """Return the id of a change's message, equal for every attempt."""
    return f"{game}.{version}.{webhook_id}"


def challenge_id(subject: str, webhook_id: str, at: int) -> str:
    """Return the id of a challenge; each attempt has its own, as each has another value to repeat."""
    return f"{subject}.challenge.{webhook_id}.{at}"


def ping_id(subject: str, webhook_id: str, at: int) -> str:
    """Return the id of a ping."""
    return f"{subject}.ping.{webhook_id}.{at}"


def create_ping(subject: str, webhook: WebhookRegistration, now: int) -> WebhookPayload:
    """Return the payload of a ping."""
    at = timestamp(now)
    message = WebhookPing(type="ping", timestamp=at, webhook=webhook.id)
    return WebhookPayload(ping_id(subject, webhook.id, now), PING_MESSAGE, encode_json(message), at)


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


def _next_decision(change: _Change) -> NextDecision:
    """Return who decides after the change; every diff of a started game writes the turn."""
    turn = next((operation.value for operation in change.patch if operation.path == "/turn"), None)
    return (
        NextDecision(seat=None, phase=None) if turn is None else NextDecision(seat=turn["decider"], phase=turn["phase"])
    )


def _is_decision(change: _Change, decision: NextDecision) -> bool:
    """Return whether a player must now decide: another one than the actor, or at the start of a turn."""
    is_turn_start = any(event["type"] == TURN_STARTED for event in change.events)
    return decision.seat is not None and (is_turn_start or decision.seat != change.seat)


_DECODER = msgspec.json.Decoder(_Change)
