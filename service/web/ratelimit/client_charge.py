"""What a request or message costs its client beside its time in the event loop, and the slots that it occupies.

The charge for bots depends on the bots, not on how long they think, so a command can be rejected before they play. It
goes by address, since every game has tokens of its own: to whoever acts before them, and to whoever creates a game that
nobody plays.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from time import perf_counter

from aiohttp import web

from schemas.lobby import CreateGame
from service.engine import Game
from service.games.api_key import ApiKey
from service.games.bots.priority import hash_creator, is_attended, upcoming_bots
from service.games.bots.registry import BotRegistry
from service.games.errors import UnknownTileSet
from service.games.tilesets import DEFAULT_TILESET
from service.web.app_keys import API_KEY, CONTEXT, LIMITS
from service.web.buckets import Policy
from service.web.client_ip import get_site_network
from service.web.connections.limiter import CONNECTION_LIMITER
from service.web.connections.protocol import check_stream, get_connection
from service.web.ratelimit.concurrency import REPLAY_QUEUE
from service.web.ratelimit.limiter import BOT_TURN_TOKENS, RATE_LIMITER, Charge, key_policies
from service.web.ratelimit.origins import check_origin

__all__ = [
    "ClientCharge",
    "charge_loaded_games",
    "charge_open_game",
    "hash_client",
    "open_stream",
    "trust_issued_tokens",
]

HEAVY_BOT_TURN_TOKENS = 40
"""A turn of a bot that runs in a process of its own: some 170 ms."""

LOADED_GAME_S = 0.0001
"""What a game of a list costs before the request's own coroutine has it: tasks of their own load and decode it."""


@asynccontextmanager
async def open_stream(request: web.Request) -> AsyncIterator[None]:
    """Admit and count a WebSocket or event stream.

    Raises OriginNotAllowed, TooManyConnections, Malformed.
    """
    check_origin(request, request.app[LIMITS].allowed_origins)
    address, connections = get_connection(request).address, request.app[CONNECTION_LIMITER]
    connections.add_stream(address)
    try:
        check_stream(request)
        yield
    finally:
        connections.remove_stream(address)


def charge_loaded_games(request: web.Request, number: int) -> None:
    """Charge a request for the games of a list that were loaded."""
    get_connection(request).busy_s += number * LOADED_GAME_S


def trust_issued_tokens(request: web.Request, tokens: Iterable[str]) -> None:
    """Trust tokens that a response issues."""
    request.app[RATE_LIMITER].trust_tokens(tokens)


def hash_client(request: web.Request) -> bytes:
    """Return the hash that stands for the client in a game that it creates: of its address, or its IPv6 /48 network."""
    return hash_creator(get_site_network(get_connection(request).address))


async def charge_open_game(request: web.Request) -> None:
    """Charge a game with open seats, unless an API key is charged for it. Raises RateLimited."""
    rate_limiter = request.app[RATE_LIMITER]
    if rate_limiter.is_enabled and API_KEY not in request:
        await rate_limiter.leases.take(rate_limiter.open_games, get_connection(request).address)


class ClientCharge:
    """Charges the client of one command: for bots or a seat once, however often the command is retried."""

    __slots__ = ("_address", "_api_key", "_app", "_charge", "_is_paid", "_limiter")

    def __init__(
        self, app: web.Application, address: str, charge: Charge | None, api_key: ApiKey | None = None
    ) -> None:
        self._app = app
        self._limiter = app[RATE_LIMITER]
        self._address = address
        self._charge = charge
        """Of the request or message; None if rate limits are off."""
        self._api_key = api_key
        """The API key that pays for bots in place of the address."""
        self._is_paid = not self._limiter.is_enabled

    @classmethod
    def of_request(cls, request: web.Request, api_key: ApiKey | None = None) -> "ClientCharge":
        """Return the charge of a request's client, or of the API key that it carries."""
        connection = get_connection(request)
        return cls(request.app, connection.address, connection.charge, api_key)

    async def charge_bots(self, game: Game) -> None:
        """Charge the next turns of the game's bots, or the rest of the game if the command leaves it to its bots.

        Raises RateLimited.
        """
        if upcoming := upcoming_bots(game):
            if is_attended(game):
                await self._take(self._limiter.bots, _price_turns(self._app[CONTEXT].bots, upcoming))
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
            await self._take(self._limiter.bots, _price_turns(self._app[CONTEXT].bots, playing))
        else:
            chosen = self._app[CONTEXT].tilesets.get(new_game.tileset or DEFAULT_TILESET, UnknownTileSet)
            await self._charge_game(playing, sum(tile.count for tile in chosen.tileset.tiles))

    async def charge_join(self) -> None:
        """Charge a seat of a public game, unless an API key was charged for the request. Raises RateLimited."""
        if self._api_key is None and not self._is_paid:
            await self._limiter.leases.take(self._limiter.joins, self._address)
            self._is_paid = True

    @asynccontextmanager
    async def replay_slot(self) -> AsyncIterator[None]:
        """Wait for a slot to replay a game, in a thread, and charge its time. Raises QueueFull."""
        async with self._app[REPLAY_QUEUE].acquire(self._address):
            started_at = perf_counter()
            try:
                yield
            finally:
                if self._charge is not None:
                    self._charge.charge_time(perf_counter() - started_at)

    async def _charge_game(self, playing: Sequence[str], tiles: int) -> None:
        """Charge as many turns as there are tiles, which the bots take in turn."""
        tokens = -(-_price_turns(self._app[CONTEXT].bots, playing) * tiles // len(playing))
        await self._take(self._limiter.bot_games, tokens)

    async def _take(self, policy: Policy, tokens: int) -> None:
        """Take tokens of the address, or of the API key's quota of bots."""
        if not self._is_paid:
            if self._api_key is None:
                await self._limiter.leases.take(policy, self._address, tokens)
            else:
                quota = key_policies(self._api_key.quotas).bots
                await self._limiter.leases.take(quota, self._api_key.name, tokens)
            self._is_paid = True


def _price_turns(bots: BotRegistry, playing: Sequence[str]) -> int:
    """Return the tokens for one turn of each bot."""
    return sum(HEAVY_BOT_TURN_TOKENS if bots.is_heavy(bot) else BOT_TURN_TOKENS for bot in playing)
