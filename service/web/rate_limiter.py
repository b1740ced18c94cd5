"""The rate limiter: admits requests and messages by trusted token or by address, and charges what they took.

Each client has two buckets: of requests, so that it can plan, and of the event loop's time, measured, so that whatever
is expensive is paid for by whoever asks for it. They protect this instance, and are its own.

A token that opened a game here lately, or was issued here, is trusted. It has buckets of its own, below those that all
trusted tokens of its address share. Everything else goes by address, since tokens can be invented. What fills Redis or
reveals a secret is counted by address and shared by all instances: leases of buckets in Redis. Unknown tokens and games
count as guesses. An address with too many guesses is only served requests with valid tokens.

A request with an API key, on a route that takes one, counts against the key's quotas instead.

A token that this instance does not trust may be a guess, or it may have been used with another instance so far. No
client is rejected for the guesses of others at its address: the tokens and keys of an address with too many guesses
are checked with the store, one after the other at a bounded rate, so guessing costs little and reveals little.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from weakref import WeakValueDictionary

import msgspec
from aiohttp import hdrs, web
from multidict import istr

from service.engine import Message
from service.fair_queue import ANONYMOUS, FairQueue, QueueFull
from service.games.api_key import ApiKey, ApiKeyAuthenticator
from service.games.errors import ApiKeyRejected, Malformed, Unauthorized
from service.games.queries import is_valid_token
from service.telemetry.metrics import RATE_LIMITED
from service.web.accounts import Account, Accounts, Bucket, RecentCache, refund
from service.web.app import LIMITS, HttpRequest, Terms
from service.web.charge import RATE_LIMIT, Charge, key_policies
from service.web.connection import MAX_STREAM_HEAD_BYTES, get_connection
from service.web.headers import (
    API_KEY_HEADER,
    check_origin,
    make_token_id,
    parse_api_key,
    parse_bearer_tokens,
    read_bearer_token,
)
from service.web.problems import SAFE_METHODS, RateLimited, TooManyConnections
from service.web.response_heads import IDEMPOTENT_REPLAYED

LOADED_GAME_S = 0.0001
"""What a game of a list costs before the request's own coroutine has it: tasks of their own load and decode it."""


def charge_loaded_games(request: HttpRequest, number: int) -> None:
    """Charge a request for the games of a list that were loaded."""
    get_connection(request).loop_time.unpaid_s += number * LOADED_GAME_S


@asynccontextmanager
async def open_stream(request: HttpRequest) -> AsyncIterator[None]:
    """Admit and count a WebSocket or event stream.

    Raises OriginNotAllowed, TooManyConnections, Malformed.
    """
    limits, account = request.app[LIMITS], get_connection(request).charge.account
    check_origin(request, limits.allowed_origins)
    if limits.rate_limits and account.is_full("streams", limits.max_streams_per_address):
        RATE_LIMITED.labels("open-streams").inc()
        what = Message("sockets and event streams of this address")
        raise TooManyConnections(what, limits.max_streams_per_address, "max-streams-per-address")
    account.add("streams", 1)
    try:
        check_stream(request)
        yield
    finally:
        account.add("streams", -1)


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

MAX_TOKENS_CHECKED = 8
"""Tokens of one request that are checked, at most, for a valid one."""

TRUST_TTL_S = 3600.0
MAX_TRUSTED_BYTES = 16 * 1024 * 1024
MAX_TRUSTED_ENTRY_BYTES = 416
"""Memory of a trusted token, at most: its hash, its buckets, and its share of a dict that has just grown."""

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


