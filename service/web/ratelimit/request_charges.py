"""Charges of a request or message beyond its first token, and the slots that it occupies while it is answered.

The charge for bots depends on the bots, not on how long they think, so a command can be rejected before they play. It
goes by address, since every game has tokens of its own: to whoever acts before them, and to whoever creates a game that
nobody plays.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from aiohttp import web

from schemas.lobby import CreateGame
from service.engine import Game
from service.games.api_key import ApiKey
from service.games.bots.priority import hash_creator, is_attended, upcoming_bots
from service.games.bots.registry import BotRegistry
from service.games.errors import UnknownTileSet
from service.games.tilesets import DEFAULT_TILESET
from service.web.app_keys import API_KEY, CONTEXT, LIMITS
from service.web.client_ip import get_site_network
from service.web.connections.limiter import CONNECTION_LIMITER, get_client_address
from service.web.connections.protocol import get_connection, streaming_response
from service.web.ratelimit import costs
from service.web.ratelimit.address_leases import AddressLeases
from service.web.ratelimit.charges import CHARGE, Charge
from service.web.ratelimit.concurrency import REPLAY_QUEUE
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.ratelimit.origins import check_origin

__all__ = [
    "ClientCharge",
    "charge_open_game",
    "charge_request",
    "hash_client",
    "open_stream",
    "refund_request",
    "trust_issued_tokens",
]


@asynccontextmanager
async def open_stream(request: web.Request) -> AsyncIterator[str]:
    """Admit, charge and count a WebSocket or event stream; yields the client's address.

    Raises OriginNotAllowed, RateLimited, TooManyConnections, Malformed.
    """
    check_origin(request, request.app[LIMITS].allowed_origins)
    address, rate_limiter, connections = (
        get_client_address(request),
        request.app[RATE_LIMITER],
        request.app[CONNECTION_LIMITER],
    )
    if rate_limiter.is_enabled:
        await rate_limiter.admit_stream(request, address)
    connections.add_stream(address)
    try:
        with streaming_response(request):
            yield address
    finally:
        connections.remove_stream(address)


async def charge_request(request: web.Request, tokens: int) -> None:
    """Charge a request beyond its first token, before the work is done. Raises RateLimited."""
    if tokens > 0 and (charge := request.get(CHARGE)) is not None:
        await charge.increase(tokens)


def refund_request(request: web.Request, tokens: int) -> None:
    """Refund tokens that were charged and not needed."""
    if tokens > 0 and (charge := request.get(CHARGE)) is not None:
        charge.refund(tokens)


def trust_issued_tokens(request: web.Request, tokens: Iterable[str]) -> None:
    """Trust tokens that a response issues."""
    request.app[RATE_LIMITER].trust_tokens(tokens)


def hash_client(request: web.Request) -> bytes:
    """Return the hash that stands for the client in a game that it creates: of its address, or its IPv6 /48 network."""
    return hash_creator(get_site_network(get_client_address(request)))


async def charge_open_game(request: web.Request) -> None:
    """Charge a game with open seats, unless an API key is charged for it. Raises RateLimited."""
    rate_limiter = request.app[RATE_LIMITER]
    if rate_limiter.is_enabled and API_KEY not in request:
        await rate_limiter.open_games.charge(get_client_address(request))


class ClientCharge:
    """Charges the client of one command: for bots or a seat once, however often the command is retried."""

    __slots__ = ("_address", "_api_key", "_app", "_charge", "_is_paid")

    def __init__(
        self, app: web.Application, address: str, charge: Charge | None, api_key: ApiKey | None = None
    ) -> None:
        self._app = app
        self._address = address
        self._charge = charge
        """Of the request or message; None if rate limits are off."""
        self._api_key = api_key
        """The API key that pays for bots in place of the address."""
        self._is_paid = False

    @classmethod
    def of_request(cls, request: web.Request, api_key: ApiKey | None = None) -> "ClientCharge":
        """Return the charge of a request's client, or of the API key that it carries."""
        return cls(request.app, get_connection(request).address, request.get(CHARGE), api_key)

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
            chosen = self._app[CONTEXT].tilesets.get(new_game.tileset or DEFAULT_TILESET, UnknownTileSet)
            await self._charge_game(playing, sum(tile.count for tile in chosen.tileset.tiles))

    async def charge_join(self) -> None:
        """Charge a seat of a public game, unless an API key was charged for the request. Raises RateLimited."""
        limiter = self._app[RATE_LIMITER]
        if limiter.is_enabled and self._api_key is None and not self._is_paid:
            await limiter.joins.charge(self._address)
            self._is_paid = True

    def replay_slot(self, versions: int) -> AbstractAsyncContextManager[None]:
        """Wait for a slot to replay a game of so many versions, and charge it. Raises QueueFull, RateLimited."""
        return self.acquire_replay_slot(versions // costs.REPLAYED_VERSIONS_PER_TOKEN)

    @asynccontextmanager
    async def acquire_replay_slot(self, tokens: int) -> AsyncIterator[None]:
        """Wait for a slot to replay a game, and charge it. Raises QueueFull, RateLimited."""
        async with self._app[REPLAY_QUEUE].acquire(self._address):
            if tokens > 0 and self._charge is not None:
                await self._charge.increase(tokens)
            yield

    async def _charge_turns(self, playing: Sequence[str]) -> None:
        limiter = self._app[RATE_LIMITER]
        if limiter.is_enabled and not self._is_paid:
            await self._charge_bots(limiter.bots, _price_turns(self._app[CONTEXT].bots, playing))

    async def _charge_game(self, playing: Sequence[str], tiles: int) -> None:
        """Charge as many turns as there are tiles, which the bots take in turn."""
        limiter = self._app[RATE_LIMITER]
        if limiter.is_enabled and not self._is_paid:
            tokens = -(-_price_turns(self._app[CONTEXT].bots, playing) * tiles // len(playing))
            await self._charge_bots(limiter.bot_games, tokens)

    async def _charge_bots(self, leases: AddressLeases, tokens: int) -> None:
        if self._api_key is None:
            await leases.charge(self._address, tokens)
        else:
            await self._app[RATE_LIMITER].key_quota_limiters.get(self._api_key).charge_bots(tokens)
        self._is_paid = True


def _price_turns(bots: BotRegistry, playing: Sequence[str]) -> int:
    """Return the tokens for one turn of each bot."""
    return sum(costs.HEAVY_BOT_TURN if bots.is_heavy(bot) else costs.LIGHT_BOT_TURN for bot in playing)
