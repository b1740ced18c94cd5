"""The levels of the web side and of the games that it serves, read when somebody asks."""

from collections import Counter
from collections.abc import Iterator

from aiohttp import web

from service.telemetry.meters import Level
from service.telemetry.metrics import (
    CONNECTIONS,
    GAMES_WATCHED,
    HELD_GAMES,
    HTTP_IN_FLIGHT,
    PICTURES_KEPT,
    PICTURES_WAITING,
    SUBSCRIPTIONS,
    UNREAD,
)
from service.web import connections
from service.web.gallery.sending import STUDIO
from service.web.keys import CONTEXT, WATCH
from service.web.limiting.connections import GATE
from service.web.metrics_requests import IN_FLIGHT

__all__ = ["levels"]


def levels(app: web.Application) -> Iterator[Level]:
    """What is open, watched, held and waiting here."""
    long = app[connections.CONNECTIONS]
    kinds = Counter(one.kind for one in long)
    for kind in ("socket", "stream"):
        yield CONNECTIONS.at(kinds[kind], kind)
    yield HTTP_IN_FLIGHT.at(IN_FLIGHT.n - len(long))
    yield UNREAD.at(app[GATE].unread.total)
    watch = app[WATCH]
    yield GAMES_WATCHED.at(len(watch))
    yield SUBSCRIPTIONS.at(watch.subscriptions())
    yield HELD_GAMES.at(len(app[CONTEXT].held))
    if (studio := app.get(STUDIO)) is not None:
        yield PICTURES_WAITING.at(studio.waiting)
        yield PICTURES_KEPT.at(studio.kept_bytes)
