"""Who may go on: the rates of requests, messages and streams, by known tokens and by addresses.

A token that has opened something here, or was handed out here, is known for a while. It has buckets of its own, and
below them one that all known tokens of an address share. All else goes by the address, since tokens can be made up.
What only a guesser does again and again (tokens and games that there are not) empties a bucket, after which an address
is only served what it has proved to know, or what the store says that it knows.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import NamedTuple

from aiohttp import hdrs, web
from multidict import istr

from service.games.errors import Unauthorized
from service.games.ports import RateLimit, TokenBucketStore
from service.web.errors import RateLimited
from service.web.limits import Limits
from service.web.parsing import parse_bearer_token
from service.web.ratelimit.address_leases import AddressLeases
from service.web.ratelimit.charges import MIN_FAILED_STATUS, Charge
from service.web.ratelimit.classification import (
    EXEMPT_PATHS,
    GAMES_PREFIX,
    MY_GAMES_PATH,
    SAFE_METHODS,
    WEBSOCKET_SUFFIX,
    is_creating,
    is_joining,
    is_picture,
    parse_game,
    proves_token,
    read_tokens,
)
from service.web.ratelimit.leases import RATE_LIMIT, LeasePending, TokenLease, retry_when_leased
from service.web.ratelimit.policies import Policy
from service.web.ratelimit.subjects import hash_token
from service.web.ratelimit.token_verifier import TokenVerifier
from service.web.ratelimit.trusted_tokens import TrustedTokens
from service.web.responses import IDEMPOTENT_REPLAYED

__all__ = ["CHARGE", "RATE_LIMITER", "MessageInfo", "RateLimiter", "close_rate_limiter"]

MAX_TOKENS_CHECKED = 8
"""Of several tokens, so many are looked at for one that is good."""

BYTES_PER_TOKEN = 65_536
"""In an answer, so many count as one request more."""

MAX_LEASES_BYTES = 2 * 1024 * 1024
MAX_TOKEN_LEASES_BYTES = 4 * 1024 * 1024
"""Memory that the accounts of a policy may take: of addresses alone, and where known tokens have accounts too."""


class MessageInfo(NamedTuple):
    """A message of a socket, as far as it matters here."""

    token: str | None = None
    """The one that it is about, or comes with."""
    key: bytes | None = None
    """Stands for a token that this socket has proved to know."""
    game: str | None = None
    """The one that it names; without one nothing can be guessed."""
    writes: bool = False
    keyed: bool = False
    """Whether it comes with an idempotency key."""
    tokens: int = 1
    """What it costs."""


class RateLimiter:
    """One instance's; `on` is whether it limits anything.

    `opens` says whether a token opens a game, or any at all where none is named.
    """

    def __init__(
        self,
        limits: Limits,
        store: TokenBucketStore,
        opens: Callable[[str | None, str], Awaitable[bool]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.is_enabled = limits.rate_limits
        self.leases: list[AddressLeases] = []
        """Those of every policy."""

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
        self.trusted_tokens = TrustedTokens(clock)
        self._verifier = TokenVerifier(opens)

    async def aclose(self) -> None:
        """End what is under way."""
        for accounts in self.leases:
            await accounts.aclose()

    def admit(self, request: web.BaseRequest, address: str) -> Charge | None:
        """Let a request in. Raises RateLimited, or Asking where only the store knows; then there is `reconsider`."""
        payer = self._charge_request(request, address)
        if payer is not None:
            request[CHARGE] = payer
        return payer

    def _charge_request(self, request: web.BaseRequest, address: str) -> Charge | None:
        path, method, stranger = request.path, request.method, None
        if hdrs.AUTHORIZATION in request.headers:
            stranger = self._read_token_key(request, path)
            if stranger in self.trusted_tokens and (path.startswith(GAMES_PREFIX) or not is_creating(method, path)):
                return self._charge_token(request, address, stranger)
        if path in EXEMPT_PATHS:
            return None
        guesses = self.guesses.require(address) if path.startswith(GAMES_PREFIX) else ()
        return Charge(
            self._select_leases(method, path).require(address),
            guesses=() if path.endswith(WEBSOCKET_SUFFIX) else guesses,
            creations=self._creation_leases(request, address),
            stranger=stranger,
        )

    async def retry_admission(
        self, refusal: LeasePending | RateLimited, request: web.BaseRequest, address: str
    ) -> Charge | None:
        """The same once the store has answered; and nobody who shows a good token is refused for others' guesses."""
        try:
            if isinstance(refusal, RateLimited):
                raise refusal
            await refusal.wait()
            return await retry_when_leased(lambda: self.admit(request, address))
        except RateLimited:
            if not await self._has_valid_token(request, address):
                raise
        return await retry_when_leased(lambda: self.admit(request, address))

    def settle(self, request: web.BaseRequest, address: str, payer: Charge, response: web.StreamResponse) -> None:
        """Learn from the answer who asked, charge for its bytes, and say in it how much is left."""
        status, headers = response.status, response.headers
        payer.settle(
            MIN_FAILED_STATUS if IDEMPOTENT_REPLAYED in headers else status
        )  # done again, it makes nothing new
        if status in {401, 404}:
            self._count_guess(request, address, status)
        elif payer.unverified_token and 200 <= status < 400 and proves_token(request):
            self.trusted_tokens.add(payer.unverified_token)
        if response.prepared:
            return
        if isinstance(response, web.Response) and type(body := response.body) is bytes and len(body) >= BYTES_PER_TOKEN:
            payer.increase_afterwards(len(body) // BYTES_PER_TOKEN)
        if RATE_LIMIT not in headers:
            payer.set_headers(headers)

    async def admit_message(self, address: str, said: MessageInfo) -> Charge | None:
        """Let a socket's message in. Raises RateLimited."""
        if not self.is_enabled:
            return None
        try:
            return await retry_when_leased(lambda: self._charge_message(address, said))
        except RateLimited:
            if said.key is not None or said.token is None or said.game is None:
                raise
            if not await self._verify_tokens(address, None, said.game, (said.token,)):
                raise
        return await retry_when_leased(lambda: self._charge_message(address, said))

    async def admit_stream(self, request: web.BaseRequest, address: str) -> None:
        """Let a socket or an event stream be opened. Raises RateLimited."""
        shown = self._read_token_key(request, request.path) if hdrs.AUTHORIZATION in request.headers else b""
        if shown not in self.trusted_tokens:
            try:
                await self.streams.charge(address)
            except RateLimited:
                if not await self._has_valid_token(request, address):
                    raise
            else:
                return
        await self.streams.pool.take_token(shown)

    def trust_tokens(self, tokens: Iterable[str]) -> None:
        """Know tokens, which have opened something, or were just handed out."""
        if self.is_enabled:
            for token in tokens:
                self.trusted_tokens.add(hash_token(token))

    def count_guess(self, address: str) -> None:
        """Somebody there has asked for what there is not."""
        if self.is_enabled:
            self.guesses.charge_afterwards(address)

    def _read_token_key(self, request: web.BaseRequest, path: str) -> bytes:
        """The key of the token that a request shows; of several the first that is known; empty for what is none."""
        if path == MY_GAMES_PATH:
            keys = [hash_token(token) for token in read_tokens(request)[:MAX_TOKENS_CHECKED]]
            return next((key for key in keys if key in self.trusted_tokens), keys[0] if keys else b"")
        try:
            token = parse_bearer_token(request)
        except Unauthorized:
            return b""
        return b"" if token is None else hash_token(token)

    def _charge_token(self, request: web.BaseRequest, address: str, key: bytes) -> Charge:
        """Let a request with a known token in."""
        own = self._select_leases(request.method, request.path).pool.require(key)
        ceilings = self.requests.require(address)
        return Charge((own, *ceilings), creations=self._creation_leases(request, address))

    def _charge_message(self, address: str, said: MessageInfo) -> Charge:
        """Let a message in, by its token or by the address."""
        key, keys = said.key, self.idempotency_keys.require(address) if said.keyed else ()
        if key is None and said.token is not None and (shown := hash_token(said.token)) in self.trusted_tokens:
            key = shown
        if key is not None:
            accounts = self.writes if said.writes else self.messages
            return Charge((accounts.pool.require(key), *self.requests.require(address)), said.tokens, creations=keys)
        guesses = self.guesses.require(address) if said.game is not None else ()
        return Charge(self.messages.require(address), said.tokens, guesses=guesses, creations=keys)

    async def _has_valid_token(self, request: web.BaseRequest, address: str) -> bool:
        """Whether the store knows a token that a request shows."""
        looked_at, game = parse_game(request.path)
        return looked_at and await self._verify_tokens(
            address, request, game, read_tokens(request)[:MAX_TOKENS_CHECKED]
        )

    async def _verify_tokens(
        self, address: str, request: web.BaseRequest | None, game: str | None, tokens: Iterable[str]
    ) -> bool:
        """Whether the store knows a token that is shown here for the first time; from now on it is known here too."""
        for token in tokens:
            key = hash_token(token)
            if key in self.trusted_tokens:
                return False
            if await self._verifier.is_valid(address, request, game, token):
                self.trusted_tokens.add(key)
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
        """The accounts for what makes something new, which goes by addresses whoever asks."""
        method = request.method
        if method in SAFE_METHODS:
            return ()
        accounts: tuple[TokenLease, ...] = ()
        if is_creating(method, request.path):
            accounts = self.creations.require(address)
        elif hdrs.AUTHORIZATION not in request.headers and is_joining(method, request.path):
            accounts = self.joins.require(address)
        if IDEMPOTENCY_KEY in request.headers:
            accounts += self.idempotency_keys.require(address)
        return accounts


IDEMPOTENCY_KEY = istr("Idempotency-Key")
RATE_LIMITER = web.AppKey("guard", RateLimiter)

CHARGE = web.RequestKey("payer", Charge)
"""Of a request that was let in, where clients are limited."""


async def close_rate_limiter(app: web.Application) -> AsyncIterator[None]:
    """End at the application's end what the guard has under way."""
    yield
    await app[RATE_LIMITER].aclose()
