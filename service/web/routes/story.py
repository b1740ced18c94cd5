"""What happened, in sentences."""

from aiohttp import web

from schemas.story import Story
from service.games.i18n import Language
from service.games.ports import GameRecord
from service.games.queries.story import build_story
from service.web.app_keys import CONTEXT
from service.web.parsing import read_query
from service.web.ratelimit import costs
from service.web.ratelimit.concurrency import charge_request
from service.web.routes.game_responses import NOTHING_NEW, told_in_words
from service.web.routes.queries import Since
from service.web.routing import GAME_ID, ResponseSpec, Route


@Route(
    "GET",
    "/v1/games/" + GAME_ID + "/story",
    operation="readStory",
    summary="Read what happened, in sentences",
    tag="playing",
    access="reads",
    query=Since,
    headers=("If-None-Match", "Accept-Language"),
    replies=(
        ResponseSpec(200, "A part of the log, told.", Story, ("ETag", "Content-Language"), examples=("story",)),
        NOTHING_NEW,
    ),
    problems=("not_found",),
)
async def read_story(request: web.Request) -> web.Response:
    """The diffs after version `since` in sentences, one line a version, and in `now` what is waited for.

    Ask again with the last line's version as `since`. Names stand in the sentences as the players wrote them, and
    nothing is marked up: escape what your chat would read as markup. `turn` joins the lines of one turn.
    """
    asked = read_query(request, Since)

    async def told(loaded: GameRecord, language: Language) -> Story:
        await charge_request(request, min(asked.limit, loaded.version - asked.since) // costs.DIFFS_PER_TOKEN)
        return await build_story(request.app[CONTEXT], loaded, asked.since, asked.limit, language)

    return await told_in_words(request, told)


ROUTES = (read_story,)
