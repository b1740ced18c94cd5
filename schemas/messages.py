"""WebSocket messages, from clients and from the service."""

from typing import Annotated, Literal

from msgspec import Meta

from schemas.actions import ActionRequest
from schemas.base import RequestModel, ResponseModel
from schemas.commands import Act, ActionList, LegalMoves, SeatCommand
from schemas.diffs import Diff
from schemas.game import GameView, Timestamp
from schemas.problems import Problem
from schemas.vocabulary import DIGEST, Digest, Id, MoveId, SeatNumber

MessageId = Annotated[str, Meta(max_length=64, description="Chosen by the client, echoed in the reply.")]
IfMatch = Annotated[
    str,
    Meta(pattern=rf"^\"?[0-9]{{1,10}}(-{DIGEST})?\"?(?!\n)$", examples=["17", "17-9110748de2cfb2a149549a661108b09a"]),
]
Version = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Key = Annotated[str, Meta(min_length=1, max_length=255, description="An idempotency key.")]


class Auth(RequestModel, tag="auth"):
    """Adds a token for a game."""

    game: Id
    token: Annotated[str, Meta(max_length=200)]
    id: MessageId | None = None


class Subscribe(RequestModel, tag="subscribe"):
    """Subscribes to a game's diffs; `since` and `digest` name the state that the client has, if any."""

    game: Id
    since: Version | None = None
    digest: Digest | None = None
    id: MessageId | None = None


class Unsubscribe(RequestModel, tag="unsubscribe"):
    """Ends a subscription."""

    game: Id
    id: MessageId | None = None


class Sync(RequestModel, tag="sync"):
    """Requests a snapshot, after a gap or a patch that does not apply."""

    game: Id
    id: MessageId | None = None


class ActMessage(RequestModel, tag="act"):
    """Acts, as `POST /v1/games/{id}/actions` does. Legal moves are in the language of the upgrade request."""

    game: Id
    id: MessageId | None = None
    action: ActionRequest | None = None
    move: MoveId | None = None
    actions: ActionList | None = None
    seat: SeatNumber | None = None
    if_match: IfMatch | Version | None = None
    key: Key | None = None
    include: Literal["legal_moves"] | None = None

    def __post_init__(self) -> None:
        self.to_body()

    def to_body(self) -> Act:
        """Return the body of the equivalent HTTP request."""
        return Act(action=self.action, move=self.move, actions=self.actions, seat=self.seat)


class SeatMessage(RequestModel):
    """The base of messages about a seat: the body and headers of the equivalent HTTP request."""

    game: Id
    id: MessageId | None = None
    seat: SeatNumber | None = None
    if_match: IfMatch | Version | None = None
    key: Key | None = None
    include: Literal["legal_moves"] | None = None

    def to_body(self) -> SeatCommand:
        """Return the body of the equivalent HTTP request."""
        return SeatCommand(seat=self.seat)


class Undo(SeatMessage, tag="undo"):
    """Undoes an action, as `POST /v1/games/{id}/undo` does."""


class Resign(SeatMessage, tag="resign"):
    """Resigns, as `POST /v1/games/{id}/resign` does."""


class ReturnToSeat(SeatMessage, tag="return"):
    """Takes a seat back from a bot, as `POST /v1/games/{id}/return` does."""


class Ping(RequestModel, tag="ping"):
    """Requests a `pong`."""

    id: MessageId | None = None


ClientMessage = Auth | Subscribe | Unsubscribe | Sync | ActMessage | Undo | Resign | ReturnToSeat | Ping


class Welcome(ResponseModel, tag="welcome"):
    """The first message of every connection."""

    now: Timestamp
    ping_interval_ms: int
    max_message_bytes: int
    max_subscriptions: Annotated[int, Meta(description="The games that one socket may watch.")]


class Subscribed(ResponseModel, tag="subscribed"):
    """A subscription started at `version`: missed diffs follow (`recovered`), or a snapshot."""

    id: str | None
    game: Id
    recovered: bool
    version: int
    digest: Digest


class Snapshot(ResponseModel, tag="snapshot"):
    """The whole GAME and its digest."""

    digest: Digest
    game: GameView


class Ack(ResponseModel, tag="ack"):
    """A client's message succeeded; version and digest are null unless it changed the game."""

    id: str | None
    game: Id | None
    version: int | None
    digest: Digest | None
    legal_moves: LegalMoves | None = None


class ErrorMessage(ResponseModel, tag="error"):
    """A client's message failed."""

    id: str | None
    game: str | None
    problem: Problem


class Pong(ResponseModel, tag="pong"):
    """The reply to `ping`."""

    id: str | None


class Closing(ResponseModel, tag="closing"):
    """The service is shutting down: reconnect after `retry_after_ms`, with `since`, whatever the close code is."""

    retry_after_ms: int


ServerMessage = Welcome | Subscribed | Snapshot | Diff | Ack | ErrorMessage | Pong | Closing


class CloseCode:
    """Why the service closed a connection: 4000 + the HTTP status for problems; resume after the others and 1006."""

    SHUTDOWN = 1001
    NO_PONG = 4408
    TOO_SLOW = 4429
    REFUSED = 4000
