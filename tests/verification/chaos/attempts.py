"""Counts the requests of an operation: the client library retries by itself, and does not report how often."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace

import aiohttp


class Attempts:
    """The number of requests that were started."""

    def __init__(self) -> None:
        self.count = 0


_current: ContextVar[Attempts | None] = ContextVar("attempts", default=None)


@contextmanager
def count_attempts() -> Iterator[Attempts]:
    """Count the requests that this task starts inside the context, in a session with `attempt_tracing`."""
    attempts = Attempts()
    token = _current.set(attempts)
    try:
        yield attempts
    finally:
        _current.reset(token)


def attempt_tracing() -> aiohttp.TraceConfig:
    """Return the trace configuration that a client session needs."""
    config = aiohttp.TraceConfig()
    config.on_request_start.append(_count)
    return config


async def _count(
    session: aiohttp.ClientSession, context: SimpleNamespace, parameters: aiohttp.TraceRequestStartParams
) -> None:
    del session, context, parameters
    if (attempts := _current.get()) is not None:
        attempts.count += 1
