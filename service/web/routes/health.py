"""`GET /livez` and `GET /readyz`: liveness and readiness of this instance."""

import asyncio

from aiohttp import web

from schemas.service import Health
from service.games.ports.game_store import GameStore, StoreError
from service.supervision import spawn
from service.web.app_keys import DRAINING, SUPERVISOR
from service.web.errors import BackgroundTaskFailing, ShuttingDown
from service.web.responses import json_response
from service.web.routing import ResponseSpec, Route

HEALTHY = Health(status="ok")


class StoreProbe:
    """A ping of the store that concurrent readiness checks share."""

    def __init__(self, store: GameStore) -> None:
        self._store = store
        self._pending: asyncio.Task[None] | None = None

    async def ping(self) -> None:
        """Raise StoreUnavailable unless the store replies."""
        if self._pending is None or self._pending.done():
            self._pending = spawn("readiness-probe", self._store.ping(), expected=(StoreError,))
        await asyncio.shield(self._pending)


STORE_PROBE = web.AppKey("store_probe", StoreProbe)


@Route(
    "GET",
    "/livez",
    operation_id="checkLiveness",
    summary="Check liveness",
    tag="service",
    is_limited=False,
    responses=(ResponseSpec(200, "The instance is alive.", Health),),
)
async def livez(request: web.Request) -> web.Response:
    """Return 200 as long as the process can respond, even if its store is unavailable."""
    del request
    return json_response(HEALTHY)


@Route(
    "GET",
    "/readyz",
    operation_id="checkReadiness",
    summary="Check readiness",
    tag="service",
    is_limited=False,
    responses=(ResponseSpec(200, "The instance is ready for requests.", Health),),
    problems=("store_unavailable", "draining"),
)
async def readyz(request: web.Request) -> web.Response:
    """Return `draining` while the instance shuts down, `store_unavailable` while it cannot serve requests.

    `detail` says why.
    """
    if request.app[DRAINING].is_set():
        raise ShuttingDown
    await request.app[STORE_PROBE].ping()
    if (task := request.app[SUPERVISOR].failing_task()) is not None:
        raise BackgroundTaskFailing(task)
    return json_response(HEALTHY)


ROUTES = (livez, readyz)
