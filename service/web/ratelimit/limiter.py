"""The rate limiter: admits requests and messages by trusted token or by address, and charges what they took.

Each client has two buckets: of requests, so that it can plan, and of the event loop's time, measured, so that whatever
is expensive is paid for by whoever asks for it. They protect this instance, and are its own.

A token that opened a game here lately, or was issued here, is trusted. It has buckets of its own, below those that all
trusted tokens of its address share. Everything else goes by address, since tokens can be invented. What fills Redis or
reveals a secret is counted by address and shared by all instances: leases of buckets in Redis. Unknown tokens and games
count as guesses. An address with too many guesses is only served requests with valid tokens.

A request with an API key, on a route that takes one, counts against the key's quotas instead.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import lru_cache, partial
from typing import Literal, NamedTuple

import msgspec
from aiohttp import hdrs, web
from multidict import CIMultiDict, istr

from service.games.api_key import ApiKey, Quotas
from service.games.authenticator import ApiKeyAuthenticator
from service.games.errors import ApiKeyRejected, Malformed, Unauthorized
from service.games.ports.game_store import RateLimit, TokenBucketStore
from service.web.app_keys import API_KEY
from service.web.buckets import RATE_LIMIT, Bucket, Buckets, Policy, RecentCache, set_limit_headers
from service.web.client_ip import hash_token
from service.web.common_headers import IDEMPOTENT_REPLAYED
from service.web.connections.limiter import get_client_address
from service.web.connections.protocol import ClientConnection, get_connection
from service.web.errors import RateLimited
from service.web.headers.bearer_tokens import API_KEY_HEADER, parse_api_key, parse_bearer_tokens, read_bearer_token
from service.web.limits import Limits
from service.web.ratelimit.leases import LeasePool, TokenLease, refund
from service.web.ratelimit.token_verifier import TokenVerifier

__all__ = [
    "BOT_TURN_TOKENS",
    "CHARGE",
    "RATE_LIMITER",
    "Charge",
    "MessageInfo",
    "RateLimiter",
    "close_rate_limiter",
    "key_policies",
    "spend_time",
]

MAX_TOKENS_CHECKED = 8
"""Tokens of one request that are checked, at most, for a valid one."""

MAX_BUCKETS_BYTES = 4 * 1024 * 1024
MAX_LEASES_BYTES = 16 * 1024 * 1024
"""Memory for the buckets of a policy, and for all leases."""

TRUST_TTL_S = 3600.0
MAX_TRUSTED_BYTES = 8 * 1024 * 1024
MAX_TRUSTED_ENTRY_BYTES = 128
"""Memory of a trusted token, at most: its hash, and its share of a dict that has just grown."""

HELD_MS = 10.0
"""Time that a request has to have, and that is held until its response: many at once may not all be done for nothing.

