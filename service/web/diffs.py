"""The log of a game, by polling or as an event stream. Source: api.md, "Versions and diffs"."""

from typing import Annotated

from aiohttp import web
from msgspec import Meta

from schemas.diffs import Diff, Diffs
from schemas.vocabulary import Count
from service.games import read
from service.web import sse
from service.web.answers import answer, etag, not_modified
from service.web.asked import bearer, path_id, read_query
from service.web.games import NOTHING_NEW
from service.web.keys import CONTEXT
from service.web.limiting import costs
from service.web.limiting.shares import charge
from service.web.routing import GAME_ID, Query, Reply, Route


class Since(Query, frozen=True):
    """Which part of the log."""

    since: Annotated[Count, Meta(description="Only versions after this one.")] = 0
    limit: Annotated[int, Meta(ge=1, le=read.MAX_DIFFS, description="Diffs in one answer.")] = 100


@Route(
    "GET",
    "/v1/games/" + GAME_ID + "/diffs",
    operation="readDiffs",
    summary="Read the log, or follow it",
    tag="playing",
    access="reads",
    query=Since,
    headers=("If-None-Match", "Last-Event-ID"),
    replies=(
        Reply(200, "A part of the log, oldest first.", Diffs[Diff], ("ETag",), examples=("diffs",)),
        Reply(200, "The log as it grows.", str, media_type=sse.EVENT_STREAM, examples=("event_stream",)),
        NOTHING_NEW,
    ),
    problems=("not_found", "origin_refused"),
)
async def read_diffs(request: web.Request) -> web.StreamResponse:
    """The diffs after version `since`, and the game's version and digest now: ask again until they are reached.

    With `Accept: text/event-stream` the answer never ends: each event's `data` is a DIFF, or a `snapshot` where the
    client's state is unknown, its `id` is `VERSION-DIGEST`, and `Last-Event-ID` resumes. There is no `event` field, and
    a comment every 15 seconds.
    """
    asked = read_query(request, Since)
    game = path_id(request)
    if sse.EVENT_STREAM in request.headers.get("Accept", ""):
        return await sse.stream(request, game)
    context = request.app[CONTEXT]
    loaded, private = await read.read(context, game, bearer(request))
    tag = etag(loaded.version, loaded.digest)
    response = not_modified(request, tag, private=private)
    if response is None:
        await charge(request, min(asked.limit, loaded.version - asked.since) // costs.DIFFS_PER_TOKEN)
        page = await read.diffs(context, loaded, game, asked.since, asked.limit)
        response = answer(page, tag=tag, private=private)
    response.headers["Vary"] = "Accept, Authorization" if private else "Accept"
    return response


ROUTES = (read_diffs,)
