"""Webhooks: telling another server what happened. Source: api.md's spirit, and Standard Webhooks."""

from typing import Annotated, Literal, get_args

from msgspec import Meta

from schemas.acting import NextDecision
from schemas.base import RequestModel, ResponseModel
from schemas.diffs import By
from schemas.events import AnyEvent
from schemas.game import Timestamp
from schemas.vocabulary import Digest, Id, MoveId, SeatNumber

DECISION_EVENT = "decision"
"""What a webhook may wait for besides events: that a seat must decide which did not just act, or whose turn begins."""

WEBHOOK_EVENT_TYPES = (*(event.__struct_config__.tag for event in get_args(AnyEvent)), DECISION_EVENT)
"""Everything that a webhook may wait for."""

DIFF_MESSAGE = "diff"
"""The type of a message of a webhook that asked for no events in particular."""

CHALLENGE_MESSAGE = "challenge"
"""The type of the message that asks a server whether it wants the webhook."""

EventType = Annotated[str, Meta(max_length=40, examples=["turn_started", "game_finished", DECISION_EVENT])]
MessageType = Annotated[
    str, Meta(examples=["turn_started", "game_finished", DECISION_EVENT, DIFF_MESSAGE, CHALLENGE_MESSAGE])
]
Url = Annotated[str, Meta(min_length=1, max_length=2000, examples=["https://bot.example/south-seas"])]
Secret = Annotated[
    str,
    Meta(
        pattern=r"^whsec_[A-Za-z0-9+/]{32,88}={0,2}(?!\n)$",
        description="`whsec_` and 24 to 64 bytes in base64; the messages are signed with it.",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    ),
]
MessageId = Annotated[
    str, Meta(examples=["k7m2x9qd4t1w.17.w4k8x1m7q2zc"], description="The header `webhook-id`, equal over retries.")
]
WebhookStatus = Annotated[str, Meta(examples=["pending", "active", "disabled"])]
DisabledReason = Annotated[str, Meta(examples=["gone", "failing", "unproven"])]
DeliveryError = Annotated[
    str, Meta(examples=["status", "redirect", "timeout", "dns", "connect", "tls", "broken", "wrong_answer"])
]
Challenge = Annotated[str, Meta(min_length=1, max_length=100, examples=["q0xIVUWK1cnpzjcsmm7h9s0Vd1i2k3TNfDTdJcGxOYs"])]


class RegisterWebhook(RequestModel):
    """Where to, and what of the game to tell; only `url` is required."""

    url: Url
    """Of a server on the public internet; https."""
    events: Annotated[list[EventType], Meta(min_length=1, max_length=64)] | None = None
    """Types of events, the most important first, or `decision`; null for every change."""
    seats: Annotated[list[SeatNumber], Meta(min_length=1, max_length=5)] | None = None
    """Events and decisions that concern one seat are told only of these; null for all."""
    secret: Secret | None = None
    """To sign with; null for a random one."""

    def __post_init__(self) -> None:
        for event in self.events or ():
            if event not in WEBHOOK_EVENT_TYPES:
                raise ValueError(f"`events`: {event[:40]} is none of {', '.join(WEBHOOK_EVENT_TYPES)}")


class Webhook(ResponseModel):
    """A webhook, for the game's owner; its secret was told when it was made."""

    id: Id
    url: str
    events: list[EventType] | None
    """Null for every change."""
    seats: list[int] | None
    """Null for all."""
    created_at: Timestamp
    status: WebhookStatus
    """`pending` until its server has answered the challenge; a `disabled` one gets nothing until it is retried."""
    disabled_reason: DisabledReason | None
    """`gone` after an answer 410, `failing` after the last attempt, `unproven` after the last challenge; else null."""
    delivered_version: int
    """Every change up to this version has been delivered, or was not asked for."""
    failures: int
    """How often the next message, or the challenge, has failed so far."""
    next_attempt_at: Timestamp | None
    """When it is tried again; null where nothing has failed."""


class WebhookCreated(Webhook):
    """A new webhook, with its secret."""

    secret: Secret
    """Told here and nowhere else."""


class Webhooks(ResponseModel):
    """The webhooks of a game."""

    webhooks: list[Webhook]


class Attempt(ResponseModel):
    """One attempt at delivering a message."""

    id: MessageId
    version: int
    """Of the change that it tells; of a challenge, `delivered_version`."""
    type: MessageType
    attempt: int
    """From 1."""
    at: Timestamp
    delivered: bool
    status: int | None
    """What was answered; null where nothing was."""
    error: DeliveryError | None
    """Why it failed; null where it did not."""
    latency_ms: int
    """0 where the name led to no public server."""


class Deliveries(ResponseModel):
    """What was tried of late, the newest first."""

    webhook: Webhook
    attempts: list[Attempt]


class WebhookData(ResponseModel):
    """A change of a game, as far as the webhook asked for it."""

    game: Id
    version: int
    """Of the change; more than one message never tells of the same."""
    digest: Digest
    """Of that version."""
    seat: int | None
    """Who acted; null where nobody did."""
    move: MoveId | None
    """The move's id; null where nobody acted."""
    by: By | None
    """Who decided; null where nobody acted."""
    events: list[AnyEvent]
    """Those that were asked for; may be empty where only `decision` was."""
    next: NextDecision
    """Who must decide after the change."""


class WebhookMessage(ResponseModel):
    """What is posted to a webhook's URL (Standard Webhooks)."""

    type: MessageType
    """The first of the webhook's `events` that happened; `diff` where it has none."""
    timestamp: Timestamp
    """When it happened."""
    data: WebhookData


class WebhookChallenge(ResponseModel):
    """What is posted to a webhook's URL before anything else: it asks whether this server wants the webhook."""

    type: Literal["challenge"]
    timestamp: Timestamp
    """Of this attempt."""
    challenge: Challenge
    """To be repeated in the answer; another one at each attempt."""
    game: Id
    webhook: Id


class WebhookChallengeAnswer(RequestModel):
    """The body that proves that the server wants the webhook; nothing else may be in it."""

    challenge: Challenge
