"""The assembly of the application: its routes, in the order of the OpenAPI document, and what they share."""

from asyncio import Event

from service.games.api_key import ApiKeyAuthenticator
from service.games.hub import Hub
from service.games.repository import Context
from service.supervision import Supervisor
from service.web import websocket
from service.web.accounts import ACCOUNTS, Accounts
from service.web.app import API_KEYS, CONTEXT, DRAINING, HUB, LIMITS, SUPERVISOR, App
from service.web.connection_limiter import CONNECTION_LIMITER, ConnectionLimiter, run_timeout_sweep
from service.web.images import tileset_pictures_lifespan
from service.web.limits import Limits
from service.web.rate_limiter import RATE_LIMITER, RateLimiter
from service.web.renderer import renderer_lifespan
from service.web.routes import actions, board_images, game_state, games, page, service, tilesets, webhooks

ROUTES = (
    *tilesets.ROUTES,
    *games.ROUTES,
    *games.SEAT_ROUTES,
    *game_state.ROUTES,
    *actions.ROUTES,
    *game_state.LOG_ROUTES,
    *board_images.ROUTES,
    *tilesets.PICTURE_ROUTES,
    *page.ROUTES,
    *webhooks.GAME_ROUTES,
    *service.API_KEY_ROUTES,
    *webhooks.KEY_ROUTES,
    *service.ROUTES,
)


def make_app(context: Context, hub: Hub, limits: Limits, supervisor: Supervisor | None = None) -> App:
    """Return the application of one instance; `service.web.server.ProblemRunner` serves it."""
    app = App()
    app[CONTEXT] = context
    app[HUB] = hub
    app[LIMITS] = limits
    app[DRAINING] = Event()
    app[SUPERVISOR] = supervisor or Supervisor()
    app[ACCOUNTS] = Accounts(limits, context)
    app[CONNECTION_LIMITER] = ConnectionLimiter(app[ACCOUNTS])
    app[API_KEYS] = ApiKeyAuthenticator(context.store.api_keys, context.clock)
    app[RATE_LIMITER] = RateLimiter(app[ACCOUNTS], app[API_KEYS])
    app.lifespans.extend((run_timeout_sweep, renderer_lifespan, tileset_pictures_lifespan))
    for route in ROUTES:
        route.register(app)
    websocket.add_routes(app)
    page.add_file_routes(app)
    return app
