"""Keys of the application's shared objects."""

from asyncio import Event

from aiohttp import web

from service.games.api_key import ApiKeyAuthenticator
from service.games.context import Context
from service.games.hub import Hub
from service.supervision import Supervisor
from service.web.limits import Limits

CONTEXT = web.AppKey("context", Context)
LIMITS = web.AppKey("limits", Limits)
HUB = web.AppKey("hub", Hub)
API_KEYS = web.AppKey("api_keys", ApiKeyAuthenticator)

SUPERVISOR = web.AppKey("supervisor", Supervisor)
"""Runs this instance's background tasks; /readyz reports a required one that keeps failing."""

DRAINING = web.AppKey("draining", Event)
"""Set when this instance is about to stop: /readyz says so, and responses ask clients to close their connections."""

EXPECTS_CONTINUE = web.RequestKey("expects_continue", bool)
"""Whether the client waits for 100 Continue before it sends the body."""
