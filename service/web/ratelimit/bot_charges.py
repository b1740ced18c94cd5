"""Who pays for bots that think: whoever's action they follow, and whoever creates a game that nobody plays.

What is charged follows from the bots that there are, not from how long they take: so it can be refused before anything
is done. It goes by addresses, since tokens come with every game.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from aiohttp import web

from schemas.lobby import CreateGame
from service.engine import Game
from service.games.bots.priority import is_attended, upcoming_bots
from service.games.bots.registry import BotRegistry
from service.games.tilesets import DEFAULT
from service.web.app_keys import CONTEXT
from service.web.connections.limiter import client_address
from service.web.ratelimit import costs
from service.web.ratelimit.limiter import RATE_LIMITER, RateLimiter

__all__ = ["charge_game_bots", "make_bot_charge", "make_rematch_charge"]


def make_bot_charge(limiter: RateLimiter, bots: BotRegistry, address: str) -> Callable[[Game], Awaitable[None]]:
    """What charges an action for the bots that follow it, once, however often it is tried. Raises RateLimited.

    Who leaves a game to its bots pays for the rest of it as for a new one.
    """
    paid = False

    async def charge(game: Game) -> None:
        nonlocal paid
        ahead = upcoming_bots(game)
        if paid or not ahead or not limiter.is_enabled:
            return
        if is_attended(game):
            await limiter.bots.charge(address, _turn_tokens(bots, ahead))
        else:
            playing = [player.bot for player in game.players if player.bot is not None]
            await limiter.bot_games.charge(address, _game_tokens(bots, playing, len(game.bag) + 1))
        paid = True

    return charge


@asynccontextmanager
async def charge_game_bots(request: web.Request, new_game: CreateGame) -> AsyncIterator[Callable[[], None]]:
    """Charge a new game for its bots: for a turn of each, or for all turns where nobody else plays. Raises RateLimited.

    Whatever is raised within makes it good; so does whoever finds that there was nothing to create, by what this gives.
    """
    app, address = request.app, client_address(request)
    limiter, bots = app[RATE_LIMITER], app[CONTEXT].bots
    playing = [player.bot for player in new_game.players if player.bot is not None]
    if not limiter.is_enabled or not playing or any(player.open for player in new_game.players):
        yield lambda: None
        return
    if len(playing) < len(new_game.players):
        leases, tokens = limiter.bots, _turn_tokens(bots, playing)
    else:
        leases, tokens = limiter.bot_games, _game_tokens(bots, playing, _count_tiles(app, new_game))
    await leases.charge(address, tokens)
    give_back = partial(leases.refund, address, tokens)
    try:
        yield give_back
    except Exception:
        give_back()
        raise


def make_rematch_charge(request: web.Request) -> Callable[[CreateGame], Awaitable[None]]:
    """What charges a rematch as the game that it would be, once. Raises RateLimited."""
    paid = False

    async def charge(wanted: CreateGame) -> None:
        nonlocal paid
        if not paid:
            async with charge_game_bots(request, wanted):
                paid = True

    return charge


def _turn_tokens(bots: BotRegistry, playing: Sequence[str]) -> int:
    """Tokens for a turn of each of these bots."""
    return sum(costs.HEAVY_BOT_TURN if bots.is_heavy(bot) else costs.LIGHT_BOT_TURN for bot in playing)


def _game_tokens(bots: BotRegistry, playing: Sequence[str], tiles: int) -> int:
    """Tokens for as many turns as there are tiles, which these bots have one after the other."""
    return -(-_turn_tokens(bots, playing) * tiles // len(playing))


def _count_tiles(app: web.Application, new_game: CreateGame) -> int:
    """How many tiles a game has. Raises UnknownTileSet."""
    chosen = app[CONTEXT].tilesets.get_for_new_game(new_game.tileset or DEFAULT)
    return sum(tile.count for tile in chosen.tileset.tiles)
