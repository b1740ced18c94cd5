"""Charges for what a command causes beyond its request: turns of bots, and replays of games.

The charge for bots depends on the bots, not on how long they think, so a command can be rejected before they play. It
goes by address, since every game has tokens of its own: to whoever acts before them, and to whoever creates a game that
nobody plays.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from aiohttp import web

from schemas.lobby import CreateGame
from service.engine import Game
from service.games.bots.priority import is_attended, upcoming_bots
from service.games.bots.registry import BotRegistry
from service.games.tilesets import DEFAULT_TILESET
from service.web.app_keys import CONTEXT
from service.web.connections.limiter import get_client_address
from service.web.ratelimit import costs
from service.web.ratelimit.charges import Charge
from service.web.ratelimit.limiter import CHARGE, RATE_LIMITER
from service.web.ratelimit.request_charges import acquire_replay_slot

__all__ = ["ClientCharge"]


class ClientCharge:
    """Charges the client of one command: for bots once, however often the command is retried."""

    __slots__ = ("_address", "_app", "_charge", "_is_paid")

    def __init__(self, app: web.Application, address: str, charge: Charge | None) -> None:
        self._app = app
        self._address = address
        self._charge = charge
        """Of the request or message; None if rate limits are off."""
        self._is_paid = False

    @classmethod
    def of_request(cls, request: web.Request) -> "ClientCharge":
        """Return the charge of a request's client."""
        return cls(request.app, get_client_address(request), request.get(CHARGE))

    async def charge_bots(self, game: Game) -> None:
        """Charge the next turns of the game's bots, or the rest of the game if the command leaves it to its bots.

        Raises RateLimited.
        """
        if upcoming := upcoming_bots(game):
            if is_attended(game):
                await self._charge_turns(upcoming)
            else:
                playing = [player.bot for player in game.players if player.bot is not None]
                await self._charge_game(playing, len(game.bag) + 1)

    async def charge_new_game(self, new_game: CreateGame) -> None:
        """Charge a new game for its bots: one turn of each, or all turns if nobody else plays.

        Raises RateLimited, UnknownTileSet.
        """
        playing = [player.bot for player in new_game.players if player.bot is not None]
        if not playing or any(player.open for player in new_game.players):
            return
        if len(playing) < len(new_game.players):
            await self._charge_turns(playing)
        else:
            chosen = self._app[CONTEXT].tilesets.get_for_new_game(new_game.tileset or DEFAULT_TILESET)
            await self._charge_game(playing, sum(tile.count for tile in chosen.tileset.tiles))

    def replay_slot(self, versions: int) -> AbstractAsyncContextManager[None]:
        """Wait for a slot to replay a game of so many versions, and charge it. Raises QueueFull, RateLimited."""
        tokens = versions // costs.REPLAYED_VERSIONS_PER_TOKEN
        return acquire_replay_slot(self._app, self._address, self._charge, tokens)

    async def _charge_turns(self, playing: Sequence[str]) -> None:
        limiter = self._app[RATE_LIMITER]
        if limiter.is_enabled and not self._is_paid:
            await limiter.bots.charge(self._address, _price_turns(self._app[CONTEXT].bots, playing))
            self._is_paid = True

    async def _charge_game(self, playing: Sequence[str], tiles: int) -> None:
        """Charge as many turns as there are tiles, which the bots take in turn."""
        limiter = self._app[RATE_LIMITER]
        if limiter.is_enabled and not self._is_paid:
            tokens = -(-_price_turns(self._app[CONTEXT].bots, playing) * tiles // len(playing))
            await limiter.bot_games.charge(self._address, tokens)
            self._is_paid = True


def _price_turns(bots: BotRegistry, playing: Sequence[str]) -> int:
    """Return the tokens for one turn of each bot."""
    return sum(costs.HEAVY_BOT_TURN if bots.is_heavy(bot) else costs.LIGHT_BOT_TURN for bot in playing)
