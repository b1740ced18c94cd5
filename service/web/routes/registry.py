"""Every route of the service: what is registered here is what the OpenAPI document tells."""

from service.web.images import routes as gallery
from service.web.routes import (
    actions,
    api_documents,
    bots,
    diffs,
    games,
    health,
    legal_moves,
    lobby,
    my_games,
    page,
    rematch,
    seats,
    story,
    tilesets,
    webhooks,
)

ROUTES = (
    *tilesets.ROUTES,
    *lobby.ROUTES,
    *rematch.ROUTES,
    *seats.ROUTES,
    *my_games.ROUTES,
    *bots.ROUTES,
    *games.ROUTES,
    *legal_moves.ROUTES,
    *actions.ROUTES,
    *diffs.ROUTES,
    *story.ROUTES,
    *gallery.ROUTES,
    *page.ROUTES,
    *webhooks.ROUTES,
    *health.ROUTES,
    *api_documents.ROUTES,
)
