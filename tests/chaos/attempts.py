"""How many requests an action took: the client sends one again by itself, and does not say so."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace

import aiohttp

__all__ = ["Attempts", "attempt_tracing", "count_attempts"]


class Attempts:
    """Requests that were begun."""

    def __init__(self) -> None:
        self.count = 0


_counting: ContextVar[Attempts | None] = ContextVar("attempts", default=None)


@contextmanager
def count_attempts() -> Iterator[Attempts]:
    """Count the requests that this task begins inside, in a session with `attempt_tracing`."""
    tries = Attempts()
    token = _counting.set(tries)
    try:
        yield tries
    finally:
        _counting.reset(token)


def attempt_tracing() -> aiohttp.TraceConfig:
    """Return the trace configuration that a client session needs."""
    config = aiohttp.TraceConfig()
    config.on_request_start.append(_count)
    return config


async def _count(
    session: aiohttp.ClientSession, context: SimpleNamespace, parameters: aiohttp.TraceRequestStartParams
) -> None:
    del session, context, parameters
    if (tries := _counting.get()) is not None:
        tries.count += 1
