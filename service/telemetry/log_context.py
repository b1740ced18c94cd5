"""What this task is doing, for its log lines: which request it answers, which game it moves."""

import random
import re
from contextvars import ContextVar
from typing import Protocol

__all__ = ["LOG_CONTEXT", "DueGameContext", "LogContext", "is_valid_request_id", "new_request_id"]

REQUEST_ID_BYTES = 12
"""So many that no two requests of any instance have the same."""

_ID = re.compile(r"[A-Za-z0-9._~+/=-]{1,64}")
_RANDOM = random.Random()  # noqa: S311  an id opens nothing


class LogContext(Protocol):
    """Something that is being done for somebody."""

    @property
    def request_id(self) -> str | None:
        """The id of the request, if it is one."""

    @property
    def game(self) -> str | None:
        """The game that it is about, if it is about one."""


class DueGameContext:
    """A game is looked at because it is due."""

    __slots__ = ("game",)
    request_id: str | None = None

    def __init__(self, game: str) -> None:
        self.game: str | None = game


LOG_CONTEXT: ContextVar[LogContext | None] = ContextVar("doing", default=None)


def new_request_id() -> str:
    """An id for a request that brought none: it tells nothing of how many there are."""
    return f"{_RANDOM.getrandbits(8 * REQUEST_ID_BYTES):0{2 * REQUEST_ID_BYTES}x}"


def is_valid_request_id(given: str) -> bool:
    """Whether an id that a client gives may stand in a log line and in a header.

    >>> well_formed("5f3a-11"), well_formed("a b"), well_formed("x" * 65)
    (True, False, False)
    """
    return _ID.fullmatch(given) is not None
