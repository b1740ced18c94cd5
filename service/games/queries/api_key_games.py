"""The games that were created with an API key."""

from functools import partial
from typing import NamedTuple

from schemas.game import GameSummary
from schemas.lobby import Games
from schemas.vocabulary import Status
from service.engine import build_view
from service.games.access import subject_of_key
from service.games.context import Context
from service.games.queries.lobby import collect_page, summarize
from service.games.repository import decode_with_index, read_access

__all__ = ["ApiKeyGamesQuery", "list_api_key_games"]


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
    show = partial(_load_summary, context, wanted)
    games, next_cursor, scanned = await collect_page(read_page, show, wanted.limit, wanted.cursor)
    return Games(games=games, next_cursor=next_cursor), scanned


async def _load_summary(context: Context, wanted: ApiKeyGamesQuery, game_id: str) -> GameSummary | None:
    """Load an indexed game; None if it is not the key's, or not requested: the index may be stale."""
    loaded = await context.store.load(game_id)
    if loaded is None:
        await context.store.unindex_missing([subject_of_key(wanted.key)], game_id)
        return None
    if read_access(loaded).api_key != wanted.key:
        return None
    view = build_view(*decode_with_index(context.tilesets, loaded))
    return summarize(view) if wanted.status in (None, view.status) else None
