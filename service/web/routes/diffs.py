"""`GET /v1/games/{id}/diffs`: the log of a game, by polling or as an event stream.

Source: api.md, "Versions and diffs".
"""

from aiohttp import web

from schemas.diffs import Diff, Diffs
from service.games.queries import games
from service.web.app_keys import CONTEXT
from service.web.parsing import get_path_id, parse_bearer_token, read_query
from service.web.ratelimit import costs
from service.web.ratelimit.request_charges import charge_request
from service.web.responses import game_etag, json_response, not_modified_response
from service.web.routes.game_responses import GAME_NOT_MODIFIED
from service.web.routes.queries import LogQuery
from service.web.routing import GAME_ID, ResponseSpec, Route
from service.web.streaming import event_stream


@Route(
    "GET",
    "/v1/games/" + GAME_ID + "/diffs",
    operation_id="readDiffs",
    summary="Read or follow the log",
    tag="playing",
    access="reads",
    query=LogQuery,
    headers=("If-None-Match", "Last-Event-ID"),
    responses=(
        ResponseSpec(200, "A part of the log, oldest first.", Diffs[Diff], ("ETag",), examples=("diffs",)),
        ResponseSpec(
            200, "The log as an event stream.", str, media_type=event_stream.EVENT_STREAM, examples=("event_stream",)
        ),
        GAME_NOT_MODIFIED,
    ),
    problems=("not_found", "origin_refused"),
)
async def read_diffs(request: web.Request) -> web.StreamResponse:
    """Return the diffs after version `since`, with the game's current version and digest.

    Poll until the last diff has that version. With `Accept: text/event-stream` the response is an event stream that
    does not end: the `data` of each event is a DIFF, or a `snapshot` if the client's state is unknown, and its `id` is
    `VERSION-DIGEST`. `Last-Event-ID` resumes the stream. Events have no `event` field; a comment is sent every
    15 seconds.
    """
    query = read_query(request, LogQuery)
    game = get_path_id(request)
    if event_stream.EVENT_STREAM in request.headers.get("Accept", ""):
        return await event_stream.serve_event_stream(request, game)
    context = request.app[CONTEXT]
    record, private = await games.load_for_reader(context, game, parse_bearer_token(request))
    etag = game_etag(record.version, record.digest)
    response = not_modified_response(request, etag, private=private)
    if response is None:
        await charge_request(request, min(query.limit, record.version - query.since) // costs.DIFFS_PER_TOKEN)
        page = await games.list_diffs(context, record, game, query.since, query.limit)
        response = json_response(page, etag=etag, private=private)
    response.headers["Vary"] = "Accept, Authorization" if private else "Accept"
    return response


ROUTES = (read_diffs,)
