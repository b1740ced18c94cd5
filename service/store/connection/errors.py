"""Connection errors and error replies of Redis, translated into the errors of the store port."""

from redis.exceptions import AuthenticationError, RedisClusterException, RedisError, ResponseError

from service.games.ports.game_store import StoreUnavailable, UnreadableGame

__all__ = ["CONNECTION_ERRORS", "RETRYABLE_CODES", "WRITE_ERRORS", "error_code", "is_error_reply", "to_store_error"]

CONNECTION_ERRORS = (RedisError, RedisClusterException, OSError, AttributeError)
"""What redis-py raises if a connection breaks or cannot be made.

During a failover these are its own errors, those of asyncio's streams, and AttributeErrors from connections that were
closed while in use.
"""

WRITE_ERRORS = (*CONNECTION_ERRORS, RuntimeError)
"""The same for writes: uvloop raises RuntimeError for a transport that is closed."""

RETRYABLE_CODES = {"READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS", "CLUSTERDOWN", "TRYAGAIN", "UNBLOCKED"}
"""Codes of error replies that end with a failover or with loading. The command was not executed."""

_EXPLANATIONS = {
    "READONLY": "is a replica and takes no writes",
    "MASTERDOWN": "is a replica without a link to its primary",
    "LOADING": "is still loading its data",
    "NOREPLICAS": "has fewer replicas than min-replicas-to-write requires",
    "CLUSTERDOWN": "is a Cluster with slots that no primary serves",
    "TRYAGAIN": "is migrating this slot to another node",
    "UNBLOCKED": "became a replica while it executed the command",
    "OOM": "has reached maxmemory and takes no writes",
    "MISCONF": "cannot write to its disk and takes no writes",
    "NOAUTH": "requires a user and a password, and the URL has none",
    "WRONGPASS": "does not accept this user and password",
    "NOPERM": "denies this user a command or key that the service needs: check its ACL",
    "DENIED": "is in protected mode and accepts connections from its own host only",
}
"""By the code of the error reply."""


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
    explanation = _EXPLANATIONS.get(code)
    reason = f"Redis {explanation}: {text}" if explanation else f"Redis: {text}"
    return UnreadableGame(reason) if code == "WRONGTYPE" else StoreUnavailable(reason)
