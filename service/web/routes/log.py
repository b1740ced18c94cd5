"""The log of a game: `GET /v1/games/{id}/diffs`, by polling or as an event stream, and `/story`, in sentences."""

from typing import Annotated

from aiohttp import web
from msgspec import Meta

from schemas.base import Query
from schemas.diffs import Diff, Diffs
from schemas.story import Story
from schemas.vocabulary import Count
from service.games.ports.game_store import GameRecord
from service.games.queries.games import MAX_DIFFS, list_diffs, load_for_reader
from service.games.queries.story import build_story
from service.web.app_keys import CONTEXT
from service.web.headers.fields import LastEventId
from service.web.headers.negotiation import add_vary, prefers_media_type
from service.web.parsing import JSON
from service.web.responses import game_etag, json_response, link_next_page, not_modified_response
from service.web.routes.game_responses import LocalizedRead, NextPage, game_read_route, localized_response
from service.web.routing import GameRead, ResponseSpec
from service.web.streaming.event_stream import EVENT_STREAM, serve_event_stream


class LogQuery(Query, frozen=True):
    """A part of a game's log."""

    since: Annotated[Count, Meta(description="Only versions after this one.")] = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_DIFFS, description="The maximum number of diffs per response.")] = 100


class LogRead(GameRead, frozen=True, kw_only=True):
    """A request for a part of a game's log, or for all of it as it grows."""

    query: LogQuery = LogQuery()
    last_event_id: LastEventId = None


class StoryRead(LocalizedRead, frozen=True, kw_only=True):
    """A request for a part of a game's log in sentences."""

    query: LogQuery = LogQuery()


@game_read_route(
    "/v1/games/{id}/diffs",
    "readDiffs",
    "Read or follow the log",
    Diffs[Diff],
    "A part of the log, oldest first.",
    others=(ResponseSpec(200, "The log as an event stream.", str, media_type=EVENT_STREAM),),
    problems=("origin_refused",),
)
async def read_diffs(request: web.Request, params: LogRead) -> web.StreamResponse:
    """Return the diffs after version `since`, with the game's current version and digest.

    Poll until the last diff has that version. If `Accept` prefers `text/event-stream`, the response is an event stream
    that does not end: the `data` of each event is a DIFF, or a `snapshot` if the client's state is unknown, and its
    `id` is `VERSION-DIGEST`. `Last-Event-ID` resumes the stream. Events have no `event` field; a comment is sent every
    15 seconds.
    """
    query = params.query
    if prefers_media_type(request, EVENT_STREAM, JSON):
        return await serve_event_stream(request, params.id)
    context = request.app[CONTEXT]
    record, private = await load_for_reader(context, params.id, params.token)
    etag = game_etag(*record.revision)
    response = not_modified_response(request, etag, private=private)
    if response is None:
        page = await list_diffs(context, record, params.id, query.since, query.limit)
        last = query.since + len(page.diffs) if page.diffs else page.version
        response = json_response(page, etag=etag, private=private)
        link_next_page(request, response, "since", last if last < page.version else None)
    return add_vary(response, "Accept")


@game_read_route(
    "/v1/games/{id}/story", "readStory", "Read the log in sentences", Story, "A part of the log, in sentences."
)
async def read_story(request: web.Request, params: StoryRead) -> web.Response:
    """Return the diffs after version `since` as sentences, one line per version; `now` says what the game waits for.

    To continue, pass the last line's version as `since`. The sentences are plain text and contain the names that the
    players chose: escape what your chat would read as markup. Lines of the same turn have the same `turn`.
    """
    query = params.query

    async def build(loaded: GameRecord) -> tuple[Story, NextPage]:
        story = await build_story(request.app[CONTEXT], loaded, query.since, query.limit, params.language)
        last = story.lines[-1].version if story.lines else story.version
        return story, ("since", last if last < story.version else None)

    return await localized_response(request, params, build)


ROUTES = (read_diffs, read_story)
