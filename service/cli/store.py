"""The store that a command works on: the Redis of --redis-url, or the embedded one of --data-dir."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from service.games.ports import StoreUnavailable
from service.store.client import connect
from service.store.embedded.errors import EmbeddedServerError
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore

__all__ = ["REDIS_SETTINGS", "RETENTION_SETTINGS", "open_store", "run_with_store"]

T = TypeVar("T")

REDIS_SETTINGS = ("--redis-url", "--data-dir")
RETENTION_SETTINGS = ("--waiting-retention-days", "--active-retention-days", "--finished-retention-days")

REDIS_TIMEOUT_S = 30.0
"""Longer than when serving, since commands read and write whole games."""


@asynccontextmanager
async def open_store(redis_url: str | None, data_dir: Path) -> AsyncIterator[RedisStore]:
    """Open the store, starting the embedded Redis server if there is no URL. Raises click.ClickException."""
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


def run_with_store(settings: dict[str, Any], work: Callable[[RedisStore], Awaitable[T]]) -> T:
    """Run `work` with the store of the settings. Raises click.ClickException."""

    async def run() -> T:
        async with open_store(settings["redis_url"], settings["data_dir"]) as store:
            return await work(store)

    try:
        return asyncio.run(run())
    except OSError as error:
        raise click.ClickException(f"{error.filename or ''}: {error.strerror or error}") from error
