"""The errors of commands and queries, as types with data; `service.web.problems` maps them to problems.

    GameError
    ├── TileSetError: NoSuchTileSet, UnknownTileSet, TileSetMissing
    ├── SeatError: NoSuchSeat, SeatPlayedByBot, SeatNotPlayedByBot, SeatResigned, NothingToUndo
    ├── StatusError: GameNotActive, GameNotFinished
    └── all others

`index` is that of the action in the request's list, None without a list.
"""

from dataclasses import dataclass


class GameError(Exception):
    """Base of the errors; nothing was changed."""


@dataclass(eq=False)
class Malformed(GameError):
    """A value that the schema alone cannot reject; `path` names the field."""

    detail: str
    path: str | None = None


@dataclass(eq=False)
class NoSuchGame(GameError):
    """There is no such game, or this token does not open it."""

    game: str


@dataclass(eq=False)
class TileSetError(GameError):
    """A tile set is missing."""

    tileset: str


class NoSuchTileSet(TileSetError):
    """No tile set has the id in the path."""


class UnknownTileSet(TileSetError):
    """A new game names a tile set that this service does not have."""


class TileSetMissing(TileSetError):
    """A stored game's tile set is missing on this instance; another instance may have it."""


@dataclass(eq=False)
class UnknownBot(GameError):
    """A seat of a new game names a bot that this service does not have."""

    bot: str
    seat: int


@dataclass(eq=False, kw_only=True)
class Unauthorized(GameError):
    """The token is missing, or unknown."""

    missing: bool


@dataclass(eq=False)
class ApiKeyRejected(GameError):
    """The API key is missing, unknown, expired or revoked; `reason` says which."""

    reason: str


@dataclass(eq=False)
class WrongSeat(GameError):
    """The token does not act for this seat."""

    seat: int | None
    index: int | None = None


class NotOwner(GameError):
    """The token is one of the game's, but not the owner's."""


@dataclass(eq=False)
class SeatError(GameError):
    """A seat cannot do this."""

    seat: int
    index: int | None = None


class NoSuchSeat(SeatError):
    """The game has no seat of this number."""


class SeatPlayedByBot(SeatError):
    """A bot plays this seat until its player returns."""


class SeatNotPlayedByBot(SeatError):
    """No bot plays this seat for its player."""


class SeatResigned(SeatError):
    """The seat has resigned, for good."""


class NothingToUndo(SeatError):
    """There is no action that the seat can take back."""


@dataclass(eq=False)
class StatusError(GameError):
    """The game has another status."""

    status: str


class GameNotActive(StatusError):
    """Nobody can act: the game is waiting, finished or aborted."""


class GameNotFinished(StatusError):
    """There is no rematch of a game that is not over."""


@dataclass(eq=False)
class NoSuchWebhook(GameError):
    """The game, or the API key, has no webhook of this id."""

    hook: str


@dataclass(eq=False)
class TooManyWebhooks(GameError):
    """The game, or the API key, has the maximum number of webhooks."""

    limit: int


@dataclass(eq=False)
class WebhookUrlRejected(GameError):
    """Nothing may be sent to this URL; `reason` says why."""

    reason: str


@dataclass(eq=False)
class NotYourTurn(GameError):
    """Another seat decides now."""

    seat: int
    decider: int
    index: int | None = None


class NoOpenSeat(GameError):
    """Every seat is taken, or the game is over."""


@dataclass(eq=False)
class Conflict(GameError):
    """Another request was first; `detail` says with what."""

    detail: str


@dataclass(eq=False)
class RematchExists(GameError):
    """The game has a rematch, `next_game`."""

    next_game: str


@dataclass(eq=False)
class VersionMismatch(GameError):
    """The game has another version than If-Match names."""

    version: int
    digest: str


@dataclass(eq=False)
class MoveRejected(GameError):
    """The rules forbid it."""

    rule: str
    reason: str
    index: int | None


@dataclass(eq=False)
class ListTooLong(GameError):
    """The action at `index` follows one that reveals hidden information."""

    index: int


class IdempotencyKeyReused(GameError):
    """The idempotency key belongs to another request."""


@dataclass(eq=False)
class TooManyIdempotencyKeys(GameError):
    """The token has used its quota of idempotency keys in this game; retry after `retry_after_s`."""

    retry_after_s: int
