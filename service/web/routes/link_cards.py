"""The cards that chats show for a link to a game: who plays, how it stands, and a picture of its board.

Their words are the Open Graph protocol's (ogp.me), with that of Twitter which asks for a large picture. A card names
the host of its request, as pictures need an absolute URL, so no shared cache may store it.
"""

import asyncio
from html import escape

from aiohttp import hdrs, web

from service.drawing.game_picture import board_size
from service.drawing.scene import MAX_REGION_SIDE, BoardOptions, Region, bounding_region, make_scene, parse_cell
from service.engine.view import build_view
from service.games.context import Context
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.ports.game_store import GameRecord, StoreUnavailable
from service.games.queries.games import load_for_reader
from service.games.repository import decode_with_index
from service.i18n import Language, describe_hidden_game, describe_status, get_translator, title_game
from service.web.app_keys import CONTEXT

__all__ = ["load_card"]

WIDTH = 1000
"""In pixels: large enough for a large card, small enough for WhatsApp, which ignores pictures of more than 300 KB."""
ICON, ICON_SIZE = "icon-512.png", "512"
PATIENCE_S = 1
"""How long the page waits for the game of its card: whoever opens it does not need one."""


async def load_card(request: web.Request, game: str, language: Language) -> str:
    """Return a link's card as elements for a head: of a public game, or one that says nothing of any game.

    The latter stands for a private game and for no game alike, and for one that cannot be read now, or not soon.
    """
    context, host = request.app[CONTEXT], request.headers.get(hdrs.HOST)
    if not host:  # HTTP/1.0: no URL can be absolute
        return ""
    origin = f"{_scheme(request)}://{host}"
    try:
        async with asyncio.timeout(PATIENCE_S):
            record, _ = await load_for_reader(context, game, None)
        card = _make_card(context, record, language, origin)
    except (NoSuchGame, StoreUnavailable, TileSetMissing, TimeoutError):  # the page says so
        card = _make_plain_card(language, origin)
    return "".join(f'<meta property="{name}" content="{escape(text)}" />' for name, text in card.items())


def _make_card(context: Context, record: GameRecord, language: Language, origin: str) -> dict[str, str]:
    index, game = decode_with_index(context.tilesets, record)
    translator, tileset = get_translator(language), context.tilesets.get(game.tileset).tileset
    names = [player.name for player in game.players if player.name is not None]
    view, status = build_view(index, game), describe_status(translator, index, game)
    region = _shown_region(bounding_region(map(parse_cell, view.board)))
    shown = "fit" if region is None else ",".join(map(str, region))
    width, height = board_size(make_scene(view, tileset, []), BoardOptions(WIDTH, region, sidebar=True))
    return {
        "og:type": "website",
        "og:title": title_game(translator, names),
        "og:description": status,
        "og:url": f"{origin}/games/{game.id}",
        "og:image": f"{origin}/v1/games/{game.id}/board.png?side=true&width={WIDTH}&region={shown}&v={game.version}",
        "og:image:type": "image/png",
        "og:image:width": str(width),
        "og:image:height": str(height),
        "og:image:alt": status,
        "twitter:card": "summary_large_image",
    }


def _make_plain_card(language: Language, origin: str) -> dict[str, str]:
    """Return a card without the game's address, which would tell one card from another."""
    translator = get_translator(language)
    return {
        "og:type": "website",
        "og:title": title_game(translator, ()),
        "og:description": describe_hidden_game(translator),
        "og:image": f"{origin}/{ICON}",
        "og:image:type": "image/png",
        "og:image:width": ICON_SIZE,
        "og:image:height": ICON_SIZE,
        "twitter:card": "summary",
    }


def _shown_region(board: Region) -> Region | None:
    """Return a board's region, but at least as wide as it is high: of a higher picture chats show a part.

    Return None, which is all of the board, if that is larger than a picture's region may be.
    """
    if max(board.columns, board.rows) > MAX_REGION_SIDE:
        return None
    missing = max(0, board.rows - board.columns)
    return board._replace(west=board.west - missing // 2, east=board.east + missing - missing // 2)


def _scheme(request: web.Request) -> str:
    """Return the scheme that the client used: a proxy that ends TLS says so."""
    return "https" if request.secure or request.headers.get("X-Forwarded-Proto") == "https" else "http"
