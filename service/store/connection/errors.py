"""Connection errors and error replies of Redis, translated into the errors of the store port."""

import re

from redis.exceptions import AuthenticationError, RedisClusterException, RedisError, ResponseError

from service.games.ports.game_store import StoreUnavailable, UnreadableGame

__all__ = [
    "CONNECTION_ERRORS",
    "RETRYABLE_CODES",
    "error_code",
    "is_error_reply",
    "to_store_error",
]

CONNECTION_ERRORS = (RedisError, RedisClusterException, OSError, AttributeError, RuntimeError)
"""What redis-py raises if a connection breaks or cannot be made.

During a failover these are its own errors, those of asyncio's streams, AttributeErrors from connections that were
closed while in use, and uvloop's RuntimeError for a write to a transport that is closed.
"""

RETRYABLE_CODES = {"READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS", "CLUSTERDOWN", "TRYAGAIN", "UNBLOCKED"}
"""Codes of error replies that end with a failover or with loading. The command was not executed."""

_EXPLANATIONS = {
    "READONLY": ("failover", "is a replica and takes no writes"),
    "MASTERDOWN": ("failover", "is a replica without a link to its primary"),
    "LOADING": ("loading", "is still loading its data"),
    "NOREPLICAS": ("replicas", "has fewer replicas than min-replicas-to-write requires"),
    "CLUSTERDOWN": ("failover", "is a Cluster with slots that no primary serves"),
    "TRYAGAIN": ("failover", "is migrating this slot to another node"),
    "UNBLOCKED": ("failover", "became a replica while it executed the command"),
    "OOM": ("full", "has reached maxmemory and takes no writes"),
    "MISCONF": ("disk", "cannot write to its disk and takes no writes"),
    "NOAUTH": ("login", "requires a user and a password, and the URL has none"),
    "WRONGPASS": ("login", "does not accept this user and password"),
    "NOPERM": ("permission", "denies this user a command or key that the service needs: check its ACL"),
    "DENIED": ("login", "is in protected mode and accepts connections from its own host only"),
}
"""Cause and explanation by the code of the error reply."""

_DENIED_IN_SCRIPT = re.compile(r"ERR (?:ACL failure in script|The user executing the script)")
"""What a script meets instead of NOPERM, in the words of Redis 7.2 and of 7.0 and Valkey."""


def is_error_reply(error: BaseException) -> bool:
    """Return whether a server replied with this error, and would again, rather than being unreachable."""
    return isinstance(error, ResponseError | AuthenticationError)


def error_code(error: BaseException) -> str:
    """Return the code of an error reply, which is its first word."""
    return getattr(error, "status_code", None) or str(error).partition(" ")[0]


def to_store_error(error: BaseException) -> StoreUnavailable:
    """Translate an error of redis-py."""
    code, status = error_code(error), getattr(error, "status_code", None)
    text = f"{status} {error}" if status else str(error) or type(error).__name__
    is_denied = _DENIED_IN_SCRIPT.match(text) is not None
    cause, explanation = _EXPLANATIONS.get("NOPERM" if is_denied else code, ("connection", ""))
    reason = f"Redis {explanation}: {text}" if explanation else f"Redis: {text}"
    return UnreadableGame(reason) if code == "WRONGTYPE" else StoreUnavailable(reason, cause=cause)
