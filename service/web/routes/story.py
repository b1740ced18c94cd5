"""What happened, in sentences."""

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
    summary="Read what happened, in sentences",
    tag="playing",
    access="reads",
    query=LogQuery,
    headers=("If-None-Match", "Accept-Language"),
    responses=(
        ResponseSpec(200, "A part of the log, told.", Story, ("ETag", "Content-Language"), examples=("story",)),
        GAME_NOT_MODIFIED,
    ),
    problems=("not_found",),
)
async def read_story(request: web.Request) -> web.Response:
    """The diffs after version `since` in sentences, one line a version, and in `now` what is waited for.

    Ask again with the last line's version as `since`. Names stand in the sentences as the players wrote them, and
    nothing is marked up: escape what your chat would read as markup. `turn` joins the lines of one turn.
    """
    query = read_query(request, LogQuery)

    async def build(loaded: GameRecord, language: Language) -> Story:
        await charge_request(request, min(query.limit, loaded.version - query.since) // costs.DIFFS_PER_TOKEN)
        return await build_story(request.app[CONTEXT], loaded, query.since, query.limit, language)

    return await localized_response(request, build)


ROUTES = (read_story,)
