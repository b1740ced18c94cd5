"""The rate limiter: admits requests, messages and streams by trusted token or by address, and charges them.

A token that opened a game here lately, or was issued here, is trusted. It has buckets of its own, below a bucket that
all trusted tokens of its address share. Everything else goes by address, since tokens can be invented. Unknown tokens
and games count as guesses. An address with too many guesses is only served requests with valid tokens.

A request with an API key, on a path that takes one, is charged to the key instead.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

import msgspec
from aiohttp import hdrs, web
from multidict import istr

from service.games.authenticator import ApiKeyAuthenticator
from service.games.errors import Unauthorized
from service.games.ports.game_store import RateLimit, TokenBucketStore
from service.web.app_keys import API_KEY
from service.web.client_ip import hash_token
from service.web.common_headers import IDEMPOTENT_REPLAYED
from service.web.connections.protocol import get_connection
from service.web.errors import RateLimited
from service.web.headers.bearer_tokens import API_KEY_HEADER, read_bearer_token
from service.web.limits import Limits
from service.web.ratelimit import costs
from service.web.ratelimit.address_leases import AddressLeases
from service.web.ratelimit.api_key_verifier import ApiKeyPending, ApiKeyVerifier
from service.web.ratelimit.charges import CHARGE, MIN_FAILED_STATUS, Charge
from service.web.ratelimit.classification import (
    EXEMPT_PATHS,
    GAMES_PREFIX,
    MY_GAMES_PATH,
    SAFE_METHODS,
    WEBSOCKET_SUFFIX,
    is_creating,
    is_creating_game,
    is_picture,
    parse_game,
    proves_token,
    read_tokens,
    takes_api_key,
)
from service.web.ratelimit.key_quota_limiter import KeyQuotaLimiters
from service.web.ratelimit.leases import RATE_LIMIT, AdmissionPending, TokenLease, retry_when_leased
from service.web.ratelimit.policies import Policy
from service.web.ratelimit.recent_cache import RecentCache
from service.web.ratelimit.token_verifier import TokenVerifier

__all__ = ["RATE_LIMITER", "MessageInfo", "RateLimiter", "close_rate_limiter"]

MAX_TOKENS_CHECKED = 8
"""Tokens of one request that are checked, at most, for a valid one."""

MAX_LEASES_BYTES = 2 * 1024 * 1024
MAX_TOKEN_LEASES_BYTES = 4 * 1024 * 1024
"""Memory for the leases of a policy: of addresses alone, and of addresses and trusted tokens."""

TRUST_TTL_S = 3600.0
MAX_TRUSTED_BYTES = 8 * 1024 * 1024
MAX_TRUSTED_ENTRY_BYTES = 128
"""Memory of a trusted token, at most: its hash, and its share of a dict that has just grown."""


class MessageInfo(msgspec.Struct, frozen=True):
    """What the limiter needs to know of a WebSocket message."""

    token: str | None = None
    """The token that it carries or concerns."""
    key: bytes | None = None
    """Hash of a token that this WebSocket has authenticated with."""
    game: str | None = None
    """The game that it names; without one it cannot be a guess."""
    is_write: bool = False
    has_idempotency_key: bool = False
    tokens: int = 1
    """Its cost."""


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
        self.leases: list[AddressLeases] = []
        """The leases of every policy."""

        def add_policy(name: str, size: RateLimit, max_bytes: int = MAX_LEASES_BYTES) -> AddressLeases:
            policy, per_network = Policy(name, size), limits.addresses_per_network
            self.leases.append(AddressLeases(policy, store, clock, per_network=per_network, max_bytes=max_bytes))
            return self.leases[-1]

        self.reads = add_policy("reads", limits.rate_reads, MAX_TOKEN_LEASES_BYTES)
        self.writes = add_policy("writes", limits.rate_writes, MAX_TOKEN_LEASES_BYTES)
        self.pictures = add_policy("pictures", limits.rate_pictures, MAX_TOKEN_LEASES_BYTES)
        self.streams = add_policy("streams", limits.rate_streams, MAX_TOKEN_LEASES_BYTES)
        self.messages = add_policy("messages", limits.rate_messages, MAX_TOKEN_LEASES_BYTES)
        self.requests = add_policy("requests", limits.rate_requests)
        self.creations = add_policy("creations", limits.rate_creations)
        self.open_games = add_policy("open-games", limits.rate_open_games)
        self.joins = add_policy("joins", limits.rate_joins)
        self.idempotency_keys = add_policy("keys", limits.rate_keys)
        self.bots = add_policy("bots", limits.rate_bots)
        self.bot_games = add_policy("bot-games", limits.rate_bot_games)
        self.guesses = add_policy("guesses", limits.rate_guesses)
        self.trusted_tokens = RecentCache[bytes](TRUST_TTL_S, MAX_TRUSTED_BYTES // MAX_TRUSTED_ENTRY_BYTES, clock)
        """Hashes of the tokens that opened a game on this instance lately, or were issued by it."""
        self._verifier = TokenVerifier(is_valid_token)
        self.key_quota_limiters = KeyQuotaLimiters(store, clock)
        self._api_key_verifier = ApiKeyVerifier(api_keys, self.guesses)

    async def aclose(self) -> None:
        """Cancel running renewals."""
        for leases in self.leases:
            await leases.aclose()
        await self.key_quota_limiters.aclose()

    def admit(self, request: web.BaseRequest, address: str) -> Charge | None:
        """Charge a request. Raises RateLimited or AdmissionPending; then `retry_admission` decides."""
        path, method, headers, unverified_token = request.path, request.method, request.headers, None
        if API_KEY_HEADER in headers and takes_api_key(method, path):
            return self._charge_api_key(request, address)
        if hdrs.AUTHORIZATION in headers:
            unverified_token = self._read_token_key(request, path)
            if unverified_token in self.trusted_tokens and (
                path.startswith(GAMES_PREFIX) or not is_creating(method, path)
            ):
                request[CHARGE] = charge = self._charge_token(request, address, unverified_token)
                return charge
        if path in EXEMPT_PATHS and not request.body_exists:
            return None
        guesses: tuple[TokenLease, ...] = ()
        if path.startswith(GAMES_PREFIX) and method != hdrs.METH_OPTIONS:  # which says the same of every game
            guesses = self.guesses.require(address)
        request[CHARGE] = charge = Charge(
            self._select_leases(method, path).require(address),
            guesses=() if path.endswith(WEBSOCKET_SUFFIX) else guesses,
            creations=self._creation_leases(request, address),
            unverified_token=unverified_token,
        )
        return charge

    async def retry_admission(
        self, refusal: AdmissionPending | RateLimited, request: web.BaseRequest, address: str
    ) -> Charge | None:
        """Retry `admit` after what it waits for. A request with a valid token is not rejected for others' guesses.

        Raises RateLimited, ApiKeyRejected, Malformed, StoreUnavailable.
        """
        if isinstance(refusal, AdmissionPending):
            await refusal.wait()
            try:
                return await retry_when_leased(self.admit, request, address)
            except RateLimited as limited:
                refusal = limited
        if not await self._has_valid_token(request, address):
            raise refusal
        return await retry_when_leased(self.admit, request, address)

    def _charge_api_key(self, request: web.BaseRequest, address: str) -> Charge:
        """Charge a request to its API key: a request, and a game or an idempotency key.

        Raises RateLimited, AdmissionPending.
        """
        method, path, key = request.method, request.path, request.get(API_KEY)
        if key is None:
            raise ApiKeyPending(self._api_key_verifier, request, address, self._select_leases(method, path))
        quotas = self.key_quota_limiters.get(key)
        creations: tuple[TokenLease, ...] = ()
        token_key = self._read_token_key(request, path)
        is_guess = path.startswith(GAMES_PREFIX) and token_key not in self.trusted_tokens
        if is_creating_game(method, path):
            creations = quotas.require_game()
        elif method not in SAFE_METHODS and IDEMPOTENCY_KEY in request.headers:
            creations = (self.idempotency_keys.pool.require(key.name),)
        request[CHARGE] = charge = Charge(
            quotas.require_request(),
            guesses=self.guesses.require(address) if is_guess else (),
            creations=creations,
            unverified_token=token_key,
        )
        return charge

    def settle(self, request: web.BaseRequest, address: str, charge: Charge, response: web.StreamResponse) -> None:
        """Settle a charge with the response: trust its token, count guesses, charge its bytes, set its headers."""
        status, headers = response.status, response.headers
        charge.settle(
            MIN_FAILED_STATUS if IDEMPOTENT_REPLAYED in headers else status
        )  # a replayed response created nothing
        if status in {401, 404}:
            self._count_guess(request, address, status)
        elif charge.unverified_token and 200 <= status < 400 and proves_token(request):
            self._trust(charge.unverified_token)
        if response.prepared:
            return
        charge.increase_afterwards(get_connection(request).count_received(costs.RECEIVED_BYTES_PER_TOKEN))
        if isinstance(response, web.Response) and type(body := response.body) is bytes:
            charge.increase_afterwards(len(body) // costs.BYTES_PER_TOKEN)
        if RATE_LIMIT not in headers:
            charge.set_headers(headers)

    async def admit_message(self, address: str, message: MessageInfo) -> Charge | None:
        """Charge a WebSocket message. Raises RateLimited."""
        if not self.is_enabled:
            return None
        try:
            return await retry_when_leased(self._charge_message, address, message)
        except RateLimited:
            if message.key is not None or message.token is None or message.game is None:
                raise
            if not await self._verify_tokens(address, None, message.game, (message.token,)):
                raise
        return await retry_when_leased(self._charge_message, address, message)

    async def admit_stream(self, request: web.BaseRequest, address: str) -> None:
        """Charge the opening of a WebSocket or event stream. Raises RateLimited."""
        token_key = self._read_token_key(request, request.path)
        if token_key not in self.trusted_tokens:
            try:
                await self.streams.charge(address)
            except RateLimited:
                if not await self._has_valid_token(request, address):
                    raise
            else:
                return
        (await retry_when_leased(self.streams.pool.require, token_key)).tokens -= 1

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
            self.guesses.charge_afterwards(address)

    def _read_token_key(self, request: web.BaseRequest, path: str) -> bytes:
        """Return the hash of a request's token: of several the first trusted one; empty for none."""
        if path == MY_GAMES_PATH:
            keys = [hash_token(token) for token in read_tokens(request)[:MAX_TOKENS_CHECKED]]
            return next((key for key in keys if key in self.trusted_tokens), keys[0] if keys else b"")
        try:
            token = read_bearer_token(request)
        except Unauthorized:
            return b""
        return b"" if token is None else token.hash

    def _charge_token(self, request: web.BaseRequest, address: str, key: bytes) -> Charge:
        """Charge a request with a trusted token."""
        own = self._select_leases(request.method, request.path).pool.require(key)
        ceilings = self.requests.require(address)
        return Charge((own, *ceilings), creations=self._creation_leases(request, address))

    def _charge_message(self, address: str, message: MessageInfo) -> Charge:
        """Charge a message, to its token or its address."""
        key, keys = message.key, self.idempotency_keys.require(address) if message.has_idempotency_key else ()
        if (
            key is None
            and message.token is not None
            and (token_key := hash_token(message.token)) in self.trusted_tokens
        ):
            key = token_key
        if key is not None:
            leases = self.writes if message.is_write else self.messages
            return Charge((leases.pool.require(key), *self.requests.require(address)), message.tokens, creations=keys)
        guesses = self.guesses.require(address) if message.game is not None else ()
        return Charge(self.messages.require(address), message.tokens, guesses=guesses, creations=keys)

    async def _has_valid_token(self, request: web.BaseRequest, address: str) -> bool:
        """Return whether the store knows a token of a request."""
        is_token_path, game = parse_game(request.path)
        return is_token_path and await self._verify_tokens(
            address, request, game, read_tokens(request)[:MAX_TOKENS_CHECKED]
        )

    async def _verify_tokens(
        self, address: str, request: web.BaseRequest | None, game: str | None, tokens: Iterable[str]
    ) -> bool:
        """Return whether the store knows a token that is not trusted yet; trust it from now on."""
        for token in tokens:
            key = hash_token(token)
            if key in self.trusted_tokens:
                return False
            if await self._verifier.is_valid(address, request, game, token):
                self._trust(key)
                return True
        return False

    def _count_guess(self, request: web.BaseRequest, address: str, status: int) -> None:
        if status == 404 and request.path.startswith(GAMES_PREFIX):
            self.guesses.charge_afterwards(address)
        elif status == 401 and hdrs.AUTHORIZATION in request.headers:
            self.guesses.charge_afterwards(address, max(1, len(read_tokens(request))))

    def _select_leases(self, method: str, path: str) -> AddressLeases:
        if method not in SAFE_METHODS:
            return self.writes
        return self.pictures if is_picture(path) else self.reads

    def _creation_leases(self, request: web.BaseRequest, address: str) -> tuple[TokenLease, ...]:
        """Return the leases for creations, which go by address.

        Raises RateLimited, LeasePending.
        """
        method = request.method
        if method in SAFE_METHODS:
            return ()
        leases: tuple[TokenLease, ...] = ()
        if is_creating(method, request.path):
            leases = self.creations.require(address)
        if IDEMPOTENCY_KEY in request.headers:
            leases += self.idempotency_keys.require(address)
        return leases


IDEMPOTENCY_KEY = istr("Idempotency-Key")
RATE_LIMITER = web.AppKey("rate_limiter", RateLimiter)


async def close_rate_limiter(app: web.Application) -> AsyncIterator[None]:
    """Close the rate limiter when the application ends."""
    yield
    await app[RATE_LIMITER].aclose()
