"""Every route of the service: what is registered here is what the OpenAPI document tells."""

from service.web import actions, diffs, games, health, lobby, moves, published, tilesets

ROUTES = (
    *tilesets.ROUTES,
    *lobby.ROUTES,
    *games.ROUTES,
    *moves.ROUTES,
    *actions.ROUTES,
    *diffs.ROUTES,
    *health.ROUTES,
    *published.ROUTES,
)
