"""Every route of the API, in the order of the OpenAPI document."""

from service.web.routes import (
    actions,
    api_keys,
    board_images,
    game_state,
    games,
    log,
    page,
    seats,
    service,
    tilesets,
    webhooks,
)

ROUTES = (
    *tilesets.ROUTES,
    *games.ROUTES,
    *seats.ROUTES,
    *game_state.ROUTES,
    *actions.ROUTES,
    *log.ROUTES,
    *board_images.ROUTES,
    *tilesets.PICTURE_ROUTES,
    *page.ROUTES,
    *webhooks.GAME_ROUTES,
    *api_keys.ROUTES,
    *webhooks.KEY_ROUTES,
    *service.ROUTES,
)
