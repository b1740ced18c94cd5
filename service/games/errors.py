"""Everything that the games refuse, as types with data; `service.web.problems` maps them to the contract's problems.

    GameError
    ├── Malformed            a value that the shape alone could not refuse
    ├── NoSuchGame           none, or a private one without one of its tokens
    ├── TileSetError         a tile set is not there
    │   ├── NoSuchTileSet    asked for by its path
    │   ├── UnknownTileSet   asked for in a new game
    │   └── TileSetMissing   a stored game is played with it
    ├── UnknownBot           asked for in a new game
    ├── Unauthorized         the token is missing or unknown
    ├── WrongSeat            the token does not act for this seat
    ├── SeatError            a seat cannot do this
    │   ├── NoSuchSeat       the game has none of this number
    │   ├── Replaced         a bot stands in for it
    │   ├── NotReplaced      no bot stands in for it
    │   ├── Resigned         it has resigned
    │   └── NothingToUndo    there is nothing that it may take back
    ├── StatusError          the game is at another point of its life
    │   ├── NotActive        nobody can act in it now
    │   └── NotOver          it goes on, so there is no rematch yet
    ├── NotOwner             the token is not the owner's
    ├── NoSuchWebhook        the game has none of this id
    ├── TooManyWebhooks      the game has as many as it may have
    ├── UrlRefused           nothing may be sent there
    ├── NotYourTurn          another seat decides
    ├── NoOpenSeat           every seat is taken
    ├── Conflict             somebody else was first
    ├── RematchExists        there is one already
    ├── VersionMismatch      If-Match names another version
    ├── Refused              the rules forbid it
    ├── ListTooLong          an action follows one that reveals something hidden
    ├── KeyReused            the idempotency key belongs to another request
    └── TooManyKeys          the token has used as many of them in the game as it may

`index` says which of a request's actions it was, None where there was no list.
"""

from dataclasses import dataclass


class GameError(Exception):
    """Base of all that is refused; nothing was changed."""


@dataclass(eq=False)
class Malformed(GameError):
    """A value that the shape alone could not refuse; `path` names the field."""

    detail: str
    path: str | None = None


@dataclass(eq=False)
class NoSuchGame(GameError):
    """There is no such game for this reader."""

    game: str


@dataclass(eq=False)
class TileSetError(GameError):
    """A tile set is not there."""

    tileset: str


class NoSuchTileSet(TileSetError):
    """The path names no tile set."""


class UnknownTileSet(TileSetError):
    """A new game names a tile set that this service does not have."""


class TileSetMissing(TileSetError):
    """A stored game is played with a tile set that this instance does not have; another may."""


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
    """A bot decides for this seat, until its player returns."""


class SeatNotPlayedByBot(SeatError):
    """No bot stands in for this seat."""


class SeatResigned(SeatError):
    """The seat has resigned, for good."""


class NothingToUndo(SeatError):
    """There is nothing that this seat may take back."""


@dataclass(eq=False)
class StatusError(GameError):
    """The game is at another point of its life."""

    status: str


class GameNotActive(StatusError):
    """Nobody can act: the game waits, is finished or was aborted."""


class GameNotFinished(StatusError):
    """There can be no rematch: the game is not over."""


@dataclass(eq=False)
class NoSuchWebhook(GameError):
    """The game has no webhook of this id (any more)."""

    hook: str


@dataclass(eq=False)
class TooManyWebhooks(GameError):
    """The game has as many webhooks as it may have."""

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
    """Somebody else was first; `detail` says with what."""

    detail: str


@dataclass(eq=False)
class RematchExists(GameError):
    """A game has one rematch at most, and this is it."""

    next_game: str


@dataclass(eq=False)
class VersionMismatch(GameError):
    """If-Match names another version than the game has."""

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
    """The action at `index` would follow one that reveals something hidden."""

    index: int


class IdempotencyKeyReused(GameError):
    """The idempotency key belongs to another request."""


@dataclass(eq=False)
class TooManyIdempotencyKeys(GameError):
    """The token has used as many idempotency keys in this game as it may, for `retry_after_s` seconds."""

    retry_after_s: int
