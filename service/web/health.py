"""Whether this instance lives, and whether it should be asked."""

from aiohttp import web

from schemas.service import Health
from service.web.answers import answer
from service.web.errors import NotReady
from service.web.keys import CONTEXT, DRAINING
from service.web.routing import Reply, route

OK = Health(status="ok")


@route(
    "GET",
    "/livez",
    operation="isAlive",
    summary="Whether this instance lives",
    tag="service",
    replies=(Reply(200, "It does.", Health),),
)
async def livez(request: web.Request) -> web.Response:
    """Answers as long as the process can answer at all, also while its store does not."""
    del request
    return answer(OK)


@route(
    "GET",
    "/readyz",
    operation="isReady",
    summary="Whether this instance should be asked",
    tag="service",
    replies=(Reply(200, "It should.", Health),),
    problems=("store_unavailable",),
)
async def readyz(request: web.Request) -> web.Response:
    """`store_unavailable` while the store does not answer, and from the moment on that this instance is stopping."""
    if request.app[DRAINING].is_set():
        raise NotReady
    await request.app[CONTEXT].store.ping()
    return answer(OK)


ROUTES = (livez, readyz)
