"""The client's exceptions.

    ClientError
    ├── UnreachableError            no response of the service after the last attempt
    ├── InvalidResponseError        a response that does not follow the API
    ├── SeatReplacedError           a bot plays the seat that `play` was to play
    ├── SeatResignedError           the seat that `play` was to play has resigned
    └── APIError                    an error response: `problem`
        ├── BadRequestError         400, 405, 413, 415: the request is malformed
        ├── UnauthorizedError       401: the token is missing or unknown
        ├── ForbiddenError          403: wrong_seat, not_owner
        ├── NotFoundError           404: no such game, or a private one
        ├── ConflictError           409: not_active, not_your_turn, no_open_seat, conflict
        ├── VersionMismatchError    412: the game is at another version
        ├── IllegalMoveError        422: illegal_move
        ├── UnprocessableError      422: any other code, as list_too_long, key_reused, unknown_tileset
        └── RetryableError          429, 503 of the service after the last attempt

The class follows from the HTTP status, so that an unknown problem code has a known class.
"""

from south_seas.decoding import convert
from south_seas.models import Problem

__all__ = [
    "APIError",
    "BadRequestError",
    "ClientError",
    "ConflictError",
    "ForbiddenError",
    "IllegalMoveError",
    "InvalidResponseError",
    "NotFoundError",
    "RetryableError",
    "SeatReplacedError",
    "SeatResignedError",
    "UnauthorizedError",
    "UnprocessableError",
    "UnreachableError",
    "VersionMismatchError",
    "error_for",
    "make_problem",
]


class ClientError(Exception):
    """The base of the client's exceptions."""


class UnreachableError(ClientError):
    """The service did not respond, or something else did in its place; `reason` is the error of the last attempt."""

    def __init__(self, url: str, reason: str, retry_after_s: int | None = None) -> None:
        super().__init__(f"{url} is unreachable: {reason}")
        self.url = url
        self.reason = reason
        self.retry_after_s = retry_after_s
        """The seconds that a proxy asks to wait."""


class InvalidResponseError(ClientError):
    """The response from `url` does not follow the API; `reason` says where."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} is not a South Seas service: {reason}")
        self.url = url
        self.reason = reason


class SeatReplacedError(ClientError):
    """The service's bot `bot` plays `seat`, whose player missed a deadline; `return_to_seat` takes it back."""

    def __init__(self, seat: int, bot: str) -> None:
        super().__init__(f"the bot {bot} plays seat {seat}, which missed a deadline: return_to_seat takes it back")
        self.seat = seat
        self.bot = bot


class SeatResignedError(ClientError):
    """The player of `seat` resigned, and the others play on; `subscribe` follows them."""

    def __init__(self, seat: int) -> None:
        super().__init__(f"the player of seat {seat} has resigned")
        self.seat = seat


class APIError(ClientError):
    """The service responded with an error; `problem` describes it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem

    @property
    def code(self) -> str:
        """The problem code."""
        return self.problem.code


class BadRequestError(APIError):
    """The request is malformed; `problem.path` leads to the field."""


class UnauthorizedError(APIError):
    """The token is missing or unknown."""


class ForbiddenError(APIError):
    """The token does not permit the request: it acts for another seat, or is not the owner's."""


class NotFoundError(APIError):
    """The resource does not exist, or the token cannot read it."""


class ConflictError(APIError):
    """The state of the game does not permit the request."""


class VersionMismatchError(APIError):
    """The game is at another version: `version` and `digest` are the current ones."""

    @property
    def version(self) -> int | None:
        """The game's current version."""
        return self.problem.version

    @property
    def digest(self) -> str | None:
        """The digest of that version."""
        return self.problem.digest


class UnprocessableError(APIError):
    """The request is well-formed but cannot be carried out."""


class IllegalMoveError(APIError):
    """The rules forbid the action; the game is unchanged."""

    @property
    def rule(self) -> str | None:
        """The rule's id, as `R3.3`."""
        return self.problem.rule

    @property
    def index(self) -> int | None:
        """The index of the illegal action in a list, from 0."""
        return self.problem.index


class RetryableError(APIError):
    """Too many requests, or an unavailable service, after the last attempt."""

    @property
    def retry_after_s(self) -> int | None:
        """The seconds that the service asks to wait."""
        return self.problem.retry_after_s


ERRORS_BY_STATUS: dict[int, type[APIError]] = {
    **dict.fromkeys((400, 405, 413, 415), BadRequestError),
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    412: VersionMismatchError,
    422: UnprocessableError,
    **dict.fromkeys((429, 502, 503, 504), RetryableError),
}
"""The class of a problem by its HTTP status."""


def error_for(problem: Problem) -> APIError:
    """Return the exception for a problem."""
    if problem.code == "illegal_move":
        return IllegalMoveError(problem)
    return ERRORS_BY_STATUS.get(problem.status, APIError)(problem)


def make_problem(status: int, detail: str, code: str = "unknown") -> Problem:
    """Return a problem for what comes without a document: a proxy's response, a close code."""
    return convert({"type": "about:blank", "title": detail, "status": status, "detail": detail, "code": code}, Problem)
