"""What a change tells a webhook, and how it is signed."""

import base64
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from standardwebhooks import Webhook as Signer

from schemas.acting import NextDecision
from schemas.base import encode_json
from schemas.events import TurnStarted
from schemas.webhooks import DECISION_EVENT, DIFF_MESSAGE, WebhookData, WebhookMessage
from service.games.ports import StoredDiff
from service.games.webhooks.port import WebhookRegistration

TURN_STARTED = TurnStarted.__struct_config__.tag

SECRET_BYTES = 32
SECRET_PREFIX = "whsec_"  # noqa: S105 (what every such secret begins with)


class WebhookPayload(NamedTuple):
    """A message ready to be sent; the same change gives the same one at every attempt."""

    id: str
    type: str
    body: bytes
    at: str
    """When the change was."""


class _Operation(msgspec.Struct, frozen=True):
    """What is read of an operation of a patch."""

    path: str
    value: Any = None


class _DiffFields(msgspec.Struct, frozen=True):
    """What is read of a diff; events as they came, as another instance may know more of them than this one."""

    game: str
    version: int
    at: str
    digest: str
    seat: int | None
    move: str | None
    by: str | None
    events: list[dict[str, Any]]
    patch: list[_Operation]


def build_payload(hook: WebhookRegistration, diff: StoredDiff) -> WebhookPayload | None:
    """The message of a change; None where the webhook did not ask for any of it."""
    told = _DECODER.decode(diff.data)
    decision = _next_decision(told)
    events: list[Any] = [event for event in told.events if _matches_seat(hook, event.get("seat"))]
    kinds = {event["type"] for event in events}
    if _is_decision(told, decision) and _matches_seat(hook, decision.seat):
        kinds.add(DECISION_EVENT)
    if hook.events is None:
        kind = DIFF_MESSAGE if kinds else None
    else:
        kind = next((kind for kind in hook.events if kind in kinds), None)
        events = [event for event in events if event["type"] in hook.events]
    if kind is None:
        return None
    data = WebhookData(
        game=told.game,
        version=told.version,
        digest=told.digest,
        seat=told.seat,
        move=told.move,
        by=told.by,
        events=events,
        next=decision,
    )
    return WebhookPayload(
        message_id(told.game, told.version, hook.id),
        kind,
        encode_json(WebhookMessage(type=kind, timestamp=told.at, data=data)),
        told.at,
    )


def message_id(game: str, version: int, hook: str) -> str:
    """The id of a change's message, equal at every attempt."""
    return f"{game}.{version}.{hook}"


def challenge_id(game: str, hook: str, at: int) -> str:
    """The id of a challenge: as each attempt has another one to repeat, each is a message of its own."""
    return f"{game}.challenge.{hook}.{at}"


def signature_headers(hook: WebhookRegistration, message: WebhookPayload, now: int) -> Mapping[str, str]:
    """The headers of an attempt (Standard Webhooks): id, time of the attempt, and signature of both with the body."""
    at = datetime.fromtimestamp(now, UTC)
    return {
        "Content-Type": "application/json",
        "webhook-id": message.id,
        "webhook-timestamp": str(now),
        "webhook-signature": Signer(hook.secret).sign(message.id, at, message.body.decode()),
    }


def generate_secret() -> str:
    """A random secret to sign with."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def is_secret(text: str) -> bool:
    """Whether it is 24 to 64 bytes as Standard Webhooks writes them."""
    try:
        return 24 <= len(base64.b64decode(text.removeprefix(SECRET_PREFIX), validate=True)) <= 64
    except ValueError:
        return False


def _matches_seat(hook: WebhookRegistration, seat: int | None) -> bool:
    return seat is None or hook.seats is None or seat in hook.seats


def _next_decision(told: _DiffFields) -> NextDecision:
    """Who decides after the change: every change of a game that has begun tells of the turn."""
    turn = next((operation.value for operation in told.patch if operation.path == "/turn"), None)
    return (
        NextDecision(seat=None, phase=None) if turn is None else NextDecision(seat=turn["decider"], phase=turn["phase"])
    )


def _is_decision(told: _DiffFields, decision: NextDecision) -> bool:
    """Whether somebody must decide who did not just act, or whose turn begins."""
    begun = any(event["type"] == TURN_STARTED for event in told.events)
    return decision.seat is not None and (begun or decision.seat != told.seat)


_DECODER = msgspec.json.Decoder(_DiffFields)
