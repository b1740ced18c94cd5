"""Webhooks: registration, deliveries and messages, after Standard Webhooks."""

from typing import Annotated, Literal, get_args

from msgspec import Meta

from schemas.base import RequestModel, ResponseModel
from schemas.commands import NextDecision
from schemas.diffs import By
from schemas.events import AnyEvent
from schemas.game import Timestamp
from schemas.vocabulary import Digest, Id, MoveId, SeatNumber

DECISION_EVENT = "decision"
"""An extra event type: a seat must decide that did not just act, or whose turn starts."""

WEBHOOK_EVENT_TYPES = (*(event.__struct_config__.tag for event in get_args(AnyEvent)), DECISION_EVENT)
"""Every event type that a webhook can subscribe to."""

DIFF_MESSAGE = "diff"
"""The message type of webhooks without an event filter."""

CHALLENGE_MESSAGE = "challenge"
"""The message type that asks a server to confirm the webhook."""

PING_MESSAGE = "ping"
"""The message type that tests a webhook."""

_BASE64 = "([A-Za-z0-9+/]{4})"
_BASE64_END = "[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}="

EventType = Annotated[str, Meta(max_length=40, examples=["turn_started", "game_finished", DECISION_EVENT])]
RequestedEventType = Literal[WEBHOOK_EVENT_TYPES]  # type: ignore[valid-type]  # mypy knows only literals as written
RequestedEvents = Annotated[
    list[RequestedEventType], Meta(min_length=1, max_length=64, description="A webhook names 1 to 64 events, or null.")
]
Seats = Annotated[
    list[SeatNumber], Meta(min_length=1, max_length=5, description="A webhook names 1 to 5 seats, or null.")
]
MessageType = Annotated[
    str, Meta(examples=["turn_started", "game_finished", DECISION_EVENT, DIFF_MESSAGE, CHALLENGE_MESSAGE, PING_MESSAGE])
]
Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2000,
        examples=["https://bot.example/south-seas"],
        extra_json_schema={"format": "uri"},
    ),
]
Secret = Annotated[
    str,
    Meta(
        pattern=rf"^whsec_({_BASE64}{{8,20}}({_BASE64_END})?|{_BASE64}{{21}}([A-Za-z0-9+/]{{2}}==)?)(?!\n)$",
        description="`whsec_` and 24 to 64 bytes in base64; it signs the messages.",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    ),
]
MessageId = Annotated[
    str,
    Meta(examples=["k7m2x9qd4t1w.17.w4k8x1m7q2zc"], description="The header `webhook-id`, the same for all retries."),
]
WebhookStatus = Annotated[str, Meta(examples=["pending", "active", "disabled"])]
DisabledReason = Annotated[str, Meta(examples=["gone", "failing", "unproven"])]
DeliveryError = Annotated[
    str, Meta(examples=["status", "redirect", "timeout", "dns", "connect", "tls", "broken", "wrong_answer"])
]
Challenge = Annotated[str, Meta(min_length=1, max_length=100, examples=["q0xIVUWK1cnpzjcsmm7h9s0Vd1i2k3TNfDTdJcGxOYs"])]


class RegisterKeyWebhook(RequestModel):
    """A new webhook for the games that are created with an API key from now on; only `url` is required."""

    url: Url
    """The https URL of a server on the public internet."""
    events: RequestedEvents | None = None
    """Event types, the most important first, or `decision`; null for every change."""
    secret: Secret | None = None
    """The signing secret; null for a random one."""


class RegisterWebhook(RegisterKeyWebhook):
    """A new webhook; only `url` is required."""

    seats: Seats | None = None
    """The seats whose events and decisions are sent; null for all."""


class AnyWebhook(ResponseModel):
    """A webhook of any owner."""

    id: Id
    url: Url
    events: list[EventType] | None
    """Null for every change."""
    created_at: Timestamp
    status: WebhookStatus
    """`pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried."""
    disabled_reason: DisabledReason | None
    """`gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null."""
    failures: int
    """The failed attempts of the challenge or, in a game, of the next message."""
    next_attempt_at: Timestamp | None
    """The time of the next retry; null without failures."""


class Webhook(AnyWebhook):
    """A webhook of a game; the service shows its secret only at creation."""

    seats: list[int] | None
    """Null for all."""
    registered_by: int | None
    """The seat whose token registered it; null for the owner's."""
    delivered_version: int
    """Every change up to this version was delivered or filtered out."""


