"""Failures of one game: counted and logged here, so that they neither affect other games nor go unnoticed."""

import logging
from collections import OrderedDict
from time import monotonic

from service.games.errors import TileSetMissing
from service.games.ports import StoreUnavailable, UnreadableGame
from service.telemetry.metrics import GAME_FAILURES

logger = logging.getLogger(__name__)

LOG_INTERVAL_S = 60.0
"""A line is not repeated within this time: requests for a damaged game must not fill the log."""

MAX_LOGGED = 1_000
"""Recent lines that are remembered."""

EXPECTED_ERRORS = (UnreadableGame, TileSetMissing)
"""Errors whose message says enough; all others are logged with their stack trace."""


def is_outage(error: Exception) -> bool:
    """Return whether an error is one of the store, which is the same for all games."""
    return isinstance(error, StoreUnavailable) and not isinstance(error, UnreadableGame)


def record_failure(operation: str, game: str, error: Exception, consequence: str) -> None:
    """Count and log that `operation` failed for a game; `consequence` says what happens to the game now.

    Outages of the store, which are the same for all games, are only counted: the store logs them.
    """
    GAME_FAILURES.labels(operation).inc()
    if is_outage(error) or _is_logged((operation, game, consequence)):
        return
    if isinstance(error, EXPECTED_ERRORS):
        logger.warning("%s: game %s failed and %s: %s", operation, game, consequence, error)
    else:
        logger.error("%s: game %s failed and %s", operation, game, consequence, exc_info=error)


def _is_logged(line: tuple[str, str, str]) -> bool:
    """Return whether a line was logged within LOG_INTERVAL_S, and remember it."""
    now = monotonic()
    if now - _logged.get(line, -LOG_INTERVAL_S) < LOG_INTERVAL_S:
        return True
    _logged[line] = now
    _logged.move_to_end(line)
    if len(_logged) > MAX_LOGGED:
        _logged.popitem(last=False)
    return False


_logged: OrderedDict[tuple[str, str, str], float] = OrderedDict()
