"""Failures that belong to one game: recorded here, so that they affect no other game and are never unnoticed."""

import logging
from collections import OrderedDict
from time import monotonic

from service.games.errors import TileSetMissing
from service.games.ports import StoreUnavailable, UnreadableGame
from service.telemetry.metrics import GAME_FAILURES
from service.telemetry.throttled import ThrottledLog

__all__ = ["EXPECTED_ERRORS", "record_failure"]

logger = logging.getLogger(__name__)

LOG_INTERVAL_S = 60.0
"""A line is not repeated for so long: whoever asks for a damaged game again and again must not fill the log."""

_UNAVAILABLE = ThrottledLog(logger)

MAX_LOGGED = 1_000
"""Lines that are remembered for that."""

EXPECTED_ERRORS = (UnreadableGame, TileSetMissing)
"""Failures that say all in one line: what cannot be read, or is not here. All others are logged with their stack."""


def record_failure(work: str, game: str, error: Exception, consequence: str) -> None:
    """Count and log that `work` on one game failed; `consequence` says what happens to it now."""
    GAME_FAILURES.labels(work).inc()
    if isinstance(error, StoreUnavailable) and not isinstance(
        error, UnreadableGame
    ):  # not this game's own: all games fail
        _UNAVAILABLE.warning("%s: game %s failed and %s: %s", work, game, consequence, error)
        return
    if _is_logged((work, game, consequence)):
        return
    if isinstance(error, EXPECTED_ERRORS):
        logger.warning("%s: game %s failed and %s: %s", work, game, consequence, error)
    else:
        logger.error("%s: game %s failed and %s", work, game, consequence, exc_info=error)


def _is_logged(line: tuple[str, str, str]) -> bool:
    """Whether this line was logged a moment ago; now it is."""
    now = monotonic()
    if now - _logged.get(line, -LOG_INTERVAL_S) < LOG_INTERVAL_S:
        return True
    _logged[line] = now
    _logged.move_to_end(line)
    if len(_logged) > MAX_LOGGED:
        _logged.popitem(last=False)
    return False


_logged: OrderedDict[tuple[str, str, str], float] = OrderedDict()
