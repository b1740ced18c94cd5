"""Charges for bots: to whoever acts before them, and to whoever creates a game that nobody plays.

The charge depends on the bots, not on how long they think, so a request can be rejected before any work is done. It
goes by address, since every game has tokens of its own.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from aiohttp import web

from schemas.lobby import CreateGame
from service.engine import Game
from service.games.bots.priority import is_attended, upcoming_bots
from service.games.bots.registry import BotRegistry
from service.games.tilesets import DEFAULT_TILESET
from service.web.app_keys import CONTEXT
from service.web.connections.limiter import get_client_address
from service.web.ratelimit import costs
from service.web.ratelimit.limiter import RATE_LIMITER, RateLimiter

__all__ = ["BotCharge", "charge_game_bots", "make_rematch_charge"]


class BotCharge:
    """Charges an action for the bots that follow it, once, however often the action is retried."""

    __slots__ = ("_address", "_bots", "_is_paid", "_limiter")

    def __init__(self, limiter: RateLimiter, bots: BotRegistry, address: str) -> None:
        self._limiter = limiter
        self._bots = bots
        self._address = address
        self._is_paid = False

    async def charge(self, game: Game) -> None:
        """Charge the next turns of the game's bots, or the rest of the game if the action leaves it to its bots.

        Raises RateLimited.
        """
        upcoming = upcoming_bots(game)
        if self._is_paid or not upcoming or not self._limiter.is_enabled:
            return
        if is_attended(game):
            await self._limiter.bots.charge(self._address, _price_turns(self._bots, upcoming))
        else:
            playing = [player.bot for player in game.players if player.bot is not None]
            await self._limiter.bot_games.charge(self._address, _price_game(self._bots, playing, len(game.bag) + 1))
        self._is_paid = True


@asynccontextmanager
async def charge_game_bots(request: web.Request, new_game: CreateGame) -> AsyncIterator[Callable[[], None]]:
    """Charge a new game for its bots: one turn of each, or all turns if nobody else plays. Raises RateLimited.

    An exception in the block refunds the charge. Yields a callable that refunds it too, for a game that existed
    already.
    """
    app, address = request.app, get_client_address(request)
    limiter, bots = app[RATE_LIMITER], app[CONTEXT].bots
    playing = [player.bot for player in new_game.players if player.bot is not None]
    if not limiter.is_enabled or not playing or any(player.open for player in new_game.players):
        yield lambda: None
        return
    if len(playing) < len(new_game.players):
        leases, tokens = limiter.bots, _price_turns(bots, playing)
    else:
        leases, tokens = limiter.bot_games, _price_game(bots, playing, _count_tiles(app, new_game))
    await leases.charge(address, tokens)
    refund = partial(leases.refund, address, tokens)
    try:
        yield refund
    except Exception:
        refund()
        raise


def make_rematch_charge(request: web.Request) -> Callable[[CreateGame], Awaitable[None]]:
    """Return what charges a rematch once, as the new game that it creates. The callable raises RateLimited."""
    is_paid = False

    async def charge(rematch: CreateGame) -> None:
        nonlocal is_paid
        if not is_paid:
            async with charge_game_bots(request, rematch):
                is_paid = True

    return charge


def _price_turns(bots: BotRegistry, playing: Sequence[str]) -> int:
    """Return the tokens for one turn of each bot."""
    return sum(costs.HEAVY_BOT_TURN if bots.is_heavy(bot) else costs.LIGHT_BOT_TURN for bot in playing)


def _price_game(bots: BotRegistry, playing: Sequence[str], tiles: int) -> int:
    """Return the tokens for as many turns as there are tiles, which the bots take in turn."""
    return -(-_price_turns(bots, playing) * tiles // len(playing))


def _count_tiles(app: web.Application, new_game: CreateGame) -> int:
    """Return the number of tiles of a game. Raises UnknownTileSet."""
    chosen = app[CONTEXT].tilesets.get_for_new_game(new_game.tileset or DEFAULT_TILESET)
    return sum(tile.count for tile in chosen.tileset.tiles)
