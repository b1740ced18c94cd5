"""The options and the configuration that every client of redis-py gets."""

from collections.abc import Iterable
from typing import Any

from hiredis import pack_command
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.maint_notifications import MaintNotificationsConfig

from service.store.connection.command import Argument
from service.store.connection.url import RedisURL

__all__ = ["CONNECT_TIMEOUT_S", "client_options", "configure_client"]

CONNECT_TIMEOUT_S = 1.0
"""The timeout for connecting, and for each reply of sentinels and of nodes that are asked for the slots."""


def client_options(url: RedisURL) -> dict[str, Any]:
    """Return the keyword arguments of redis-py's clients."""
    return {
        **url.options,
        "protocol": 3,
        "socket_timeout": None,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),
        "driver_info": None,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def configure_client(client: Redis, *mixins: type) -> Redis:
    """Let a client return replies with the types of RESP3, and pack commands in C.

    `mixins` are further base classes of its connections.
    """
    client.response_callbacks.clear()
    pool = client.connection_pool
    pool.connection_class = type("PackedConnection", (_HiredisPackingMixin, *mixins, pool.connection_class), {})
    return client


class _HiredisPackingMixin:
    """A connection that packs commands with hiredis.

    It can go when redis-py's asynchronous connections do so, as its synchronous ones do: they pack in Python.
    """

    def pack_command(self, *arguments: Argument) -> list[bytes]:
        """Encode one command. The names of redis-py's own commands may have two words, as "CLIENT SETINFO"."""
        name = arguments[0]
        split = (*name.encode().split(), *arguments[1:]) if isinstance(name, str) else arguments
        return [pack_command(split)]  # type: ignore[arg-type]  # hiredis declares the argument as a tuple of one item

    def pack_commands(self, commands: Iterable[tuple[Argument, ...]]) -> list[bytes]:
        """Encode the commands of a pipeline into one buffer. They are the store's, with names of one word."""
        return [b"".join(map(pack_command, commands))]  # type: ignore[arg-type]  # as above
