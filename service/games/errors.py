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
    ├── NotOwner             the token is not the owner's
    ├── NotActive            nobody can act in this game now
    ├── NoSuchWebhook        the game has none of this id
    ├── TooManyWebhooks      the game has as many as it may have
    ├── UrlRefused           nothing may be sent there
    ├── NoSuchSeat           the game has none of this number
    ├── NotOver              the game goes on, so there is no rematch yet
    ├── NotYourTurn          another seat decides
    ├── Replaced             a bot stands in for this seat
    ├── NotReplaced          no bot stands in for this seat
    ├── Resigned             this seat has resigned
    ├── NothingToUndo        there is nothing that this seat may take back
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

from service.engine import IllegalMove


class GameError(Exception):
    """Base of all that is refused; nothing was changed."""


class Malformed(GameError):
    """A value that the shape alone could not refuse; `path` names the field."""

    def __init__(self, detail: str, path: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.path = path


class NoSuchGame(GameError):
    """There is no such game for this reader."""

    def __init__(self, game: str) -> None:
        super().__init__(game)
        self.game = game


class TileSetError(GameError):
    """A tile set is not there."""

    def __init__(self, tileset: str) -> None:
        super().__init__(tileset)
        self.tileset = tileset


class NoSuchTileSet(TileSetError):
    """The path names no tile set."""


class UnknownTileSet(TileSetError):
    """A new game names a tile set that this service does not have."""


class TileSetMissing(TileSetError):
    """A stored game is played with a tile set that this instance does not have; another may."""


class UnknownBot(GameError):
    """A seat of a new game names a bot that this service does not have."""

    def __init__(self, bot: str, seat: int) -> None:
        super().__init__(bot, seat)
        self.bot = bot
        self.seat = seat


class Unauthorized(GameError):
    """The token is missing, or unknown."""

    def __init__(self, *, missing: bool) -> None:
        super().__init__(missing)
        self.missing = missing


class WrongSeat(GameError):
    """The token does not act for this seat."""

    def __init__(self, seat: int | None, index: int | None = None) -> None:
        super().__init__(seat)
        self.seat = seat
        self.index = index


class NotOwner(GameError):
    """The token is one of the game's, but not the owner's."""


class NotActive(GameError):
    """Nobody can act: the game waits, is finished or was aborted."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class NoSuchWebhook(GameError):
    """The game has no webhook of this id (any more)."""

    def __init__(self, hook: str) -> None:
        super().__init__(hook)
        self.hook = hook


class NoSuchSeat(GameError):
    """The game has no seat of this number."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.seat = seat


class TooManyWebhooks(GameError):
    """The game has as many webhooks as it may have."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


class UrlRefused(GameError):
    """Nothing may be sent to this URL; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotOver(GameError):
    """There can be no rematch: the game is not over."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class NotYourTurn(GameError):
    """Another seat decides now."""

    def __init__(self, seat: int, decider: int, index: int | None = None) -> None:
        super().__init__(seat, decider)
        self.seat = seat
        self.decider = decider
        self.index = index


class Replaced(GameError):
    """A bot decides for this seat, until its player returns."""

    def __init__(self, seat: int, index: int | None = None) -> None:
        super().__init__(seat)
        self.seat = seat
        self.index = index


class NotReplaced(GameError):
    """No bot stands in for this seat."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.seat = seat


class Resigned(GameError):
    """The seat has resigned, for good."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.seat = seat


class NothingToUndo(GameError):
    """There is nothing that this seat may take back."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.seat = seat


class NoOpenSeat(GameError):
    """Every seat is taken, or the game is over."""


class Conflict(GameError):
    """Somebody else was first; `detail` says with what."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class RematchExists(GameError):
    """A game has one rematch at most, and this is it."""

    def __init__(self, next_game: str) -> None:
        super().__init__(next_game)
        self.next_game = next_game


class VersionMismatch(GameError):
    """If-Match names another version than the game has."""

    def __init__(self, version: int, digest: str) -> None:
        super().__init__(version, digest)
        self.version = version
        self.digest = digest


class Refused(GameError):
    """The rules forbid it."""

    def __init__(self, move: IllegalMove, index: int | None) -> None:
        super().__init__(move.rule, move.reason)
        self.rule = move.rule
        self.reason = move.reason
        self.index = index


class ListTooLong(GameError):
    """The action at `index` would follow one that reveals something hidden."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class KeyReused(GameError):
    """The idempotency key belongs to another request."""


class TooManyKeys(GameError):
    """The token has used as many idempotency keys in this game as it may, for `retry_after_s` seconds."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(retry_after_s)
        self.retry_after_s = retry_after_s
