"""Every route of the API, in the order of the OpenAPI document."""

from service.web.routes import (
    actions,
    api_documents,
    api_keys,
    board_images,
    bots,
    game_state,
    games,
    health,
    log,
    my_games,
    page,
    piece_images,
    seats,
    tilesets,
    webhooks,
)

ROUTES = (
    *tilesets.ROUTES,
    *games.ROUTES,
    *seats.ROUTES,
    *my_games.ROUTES,
    *bots.ROUTES,
    *game_state.ROUTES,
    *actions.ROUTES,
    *log.ROUTES,
    *board_images.ROUTES,
    *piece_images.ROUTES,
    *page.ROUTES,
    *webhooks.GAME_ROUTES,
    *api_keys.ROUTES,
    *webhooks.KEY_ROUTES,
    *health.ROUTES,
    *api_documents.ROUTES,
)
