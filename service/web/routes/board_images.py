"""`GET /v1/games/{id}/board.svg`, `.png` and `.txt`. Source: R8.5."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from aiohttp import web

from schemas.game import GameView
from service.drawing.scene import BoardOptions
from service.engine import build_view, legal_moves
from service.games.context import Context
from service.games.history.verify import upgrade_state
from service.games.ports.game_store import GameRecord, StoredDiff, UnreadableGame
from service.games.queries.games import load_digest, load_for_reader
from service.games.queries.legal_moves import is_repeated, move_sort_key
from service.games.repository import decode_with_index, read_log
from service.json_patch import apply_patch
from service.web.app_keys import CONTEXT
from service.web.errors import NoSuchVersion
from service.web.headers.bearer_tokens import parse_bearer_token
from service.web.headers.negotiation import negotiate_language
from service.web.images.jobs import BoardJob, ImageFormat
from service.web.images.queries import BoardQuery, TextQuery, board_options
from service.web.images.responses import (
    ImageRequest,
    board_cache_headers,
    image_response,
    image_responses,
    parse_image_format,
)
from service.web.parsing import get_path_id, read_query
from service.web.ratelimit.client_charge import ClientCharge
from service.web.routing import GAME_ID, Route


class _Diff(msgspec.Struct):
    patch: list[dict[str, Any]]


async def load_past_version(context: Context, game: str, version: int) -> GameView:
    """Load GAME at an earlier version, upgraded to this release's fields. Raises UnreadableGame for a damaged log."""
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
    return msgspec.convert(upgrade_state(state), GameView)


OPERATIONS: dict[ImageFormat, tuple[str, str]] = {
    "svg": ("readBoardSvg", "Read the board as SVG"),
    "png": ("readBoardPng", "Read the board as PNG"),
    "txt": ("readBoardText", "Read the board as text"),
}


async def read_board(request: web.Request) -> web.Response:
    """Return a picture of the board, with public information only.

    With `v` the picture of that version never changes. It may be the game's version or an earlier one; earlier
    versions have no legal moves to number. A version that the game has not reached is `not_found`. The words of
    `board.txt`, and the `aria-label` of `board.svg`, are in the language of `Accept-Language`.
    """
    context, game, image_format = request.app[CONTEXT], get_path_id(request), parse_image_format(request)
    query = read_query(request, _query_type(image_format))
    options = board_options(query)
    has_words = image_format != "png"
    if has_words:
        options = options._replace(language=negotiate_language(request))
    record, private = await load_for_reader(context, game, parse_bearer_token(request))
    if query.v is None or query.v == record.version:
        version, digest, immutable = record.version, record.digest, query.v is not None
        make_job = partial(_make_current_job, context, record, options, image_format)
    else:
        if not 0 < query.v < record.version:
            raise NoSuchVersion(query.v, record.version)
        # With numbered moves it is not immutable: the current version had numbers under the same URL. The digest is
        # enough for the entity tag; the game is replayed only if the picture must be drawn.
        version, digest, immutable = query.v, await load_digest(context, game, query.v), not options.number_moves
        options = options._replace(number_moves=False)
        make_job = partial(_make_past_job, request, version, options, image_format)
    cache_headers = board_cache_headers(private=private, immutable=immutable)
    subject, language = f"{version}-{digest} {options}", options.language if has_words else None
    image = ImageRequest(subject, image_format, options.width, cache_headers, make_job, language)
    return await image_response(request, image)


def _query_type(image_format: ImageFormat) -> type[BoardQuery]:
    return TextQuery if image_format == "txt" else BoardQuery


async def _make_current_job(
    context: Context, record: GameRecord, options: BoardOptions, image_format: ImageFormat
) -> BoardJob:
    index, game = decode_with_index(context.tilesets, record)
    moves = sorted(legal_moves(index, game), key=move_sort_key) if options.number_moves else []
    shown = [None if is_repeated(index, game, move) else move for move in moves]
    tileset = context.tilesets.get(game.tileset).response
    return BoardJob(tileset, build_view(index, game), shown, options, image_format)


async def _make_past_job(
    request: web.Request, version: int, options: BoardOptions, image_format: ImageFormat
) -> BoardJob:
    context = request.app[CONTEXT]
    async with ClientCharge.of_request(request).replay_slot():
        past = await load_past_version(context, get_path_id(request), version)
    return BoardJob(context.tilesets.get(past.tileset).response, past, [], options, image_format)


ROUTES = tuple(
    Route(
        "GET",
        f"/v1/games/{GAME_ID}/board.{image_format}",
        operation_id=operation,
        summary=summary,
        tag="playing",
        access="reads",
        query=_query_type(image_format),
        headers=("If-None-Match", "Accept-Language") if image_format != "png" else ("If-None-Match",),
        responses=image_responses(image_format, has_words=image_format != "png"),
        problems=("not_found",),
        handler=read_board,
    )
    for image_format, (operation, summary) in OPERATIONS.items()
)
