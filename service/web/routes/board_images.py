"""Pictures of a game's board. Source: api.md, "Asking without moving"; R8.5."""

from collections.abc import Mapping
from typing import NamedTuple

from aiohttp import web

from service.engine import build_view, legal_moves
from service.games.ports import GameRecord, UnreadableGame
from service.games.queries.games import decode_with_tables, load_for_reader, move_sort_key
from service.web.app_keys import CONTEXT
from service.web.drawing.scene import Options
from service.web.errors import NoSuchVersion
from service.web.images.jobs import BoardJob, Form
from service.web.images.past_versions import at_version
from service.web.images.queries import BoardQuery, TextQuery, options_of
from service.web.images.responses import Picture, board_caching, replies, send
from service.web.parsing import get_path_id, parse_bearer_token, read_query
from service.web.ratelimit import costs
from service.web.ratelimit.concurrency import replay_slot
from service.web.routing import GAME_ID, Handler, Route

NAMES: dict[Form, tuple[str, str]] = {
    "svg": ("readBoardSvg", "Read the board as SVG"),
    "png": ("readBoardPng", "Read the board as PNG"),
    "txt": ("readBoardText", "Read the board as text"),
}


class Asked(NamedTuple):
    """Which board is asked for, and of whom it is to be hidden."""

    game: str
    loaded: GameRecord
    private: bool
    options: Options
    form: Form

    def picture(self, state: str, options: Options, caching: Mapping[str, str]) -> Picture:
        """The picture of one of the game's states."""
        return Picture(f"{state} {options}", self.form, options.width, caching)


def _board(form: Form) -> Route:
    operation, summary = NAMES[form]
    declare = Route(
        "GET",
        f"/v1/games/{GAME_ID}/board.{form}",
        operation=operation,
        summary=summary,
        tag="playing",
        access="reads",
        query=_query(form),
        headers=("If-None-Match",),
        replies=replies(form),
        problems=("not_found",),
    )
    return declare(_handler(form))


def _query(form: Form) -> type[BoardQuery]:
    return TextQuery if form == "txt" else BoardQuery


def _handler(form: Form) -> Handler:
    async def read_board(request: web.Request) -> web.Response:
        """The board as a picture, with everything that everybody may see and nothing else.

        With `v` it is the picture of that version for ever: while that is the game's version, and of earlier ones too,
        but these have no legal moves to number. A version that the game does not have yet is 404.
        """
        query = read_query(request, _query(form))
        options = options_of(query)
        game = get_path_id(request)
        loaded, private = await load_for_reader(request.app[CONTEXT], game, parse_bearer_token(request))
        asked = Asked(game, loaded, private, options, form)
        if query.v is None or query.v == loaded.version:
            return await _now(request, asked, unchanging=query.v is not None)
        return await _then(request, asked, query.v)

    return read_board


async def _now(request: web.Request, asked: Asked, *, unchanging: bool) -> web.Response:
    """The board as it is."""
    context, loaded = request.app[CONTEXT], asked.loaded

    async def job() -> BoardJob:
        index, game = decode_with_tables(context, loaded)
        moves = sorted(legal_moves(index, game), key=move_sort_key) if asked.options.candidates else []
        answer = context.tilesets.get_for_game(game.tileset).response
        return BoardJob(answer, build_view(index, game), moves, asked.options, asked.form)

    caching = board_caching(private=asked.private, unchanging=unchanging)
    return await send(request, asked.picture(f"{loaded.version}-{loaded.digest}", asked.options, caching), job)


async def _then(request: web.Request, asked: Asked, version: int) -> web.Response:
    """The board as it was. What had numbers while it was the latest is not immutable: it has none now.

    Only where the picture is drawn the game is replayed: else the version's own diff, which has its digest, is enough.
    """
    context = request.app[CONTEXT]
    if not 0 < version < asked.loaded.version:
        raise NoSuchVersion(version, asked.loaded.version)
    diffs = await context.store.load_diffs(asked.game, version - 1, 1)
    if not diffs or diffs[0].version != version:
        raise UnreadableGame(f"the log lacks version {version}")
    options = asked.options._replace(candidates=False)

    async def job() -> BoardJob:
        async with replay_slot(request, version // costs.PATCHED_VERSIONS_PER_TOKEN):
            earlier = await at_version(context, asked.game, version)
        answer = context.tilesets.get_for_game(earlier.game.tileset).response
        return BoardJob(answer, earlier.game, [], options, asked.form)

    caching = board_caching(private=asked.private, unchanging=not asked.options.candidates)
    return await send(request, asked.picture(f"{version}-{diffs[0].digest}", options, caching), job)


ROUTES = (_board("svg"), _board("png"), _board("txt"))
