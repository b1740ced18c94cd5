"""What Redis says instead of an answer, and what it means to who asked."""

import logging

from service.games.port import StoreUnavailable, Unreadable

__all__ = ["ELSEWHERE", "MissingScript", "Refused", "told"]

logger = logging.getLogger(__name__)

ELSEWHERE = {"READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS", "CLUSTERDOWN", "TRYAGAIN", "UNBLOCKED"}
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

_FOR_OPERATORS = {"NOAUTH", "WRONGPASS", "NOPERM", "DENIED"}
"""What does not pass by itself: it is logged, once for each text."""

_logged: set[str] = set()


class Refused(Exception):
    """An error reply. `code` is its first word."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code = text.partition(" ")[0]


class MissingScript(Exception):
    """EVALSHA names a script that Redis does not have (any more)."""


def told(refused: Refused) -> StoreUnavailable:
    """The same in plain words, for who asked; what an operator must mend is logged too."""
    meaning = _MEANINGS.get(refused.code)
    reason = f"Redis {meaning}: {refused}" if meaning else f"Redis: {refused}"
    if refused.code in _FOR_OPERATORS and reason not in _logged:
        _logged.add(reason)
        logger.error("%s. This is logged once", reason)
    return Unreadable(reason) if refused.code == "WRONGTYPE" else StoreUnavailable(reason)
