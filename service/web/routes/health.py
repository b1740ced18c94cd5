"""Whether this instance lives, and whether it should be asked."""

import asyncio

from aiohttp import web

from schemas.service import Health
from service.games.ports import GameStore, StoreError
from service.supervision import spawn
from service.web.app_keys import DRAINING, SUPERVISOR
from service.web.errors import BackgroundTaskFailing, ShuttingDown
from service.web.responses import json_response
from service.web.routing import ResponseSpec, Route

HEALTHY = Health(status="ok")


class StoreProbe:
    """Whether the store answers; however many ask at the same time, it is asked once."""

    def __init__(self, store: GameStore) -> None:
        self._store = store
        self._pending: asyncio.Task[None] | None = None

    async def ping(self) -> None:
        """Raise StoreUnavailable unless it does."""
        if self._pending is None or self._pending.done():
            self._pending = spawn("readiness-probe", self._store.ping(), expected=(StoreError,))
        await asyncio.shield(self._pending)


STORE_PROBE = web.AppKey("probe", StoreProbe)


@Route(
    "GET",
    "/livez",
    operation_id="isAlive",
    summary="Whether this instance lives",
    tag="service",
    responses=(ResponseSpec(200, "It does.", Health),),
)
async def livez(request: web.Request) -> web.Response:
    """Answers as long as the process can answer at all, also while its store does not."""
    del request
    return json_response(HEALTHY)


@Route(
    "GET",
    "/readyz",
    operation_id="isReady",
    summary="Whether this instance should be asked",
    tag="service",
    responses=(ResponseSpec(200, "It should.", Health),),
    problems=("store_unavailable",),
)
async def readyz(request: web.Request) -> web.Response:
    """`store_unavailable` while the store does not answer, and from the moment on that this instance is stopping.

    Also while one of the instance's background tasks keeps failing; `detail` names it.
    """
    if request.app[DRAINING].is_set():
        raise ShuttingDown
    await request.app[STORE_PROBE].ping()
    if (task := request.app[SUPERVISOR].failing_task()) is not None:
        raise BackgroundTaskFailing(task)
    return json_response(HEALTHY)


ROUTES = (livez, readyz)
