"""The application: every route, with what all of them need."""

from asyncio import Event
from functools import partial

from aiohttp import web

from service.games.context import Context
from service.games.read import opens
from service.games.watch import Watch
from service.supervision import Supervisor
from service.web import page, sockets
from service.web.docs import routes as docs
from service.web.gallery import routes as gallery
from service.web.health import PROBE, Probe
from service.web.keys import CONTEXT, DRAINING, LIMITS, SUPERVISOR, WATCH
from service.web.limiting.connections import GATE, Gate, sweeping
from service.web.limiting.guard import GUARD, Guard, guarding
from service.web.limiting.shares import DRAWING, PICTURES, REPLAYS, Replays, Shares
from service.web.limits import Limits
from service.web.refusing import expecting
from service.web.routes import ROUTES
from service.web.routing import register
from service.web.security import SECURITY, Security


def make_app(context: Context, watch: Watch, limits: Limits, supervisor: Supervisor | None = None) -> web.Application:
    """The whole web side of one instance; serve it with `service.web.runner.Runner`."""
    app = web.Application(client_max_size=limits.max_body_bytes)
    app[CONTEXT] = context
    app[WATCH] = watch
    app[LIMITS] = limits
    app[DRAINING] = Event()
    app[SUPERVISOR] = supervisor or Supervisor()
    app[PROBE] = Probe(context.store)
    app[SECURITY] = Security(limits)
    app[GATE] = Gate(limits)
    app[GUARD] = Guard(limits, context.store.buckets, partial(opens, context))
    app[DRAWING] = Shares(PICTURES)
    app[REPLAYS] = Replays()
    app.cleanup_ctx.extend((sweeping, guarding))
    register(app, ROUTES, expecting)
    sockets.set_up(app)
    docs.set_up(app)
    gallery.set_up(app)
    page.set_up(app)
    return app
