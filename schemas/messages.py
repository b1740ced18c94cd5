"""What goes over a WebSocket, both ways. Source: api.md, "WebSocket"."""

from typing import Annotated, Literal

from msgspec import Meta

from schemas.acting import Act, ActionList, LegalMoves, SeatCommand
from schemas.actions import ActionRequest
from schemas.base import RequestModel, ResponseModel
from schemas.diffs import Diff
from schemas.game import GameView
from schemas.problems import Problem
from schemas.vocabulary import DIGEST, Digest, Id, MoveId, SeatNumber

MessageId = Annotated[str, Meta(max_length=64, description="Chosen by the client, echoed by the answer.")]
IfMatch = Annotated[
    str, Meta(pattern=rf"^[0-9]{{1,10}}(-{DIGEST})?(?!\n)$", examples=["17", "17-9110748de2cfb2a149549a661108b09a"])
]
Version = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Key = Annotated[str, Meta(min_length=1, max_length=255, description="An idempotency key.")]


class Auth(RequestModel, tag="auth"):
    """Adds a token for a game."""

    game: Id
    token: Annotated[str, Meta(max_length=200)]
    id: MessageId | None = None


class Subscribe(RequestModel, tag="subscribe"):
    """Asks for a game's diffs, after version `since` with `digest` where the client knows an earlier state."""

    game: Id
    since: Version | None = None
    digest: Digest | None = None
    id: MessageId | None = None


class Unsubscribe(RequestModel, tag="unsubscribe"):
    """Ends a subscription."""

    game: Id
    id: MessageId | None = None


class Sync(RequestModel, tag="sync"):
    """Asks for a snapshot, after a gap or a patch that does not apply."""

    game: Id
    id: MessageId | None = None


class ActMessage(RequestModel, tag="act"):
    """Acts, as `POST /v1/games/{id}/actions` does; legal moves come in the language that the upgrade asked for."""

    game: Id
    id: MessageId | None = None
    action: ActionRequest | None = None
    move: MoveId | None = None
    actions: ActionList | None = None
    seat: SeatNumber | None = None
    if_match: IfMatch | None = None
    key: Key | None = None
    include: Literal["legal_moves"] | None = None

    def __post_init__(self) -> None:
        self.to_act()

    def to_act(self) -> Act:
        """The same as a request's body."""
        return Act(action=self.action, move=self.move, actions=self.actions, seat=self.seat)


class SeatMessage(RequestModel):
    """What a message that needs no more than a seat has: as the request's body and headers."""

    game: Id
    id: MessageId | None = None
    seat: SeatNumber | None = None
    if_match: IfMatch | None = None
    key: Key | None = None
    include: Literal["legal_moves"] | None = None

    def to_body(self) -> SeatCommand:
        """The same as a request's body."""
        return SeatCommand(seat=self.seat)


class Undo(SeatMessage, tag="undo"):
    """Takes a move back, as `POST /v1/games/{id}/undo` does."""


class Resign(SeatMessage, tag="resign"):
    """Resigns, as `POST /v1/games/{id}/resign` does."""


class Return(SeatMessage, tag="return"):
    """Takes a seat back from a bot, as `POST /v1/games/{id}/return` does."""


class Ping(RequestModel, tag="ping"):
    """Asks for a `pong`."""

    id: MessageId | None = None


ClientMessage = Auth | Subscribe | Unsubscribe | Sync | ActMessage | Undo | Resign | Return | Ping


class Welcome(ResponseModel, tag="welcome"):
    """The first message of every socket."""

    now: str
    ping_interval_ms: int
    max_message_bytes: int


class Subscribed(ResponseModel, tag="subscribed"):
    """A subscription began at `version`: what was missed follows (`recovered`), or a snapshot."""

    id: str | None
    game: Id
    recovered: bool
    version: int
    digest: Digest


class Snapshot(ResponseModel, tag="snapshot"):
    """The whole GAME, and the digest of its version."""

    digest: Digest
    game: GameView


class Ack(ResponseModel, tag="ack"):
    """A client's message was done; version and digest are null but where the game was changed."""

    id: str | None
    game: Id | None
    version: int | None
    digest: Digest | None
    legal_moves: LegalMoves | None = None


class Error(ResponseModel, tag="error"):
    """A client's message was refused."""

    id: str | None
    game: str | None
    problem: Problem


class Pong(ResponseModel, tag="pong"):
    """The answer to `ping`."""

    id: str | None


class Closing(ResponseModel, tag="closing"):
    """The instance stops: connect again after `retry_after_ms`, with `since`."""

    retry_after_ms: int


ServerMessage = Welcome | Subscribed | Snapshot | Diff | Ack | Error | Pong | Closing


class CloseCode:
    """Why a socket was closed: 4000 + the HTTP status for refusals; resume after the other three and 1006."""

    SHUTDOWN = 1012
    NO_PONG = 4408
    TOO_SLOW = 4429
    REFUSED = 4000
