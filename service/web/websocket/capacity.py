"""Whether one more may watch a game in this instance."""

from service.games.realtime.hub import Hub
from service.telemetry.metrics import RATE_LIMITED
from service.web.errors import TooManyConnections
from service.web.limits import Limits

__all__ = ["check_subscriber_limit"]


def check_subscriber_limit(hub: Hub, game: str, limits: Limits) -> None:
    """Raise TooManyOpen where as many watch it as may."""
    if hub.count_subscribers(game) >= limits.max_watchers_per_game:
        RATE_LIMITED.labels("watchers").inc()
        raise TooManyConnections("sockets and event streams that watch this game", limits.max_watchers_per_game)
