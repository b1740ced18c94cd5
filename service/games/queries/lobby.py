"""The lobby, the games of an API key, and pages of any list of games."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from schemas.game import GameSummary, GameView
from schemas.lobby import Games
from schemas.vocabulary import STATUSES, Status
from service.engine import build_view
from service.games.access import subject_of_key
from service.games.context import Context
from service.games.errors import TileSetMissing
from service.games.game_failures import record_failure
from service.games.ports.game_store import GameOfLaterRelease, Page, StoreUnavailable, UnreadableGame
from service.games.repository import decode_with_index, read_access

T = TypeVar("T")

MAX_GAMES_SCANNED = 200
"""Games that one request for a list loads; with a narrow filter its page may be short."""


async def list_games(context: Context, status: Status | None, limit: int, cursor: str | None) -> tuple[Games, int]:
    """Return a page of public games, newest first, and how many were loaded.

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

    Return also the cursor of the next page, and how many games were loaded. Raises StoreUnavailable, and
    GameOfLaterRelease where the page would be empty because this instance is too old for its games.
    """
    entries: list[T] = []
    scanned, too_new = 0, None
    while True:
        page = await read_page(limit - len(entries), cursor)
        cursor, scanned = page.next_cursor, scanned + len(page.games)
        for shown in await asyncio.gather(*(_await_entry(game, show(game)) for game in page.games)):
            if isinstance(shown, GameOfLaterRelease):
                too_new = shown
            elif shown is not None:
                entries.append(shown)
        if len(entries) >= limit or cursor is None or scanned >= MAX_GAMES_SCANNED:
            if too_new and not entries:
                raise too_new
            return entries, cursor, scanned


async def _await_entry(game: str, reading: Awaitable[T | None]) -> T | GameOfLaterRelease | None:
    """Await a game's entry in a list; return why, or None, if it cannot be shown. Raises StoreUnavailable."""
    try:
        return await reading
    except GameOfLaterRelease as error:
        return error
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
        whole = build_view(*decode_with_index(context.tilesets, loaded))
        if whole.status in statuses:
            return summarize(whole)
    for status in statuses:
        await context.store.unlist(game, status)
    return None


def summarize(whole: GameView) -> GameSummary:
    """Return a game's entry in lists."""
    return GameSummary(**{name: getattr(whole, name) for name in GameSummary.__struct_fields__})


class ApiKeyGamesQuery(NamedTuple):
    """Which of a key's games to list."""

    key: str
    """The key's name."""
    status: Status | None
    limit: int
    cursor: str | None


async def list_api_key_games(context: Context, wanted: ApiKeyGamesQuery) -> tuple[Games, int]:
    """Return a page of a key's games, newest first, private ones too, and how many were loaded.

    Raises Malformed for an invalid cursor.
    """
    read_page = partial(context.store.list_by_keys, [subject_of_key(wanted.key)])
    show = partial(_load_summary_of_key, context, wanted)
    games, next_cursor, scanned = await collect_page(read_page, show, wanted.limit, wanted.cursor)
    return Games(games=games, next_cursor=next_cursor), scanned


async def _load_summary_of_key(context: Context, wanted: ApiKeyGamesQuery, game_id: str) -> GameSummary | None:
    """Load an indexed game; None if it is not the key's, or not requested: the index may be stale."""
    loaded = await context.store.load(game_id)
    if loaded is None:
        await context.store.unindex_missing([subject_of_key(wanted.key)], game_id)
        return None
    if read_access(loaded).api_key != wanted.key:
        return None
    view = build_view(*decode_with_index(context.tilesets, loaded))
    return summarize(view) if wanted.status in (None, view.status) else None
