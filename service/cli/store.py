"""The store that a command works on: the Redis of --redis-url, or the embedded one of --data-dir."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeVar

import click

from service.archive_storage import open_object_storage
from service.games.ports.game_store import StoreUnavailable
from service.settings import Settings
from service.store.client import connect
from service.store.embedded.directory import EmbeddedServerError
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore

__all__ = ["REDIS_SETTINGS", "RETENTION_SETTINGS", "run_with_store"]

T = TypeVar("T")

REDIS_SETTINGS = ("redis_url", "data_dir")
RETENTION_SETTINGS = ("waiting_retention_days", "active_retention_days", "finished_retention_days", "archive_url")

REDIS_TIMEOUT_S = 30.0
"""Longer than when serving, since commands read and write whole games."""


def run_with_store(settings: Settings, work: Callable[[RedisStore], Awaitable[T]]) -> T:
    """Run `work` with the store of the settings, starting the embedded Redis server if there is no URL.

    Raises click.ClickException.
    """

    async def run() -> T:
        async with AsyncExitStack() as stack:
            redis_url = settings.redis_url
            if redis_url is None:
                redis_url = (await stack.enter_async_context(embedded_server(settings.data_dir))).url
            connection = connect(redis_url, timeout_s=REDIS_TIMEOUT_S, log_outages=False)
            store = await stack.enter_async_context(connection)
            if settings.archive_url is not None:
                store.compacted_logs.archive = open_object_storage(settings.archive_url)
            await store.ping()
            return await work(store)

    try:
        return asyncio.run(run())
    except EmbeddedServerError as error:
        raise click.ClickException(str(error)) from error
    except StoreUnavailable as error:
        raise click.ClickException(str(error)) from error
