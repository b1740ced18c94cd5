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
from service.web.connections.limiter import client_of
from service.web.ratelimit import costs
from service.web.ratelimit.limiter import GUARD, Guard

__all__ = ["charging_bots", "charging_game", "charging_rematch"]


def charging_bots(guard: Guard, bots: BotRegistry, address: str) -> Callable[[Game], Awaitable[None]]:
    """What charges an action for the bots that follow it, once, however often it is tried. Raises RateLimited.

    Who leaves a game to its bots pays for the rest of it as for a new one.
    """
    paid = False

    async def charge(game: Game) -> None:
        nonlocal paid
        ahead = upcoming_bots(game)
        if paid or not ahead or not guard.on:
            return
        if is_attended(game):
            await guard.bots.pay(address, _turns(bots, ahead))
        else:
            playing = [player.bot for player in game.players if player.bot is not None]
            await guard.bot_games.pay(address, _game(bots, playing, len(game.bag) + 1))
        paid = True

    return charge


@asynccontextmanager
async def charging_game(request: web.Request, asked: CreateGame) -> AsyncIterator[Callable[[], None]]:
    """Charge a new game for its bots: for a turn of each, or for all turns where nobody else plays. Raises RateLimited.

    Whatever is raised within makes it good; so does whoever finds that there was nothing to create, by what this gives.
    """
    app, address = request.app, client_of(request)
    guard, bots = app[GUARD], app[CONTEXT].bots
    playing = [player.bot for player in asked.players if player.bot is not None]
    if not guard.on or not playing or any(player.open for player in asked.players):
        yield lambda: None
        return
    if len(playing) < len(asked.players):
        accounts, tokens = guard.bots, _turns(bots, playing)
    else:
        accounts, tokens = guard.bot_games, _game(bots, playing, _tiles(app, asked))
    await accounts.pay(address, tokens)
    give_back = partial(accounts.give_back, address, tokens)
    try:
        yield give_back
    except Exception:
        give_back()
        raise


def charging_rematch(request: web.Request) -> Callable[[CreateGame], Awaitable[None]]:
    """What charges a rematch as the game that it would be, once. Raises RateLimited."""
    paid = False

    async def charge(wanted: CreateGame) -> None:
        nonlocal paid
        if not paid:
            async with charging_game(request, wanted):
                paid = True

    return charge


def _turns(bots: BotRegistry, playing: Sequence[str]) -> int:
    """Tokens for a turn of each of these bots."""
    return sum(costs.HEAVY_TURN if bots.is_heavy(bot) else costs.LIGHT_TURN for bot in playing)


def _game(bots: BotRegistry, playing: Sequence[str], tiles: int) -> int:
    """Tokens for as many turns as there are tiles, which these bots have one after the other."""
    return -(-_turns(bots, playing) * tiles // len(playing))


def _tiles(app: web.Application, asked: CreateGame) -> int:
    """How many tiles a game has. Raises UnknownTileSet."""
    chosen = app[CONTEXT].tilesets.get_for_new_game(asked.tileset or DEFAULT)
    return sum(tile.count for tile in chosen.tileset.tiles)
