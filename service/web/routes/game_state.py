"""What follows from a game: its scores, features, tiles and legal moves, and its log, polled or as an event stream.

The log of a game: `GET /v1/games/{id}/diffs`, by polling or as an event stream, and `/story`, in sentences.
"""

from functools import partial
from typing import Annotated

from aiohttp import web
from msgspec import Meta, Raw

from schemas.base import Query
from schemas.commands import LegalMoves, LegalMovesQuery
from schemas.diffs import Diff, Diffs
from schemas.scores import BoardFeatures, Scores, TilesLeft
from schemas.story import Story
from schemas.vocabulary import Count, Int32
from service.games import queries
from service.games.legal_moves import list_legal_moves
from service.games.ports import StoredGame
from service.web.app import CONTEXT, HttpRequest
from service.web.event_stream import serve_event_stream
from service.web.headers import LastEventId, add_vary, prefers_media_type
from service.web.parsing import EVENT_STREAM, JSON
from service.web.routes.games import LocalizedRead, NextPage, game_read_route, record_response, state_response
from service.web.routing import GameRead, ResponseSpec


class FeaturesQuery(Query, frozen=True):
    """Which features; without both, all."""

    x: Annotated[Int32, Meta(description="Only features on tiles at this x.")] | None = None
    y: Annotated[Int32, Meta(description="Only features on tiles at this y.")] | None = None


class FeaturesRead(LocalizedRead, frozen=True, kw_only=True):
    """A request for features."""

    query: FeaturesQuery = FeaturesQuery()


class LegalMovesRead(LocalizedRead, frozen=True, kw_only=True):
    """A request for legal moves."""

    query: LegalMovesQuery = LegalMovesQuery()


@game_read_route("/v1/games/{id}/scores", "Read the scores", Scores, "The points now, and if the game ended now.")
async def read_scores(request: HttpRequest, params: GameRead) -> web.Response:
    """Return each player's points now and if the game ended now (R8.3), and each islander's value (R8.4)."""
    return await state_response(request, params, queries.compute_scores)


@game_read_route("/v1/games/{id}/features", "Read the features", BoardFeatures, "The features, and what each is worth.")
async def read_features(request: HttpRequest, params: FeaturesRead) -> web.Response:
    """Return the features of a tile, or of the board: who is there, what each is worth so far and what it lacks (R8.4).

    The texts are in the language of `Accept-Language`.
    """
    query = params.query
    build = partial(queries.list_features, language=params.language, x=query.x, y=query.y)
    return await state_response(request, params, build)


@game_read_route("/v1/games/{id}/tiles", "Read the tiles left", TilesLeft, "The number of tiles in the bag, by type.")
async def read_tiles(request: HttpRequest, params: LocalizedRead) -> web.Response:
    """Return the number of tiles of each type in the bag (R8.1), not counting the drawn tile.

    The tiles' names are in the language of `Accept-Language`.
    """
    return await state_response(request, params, partial(queries.count_tiles_left, language=params.language))


@game_read_route("/v1/games/{id}/legal-moves", "Read the legal moves", LegalMoves, "The legal moves.")
async def read_legal_moves(request: HttpRequest, params: LegalMovesRead) -> web.Response:
    """Return every move that is legal now; any other move is rejected.

    If nobody has to decide, `seat` and `phase` are null and `moves` is empty. For a menu of 25 rows, request
    `limit=25`. If the moves do not fit, `next_cursor` is not null; then request `stage=cell`: `cells` has every cell
    with moves, and `moves` those without a cell, such as passing or delivering. Then request `x` and `y` of the chosen
    cell. With `limit` and `cursor`, a page has that many cells and moves together. Or search with `q`. With `effects=1`
    each move has the events that it would cause, and `ships` says what each ship costs and what the player lacks; the
    list then takes up to ten times as long to make, which the limit of the client's time counts. The texts are in the
    language of `Accept-Language`.
    """
    build = partial(list_legal_moves, wanted=params.query, language=params.language)
    return await state_response(request, params, build)


ROUTES = (read_scores, read_features, read_tiles, read_legal_moves)


class LogQuery(Query, frozen=True):
    """A part of a game's log."""

    since: Annotated[Count, Meta(description="Only versions after this one.")] = 0
    limit: Annotated[int, Meta(ge=1, le=queries.MAX_DIFFS, description="The maximum number of diffs per response.")] = (
        100
    )


class LogRead(GameRead, frozen=True, kw_only=True):
    """A request for a part of a game's log, or for all of it as it grows."""

    query: LogQuery = LogQuery()
    last_event_id: LastEventId = None


class StoryRead(LocalizedRead, frozen=True, kw_only=True):
    """A request for a part of a game's log in sentences."""

    query: LogQuery = LogQuery()


@game_read_route(
    "/v1/games/{id}/diffs",
    "Read or follow the log",
    Diffs[Diff],
    "A part of the log, oldest first.",
    others=(ResponseSpec(200, "The log as an event stream.", str, media_type=EVENT_STREAM),),
    problems=("origin_refused",),
)
async def read_diffs(request: HttpRequest, params: LogRead) -> web.StreamResponse:
    """Return the diffs after version `since`, with the game's current version and digest.

    Poll until the last diff has that version. If `Accept` prefers `text/event-stream`, the response is an event stream
    that does not end: the `data` of each event is a DIFF, or a `snapshot` if the client's state is unknown, and its
    `id` is `VERSION-DIGEST`. `Last-Event-ID` resumes the stream. Events have no `event` field; a comment is sent every
    15 seconds.
    """
    query = params.query
    if prefers_media_type(request, EVENT_STREAM, JSON):
        return await serve_event_stream(request, params.id)

    async def build(record: StoredGame) -> tuple[Diffs[Raw], NextPage]:
        page = await queries.list_diffs(request.app[CONTEXT], record, params.id, query.since, query.limit)
        last = query.since + len(page.diffs) if page.diffs else page.version
        return page, ("since", last if last < page.version else None)

    return add_vary(await record_response(request, params, build), "Accept")


@game_read_route("/v1/games/{id}/story", "Read the log in sentences", Story, "A part of the log, in sentences.")
async def read_story(request: HttpRequest, params: StoryRead) -> web.Response:
    """Return the diffs after version `since` as sentences, one line per version; `now` says what the game waits for.

    To continue, pass the last line's version as `since`. The sentences are plain text and contain the names that the
    players chose: escape what your chat would read as markup. Lines of the same turn have the same `turn`.
    """
    query = params.query

    async def build(loaded: StoredGame) -> tuple[Story, NextPage]:
        story = await queries.build_story(request.app[CONTEXT], loaded, query.since, query.limit, params.language)
        last = story.lines[-1].version if story.lines else story.version
        return story, ("since", last if last < story.version else None)

    return await record_response(request, params, build)


LOG_ROUTES = (read_diffs, read_story)
