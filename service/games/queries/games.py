"""Queries of games: GAME, legal moves, diffs, scores, tiles left, and the lobby. Queries never change a game."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from schemas.actions import Action, Move, PlaceIslander, PlaceTile, RetrieveIslander
from schemas.commands import CellChoice, LegalMoves, NextDecision
from schemas.diffs import Diffs
from schemas.game import GameSummary, GameView
from schemas.lobby import Games
from schemas.scores import Scores, TilesLeft
from schemas.vocabulary import STATUSES, Status
from service.engine import Game, TileSetIndex, build_view, legal_moves
from service.engine.queries import islander_values, player_scores, tiles_left
from service.engine.tileset_index import unpack_cell
from service.games.access import authenticate, authorize_read, hash_token, index_key
from service.games.context import Context
from service.games.errors import Malformed, TileSetMissing
from service.games.game_failures import record_failure
from service.games.i18n import ENGLISH, Language, Translator, describe_cell, describe_move, get_translator
from service.games.ports import GameRecord, Page, StoreUnavailable, UnreadableGame
from service.games.repository import decode_game, load_game, read_access

T = TypeVar("T")

MAX_DIFFS = 1000

MAX_GAMES_SCANNED = 200
"""Games that one request for a list loads; with a narrow filter its page may be short."""


class MoveFilter(NamedTuple):
    """A filter of the legal moves; by default it selects all."""

    stage: str | None = None
    x: int | None = None
    y: int | None = None
    q: str | None = None
    limit: int | None = None
    cursor: str | None = None


async def load_for_reader(context: Context, game: str, token: str | None) -> tuple[GameRecord, bool]:
    """Load a game, still encoded, and return it and whether it is private. Raises NoSuchGame, Unauthorized."""
    loaded, access = await load_game(context, game)
    authorize_read(access, game, token)
    return loaded, access.visibility == "private"


async def load_digest(context: Context, game: str, version: int) -> str:
    """Load the digest of a version from the log. Raises UnreadableGame."""
    diffs = await context.store.load_diffs(game, version - 1, 1)
    if not diffs or diffs[0].version != version:
        raise UnreadableGame(f"its log does not hold version {version}")
    return diffs[0].digest


async def is_valid_token(context: Context, game: str | None, token: str) -> bool:
    """Return whether a token is one of a game's, or, without a game, whether any game is indexed under it."""
    if game is None:
        return await is_known_secret(context, [hash_token(token)])
    loaded = await context.store.load(game)
    if loaded is None:
        return False
    return authenticate(read_access(loaded), token) is not None


async def is_known_secret(context: Context, hashes: Sequence[bytes]) -> bool:
    """Return whether any game is indexed under one of these hashes."""
    return bool((await context.store.list_by_keys([index_key(one, None) for one in hashes], 1, None)).games)


def decode_with_index(context: Context, loaded: GameRecord) -> tuple[TileSetIndex, Game]:
    """Decode a loaded game, and return it with its tile set's index. Raises TileSetMissing, UnreadableGame."""
    game = decode_game(loaded)
    return context.tilesets.get_for_game(game.tileset).index, game


def decode_view(context: Context, loaded: GameRecord) -> GameView:
    """Decode a loaded game and return GAME."""
    return build_view(*decode_with_index(context, loaded))


def next_decision(game: Game) -> NextDecision:
    """Return who must decide now."""
    if game.status != "active":
        return NextDecision(seat=None, phase=None)
    return NextDecision(seat=game.decider, phase=game.phase)


def list_legal_moves(
    index: TileSetIndex,
    game: Game,
    move_filter: MoveFilter = MoveFilter(),  # noqa: B008 (a NamedTuple)
    language: Language = ENGLISH,
) -> LegalMoves:
    """Return the legal moves that a filter selects, with their texts in a language. Raises Malformed."""
    actions = sorted(legal_moves(index, game), key=move_sort_key)
    spoken = get_translator(language)
    moves = [describe_move(spoken, index, game, action) for action in actions]
    if move_filter.x is not None or move_filter.y is not None:
        moves = [move for move in moves if _matches_cell(_cell_of(game, move.action), move_filter.x, move_filter.y)]
    if move_filter.q is not None:
        moves = [move for move in moves if move_filter.q.casefold() in move.text.casefold()]
    decision = next_decision(game)
    cells: list[CellChoice] | None = None
    if move_filter.stage == "cell":
        cells, cursor = _page([*_cell_choices(spoken, game, moves)], move_filter)
        moves = []
    else:
        moves, cursor = _page(moves, move_filter)
    return LegalMoves(
        version=game.version,
        digest=game.digest,
        language=language,
        seat=decision.seat,
        phase=decision.phase,
        moves=moves,
        cells=cells,
        next_cursor=cursor,
    )


def compute_scores(index: TileSetIndex, game: Game) -> Scores:
    """Return the scores if the game ended now (R8.3), and what each islander is worth (R8.4)."""
    return Scores(version=game.version, players=player_scores(index, game), islanders=islander_values(index, game))


