"""Every route of the service: what is registered here is what the OpenAPI document tells."""

from service.web import (
    actions,
    bots,
    diffs,
    games,
    health,
    lobby,
    moves,
    page,
    published,
    rematch,
    seating,
    seats,
    story,
    tilesets,
    webhooks,
)
from service.web.gallery import routes as gallery

ROUTES = (
    *tilesets.ROUTES,
    *lobby.ROUTES,
    *rematch.ROUTES,
    *seating.ROUTES,
    *seats.ROUTES,
    *bots.ROUTES,
    *games.ROUTES,
    *moves.ROUTES,
    *actions.ROUTES,
    *diffs.ROUTES,
    *story.ROUTES,
    *gallery.ROUTES,
    *page.ROUTES,
    *webhooks.ROUTES,
    *health.ROUTES,
    *published.ROUTES,
)