More than most requests take, less than the dearest.
"""

SHOWN_TIME = 0.5
"""Part of the time that must be gone before the headers name it: clients plan by the number of requests."""

MIN_FAILED_STATUS = 400
"""Responses from this status on changed nothing."""

BOT_TURN_TOKENS = 4
"""What a turn of a bot that runs in the event loop costs: some 3 ms."""

IDEMPOTENCY_KEY = istr("Idempotency-Key")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


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
    """What the limiter needs to know of a route."""

    is_limited: bool
    """Whether requests count for their client."""
    checks_token: bool
    may_guess: bool
    """Whether a response tells if a game or a token exists."""
    takes_api_key: bool
    creates: Creates
    """What a successful request adds to the store, which counts: a game, or a webhook or an index entry."""


class KeyPolicies(NamedTuple):
    """The quotas of an API key."""

    games: Policy
    requests: Policy
    bots: Policy


@lru_cache(maxsize=1_000)
def key_policies(quotas: Quotas) -> KeyPolicies:
    """Return the policies of quotas: equal ones share theirs, and new ones start anew."""
    return KeyPolicies(
        Policy("key-games", RateLimit(quotas.games_per_hour, 3600), is_of_key=True),
        Policy("key-requests", RateLimit(quotas.requests_per_minute, 60), is_of_key=True),
        Policy("key-bots", RateLimit(quotas.bot_turns_per_hour * BOT_TURN_TOKENS, 3600), is_of_key=True),
    )


class Charge:
    """What a request or a message is charged to."""

    __slots__ = (
        *("_clock", "_counted", "_creations", "_guesses", "_held_ms", "_requests", "_time"),
        *("may_guess", "unverified_token"),
    )

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._requests: tuple[Bucket, ...] = ()
        self._time: tuple[Bucket, ...] = ()
        self._held_ms = 0.0
        self._counted: tuple[TokenLease, ...] = ()
        """Charged whatever the response is."""
        self._creations: tuple[TokenLease, ...] = ()
        """Charged unless the response shows that nothing was created."""
        self._guesses: tuple[TokenLease, ...] = ()
        """Charged until the response shows that the request was no guess, so that many concurrent guesses are rejected
        too.
        """
        self.may_guess = False
        """Whether the response shows if a game or a token exists."""
        self.unverified_token = b""
        """Hash of a token that is not trusted yet; the response shows whether it is valid."""

    @property
    def is_admitted(self) -> bool:
        """Return whether a client pays."""
        return bool(self._time)

    def admit(self, requests: tuple[Bucket, ...], time_buckets: tuple[Bucket, ...]) -> None:
        """Count a request, to be followed by its time. Raises RateLimited."""
        now = self._clock()
        for bucket in (*requests, *time_buckets):
            bucket.check(now)
        for bucket in requests:
            bucket.spend(1, now)
        self._requests, self._time = requests, time_buckets
        self._spend_ms(HELD_MS)
        self._held_ms = HELD_MS

    async def count(self, leases: LeasePool, policy: Policy, client: str) -> None:
        """Count a request by its address or API key, in all instances. Raises RateLimited."""
        self._counted += await leases.take(policy, client)

    async def count_creation(self, leases: LeasePool, policy: Policy, client: str) -> None:
        """Count what a request may create. Raises RateLimited."""
        self._creations += await leases.take(policy, client)

    async def count_guess(self, leases: LeasePool, policy: Policy, address: str) -> None:
        """Count what may be a guess. Raises RateLimited."""
        self._guesses = await leases.take(policy, address)

    def spend_time(self, seconds: float) -> None:
        """Charge time that was spent."""
        self._spend_ms(1000 * seconds)

    def _spend_ms(self, milliseconds: float) -> None:
        now = self._clock()
        for bucket in self._time:
            bucket.spend(milliseconds, now)

    def settle(self, *, is_successful: bool = True) -> None:
        """Refund what was held, the guess, which `RateLimiter` counts itself, and a creation that failed."""
        self._spend_ms(-self._held_ms)
        self._held_ms = 0.0
        refund(self._guesses)
        self._guesses = ()
        if not is_successful:
            refund(self._creations)
            self._creations = ()

    def set_headers(self, headers: CIMultiDict[str]) -> None:
        """Set the rate-limit headers of the policy of which the smallest part is left."""
        now = self._clock()
        nearest: Policy | None = None
        remaining, least = 0.0, 2.0
        for bucket in (*self._requests, *self._time):
            left = bucket.count_remaining(now)
            part = left / bucket.policy.quota
            if part < least and (bucket in self._requests or part < SHOWN_TIME):
                nearest, remaining, least = bucket.policy, left, part
        for lease in (*self._counted, *self._creations):
            if (part := lease.remaining / lease.policy.quota) < least:
                nearest, remaining, least = lease.policy, lease.remaining, part
        if nearest is not None:
            set_limit_headers(headers, nearest, remaining)


CHARGE = web.RequestKey("charge", Charge)
"""The charge of a request, where clients are limited."""


class RateLimiter:
    """The rate limiter of one instance.

    `is_valid_token(game, token)` returns whether a token opens a game, or any game for None.
    """

    def __init__(
        self,
        limits: Limits,
        store: TokenBucketStore,
        is_valid_token: Callable[[str | None, str], Awaitable[bool]],
        api_keys: ApiKeyAuthenticator,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
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
        self.leases = LeasePool(store, clock, MAX_LEASES_BYTES)

        def buckets(name: str, rate: RateLimit) -> tuple[Buckets, Buckets]:
            policy = counted(name, rate)
            shared = policy.scaled("tokens", limits.tokens_per_address, per_network=per_network)
            return Buckets(policy, clock, MAX_BUCKETS_BYTES), Buckets(shared, clock, MAX_BUCKETS_BYTES)

        self.requests, self.requests_of_tokens = buckets("requests", limits.rate_requests)
        self.time, self.time_of_tokens = buckets("time", limits.rate_time)
        self.trusted_tokens = RecentCache[bytes, bytes](
            TRUST_TTL_S, MAX_TRUSTED_BYTES // MAX_TRUSTED_ENTRY_BYTES, clock
        )
        """Hashes of the tokens that opened a game on this instance lately, or were issued by it."""
        self._is_valid_token = is_valid_token
        self._api_keys = api_keys
        self.verifier = TokenVerifier()

    async def aclose(self) -> None:
        """Cancel running renewals."""
        await self.leases.aclose()

    async def admit(self, request: web.Request, terms: Terms | None = None) -> None:
        """Charge a request, unless it was charged already; one without terms has no route.

        Raises RateLimited, ApiKeyRejected, Malformed, StoreUnavailable.
        """
        if not self.is_enabled or CHARGE in request:
            return
        address, headers = get_client_address(request), request.headers
        request[CHARGE] = charge = Charge(self.clock)
        if terms is not None:
            if not terms.is_limited:
                return
            charge.may_guess = terms.may_guess
            if API_KEY_HEADER in headers and terms.takes_api_key:
                await self._admit_api_key(charge, request, address, terms)
                return
        await self._admit_client(charge, request, address, takes_token=terms is not None)
        if terms is None or not terms.checks_token:
            charge.unverified_token = b""  # no token is checked, so success proves nothing
        if terms is None:
            return
        if terms.creates is not None:
            await charge.count_creation(self.leases, self.creations, address)
        if IDEMPOTENCY_KEY in headers and request.method not in SAFE_METHODS:
            await charge.count_creation(self.leases, self.idempotency_keys, address)

    async def admit_socket(self, request: web.Request, *, may_guess: bool) -> None:
        """Charge the upgrade to a WebSocket, which counts guesses itself. Raises RateLimited, StoreUnavailable."""
        if self.is_enabled:
            request[CHARGE] = charge = Charge(self.clock)
            charge.may_guess = may_guess
            await self._admit_client(charge, request, get_client_address(request), takes_token=True)
            charge.settle()
            charge.may_guess, charge.unverified_token = False, b""

    async def _admit_client(self, charge: Charge, request: web.Request, address: str, *, takes_token: bool) -> None:
        """Charge a request to its token or address; no valid token is rejected for what strangers at its address do.

        Raises RateLimited, StoreUnavailable.
        """
        try:
            await self._charge_client(charge, request, address)
        except RateLimited:
            tokens = _read_tokens(request)[:MAX_TOKENS_CHECKED] if takes_token else ()
            if not tokens or not await self._verify_tokens(address, request, request.match_info.get("id"), tokens):
                raise
            charge.settle()
            await self._charge_client(charge, request, address)

    async def _charge_client(self, charge: Charge, request: web.Request, address: str) -> None:
        """Charge a request to its trusted token, or else to its address. Raises RateLimited."""
        key = self._read_token_key(request) if hdrs.AUTHORIZATION in request.headers else b""
        if key not in self.trusted_tokens:
            charge.unverified_token = key
            if charge.may_guess:
                await charge.count_guess(self.leases, self.guesses, address)
        charge.admit(*self._select_buckets(key, address))

    def _select_buckets(self, key: bytes, address: str) -> tuple[tuple[Bucket, ...], tuple[Bucket, ...]]:
        """Return the buckets for requests and for time: of a trusted token and all others of its address, or these."""
        if key in self.trusted_tokens:
            return (
                (self.requests.get(key), *self.requests_of_tokens.of_address(address)),
                (self.time.get(key), *self.time_of_tokens.of_address(address)),
            )
        return self.requests.of_address(address), self.time.of_address(address)

    async def _admit_api_key(self, charge: Charge, request: web.Request, address: str, terms: Terms) -> None:
        """Charge a request to its API key: a request, and a game or an idempotency key.

        Raises RateLimited, ApiKeyRejected, Malformed, StoreUnavailable.
        """
        request[API_KEY] = key = await self._authenticate(request, address)
        quotas = key_policies(key.quotas)
        token_key = self._read_token_key(request)
        if terms.may_guess and token_key not in self.trusted_tokens:
            charge.unverified_token = token_key
            await charge.count_guess(self.leases, self.guesses, address)
        await charge.count(self.leases, quotas.requests, key.name)
        charge.admit((), (self.time_of_tokens.get(f"key {key.name}"),))
        if terms.creates == "game":
            await charge.count_creation(self.leases, quotas.games, key.name)
        elif IDEMPOTENCY_KEY in request.headers and request.method not in SAFE_METHODS:
            await charge.count_creation(self.leases, self.idempotency_keys, key.name)

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
        charge = request.get(CHARGE)
        if charge is None:
            return
        status, headers = response.status, response.headers
        charge.settle(is_successful=status < MIN_FAILED_STATUS and IDEMPOTENT_REPLAYED not in headers)
        address = get_connection(request).address
        if status == 404 and charge.may_guess:
            self.count_guess(address)
        elif status == 401 and hdrs.AUTHORIZATION in request.headers:
            self.leases.take_afterwards(self.guesses, address, max(1, len(_read_tokens(request))))
        elif charge.unverified_token and status < MIN_FAILED_STATUS:
            self._trust(charge.unverified_token)
        if not charge.is_admitted:
            get_connection(request).close_after(response)
        elif not response.prepared and RATE_LIMIT not in headers:
            charge.set_headers(headers)

    async def admit_message(self, address: str, message: MessageInfo) -> Charge:
        """Charge a WebSocket message. Raises RateLimited."""
        charge = Charge(self.clock)
        if not self.is_enabled:
            return charge
        try:
            await self._charge_message(charge, address, message)
        except RateLimited:
            charge.settle(is_successful=False)
            if message.key is not None or message.token is None or message.game is None:
                raise
            if not await self._verify_tokens(address, None, message.game, (message.token,)):
                raise
            await self._charge_message(charge, address, message)
        return charge

    async def _charge_message(self, charge: Charge, address: str, message: MessageInfo) -> None:
        """Charge a message, to its token or its address."""
        if message.key is not None:
            self._trust(message.key)
            key = message.key
        else:
            key = b"" if message.token is None else hash_token(message.token)
        if key not in self.trusted_tokens and message.game is not None:
            await charge.count_guess(self.leases, self.guesses, address)
        charge.admit(*self._select_buckets(key, address))
        if message.has_idempotency_key:
            await charge.count_creation(self.leases, self.idempotency_keys, address)

    def trust_tokens(self, tokens: Iterable[str]) -> None:
        """Trust tokens that opened a game or were issued."""
        if self.is_enabled:
            for token in tokens:
                self._trust(hash_token(token))

    def _trust(self, key: bytes) -> None:
        self.trusted_tokens.put(key, key)

    def count_guess(self, address: str) -> None:
        """Count a request for an unknown game or token."""
        if self.is_enabled:
            self.leases.take_afterwards(self.guesses, address)

    def _read_token_key(self, request: web.BaseRequest) -> bytes:
        """Return the hash of a request's token: of several that of a trusted one; empty if there is none."""
        try:
            token = read_bearer_token(request)
        except Unauthorized:
            keys = [hash_token(one) for one in _read_tokens(request)[:MAX_TOKENS_CHECKED]]
            return next((key for key in keys if key in self.trusted_tokens), b"")
        return b"" if token is None else token.hash

    async def _verify_tokens(
        self, address: str, request: web.BaseRequest | None, game: str | None, tokens: Iterable[str]
    ) -> bool:
        """Return whether the store knows a token that is not trusted yet; trust it from now on."""
        for token in tokens:
            key = hash_token(token)
            if key in self.trusted_tokens:
                return False
            if await self.verifier.is_valid(address, request, partial(self._is_valid, game, token)):
                self._trust(key)
                return True
        return False

    async def _is_valid(self, game: str | None, token: str) -> bool:
        return await self._is_valid_token(game, token)


def _read_tokens(request: web.BaseRequest) -> list[str]:
    """Return the tokens of a request; none if they have another form."""
    try:
        return parse_bearer_tokens(request)
    except (Unauthorized, Malformed):
        return []


RATE_LIMITER = web.AppKey("rate_limiter", RateLimiter)


def spend_time(charge: Charge | None, connection: ClientConnection) -> None:
    """Charge what a connection has taken since the last time to a client, or to the rejections of its address."""
    seconds = connection.stopwatch.take()
    if charge is not None and charge.is_admitted:
        charge.spend_time(seconds)
    else:
        connection.limiter.spend_rejected(connection.address, seconds)


async def close_rate_limiter(app: web.Application) -> AsyncIterator[None]:
    """Close the rate limiter when the application ends."""
    yield
    await app[RATE_LIMITER].aclose()
