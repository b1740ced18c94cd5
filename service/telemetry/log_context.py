"""The log context of a task: which request it answers, or which game is due."""

import random
import re
from contextvars import ContextVar
from typing import Protocol

__all__ = ["LOG_CONTEXT", "DueGameContext", "LogContext", "is_valid_request_id", "new_request_id"]

REQUEST_ID_BYTES = 12
"""Enough that no two requests of any instance get the same id."""

_ID = re.compile(r"[A-Za-z0-9._~+/=-]{1,64}")
_RANDOM = random.Random()  # noqa: S311  an id opens nothing


class LogContext(Protocol):
    """What log lines say of the current task."""

    @property
    def request_id(self) -> str | None:
        """Return the id of the request, if it answers one."""

    @property
    def game(self) -> str | None:
        """Return the game that it concerns, if any."""


class DueGameContext:
    """The log context of processing a due game, or what is due of no single game (None)."""

    __slots__ = ("game",)
    request_id: str | None = None

    def __init__(self, game: str | None) -> None:
        self.game = game


LOG_CONTEXT: ContextVar[LogContext | None] = ContextVar("log_context", default=None)


def new_request_id() -> str:
    """Return a random id for a request without one; it does not reveal the number of requests."""
    return f"{_RANDOM.getrandbits(8 * REQUEST_ID_BYTES):0{2 * REQUEST_ID_BYTES}x}"


def is_valid_request_id(request_id: str) -> bool:
    """Return whether a client's request id is safe in log lines and headers.

    >>> is_valid_request_id("5f3a-11"), is_valid_request_id("a b"), is_valid_request_id("x" * 65)
    (True, False, False)
    """
    return _ID.fullmatch(request_id) is not None
