"""What Redis says instead of an answer, and what it means to who asked."""

import logging

from redis.exceptions import AuthenticationError, RedisClusterException, RedisError, ResponseError

from service.games.ports import StoreUnavailable, UnreadableGame

__all__ = ["CONNECTION_ERRORS", "RETRYABLE_CODES", "WRITE_ERRORS", "error_code", "is_error_reply", "to_store_error"]

logger = logging.getLogger(__name__)

CONNECTION_ERRORS = (RedisError, RedisClusterException, OSError, AttributeError)
"""What redis-py raises where a connection broke or none could be made: in a failover its own errors, those of asyncio's
streams, and AttributeErrors of a connection that was closed while it was used."""

WRITE_ERRORS = (*CONNECTION_ERRORS, RuntimeError)
"""The same where something is written: uvloop raises a RuntimeError for a transport that is closed."""

RETRYABLE_CODES = {"READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS", "CLUSTERDOWN", "TRYAGAIN", "UNBLOCKED"}
"""Refusals that pass when another server has become the primary, or this one is ready: nothing was done."""

_MEANINGS = {
    "READONLY": "is a replica and takes no writes",
    "MASTERDOWN": "is a replica that has lost its primary",
    "LOADING": "is still loading its data",
    "NOREPLICAS": "has fewer replicas in reach than min-replicas-to-write asks for",
    "CLUSTERDOWN": "is a Cluster with slots that no primary serves",
    "TRYAGAIN": "is moving this slot to another node",
    "UNBLOCKED": "was made a replica meanwhile",
    "OOM": "is full (maxmemory) and takes no writes",
    "MISCONF": "cannot write to its disk and takes no writes",
    "NOAUTH": "asks for a user and password, and the URL has none",
    "WRONGPASS": "does not know this user and password",
    "NOPERM": "does not let this user do what the service needs: its ACL lacks something",
    "DENIED": "is in protected mode and lets nobody in from outside",
}
"""By the first word of what Redis says."""

_MISCONFIGURATION_CODES = {"NOAUTH", "WRONGPASS", "NOPERM", "DENIED"}
"""What does not pass by itself: it is logged, once for each text."""

_logged: set[str] = set()


def is_error_reply(error: BaseException) -> bool:
    """Whether a server has answered so, and would again: not that it could not be reached."""
    return isinstance(error, ResponseError | AuthenticationError)


def error_code(error: BaseException) -> str:
    """The first word of an error reply."""
    return getattr(error, "status_code", None) or str(error).partition(" ")[0]


def to_store_error(error: BaseException) -> StoreUnavailable:
    """The same in plain words, for who asked; what an operator must mend is logged too."""
    name, status = error_code(error), getattr(error, "status_code", None)
    text = f"{status} {error}" if status else str(error) or type(error).__name__
    meaning = _MEANINGS.get(name)
    reason = f"Redis {meaning}: {text}" if meaning else f"Redis: {text}"
    if name in _MISCONFIGURATION_CODES and reason not in _logged:
        _logged.add(reason)
        logger.error("%s. This is logged once", reason)
    return UnreadableGame(reason) if name == "WRONGTYPE" else StoreUnavailable(reason)
