"""The errors of commands and queries, as types with data, each with the code and the text of its problem.

    ServiceError              also the base of the errors of the store and of the web layer
    └── GameError
    ├── TileSetError: NoSuchTileSet, UnknownTileSet, TileSetMissing
    ├── SeatError: NoSuchSeat, SeatPlayedByBot, SeatNotPlayedByBot, SeatResigned, NothingToUndo
    ├── StatusError: GameNotActive, GameNotFinished
    └── all others

`index` is that of the action in the request's list, None without a list.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar, dataclass_transform

from service.engine import Message
from service.i18n import ENGLISH, Translator, get_translator

_ENGLISH = get_translator(ENGLISH)


def snake_case(word: str) -> str:
    """Return a name as the API writes its fields and values."""
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])|[ .-]", "_", word).lower()


MAX_GUESSED_LENGTH = 40
"""No name of the API is longer; comparing takes time."""


def find_closest(word: str, known: Iterable[str], likeness: float = 0.7) -> str | None:
    """Return which of the known words was probably meant, None if none has so much in common with it (0 to 1)."""
    return next(iter(get_close_matches(snake_case(word[:MAX_GUESSED_LENGTH]), list(known), 1, likeness)), None)


def suggest(word: str, known: Iterable[str]) -> str:
    """Return which of the known words was meant, and what they are.

    >>> suggest("firstSeat", ["players", "first_seat"])
    ': did you mean `first_seat`? Known are players, first_seat'
    """
    closest, names = find_closest(word, known), ", ".join(known)
    if closest is None:
        return Message(": Known are {known}", known=names)
    return Message(": did you mean `{closest}`? Known are {known}", closest=closest, known=names)


@dataclass_transform(eq_default=False)
class ServiceError(Exception):
    """Base of all errors that clients get as a problem.

    `code` is that of `schemas.problems`; `text`, which the catalogues have too, is formatted with the error's
    attributes, and `outcome`.
    """

    code: ClassVar[str] = "internal"
    text: ClassVar[str] = "internal server error"

    def __init_subclass__(cls, code: str = "", text: str = "") -> None:
        cls.code, cls.text = code or cls.code, text or cls.text
        if "__annotations__" in vars(cls):
            dataclass(eq=False)(cls)

    def describe(self, outcome: str = "", translator: Translator = _ENGLISH) -> str:
        """Return what is wrong; `outcome` is what the client must know of its request if the store is unavailable."""
        shown = {name: value.hex() if isinstance(value, bytes) else value for name, value in vars(self).items()}
        return translator.word(Message(self.text, **shown, outcome=outcome))


class GameError(ServiceError):
    """Base of the errors; nothing was changed."""


class Malformed(GameError, code="malformed", text="{detail}"):
    """A value that the schema alone cannot reject; `path` names the field."""

    detail: str
    path: str | None = None


HOW_TO_AUTHENTICATE = Message(
    "send Authorization: Bearer TOKEN, without quotes, or over a WebSocket an `auth` message with `game`, and TOKEN "
    "alone as `token`"
)


class NoSuchGame(
    GameError,
    code="not_found",
    text="there is no game {game}, or it is private and opens with one of its tokens: " + HOW_TO_AUTHENTICATE,
):
    """There is no such game, or this token does not open it."""

    game: str


class TileSetError(GameError):
    """A tile set is missing; `hint` says which may have been meant."""

    tileset: str
    hint: str = ""


class NoSuchTileSet(TileSetError, code="not_found", text="there is no tile set {tileset}{hint}"):
    """No tile set has the id in the path."""


class UnknownTileSet(NoSuchTileSet, code="unknown_tileset"):
    """A new game names a tile set that this service does not have."""

    path = "$.tileset"


class TileSetMissing(
    TileSetError, code="store_unavailable", text="this instance does not have the game's tile set {tileset}"
):
    """A stored game's tile set is missing on this instance; another instance may have it."""

    retry_after_s = 1


class UnknownBot(GameError, code="unknown_bot", text="there is no bot {bot}{hint}; `GET /v1/bots` describes them"):
    """A seat of a new game names a bot that this service does not have; `hint` says which may have been meant."""

    bot: str
    seat: int
    hint: str

    @property
    def path(self) -> str:
        """The field that names the bot."""
        return f"$.players[{self.seat}].bot"


class Unauthorized(GameError, code="unauthorized", text="{reason}"):
    """The token is missing, in another form than a bearer token's, or unknown."""

    missing: bool
    is_malformed: bool = False
    is_api_key: bool = False
    placeholder: str = ""
    """A word that stands for a token, sent instead of one."""

    def __post_init__(self) -> None:
        """Say which of them."""
        if self.missing:
            self.reason = Message("a bearer token is required: {how}", how=HOW_TO_AUTHENTICATE)
        elif self.placeholder:
            self.reason = Message("{word} stands for a token: {how}", word=self.placeholder, how=HOW_TO_AUTHENTICATE)
        elif self.is_malformed:
            self.reason = Message("this is no bearer token: {how}", how=HOW_TO_AUTHENTICATE)
        elif self.is_api_key:
            self.reason = Message("this is no token of a game: send the API key in the header Api-Key")
        else:
            self.reason = Message("this token is unknown here: send one that creating or joining this game returned")


