"""The Redis that a command works on: the one that is named, or that of a data directory which nothing serves now."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import click

from service.games.ports import StoreUnavailable
from service.store.client import connect
from service.store.embedded.errors import EmbeddedServerError
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore

__all__ = ["open_store"]

REDIS_TIMEOUT_S = 30.0
"""A whole game is more than an action."""


@asynccontextmanager
async def open_store(redis_url: str | None, data_dir: Path) -> AsyncIterator[RedisStore]:
    """A store there that answers; raises click.ClickException."""
    async with AsyncExitStack() as stack:
        if redis_url is None:
            try:
                redis_url = (await stack.enter_async_context(embedded_server(data_dir))).url
            except EmbeddedServerError as error:
                raise click.ClickException(str(error)) from error
        store = await stack.enter_async_context(connect(redis_url, timeout_s=REDIS_TIMEOUT_S))
        try:
            await store.ping()
            yield store
        except StoreUnavailable as unavailable:
            raise click.ClickException(f"Redis does not answer: {unavailable}") from unavailable