class WebhookCreated(Webhook):
    """A new webhook, with its secret."""

    secret: Secret
    """Shown only in this response."""


class KeyWebhook(AnyWebhook):
    """A webhook for the games that an API key creates after it; its secrets are shown only when they are new."""

    previous_secret_expires_at: Timestamp | None
    """Until when the secret before the last rotation signs too; null if there is none."""


class KeyWebhookCreated(KeyWebhook):
    """A new webhook for the games of an API key, with its secret."""

    secret: Secret
    """Shown only in this response."""


class Webhooks(ResponseModel):
    """The webhooks of a game."""

    webhooks: list[Webhook]


class Attempt(ResponseModel):
    """An attempt to deliver a message."""

    id: MessageId
    version: int
    """The version of the change; for a challenge, `delivered_version`."""
    type: MessageType
    attempt: int
    """From 1."""
    at: Timestamp
    delivered: bool
    status: int | None
    """The HTTP status of the response; null without one."""
    error: DeliveryError | None
    """Why it failed; null if it succeeded."""
    latency_ms: int
    """0 if the host name did not resolve to a public server."""


class Deliveries(ResponseModel):
    """Recent delivery attempts, newest first."""

    webhook: Webhook
    attempts: list[Attempt]


class WebhookData(ResponseModel):
    """A change of a game, with the events that the webhook subscribed to."""

    game: Id
    version: int
    """The version of the change; each version is in at most one message."""
    digest: Digest
    """The digest of that version."""
    seat: int | None
    """The seat that acted; null if none did."""
    move: MoveId | None
    """The move's id; null if nobody acted."""
    by: By | None
    """Who decided; null if nobody acted."""
    events: list[AnyEvent]
    """The subscribed events; may be empty if only `decision` is subscribed."""
    next: NextDecision
    """The next decision after the change."""


class WebhookMessage(ResponseModel):
    """The body of a request to a webhook's URL (Standard Webhooks)."""

    type: MessageType
    """The first of the webhook's `events` that happened; `diff` without a filter."""
    timestamp: Timestamp
    """The time of the change."""
    data: WebhookData


class WebhookChallenge(ResponseModel):
    """The first request to a webhook's URL, which asks its server to confirm the webhook."""

    type: Literal["challenge"]
    timestamp: Timestamp
    """The time of this attempt."""
    challenge: Challenge
    """The server must return this value; it differs for each attempt."""
    game: Id | None
    """Null for the webhook of an API key."""
    webhook: Id


class WebhookPing(ResponseModel):
    """A message that tests a webhook; nothing has happened."""

    type: Literal["ping"]
    timestamp: Timestamp
    webhook: Id


class WebhookChallengeAnswer(RequestModel):
    """The response body that confirms a webhook; it may contain nothing else."""

    challenge: Challenge


class ChangeKeyWebhook(RequestModel):
    """Changes to a webhook; what is null or missing stays."""

    url: Url | None = None
    """Another URL, whose server must answer a challenge first."""
    events: Annotated[list[RequestedEventType], Meta(max_length=64)] | None = None
    """Other event types, the most important first, or `decision`; an empty list for every change."""


class RotateSecret(RequestModel):
    """A new signing secret; the body may be empty."""

    secret: Secret | None = None
    """Null for a random one."""
    grace_s: Annotated[int, Meta(ge=0, le=30 * 86_400)] | None = None
    """Seconds for which the current secret signs too; null for a day."""


class KeyWebhooks(ResponseModel):
    """The webhooks of an API key."""

    webhooks: list[KeyWebhook]


class RotatedSecret(ResponseModel):
    """The new secret of a webhook."""

    secret: Secret
    """Shown only in this response."""
    previous_secret_expires_at: Timestamp | None
    """Until when the previous secret signs too; null if it does not."""


class KeyAttempt(Attempt):
    """An attempt to deliver a message to an API key's webhook; `version` is 0 for a challenge or a ping."""

    game: Id | None
    """Null for a challenge or a ping."""


class KeyDeliveries(ResponseModel):
    """Recent delivery attempts of all games, newest first."""

    webhook: KeyWebhook
    attempts: list[KeyAttempt]