def count_tiles_left(index: TileSetIndex, game: Game) -> TilesLeft:
    """Return the tiles left in the bag (R8.1)."""
    return TilesLeft(version=game.version, bag=len(game.bag), tiles=tiles_left(index, game))


async def list_diffs(context: Context, loaded: GameRecord, game: str, since: int, limit: int) -> Diffs[msgspec.Raw]:
    """Return the diffs after version `since`, up to the loaded version."""
    number = min(limit, MAX_DIFFS, loaded.version - since)
    entries = await context.store.load_diffs(game, since, number) if number > 0 else []
    return Diffs(version=loaded.version, digest=loaded.digest, diffs=[msgspec.Raw(entry.data) for entry in entries])


async def list_games(context: Context, status: Status | None, limit: int, cursor: str | None) -> tuple[Games, int]:
    """Return a page of public games, newest first, and how many were loaded. Raises Malformed for an invalid cursor.

    The store's list may be stale: games without this status are skipped and removed from it, so a page may be short.
    """
    statuses = (status,) if status else STATUSES
    read_page, show = partial(context.store.list_by_status, statuses), partial(_load_summary, context, statuses)
    games, next_cursor, scanned = await collect_page(read_page, show, limit, cursor)
    return Games(games=games, next_cursor=next_cursor), scanned


async def collect_page(
    read_page: Callable[[int, str | None], Awaitable[Page]],
    show: Callable[[str], Awaitable[T | None]],
    limit: int,
    cursor: str | None,
) -> tuple[list[T], str | None, int]:
    """Return what `show` returns for the games of a list, without None, up to `limit` of them.

    Return also the cursor of the next page, and how many games were loaded. Raises Malformed for an invalid cursor.
    """
    entries: list[T] = []
    scanned = 0
    while True:
        try:
            page = await read_page(limit - len(entries), cursor)
        except ValueError as error:
            raise Malformed("this cursor is invalid", "cursor") from error
        cursor, scanned = page.next_cursor, scanned + len(page.games)
        shown = await asyncio.gather(*(_await_entry(game, show(game)) for game in page.games))
        entries += [one for one in shown if one is not None]
        if len(entries) >= limit or cursor is None or scanned >= MAX_GAMES_SCANNED:
            return entries, cursor, scanned


async def _await_entry(game: str, reading: Awaitable[T | None]) -> T | None:
    """Await a game's entry in a list; return None if it cannot be shown. Raises StoreUnavailable."""
    try:
        return await reading
    except (TileSetMissing, UnreadableGame):
        return None
    except StoreUnavailable:
        raise
    except Exception as error:  # noqa: BLE001  one game that cannot be shown must not hide all others
        record_failure("lists", game, error, "is omitted from a list")
        return None


async def _load_summary(context: Context, statuses: Sequence[Status], game: str) -> GameSummary | None:
    """Return a listed game, or None for one that is private or has none of these statuses; that is then unlisted."""
    loaded = await context.store.load(game)
    if loaded is not None and read_access(loaded).visibility == "public":
        whole = decode_view(context, loaded)
        if whole.status in statuses:
            return summarize(whole)
    for status in statuses:
        await context.store.unlist(game, status)
    return None


def summarize(whole: GameView) -> GameSummary:
    """Return a game's entry in lists."""
    return GameSummary(**{name: getattr(whole, name) for name in GameSummary.__struct_fields__})


def move_sort_key(action: Action) -> tuple[int, int, int]:
    """Return the sort key by which moves are listed: from north to south, then from west to east."""
    match action:
        case PlaceTile(x, y, rotation):
            return y, x, rotation
        case RetrieveIslander(x, y, segment):
            return y, x, segment
        case _:
            return 0, 0, 0


def _cell_of(game: Game, action: Action) -> tuple[int, int] | None:
    """Return the cell of a move; deliveries and passes have none."""
    match action:
        case PlaceTile(x, y) | RetrieveIslander(x, y):
            return x, y
        case PlaceIslander():
            return unpack_cell(game.cells[-1])
        case _:
            return None


def _matches_cell(cell: tuple[int, int] | None, x: int | None, y: int | None) -> bool:
    return cell is not None and x in (None, cell[0]) and y in (None, cell[1])


def _cell_choices(spoken: Translator, game: Game, moves: Sequence[Move]) -> Iterator[CellChoice]:
    numbers: dict[tuple[int, int], int] = {}
    for move in moves:
        cell = _cell_of(game, move.action)
        if cell is not None:
            numbers[cell] = numbers.get(cell, 0) + 1
    for (x, y), number in numbers.items():
        yield CellChoice(x=x, y=y, text=describe_cell(spoken, x, y, number))


def _page(items: list[T], move_filter: MoveFilter) -> tuple[list[T], str | None]:
    """Return a page of a list; the cursor is the number of items before it."""
    begin = 0
    if move_filter.cursor is not None:
        if not move_filter.cursor.isdecimal() or not move_filter.cursor.isascii() or len(move_filter.cursor) > 6:
            raise Malformed("this cursor is invalid", "cursor")
        begin = int(move_filter.cursor)
    if move_filter.limit is None:
        return items[begin:], None
    end = begin + move_filter.limit
    return items[begin:end], str(end) if end < len(items) else None
