"""`GET /v1/games/{id}/board.svg`, `.png` and `.txt`. Source: R8.5."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, ClassVar

import msgspec
from aiohttp import web
from msgspec import Meta

from schemas.base import Query
from schemas.game import GameView
from schemas.vocabulary import Count
from service.drawing.scene import DEFAULT_WIDTH, MAX_REGION_SIDE, BoardOptions, Region
from service.engine import build_view, legal_moves
from service.games.legal_moves import is_repeated, move_sort_key
from service.games.ports import StoredDiff, StoredGame, UnreadableGame
from service.games.queries import load_digest, load_for_reader
from service.games.repository import Context, open_game, read_log
from service.i18n import ENGLISH, Language
from service.json_patch import apply_patch
from service.web import images
from service.web.app import CONTEXT, HttpRequest
from service.web.headers import PreferredLanguage
from service.web.problems import NoSuchVersion
from service.web.renderer import DrawingJob, ImageFormat, board_job
from service.web.routing import GameRead, Route


class _Diff(msgspec.Struct):
    patch: list[dict[str, Any]]


async def load_past_version(context: Context, game: str, version: int) -> GameView:
    """Load GAME at an earlier version. Raises UnreadableGame for a damaged log."""
    log = await read_log(context.store, game, version)
    if len(log) < version:
        raise UnreadableGame(f"the log has {len(log)} versions of {version}")
    try:
        return await asyncio.to_thread(_replay, log)
    except (msgspec.DecodeError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableGame(f"the log does not give GAME: {type(error).__name__}: {error}") from error


def _replay(log: Sequence[StoredDiff]) -> GameView:
    diffs = [msgspec.json.decode(entry.data, type=_Diff) for entry in log]
    state = apply_patch({}, [operation for diff in diffs for operation in diff.patch])
    return msgspec.convert(state, GameView)


DEFAULT_COLUMNS = 120


class BoardQuery(Query, frozen=True):
    """Options of a picture of a board."""

    width: images.Width = DEFAULT_WIDTH
    region: Annotated[
        str,
        Meta(
            pattern=r"^(fit|-?[0-9]{1,4}(,-?[0-9]{1,4}){3})(?!\n)$",
            description="`fit` for all tiles, or `x0,y0,x1,y1`: the cells at two corners. From the north-western "
            f"corner on, at most {MAX_REGION_SIDE} columns and rows are used.",
            examples=["-2,-2,2,2"],
        ),
    ] = "fit"
    coordinates: Annotated[bool, Meta(description="Whether to show the coordinates at the edges.")] = False
    last: Annotated[bool, Meta(description="Whether to outline the last tile placed.")] = True
    side: Annotated[
        bool, Meta(description="Whether to show the drawn tile, the display and the players beside the board.")
    ] = False
    candidates: Annotated[
        bool, Meta(description="Whether to number the legal moves in the order of their list, from 1.")
    ] = False
    theme: images.ThemeParameter = "light"
    v: Annotated[Count, Meta(description="The game's version; the picture of a version never changes.")] | None = None


class TextQuery(BoardQuery, frozen=True):
    """Options of a board as text; the theme has no effect."""

    width: Annotated[
        int,
        Meta(
            ge=16,
            le=images.MAX_INT32,
            description="The width in columns: tiles are 11 by 5 characters if they fit, else 5 by 3.",
        ),
    ] = DEFAULT_COLUMNS


class BoardPng(GameRead, frozen=True, kw_only=True):
    """A request for a picture of the board, which has no words."""

    image_format: ClassVar[ImageFormat] = "png"
    query: BoardQuery = BoardQuery()
    language: Language | None = None


class BoardSvg(BoardPng, frozen=True, kw_only=True):
    """A request for a picture of the board, with a label."""

    image_format: ClassVar[ImageFormat] = "svg"
    language: PreferredLanguage = ENGLISH


class BoardText(BoardSvg, frozen=True, kw_only=True):
    """A request for the board as text."""

    image_format: ClassVar[ImageFormat] = "txt"
    query: TextQuery = TextQuery()


async def read_board(request: HttpRequest, params: BoardPng) -> web.Response:
    """Return a picture of the board, with public information only.

    With `v` the picture of that version never changes. It may be the game's version or an earlier one; earlier
    versions have no legal moves to number. A version that the game has not reached is `not_found`. The words of
    `board.txt`, and the `aria-label` of `board.svg`, are in the language of `Accept-Language`.
    """
    context, query, image_format = request.app[CONTEXT], params.query, params.image_format
    options = _board_options(query)
    if params.language is not None:
        options = options._replace(language=params.language)
    record = await load_for_reader(context, params.id, params.token)
    private = record.is_private
    if query.v is None or query.v == record.revision.version:
        version, digest, immutable = record.revision.version, record.revision.digest.hex(), query.v is not None
        make_job = partial(_make_current_job, context, record, options, image_format)
    else:
        if not 0 < query.v < record.revision.version:
            raise NoSuchVersion(query.v, record.revision.version)
        # With numbered moves it is not immutable: the current version had numbers under the same URL. The digest is
        # enough for the entity tag; the game is replayed only if the picture must be drawn.
        version, digest, immutable = query.v, await load_digest(context, params.id, query.v), not options.number_moves
        options = options._replace(number_moves=False)
        make_job = partial(_make_past_job, request, params, version, options)
    cache_headers = images.board_cache_headers(private=private, immutable=immutable)
    subject = f"{version}-{digest} {options}"
    image = images.ImageRequest(subject, image_format, options.width, cache_headers, make_job, params.language)
    return await images.image_response(request, image)


def _board_options(query: BoardQuery) -> BoardOptions:
    """Return the drawing options for a query."""
    return BoardOptions(
        width=min(query.width, images.MAX_WIDTH_PX),
        region=_parse_region(query.region),
        coordinates=query.coordinates,
        outline_last=query.last,
        sidebar=query.side,
        number_moves=query.candidates,
        theme=query.theme,
    )


def _parse_region(text: str) -> Region | None:
    if text == "fit":
        return None
    first_x, first_y, second_x, second_y = map(int, text.split(","))
    west, north = min(first_x, second_x), min(first_y, second_y)
    east, south = max(first_x, second_x), max(first_y, second_y)
    return Region(west, north, min(east, west + MAX_REGION_SIDE - 1), min(south, north + MAX_REGION_SIDE - 1))


async def _make_current_job(
    context: Context, record: StoredGame, options: BoardOptions, image_format: ImageFormat
) -> DrawingJob:
    index, game = open_game(context.tilesets, record)
    moves = sorted(legal_moves(index, game), key=move_sort_key) if options.number_moves else []
    shown = [None if is_repeated(index, game, move) else move for move in moves]
    tileset = context.tilesets.get(game.tileset).response
    return board_job(tileset, build_view(index, game), shown, options, image_format)


async def _make_past_job(request: HttpRequest, params: BoardPng, version: int, options: BoardOptions) -> DrawingJob:
    context = request.app[CONTEXT]
    async with params.charge.replay_slot():
        past = await load_past_version(context, params.id, version)
    return board_job(context.tilesets.get(past.tileset).response, past, [], options, params.image_format)


ROUTES = tuple(
    Route(
        "GET",
        f"/v1/games/{{id}}/board.{kind.image_format}",
        summary,
        str if kind is BoardText else bytes,
        "The picture.",
        tag="playing",
        operation_id=operation_id,
        media_type=images.MEDIA_TYPES[kind.image_format],
        problems=("instance_unavailable",),
        request_type=kind,
        handler=read_board,
    )
    for kind, operation_id, summary in (
        (BoardSvg, "readBoardSvg", "Read the board as SVG"),
        (BoardPng, "readBoardPng", "Read the board as PNG"),
        (BoardText, "readBoardText", "Read the board as text"),
    )
)
