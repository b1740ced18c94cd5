"""`GET /v1/games/{id}/board.svg`, `.png` and `.txt`. Source: api.md, "Asking without moving"; R8.5."""

from collections.abc import Mapping
from typing import NamedTuple

from aiohttp import web

from service.engine import build_view, legal_moves
from service.games.ports import GameRecord, UnreadableGame
from service.games.queries.games import decode_with_index, load_for_reader, move_sort_key
from service.web.app_keys import CONTEXT
from service.web.connections.limiter import get_client_address
from service.web.drawing.scene import BoardOptions
from service.web.errors import NoSuchVersion
from service.web.images.jobs import BoardJob, ImageFormat
from service.web.images.past_versions import load_past_version
from service.web.images.queries import BoardQuery, TextQuery, board_options
from service.web.images.responses import ImageRequest, board_cache_headers, image_response, image_responses
from service.web.parsing import get_path_id, parse_bearer_token, read_query
from service.web.ratelimit import costs
from service.web.ratelimit.limiter import CHARGE
from service.web.ratelimit.request_charges import acquire_replay_slot
from service.web.routing import GAME_ID, Handler, Route

OPERATIONS: dict[ImageFormat, tuple[str, str]] = {
    "svg": ("readBoardSvg", "Read the board as SVG"),
    "png": ("readBoardPng", "Read the board as PNG"),
    "txt": ("readBoardText", "Read the board as text"),
}


class BoardRequest(NamedTuple):
    """A request for a picture of a board."""

    game: str
    record: GameRecord
    private: bool
    options: BoardOptions
    image_format: ImageFormat

    def image_request(self, state: str, options: BoardOptions, cache_headers: Mapping[str, str]) -> ImageRequest:
        """Return the image request for one of the game's states."""
        return ImageRequest(f"{state} {options}", self.image_format, options.width, cache_headers)


def _board_route(image_format: ImageFormat) -> Route:
    operation, summary = OPERATIONS[image_format]
    declare = Route(
        "GET",
        f"/v1/games/{GAME_ID}/board.{image_format}",
        operation_id=operation,
        summary=summary,
        tag="playing",
        access="reads",
        query=_query_type(image_format),
        headers=("If-None-Match",),
        responses=image_responses(image_format),
        problems=("not_found",),
    )
    return declare(_board_handler(image_format))


def _query_type(image_format: ImageFormat) -> type[BoardQuery]:
    return TextQuery if image_format == "txt" else BoardQuery


def _board_handler(image_format: ImageFormat) -> Handler:
    async def read_board(request: web.Request) -> web.Response:
        """Return a picture of the board, with public information only.

        With `v` the picture of that version never changes. It may be the game's version or an earlier one; earlier
        versions have no legal moves to number. A version that the game has not reached is `not_found`.
        """
        query = read_query(request, _query_type(image_format))
        options = board_options(query)
        game = get_path_id(request)
        record, private = await load_for_reader(request.app[CONTEXT], game, parse_bearer_token(request))
        board = BoardRequest(game, record, private, options, image_format)
        if query.v is None or query.v == record.version:
            return await _current_board(request, board, immutable=query.v is not None)
        return await _past_board(request, board, query.v)

    return read_board


async def _current_board(request: web.Request, board: BoardRequest, *, immutable: bool) -> web.Response:
    """Return the picture of the game's current version."""
    context, record = request.app[CONTEXT], board.record

    async def make_job() -> BoardJob:
        index, game = decode_with_index(context, record)
        moves = sorted(legal_moves(index, game), key=move_sort_key) if board.options.number_moves else []
        tileset = context.tilesets.get_for_game(game.tileset).response
        return BoardJob(tileset, build_view(index, game), moves, board.options, board.image_format)

    cache_headers = board_cache_headers(private=board.private, immutable=immutable)
    return await image_response(
        request, board.image_request(f"{record.version}-{record.digest}", board.options, cache_headers), make_job
    )


async def _past_board(request: web.Request, board: BoardRequest, version: int) -> web.Response:
    """Return the picture of an earlier version.

    With numbered moves it is not immutable: the current version had numbers under the same URL. The game is replayed
    only if the picture must be drawn; otherwise the version's diff, which has the digest, is enough.
    """
    context = request.app[CONTEXT]
    if not 0 < version < board.record.version:
        raise NoSuchVersion(version, board.record.version)
    diffs = await context.store.load_diffs(board.game, version - 1, 1)
    if not diffs or diffs[0].version != version:
        raise UnreadableGame(f"the log lacks version {version}")
    options = board.options._replace(number_moves=False)

    async def make_job() -> BoardJob:
        tokens = version // costs.PATCHED_VERSIONS_PER_TOKEN
        async with acquire_replay_slot(request.app, get_client_address(request), request.get(CHARGE), tokens):
            past = await load_past_version(context, board.game, version)
        tileset = context.tilesets.get_for_game(past.game.tileset).response
        return BoardJob(tileset, past.game, [], options, board.image_format)

    cache_headers = board_cache_headers(private=board.private, immutable=not board.options.number_moves)
    return await image_response(
        request, board.image_request(f"{version}-{diffs[0].digest}", options, cache_headers), make_job
    )


ROUTES = (_board_route("svg"), _board_route("png"), _board_route("txt"))
