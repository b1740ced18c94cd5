"""`GET /v1/games/{id}/story`: the log of a game in sentences."""

from aiohttp import web

from schemas.story import Story
from service.games.i18n import Language
from service.games.ports import GameRecord
from service.games.queries.story import build_story
from service.web.app_keys import CONTEXT
from service.web.parsing import read_query
from service.web.ratelimit import costs
from service.web.ratelimit.request_charges import charge_request
from service.web.routes.game_responses import GAME_NOT_MODIFIED, localized_response
from service.web.routes.queries import LogQuery
from service.web.routing import GAME_ID, ResponseSpec, Route


@Route(
    "GET",
    "/v1/games/" + GAME_ID + "/story",
    operation_id="readStory",
    summary="Read the log in sentences",
    tag="playing",
    access="reads",
    query=LogQuery,
    headers=("If-None-Match", "Accept-Language"),
    responses=(
        ResponseSpec(200, "A part of the log, in sentences.", Story, ("ETag", "Content-Language"), examples=("story",)),
        GAME_NOT_MODIFIED,
    ),
    problems=("not_found",),
)
async def read_story(request: web.Request) -> web.Response:
    """Return the diffs after version `since` as sentences, one line per version; `now` says what the game waits for.

    To continue, pass the last line's version as `since`. The sentences are plain text and contain the names that the
    players chose: escape what your chat would read as markup. Lines of the same turn have the same `turn`.
    """
    query = read_query(request, LogQuery)

    async def build(loaded: GameRecord, language: Language) -> Story:
        await charge_request(request, min(query.limit, loaded.version - query.since) // costs.DIFFS_PER_TOKEN)
        return await build_story(request.app[CONTEXT], loaded, query.since, query.limit, language)

    return await localized_response(request, build)


ROUTES = (read_story,)
