"""The rate limiter: admits requests and messages by trusted token or by address, and charges what they took.

Each client has two buckets: of requests, so that it can plan, and of the event loop's time, measured, so that whatever
is expensive is paid for by whoever asks for it. They protect this instance, and are its own.

A token that opened a game here lately, or was issued here, is trusted. It has buckets of its own, below those that all
trusted tokens of its address share. Everything else goes by address, since tokens can be invented. What fills Redis or
reveals a secret is counted by address and shared by all instances: leases of buckets in Redis. Unknown tokens and games
count as guesses. An address with too many guesses is only served requests with valid tokens.

A request with an API key, on a route that takes one, counts against the key's quotas instead.

Concurrency limits per address: for work of which an instance can do little at once, and for streams.

Verification of tokens and API keys with the store, for addresses that have made too many guesses.

A token that this instance does not trust may be a guess, or it may have been used with another instance so far. No
client is rejected for the guesses of others at its address. The tokens of an address are checked one after the other
at a bounded rate, so guessing costs the service little and reveals little.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Literal, NamedTuple

import msgspec
from aiohttp import hdrs, web
from multidict import istr

from service.games.api_key import ApiKey, ApiKeyAuthenticator
from service.games.context import Context
from service.games.errors import ApiKeyRejected, Malformed, Unauthorized
from service.games.ports import RateLimit
from service.games.queries import is_valid_token
from service.web.app_keys import LIMITS
from service.web.buckets import Buckets, LeasePool, Policy, RecentCache, refund
from service.web.charge import RATE_LIMIT, Charge, key_policies
from service.web.common_headers import IDEMPOTENT_REPLAYED
from service.web.connection import MAX_STREAM_HEAD_BYTES, get_connection
from service.web.connections.limiter import CONNECTION_LIMITER, MAX_BUCKETS_BYTES
from service.web.headers import (
    API_KEY_HEADER,
    check_origin,
    make_token_id,
    parse_api_key,
    parse_bearer_tokens,
    read_bearer_token,
)
from service.web.limits import Limits
from service.web.problems import SAFE_METHODS, RateLimited, TooManyWaiting

MAX_PICTURES_PER_ADDRESS = 8
"""Pictures that one address may wait for."""

MAX_REPLAYS = 2
MAX_WAITING_REPLAYS = 16
"""Games that may wait for a replay; more are rejected, so that nobody waits for long."""

MAX_REPLAYS_PER_ADDRESS = 4
"""Running and waiting replays of one address."""


class ConcurrencyLimit:
    """A limit on what each address may have at once."""

    def __init__(self, max_per_address: int) -> None:
        self._max_per_address = max_per_address
        self._in_use: Counter[str] = Counter()

    @contextmanager
    def acquire(self, address: str) -> Iterator[None]:
        """Occupy a slot. Raises TooManyWaiting."""
        if self._in_use[address] >= self._max_per_address:
            raise TooManyWaiting
        self._in_use[address] += 1
        try:
            yield
        finally:
            self._in_use[address] -= 1
            if not self._in_use[address]:
                del self._in_use[address]


class ReplayQueue:
    """A queue for replays of games, which take as long as dozens of other requests."""

    def __init__(
        self,
        max_running: int = MAX_REPLAYS,
        max_waiting: int = MAX_WAITING_REPLAYS,
        max_per_address: int = MAX_REPLAYS_PER_ADDRESS,
    ) -> None:
        self._semaphore = asyncio.Semaphore(max_running)
        self._max_total = max_running + max_waiting
        self._total = 0
        self._per_address = ConcurrencyLimit(max_per_address)

    @asynccontextmanager
    async def acquire(self, address: str) -> AsyncIterator[None]:
        """Wait for a slot. Raises TooManyWaiting."""
        if self._total >= self._max_total:
            raise TooManyWaiting
        with self._per_address.acquire(address):
            self._total += 1
            try:
                async with self._semaphore:
                    yield
            finally:
                self._total -= 1


PICTURE_SLOTS = web.AppKey("picture_slots", ConcurrencyLimit)


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


def check_stream(request: web.BaseRequest) -> None:
    """Raise Malformed if the client has closed its sending half, or if its head is too large to stay in memory."""
    connection = get_connection(request)
    if connection.has_ended:
        raise Malformed("a WebSocket or event stream ends when its client closes its sending half: keep it open")
    if connection.received_bytes > MAX_STREAM_HEAD_BYTES:
        raise Malformed(
            f"a request for a WebSocket or event stream may have {MAX_STREAM_HEAD_BYTES} bytes and no successor"
        )


MAX_CHECKS_PER_S = 200
"""Tokens of one address that are checked per second; each check costs as much as reading a game."""

MAX_WAITING = 1_000
"""Requests and messages of one address that may wait: as many as it may have connections."""


class TokenVerifier:
    """A queue per address for checks of tokens."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        """One for each address with waiting checks."""
        self._waiting: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of waiting and running checks."""
        return self._waiting.total()

    async def is_valid(
        self, address: str, request: web.BaseRequest | None, check: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Return whether the store knows a token; False without a check if the client has disconnected.

        Raises StoreUnavailable.
        """
        if self._waiting[address] >= MAX_WAITING:
            return False
        self._waiting[address] += 1
        lock, pause_s = self._locks.setdefault(address, asyncio.Lock()), 0.0
        try:
            await lock.acquire()
        except asyncio.CancelledError:
            self._remove_waiter(address)
            raise
        try:
            if request is not None and request.transport is None:
                return False
            pause_s = 1 / MAX_CHECKS_PER_S
            return await check()
        finally:
            asyncio.get_running_loop().call_later(pause_s, self._release, address, lock)

    def _release(self, address: str, lock: asyncio.Lock) -> None:
        """Let the next check of an address start."""
        lock.release()
        self._remove_waiter(address)

    def _remove_waiter(self, address: str) -> None:
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address], self._locks[address]


MAX_TOKENS_CHECKED = 8
"""Tokens of one request that are checked, at most, for a valid one."""

MAX_LEASES_BYTES = 16 * 1024 * 1024
"""Memory for all leases."""

TRUST_TTL_S = 3600.0
MAX_TRUSTED_BYTES = 8 * 1024 * 1024
MAX_TRUSTED_ENTRY_BYTES = 128
"""Memory of a trusted token, at most: its hash, and its share of a dict that has just grown."""

MIN_FAILED_STATUS = 400
"""Responses from this status on changed nothing."""

IDEMPOTENCY_KEY = istr("Idempotency-Key")


class MessageInfo(msgspec.Struct, frozen=True):
    """What the limiter needs to know of a WebSocket message."""

    token: str | None = None
    """The token that it carries or concerns."""
    key: bytes | None = None
    """Hash of a token that this WebSocket has authenticated with."""
    game: str | None = None
    """The game that it names; without one it cannot be a guess."""
    has_idempotency_key: bool = False


Creates = Literal["game", "entry"] | None


class Terms(NamedTuple):
    """What the limiter needs to know of a route, or of unknown paths, OPTIONS and files, which have none."""

    is_limited: bool = True
    """Whether requests count for their client."""
    checks_token: bool = False
    """Whether success proves that a token is valid."""
    may_guess: bool = False
    """Whether a response tells if a game or a token exists."""
    takes_api_key: bool = False
    creates: Creates = None
    """What a successful request adds to the store, which counts: a game, or a webhook or an index entry."""
    has_route: bool = True


NO_ROUTE = Terms(has_route=False)


class RateLimiter:
    """The rate limiter of one instance. `clients` are the buckets of addresses and of trusted tokens."""

    def __init__(
        self,
        context: Context,
        limits: Limits,
        api_keys: ApiKeyAuthenticator,
        clients: Buckets,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.context = context
        self.is_enabled = limits.rate_limits
        self.clock = clock
        per_network = limits.addresses_per_network

        def counted(name: str, rate: RateLimit) -> Policy:
            return Policy(name, rate, per_network=per_network)

        self.creations = counted("creations", limits.rate_creations)
        self.open_games = counted("open-games", limits.rate_open_games)
        self.joins = counted("joins", limits.rate_joins)
        self.idempotency_keys = counted("keys", limits.rate_keys)
        self.bots = counted("bots", limits.rate_bots)
        self.bot_games = counted("bot-games", limits.rate_bot_games)
        self.guesses = counted("guesses", limits.rate_guesses)
        self.leases = LeasePool(context.store.buckets, clock, MAX_LEASES_BYTES)
        self.clients = clients
        shared = [one.scaled("tokens", limits.tokens_per_address, per_network=per_network) for one in clients.policies]
        self.tokens_of_addresses = Buckets(tuple(shared), clock, MAX_BUCKETS_BYTES)
        """What is left to all trusted tokens of each address, and the time that is left to each API key."""
        self.trusted_tokens = RecentCache[bytes, bytes](
            TRUST_TTL_S, MAX_TRUSTED_BYTES // MAX_TRUSTED_ENTRY_BYTES, clock
        )
        """Hashes of the tokens that opened a game on this instance lately, or were issued by it."""
        self._is_valid_token = partial(is_valid_token, context)
        self._api_keys = api_keys
        self.verifier = TokenVerifier()
        self.replays = ReplayQueue()

    async def aclose(self) -> None:
        """Cancel running renewals."""
        await self.leases.aclose()

    async def admit(self, request: web.Request, terms: Terms = NO_ROUTE) -> Charge:
        """Charge a request to its API key, its trusted token or its address.

        Raises RateLimited, ApiKeyRejected, Malformed, StoreUnavailable.
        """
        connection, headers = get_connection(request), request.headers
        address = connection.address
        connection.charge = charge = Charge(self, address)
        if not (self.is_enabled and terms.is_limited):
            return charge
        charge.may_guess = terms.may_guess
        if terms.takes_api_key and API_KEY_HEADER in headers:
            await self._admit_api_key(charge, request, address, terms)
            return charge
        key = self._read_token_key(request)
        if key in self.trusted_tokens:
            charge.admit(self.clients.get(key) + self.tokens_of_addresses.of_address(address))
        elif not terms.has_route:
            charge.admit(self.clients.of_address(address))
        else:
            charge.unverified_token = key if terms.checks_token else b""
            tokens = _read_tokens(request)[:MAX_TOKENS_CHECKED]
            await self._admit_stranger(charge, address, request, request.match_info.get("id"), tokens)
        if terms.creates is not None:
            charge.creations += await self.leases.take(self.creations, address)
        if IDEMPOTENCY_KEY in headers and request.method not in SAFE_METHODS and terms.has_route:
            charge.creations += await self.leases.take(self.idempotency_keys, address)
        return charge

    async def admit_socket(self, request: web.Request, *, may_guess: bool) -> None:
        """Charge the upgrade to a WebSocket, which counts guesses itself. Raises RateLimited, StoreUnavailable."""
        charge = await self.admit(request, Terms(checks_token=False, may_guess=may_guess))
        charge.settle()
        charge.may_guess = False

    async def _admit_stranger(
        self, charge: Charge, address: str, request: web.Request | None, game: str | None, tokens: Iterable[str]
    ) -> None:
        """Charge what may be a guess to an address; over its limit, to the first of the tokens that the store knows.

        So no valid token is rejected for what strangers at its address do. Raises RateLimited, StoreUnavailable.
        """
        try:
            if charge.may_guess:
                charge.guess = await self.leases.take(self.guesses, address)
            charge.admit(self.clients.of_address(address))
        except RateLimited:
            charge.settle()
            for token in tokens:
                if await self.verifier.is_valid(address, request, partial(self._is_valid_token, game, token)):
                    break
            else:
                raise
            key = make_token_id(token)
            self._trust(key)
            charge.unverified_token = b""
            charge.admit(self.clients.get(key) + self.tokens_of_addresses.of_address(address))

    async def _admit_api_key(self, charge: Charge, request: web.Request, address: str, terms: Terms) -> None:
        """Charge a request to its API key: a request, and a game or an idempotency key.

        Raises RateLimited, ApiKeyRejected, Malformed, StoreUnavailable.
        """
        charge.api_key = key = await self._authenticate(request, address)
        quotas = key_policies(key.quotas)
        token_key = self._read_token_key(request)
        if terms.may_guess and token_key not in self.trusted_tokens:
            charge.unverified_token = token_key
            charge.guess = await self.leases.take(self.guesses, address)
        charge.counted += await self.leases.take(quotas.requests, key.name)
        _, time_bucket = self.tokens_of_addresses.get(f"key {key.name}")
        charge.admit((time_bucket,))
        if terms.creates == "game":
            charge.creations += await self.leases.take(quotas.games, key.name)
        elif IDEMPOTENCY_KEY in request.headers and request.method not in SAFE_METHODS:
            charge.creations += await self.leases.take(self.idempotency_keys, key.name)

    async def _authenticate(self, request: web.Request, address: str) -> ApiKey:
        """Return the API key of a request. An invalid one counts as a guess of its address.

        An address with too many guesses has its keys checked one after the other at a bounded rate, so its guesses do
        not lock the holder of a key out.
        """
        secret = parse_api_key(request) or ""
        if self._api_keys.is_cached(secret):
            return await self._api_keys.authenticate(secret)
        try:
            guess = await self.leases.take(self.guesses, address)
        except RateLimited:
            if not await self.verifier.is_valid(address, request, partial(self._is_valid_key, secret)):
                raise
            return await self._api_keys.authenticate(secret)
        try:
            return await self._api_keys.authenticate(secret)
        except ApiKeyRejected:
            self.leases.take_afterwards(self.guesses, address)
            raise
        finally:
            refund(guess)

    async def _is_valid_key(self, secret: str) -> bool:
        try:
            await self._api_keys.authenticate(secret)
        except ApiKeyRejected:
            return False
        return True

    def settle(self, request: web.Request, response: web.StreamResponse) -> None:
        """Settle a request's charge with the response: trust its token, count guesses, set its headers.

        The connection of what nobody pays for is closed, so that it cannot be repeated there.
        """
        connection = get_connection(request)
        charge = connection.charge
        if charge is None or not self.is_enabled:
            return
        status, headers = response.status, response.headers
        is_successful = status < MIN_FAILED_STATUS and IDEMPOTENT_REPLAYED not in headers
        if charge.guess or not is_successful:
            charge.settle(is_successful=is_successful)
        if status == 404 and charge.may_guess:
            self.count_guess(connection.address)
        elif status == 401 and hdrs.AUTHORIZATION in request.headers:
            self.leases.take_afterwards(self.guesses, connection.address, max(1, len(_read_tokens(request))))
        elif charge.unverified_token and status < MIN_FAILED_STATUS:
            self._trust(charge.unverified_token)
        if not charge.buckets:
            if connection.client is not None:  # it is no proxy with other clients
                response.force_close()
        elif not response.prepared and RATE_LIMIT not in headers:
            charge.set_headers(headers)

    async def admit_message(self, address: str, message: MessageInfo) -> Charge:
        """Charge a WebSocket message, to its token or its address. Raises RateLimited."""
        charge = Charge(self, address)
        if not self.is_enabled:
            return charge
        key = message.key
        if key is not None:
            self._trust(key)
        else:
            key = b"" if message.token is None else make_token_id(message.token)
        if key in self.trusted_tokens:
            charge.admit(self.clients.get(key) + self.tokens_of_addresses.of_address(address))
        else:
            charge.may_guess = message.game is not None
            tokens = () if message.token is None or message.game is None else (message.token,)
            await self._admit_stranger(charge, address, None, message.game, tokens)
        if message.has_idempotency_key:
            charge.creations += await self.leases.take(self.idempotency_keys, address)
        return charge

    def trust_tokens(self, tokens: Iterable[str]) -> None:
        """Trust tokens that opened a game or were issued."""
        if self.is_enabled:
            for token in tokens:
                self._trust(make_token_id(token))

    def _trust(self, key: bytes) -> None:
        self.trusted_tokens.put(key, key)

    def count_guess(self, address: str) -> None:
        """Count a request for an unknown game or token."""
        if self.is_enabled:
            self.leases.take_afterwards(self.guesses, address)

    def _read_token_key(self, request: web.BaseRequest) -> bytes:
        """Return the hash of a request's token: of several that of a trusted one; empty if there is none."""
        try:
            return read_bearer_token(request).id
        except Unauthorized:
            keys = [make_token_id(one) for one in _read_tokens(request)[:MAX_TOKENS_CHECKED]]
            return next((key for key in keys if key in self.trusted_tokens), b"")


def _read_tokens(request: web.BaseRequest) -> list[str]:
    """Return the tokens of a request; none if they have another form."""
    try:
        return parse_bearer_tokens(request)
    except (Unauthorized, Malformed):
        return []


RATE_LIMITER = web.AppKey("rate_limiter", RateLimiter)


async def close_rate_limiter(app: web.Application) -> AsyncIterator[None]:
    """Close the rate limiter when the application ends."""
    yield
    await app[RATE_LIMITER].aclose()