class NoOwnGames(
    Unauthorized,
    text="{reason}: send seats' tokens or a Creator-Key as Authorization: Bearer SECRET, SECRET; "
    "whoever has neither has no games yet",
):
    """The request for one's own games has no secret, or none of a game."""

    def __post_init__(self) -> None:
        """Say which of them."""
        self.reason = Message("no secret was sent") if self.missing else Message("no game here has such a secret")


class ApiKeyRejected(GameError, code="unauthorized", text="{reason}"):
    """The API key is missing, unknown, expired or revoked; `reason` says which."""

    reason: str


class WrongSeat(GameError, code="wrong_seat", text="{reason}"):
    """The token does not act for this seat."""

    seat: int | None
    index: int | None = None

    def __post_init__(self) -> None:
        """Say why; a spectator's token has no seat."""
        self.reason = (
            Message("this token only reads: send a seat's or the owner's")
            if self.seat is None
            else Message("this token does not act for this seat")
        )


class NotOwner(GameError, code="not_owner", text="this token of the game may not do that; the owner's may"):
    """The token is one of the game's, but not the owner's."""


class SeatError(GameError):
    """A seat cannot do this."""

    seat: int
    index: int | None = None


class NoSuchSeat(SeatError, code="not_found", text="the game has no such seat"):
    """The game has no seat of this number."""


class SeatPlayedByBot(SeatError, code="replaced", text="a bot plays for this seat: return to the seat first"):
    """A bot plays this seat until its player returns."""


class SeatNotPlayedByBot(SeatError, code="not_replaced", text="no bot plays for this seat in place of its player"):
    """No bot plays this seat for its player."""


class SeatResigned(SeatError, code="resigned", text="this seat has resigned"):
    """The seat has resigned, for good."""


class NothingToUndo(
    SeatError,
    code="nothing_to_undo",
    text="there is no action to undo: hidden information was revealed or another seat acted",
):
    """There is no action that the seat can take back."""


class StatusError(GameError):
    """The game has another status."""

    status: str

    def __post_init__(self) -> None:
        """Let the status be worded in other languages."""
        self.status = Message(self.status)


class GameNotActive(StatusError, code="not_active", text="the game is {status}"):
    """Nobody can act: the game is waiting, finished or aborted."""


class GameNotFinished(
    StatusError, code="not_over", text="the game is {status}: only a finished or aborted game can have a rematch"
):
    """There is no rematch of a game that is not over."""


class NoSuchWebhook(GameError, code="not_found", text="there is no webhook {hook}"):
    """The game, or the API key, has no webhook of this id."""

    hook: str


class TooManyWebhooks(
    GameError, code="limit_reached", text="there is a maximum of {limit} webhooks, which is reached: delete one first"
):
    """The game, or the API key, has the maximum number of webhooks."""

    limit: int


class WebhookUrlRejected(GameError, code="url_refused", text="{reason}"):
    """Nothing may be sent to this URL; `reason` says why."""

    path = "$.url"

    reason: str


class NotYourTurn(GameError, code="not_your_turn", text="another player has to decide now"):
    """Another seat decides now."""

    seat: int
    decider: int
    index: int | None = None


class NoOpenSeat(GameError, code="no_open_seat", text="every seat is taken, or the game is over"):
    """Every seat is taken, or the game is over."""


class Conflict(GameError, code="conflict", text="{detail}"):
    """Another request was first; `detail` says with what."""

    detail: str


class RematchExists(GameError, code="conflict", text="the game already has the rematch {next_game}"):
    """The game has a rematch, `next_game`."""

    next_game: str


class VersionMismatch(
    GameError,
    code="version_mismatch",
    text='the game has version {version}: read it, and send If-Match: "{version}-{digest}"',
):
    """The game has another version than If-Match names."""

    version: int
    digest: bytes


class MoveRejected(GameError, code="illegal_move", text="{reason}"):
    """The rules forbid it."""

    rule: str
    reason: str
    index: int | None


class ListTooLong(
    GameError,
    code="list_too_long",
    text="the previous action reveals hidden information: send this one in a new request",
):
    """The action at `index` follows one that reveals hidden information."""

    index: int


class IdempotencyKeyReused(GameError, code="key_reused", text="this key was used for another request: send a new one"):
    """The idempotency key belongs to another request."""


class TokensNoLongerShown(
    GameError,
    code="key_reused",
    text="this key was used more than 10 minutes ago: it shows its tokens again only with the Api-Key or Creator-Key "
    "of that request; send a new key, and a Creator-Key with it",
):
    """The idempotency key is of an old request that returned tokens, and the client does not prove that it sent it."""


class TooManyIdempotencyKeys(
    GameError,
    code="rate_limited",
    text="this token has used 1000 idempotency keys in this game within a day: wait, or send none",
):
    """The token has used its quota of idempotency keys in this game; retry after `retry_after_s`."""

    retry_after_s: int
