"""What the application carries for its handlers."""

from asyncio import Event

from aiohttp import web

from service.games.context import Context
from service.games.realtime.hub import Hub
from service.supervision import Supervisor
from service.web.limits import Limits

CONTEXT = web.AppKey("context", Context)
LIMITS = web.AppKey("limits", Limits)
HUB = web.AppKey("watch", Hub)

SUPERVISOR = web.AppKey("supervisor", Supervisor)
"""Of this instance's background tasks: while one that is required keeps failing, /readyz says so."""

DRAINING = web.AppKey("draining", Event)
"""Set when this instance is about to stop: it says so in /readyz, and asks for connections to be closed."""
