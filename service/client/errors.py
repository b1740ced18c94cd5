"""Everything that goes wrong at a client, each with its data.

    ClientError
    ├── Unreachable             no answer came, however often it was asked
    ├── Unreadable              something answered that does not speak the contract
    └── Refused                 the service said no: `problem`
        ├── Malformed           400, 405, 413, 415: the request itself
        ├── Unauthorized        401: the token is missing or unknown
        ├── Forbidden           403: wrong_seat, not_owner
        ├── NotFound            404: no such game, or a private one
        ├── Conflict            409: not_active, not_your_turn, no_open_seat, conflict
        ├── VersionMismatch     412: the game has another version by now
        ├── IllegalMove         422: illegal_move
        ├── NotPossible         422: anything else, as list_too_long, key_reused, unknown_tileset
        └── Busy                429, 503 and the like, still after the last try

The kinds follow the HTTP status, so that a code which is not known here is of a known kind all the same.
"""

from schemas.problems import Problem

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
    "UnauthorizedError",
    "UnprocessableError",
    "UnreachableError",
    "VersionMismatchError",
    "error_for",
    "unknown_problem",
]


class ClientError(Exception):
    """Something went wrong between a client and its service."""


class UnreachableError(ClientError):
    """The service did not answer; `reason` is what the last try met."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} does not answer: {reason}")
        self.url = url
        self.reason = reason


class InvalidResponseError(ClientError):
    """What answers at `url` is no such service, or one that this client does not understand; `reason` says where."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} does not answer as a South Seas service: {reason}")
        self.url = url
        self.reason = reason


class APIError(ClientError):
    """The service said no; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem

    @property
    def code(self) -> str:
        """What is wrong, as the contract names it."""
        return self.problem.code


class BadRequestError(APIError):
    """The request is not of the contract's form; `problem.path` leads to the field."""


class UnauthorizedError(APIError):
    """The token is missing or unknown."""


class ForbiddenError(APIError):
    """The token is not for this: another's seat, or the owner's business."""


class NotFoundError(APIError):
    """There is no such thing, or not for this token."""


class ConflictError(APIError):
    """The game is not in a state for it."""


class VersionMismatchError(APIError):
    """The game went on: `version` and `digest` are its present ones."""

    @property
    def version(self) -> int | None:
        """The game's version now."""
        return self.problem.version

    @property
    def digest(self) -> str | None:
        """Its digest."""
        return self.problem.digest


class UnprocessableError(APIError):
    """The request is well-formed, and cannot be done."""


class IllegalMoveError(APIError):
    """The rules forbid it; nothing was done."""

    @property
    def rule(self) -> str | None:
        """The id of the rule, as `R3.3`."""
        return self.problem.rule

    @property
    def index(self) -> int | None:
        """Which of several actions, from 0."""
        return self.problem.index


class RetryableError(APIError):
    """Too many requests, or a part of the service is away, still after the last try."""

    @property
    def retry_after_s(self) -> int | None:
        """When to come back."""
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
"""The kind of a problem by its status."""


def error_for(problem: Problem) -> APIError:
    """The error that a problem is."""
    if problem.code == "illegal_move":
        return IllegalMoveError(problem)
    return ERRORS_BY_STATUS.get(problem.status, APIError)(problem)


def unknown_problem(status: int, detail: str) -> Problem:
    """A problem where no document came: something between here and the service answered, or a close code says it."""
    return Problem(type="about:blank", title=detail, status=status, detail=detail, code="unknown")
