"""The cards that chats show for a link to a game: who plays, how it stands, and a picture of its board.

Their words are the Open Graph protocol's (ogp.me), with that of Twitter which asks for a large picture.
"""

from html import escape

from aiohttp import web

from service.drawing.game_picture import board_size
from service.drawing.scene import BoardOptions, Region, bounding_region, make_scene, parse_cell
from service.engine.view import build_view
from service.games.context import Context
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.ports.game_store import GameRecord, StoreUnavailable
from service.games.queries.games import load_for_reader
from service.games.repository import decode_with_index
from service.i18n import Language, describe_status, get_translator
from service.web.app_keys import CONTEXT

__all__ = ["load_card"]

NAME = "South Seas"
WIDTH = 1000
"""In pixels: large enough for a large card, small enough for WhatsApp, which ignores pictures of more than 300 KB."""


async def load_card(request: web.Request, game: str, language: Language) -> str:
    """Return the card of a public game as elements for a head; empty for every other, and while none can be read."""
    context = request.app[CONTEXT]
    try:
        record, private = await load_for_reader(context, game, None)
        return "" if private else _make_card(context, record, language, _origin(request))
    except (NoSuchGame, StoreUnavailable, TileSetMissing):  # the page says so
        return ""


def _make_card(context: Context, record: GameRecord, language: Language, origin: str) -> str:
    index, game = decode_with_index(context.tilesets, record)
    translator, tileset = get_translator(language), context.tilesets.get(game.tileset).tileset
    names = [player.name for player in game.players if player.name is not None]
    view, status = build_view(index, game), describe_status(translator, index, game)
    region = _widen(bounding_region(map(parse_cell, view.board)))
    width, height = board_size(make_scene(view, tileset, []), BoardOptions(WIDTH, region, sidebar=True))
    options = f"side=true&width={WIDTH}&region={','.join(map(str, region))}&v={game.version}"
    card = {
        "og:type": "website",
        "og:site_name": NAME,
        "og:title": f"{translator.join_list(names)} · {NAME}",
        "og:description": status,
        "og:url": f"{origin}/games/{game.id}",
        "og:image": f"{origin}/v1/games/{game.id}/board.png?{options}",
        "og:image:type": "image/png",
        "og:image:width": str(width),
        "og:image:height": str(height),
        "og:image:alt": status,
        "twitter:card": "summary_large_image",
    }
    return "".join(f'<meta property="{name}" content="{escape(text)}" />' for name, text in card.items())


def _widen(region: Region) -> Region:
    """Return the region, but at least as wide as it is high: of a higher picture chats show a part."""
    missing = max(0, region.rows - region.columns)
    return region._replace(west=region.west - missing // 2, east=region.east + missing - missing // 2)


def _origin(request: web.Request) -> str:
    """Return the service's origin as its clients see it: a proxy that ends TLS says so."""
    is_secure = request.secure or request.headers.get("X-Forwarded-Proto") == "https"
    return f"{'https' if is_secure else 'http'}://{request.host}"
