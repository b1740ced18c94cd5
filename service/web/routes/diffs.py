"""The log of a game, by polling or as an event stream. Source: api.md, "Versions and diffs"."""

from aiohttp import web

from schemas.diffs import Diff, Diffs
from service.games.queries import games
from service.web.app_keys import CONTEXT
from service.web.parsing import get_path_id, parse_bearer_token, read_query
from service.web.ratelimit import costs
from service.web.ratelimit.concurrency import charge_request
from service.web.responses import game_etag, json_response, not_modified_response
from service.web.routes.game_responses import NOTHING_NEW
from service.web.routes.queries import Since
from service.web.routing import GAME_ID, ResponseSpec, Route
from service.web.websocket import event_stream


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
        ResponseSpec(200, "A part of the log, oldest first.", Diffs[Diff], ("ETag",), examples=("diffs",)),
        ResponseSpec(
            200, "The log as it grows.", str, media_type=event_stream.EVENT_STREAM, examples=("event_stream",)
        ),
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
    game = get_path_id(request)
    if event_stream.EVENT_STREAM in request.headers.get("Accept", ""):
        return await event_stream.serve_event_stream(request, game)
    context = request.app[CONTEXT]
    loaded, private = await games.load_for_reader(context, game, parse_bearer_token(request))
    tag = game_etag(loaded.version, loaded.digest)
    response = not_modified_response(request, tag, private=private)
    if response is None:
        await charge_request(request, min(asked.limit, loaded.version - asked.since) // costs.DIFFS_PER_TOKEN)
        page = await games.list_diffs(context, loaded, game, asked.since, asked.limit)
        response = json_response(page, etag=tag, private=private)
    response.headers["Vary"] = "Accept, Authorization" if private else "Accept"
    return response


ROUTES = (read_diffs,)