class RateLimiter:
    """The rate limiter of one instance."""

    def __init__(self, accounts: Accounts, api_keys: ApiKeyAuthenticator) -> None:
        self.accounts = accounts
        self.trusted_tokens = RecentCache[bytes, tuple[Bucket, ...]](
            TRUST_TTL_S, MAX_TRUSTED_BYTES // MAX_TRUSTED_ENTRY_BYTES, accounts.clock
        )
        """The buckets of the tokens that opened a game on this instance lately, or were issued by it, by their hash."""
        self.checks = WeakValueDictionary[Account, FairQueue]()
        """The queues for checks of tokens, of the accounts that have some."""
        self._api_keys = api_keys
        self._is_valid_token = partial(is_valid_token, accounts.context)

    async def admit(self, request: HttpRequest, terms: Terms) -> None:
        """Charge a request to its API key, its trusted token or its address.

        Raises RateLimited, ApiKeyRejected, Malformed, StoreUnavailable.
        """
        charge, headers, accounts = get_connection(request).charge, request.headers, self.accounts
        if not (accounts.is_enabled and terms.is_limited):
            return
        charge.may_guess = terms.may_guess
        if terms.takes_api_key and API_KEY_HEADER in headers:
            await self._admit_api_key(charge, request, terms)
            return
        account, key = charge.account, self._read_token_key(request)
        if (buckets := self.trusted_tokens.get(key)) is not None:
            charge.admit(buckets + account.token_buckets)
        elif not terms.has_route:
            charge.admit(account.buckets)
        else:
            charge.unverified_token = key if terms.checks_token else b""
            tokens = _read_tokens(request)[:MAX_TOKENS_CHECKED]
            await self._admit_stranger(charge, request, request.match_info.get("id"), tokens)
        if terms.creates is not None:
            charge.creations += await account.take(accounts.creations)
        if IDEMPOTENCY_KEY in headers and request.method not in SAFE_METHODS and terms.has_route:
            charge.creations += await account.take(accounts.idempotency_keys)

    async def admit_message(self, charge: Charge, message: MessageInfo) -> None:
        """Charge a WebSocket message, to its token or its address. Raises RateLimited."""
        account, accounts = charge.account, self.accounts
        if not accounts.is_enabled:
            return
        if message.key is not None:
            buckets: tuple[Bucket, ...] | None = self._trust(message.key)
        else:
            buckets = self.trusted_tokens.get(b"" if message.token is None else make_token_id(message.token))
        if buckets is not None:
            charge.admit(buckets + account.token_buckets)
        else:
            charge.may_guess = message.game is not None
            tokens = () if message.token is None or message.game is None else (message.token,)
            await self._admit_stranger(charge, None, message.game, tokens)
        if message.has_idempotency_key:
            charge.creations += await account.take(accounts.idempotency_keys)

    async def _admit_stranger(
        self, charge: Charge, request: HttpRequest | None, game: str | None, tokens: Iterable[str]
    ) -> None:
        """Charge what may be a guess to an address; over its limit, to the first of the tokens that the store knows.

        So no valid token is rejected for what strangers at its address do. Raises RateLimited, StoreUnavailable.
        """
        account = charge.account
        try:
            if charge.may_guess:
                charge.guess = await account.take(self.accounts.guesses)
            charge.admit(account.buckets)
        except RateLimited:
            charge.settle()
            for token in tokens:
                if await self.check_in_turn(account, request, partial(self._is_valid_token, game, token)):
                    break
            else:
                raise
            charge.unverified_token = b""
            charge.admit(self._trust(make_token_id(token)) + account.token_buckets)

    async def _admit_api_key(self, charge: Charge, request: HttpRequest, terms: Terms) -> None:
        """Charge a request to its API key: a request, and a game or an idempotency key.

        Raises RateLimited, ApiKeyRejected, Malformed, StoreUnavailable.
        """
        accounts = self.accounts
        charge.api_key = key = await self._authenticate(request, charge.account)
        quotas, payer = key_policies(key.quotas), accounts.get(key.name, "key")
        token_key = self._read_token_key(request)
        if terms.may_guess and self.trusted_tokens.get(token_key) is None:
            charge.unverified_token = token_key
            charge.guess = await charge.account.take(accounts.guesses)
        charge.counted += await payer.take(quotas.requests)
        charge.admit(payer.token_buckets[1:])
        if terms.creates == "game":
            charge.creations += await payer.take(quotas.games)
        elif IDEMPOTENCY_KEY in request.headers and request.method not in SAFE_METHODS:
            charge.creations += await payer.take(accounts.idempotency_keys)

    async def _authenticate(self, request: HttpRequest, account: Account) -> ApiKey:
        """Return the API key of a request. An invalid one counts as a guess of its address.

        An address with too many guesses has its keys checked one after the other at a bounded rate, so its guesses do
        not lock the holder of a key out.
        """
        secret = parse_api_key(request) or ""
        if self._api_keys.is_cached(secret):
            return await self._api_keys.authenticate(secret)
        try:
            guess = await account.take(self.accounts.guesses)
        except RateLimited:
            if not await self.check_in_turn(account, request, partial(self._is_valid_key, secret)):
                raise
            guess = ()
        try:
            return await self._api_keys.authenticate(secret)
        except ApiKeyRejected:
            account.take_afterwards(self.accounts.guesses)
            raise
        finally:
            refund(guess)

    async def _is_valid_key(self, secret: str) -> bool:
        try:
            await self._api_keys.authenticate(secret)
        except ApiKeyRejected:
            return False
        return True

    async def check_in_turn(
        self, account: Account, request: web.BaseRequest | None, check: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Return what a check of a token returns; False without it if too many wait or the client has disconnected.

        Raises StoreUnavailable.
        """
        queue = self.checks.setdefault(account, FairQueue(1))
        try:
            started_at = await queue.acquire(ANONYMOUS)
        except QueueFull:
            return False
        pause_s = 0.0
        try:
            if request is not None and request.transport is None:
                return False
            pause_s = 1 / MAX_CHECKS_PER_S
            return await check()
        finally:
            asyncio.get_running_loop().call_later(pause_s, queue.release, ANONYMOUS, started_at)

    def settle(self, request: HttpRequest, response: web.StreamResponse) -> None:
        """Settle a request's charge with the response: trust its token, count guesses, set its headers.

        The connection of what nobody pays for is closed, so that it cannot be repeated there.
        """
        connection = get_connection(request)
        charge = connection.charge
        if not self.accounts.is_enabled:
            return
        status, headers = response.status, response.headers
        is_successful = status < MIN_FAILED_STATUS and IDEMPOTENT_REPLAYED not in headers
        if charge.guess or not is_successful:
            charge.settle(is_successful=is_successful)
        if status == 404 and charge.may_guess:
            self.count_guesses(charge.account)
        elif status == 401 and hdrs.AUTHORIZATION in request.headers:
            self.count_guesses(charge.account, max(1, len(_read_tokens(request))))
        elif charge.unverified_token and status < MIN_FAILED_STATUS:
            self._trust(charge.unverified_token)
        if not charge.buckets:
            if connection.client is not None:  # it is no proxy with other clients
                response.force_close()
        elif not response.prepared and RATE_LIMIT not in headers:
            charge.set_headers(headers)

    def trust_tokens(self, tokens: Iterable[str]) -> None:
        """Trust tokens that opened a game or were issued."""
        if self.accounts.is_enabled:
            for token in tokens:
                self._trust(make_token_id(token))

    def _trust(self, key: bytes) -> tuple[Bucket, ...]:
        """Trust a token from now on; return its buckets."""
        buckets = self.trusted_tokens.get(key)
        if buckets is None:
            self.trusted_tokens.put(key, buckets := tuple(map(Bucket, self.accounts.policies)))
        return buckets

    def count_guesses(self, account: Account, number: int = 1) -> None:
        """Count requests for an unknown game or token."""
        if self.accounts.is_enabled:
            account.take_afterwards(self.accounts.guesses, number)

    def _read_token_key(self, request: web.BaseRequest) -> bytes:
        """Return the hash of a request's token: of several that of a trusted one; empty if there is none."""
        try:
            return read_bearer_token(request).id
        except Unauthorized:
            keys = [make_token_id(one) for one in _read_tokens(request)[:MAX_TOKENS_CHECKED]]
            return next((key for key in keys if self.trusted_tokens.get(key) is not None), b"")


def _read_tokens(request: web.BaseRequest) -> list[str]:
    """Return the tokens of a request; none if they have another form."""
    try:
        return parse_bearer_tokens(request)
    except (Unauthorized, Malformed):
        return []


RATE_LIMITER = web.AppKey("rate_limiter", RateLimiter)
