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
from service.web.parsing import bearer
from service.web.ratelimit.address_leases import AddressAccounts
from service.web.ratelimit.charges import FAILED, Payer
from service.web.ratelimit.classification import (
    EXEMPT,
    GAMES,
    LASTING,
    MINE,
    READS,
    game_of,
    is_creating,
    is_joining,
    is_picture,
    proves_token,
    shown_tokens,
)
from service.web.ratelimit.leases import RATE_LIMIT, Account, Asking, settled
from service.web.ratelimit.policies import Policy
from service.web.ratelimit.recent_cache import token_key
from service.web.ratelimit.token_verifier import Verification
from service.web.ratelimit.trusted_tokens import Known
from service.web.responses import REPLAYED

__all__ = ["GUARD", "PAYER", "Guard", "Said", "guarding"]

LOOKED_AT = 8
"""Of several tokens, so many are looked at for one that is good."""

BYTES = 65_536
"""In an answer, so many count as one request more."""

TABLE_BYTES = 2 * 1024 * 1024
TOKEN_TABLE_BYTES = 4 * 1024 * 1024
"""Memory that the accounts of a policy may take: of addresses alone, and where known tokens have accounts too."""


class Said(NamedTuple):
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


class Guard:
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
        self.on = limits.rate_limits
        self.all: list[AddressAccounts] = []
        """Those of every policy."""

        def accounts(name: str, size: RateLimit, max_bytes: int = TABLE_BYTES) -> AddressAccounts:
            policy, per_network = Policy(name, size), limits.addresses_per_network
            self.all.append(AddressAccounts(policy, store, clock, per_network=per_network, max_bytes=max_bytes))
            return self.all[-1]

        self.reads = accounts("reads", limits.rate_reads, TOKEN_TABLE_BYTES)
        self.writes = accounts("writes", limits.rate_writes, TOKEN_TABLE_BYTES)
        self.pictures = accounts("pictures", limits.rate_pictures, TOKEN_TABLE_BYTES)
        self.streams = accounts("streams", limits.rate_streams, TOKEN_TABLE_BYTES)
        self.messages = accounts("messages", limits.rate_messages, TOKEN_TABLE_BYTES)
        self.requests = accounts("requests", limits.rate_requests)
        self.creations = accounts("creations", limits.rate_creations)
        self.open_games = accounts("open-games", limits.rate_open_games)
        self.joins = accounts("joins", limits.rate_joins)
        self.keys = accounts("keys", limits.rate_keys)
        self.bots = accounts("bots", limits.rate_bots)
        self.bot_games = accounts("bot-games", limits.rate_bot_games)
        self.guesses = accounts("guesses", limits.rate_guesses)
        self.known = Known(clock)
        self._verification = Verification(opens)

    async def aclose(self) -> None:
        """End what is under way."""
        for accounts in self.all:
            await accounts.aclose()

    def admit(self, request: web.BaseRequest, address: str) -> Payer | None:
        """Let a request in. Raises RateLimited, or Asking where only the store knows; then there is `reconsider`."""
        payer = self._admit(request, address)
        if payer is not None:
            request[PAYER] = payer
        return payer

    def _admit(self, request: web.BaseRequest, address: str) -> Payer | None:
        path, method, stranger = request.path, request.method, None
        if hdrs.AUTHORIZATION in request.headers:
            stranger = self._shown(request, path)
            if stranger in self.known and (path.startswith(GAMES) or not is_creating(method, path)):
                return self._admit_token(request, address, stranger)
        if path in EXEMPT:
            return None
        guesses = self.guesses.ready(address) if path.startswith(GAMES) else ()
        return Payer(
            self._accounts(method, path).ready(address),
            guesses=() if path.endswith(LASTING) else guesses,
            creations=self._creations(request, address),
            stranger=stranger,
        )

    async def reconsider(self, refusal: Asking | RateLimited, request: web.BaseRequest, address: str) -> Payer | None:
        """The same once the store has answered; and nobody who shows a good token is refused for others' guesses."""
        try:
            if isinstance(refusal, RateLimited):
                raise refusal
            await refusal.answered()
            return await settled(lambda: self.admit(request, address))
        except RateLimited:
            if not await self._is_verified(request, address):
                raise
        return await settled(lambda: self.admit(request, address))

    def answered(self, request: web.BaseRequest, address: str, payer: Payer, response: web.StreamResponse) -> None:
        """Learn from the answer who asked, charge for its bytes, and say in it how much is left."""
        status, headers = response.status, response.headers
        payer.answered(FAILED if REPLAYED in headers else status)  # done again, it makes nothing new
        if status in {401, 404}:
            self._count_guess(request, address, status)
        elif payer.stranger and 200 <= status < 400 and proves_token(request):
            self.known.add(payer.stranger)
        if response.prepared:
            return
        if isinstance(response, web.Response) and type(body := response.body) is bytes and len(body) >= BYTES:
            payer.spend(len(body) // BYTES)
        if RATE_LIMIT not in headers:
            payer.tell(headers)

    async def said(self, address: str, said: Said) -> Payer | None:
        """Let a socket's message in. Raises RateLimited."""
        if not self.on:
            return None
        try:
            return await settled(lambda: self._admit_message(address, said))
        except RateLimited:
            if said.key is not None or said.token is None or said.game is None:
                raise
            if not await self._is_good(address, None, said.game, (said.token,)):
                raise
        return await settled(lambda: self._admit_message(address, said))

    async def open_stream(self, request: web.BaseRequest, address: str) -> None:
        """Let a socket or an event stream be opened. Raises RateLimited."""
        shown = self._shown(request, request.path) if hdrs.AUTHORIZATION in request.headers else b""
        if shown not in self.known:
            try:
                await self.streams.pay(address)
            except RateLimited:
                if not await self._is_verified(request, address):
                    raise
            else:
                return
        await self.streams.own.taken(shown)

    def learn(self, tokens: Iterable[str]) -> None:
        """Know tokens, which have opened something, or were just handed out."""
        if self.on:
            for token in tokens:
                self.known.add(token_key(token))

    def guessed(self, address: str) -> None:
        """Somebody there has asked for what there is not."""
        if self.on:
            self.guesses.spend(address)

    def _shown(self, request: web.BaseRequest, path: str) -> bytes:
        """The key of the token that a request shows; of several the first that is known; empty for what is none."""
        if path == MINE:
            keys = [token_key(token) for token in shown_tokens(request)[:LOOKED_AT]]
            return next((key for key in keys if key in self.known), keys[0] if keys else b"")
        try:
            token = bearer(request)
        except Unauthorized:
            return b""
        return b"" if token is None else token_key(token)

    def _admit_token(self, request: web.BaseRequest, address: str, key: bytes) -> Payer:
        """Let a request with a known token in."""
        own = self._accounts(request.method, request.path).own.ready(key)
        ceilings = self.requests.ready(address)
        return Payer((own, *ceilings), creations=self._creations(request, address))

    def _admit_message(self, address: str, said: Said) -> Payer:
        """Let a message in, by its token or by the address."""
        key, keys = said.key, self.keys.ready(address) if said.keyed else ()
        if key is None and said.token is not None and (shown := token_key(said.token)) in self.known:
            key = shown
        if key is not None:
            accounts = self.writes if said.writes else self.messages
            return Payer((accounts.own.ready(key), *self.requests.ready(address)), said.tokens, creations=keys)
        guesses = self.guesses.ready(address) if said.game is not None else ()
        return Payer(self.messages.ready(address), said.tokens, guesses=guesses, creations=keys)

    async def _is_verified(self, request: web.BaseRequest, address: str) -> bool:
        """Whether the store knows a token that a request shows."""
        looked_at, game = game_of(request.path)
        return looked_at and await self._is_good(address, request, game, shown_tokens(request)[:LOOKED_AT])

    async def _is_good(
        self, address: str, request: web.BaseRequest | None, game: str | None, tokens: Iterable[str]
    ) -> bool:
        """Whether the store knows a token that is shown here for the first time; from now on it is known here too."""
        for token in tokens:
            key = token_key(token)
            if key in self.known:
                return False
            if await self._verification.is_good(address, request, game, token):
                self.known.add(key)
                return True
        return False

    def _count_guess(self, request: web.BaseRequest, address: str, status: int) -> None:
        if status == 404 and request.path.startswith(GAMES):
            self.guesses.spend(address)
        elif status == 401 and hdrs.AUTHORIZATION in request.headers:
            self.guesses.spend(address, max(1, len(shown_tokens(request))))

    def _accounts(self, method: str, path: str) -> AddressAccounts:
        if method not in READS:
            return self.writes
        return self.pictures if is_picture(path) else self.reads

    def _creations(self, request: web.BaseRequest, address: str) -> tuple[Account, ...]:
        """The accounts for what makes something new, which goes by addresses whoever asks."""
        method = request.method
        if method in READS:
            return ()
        accounts: tuple[Account, ...] = ()
        if is_creating(method, request.path):
            accounts = self.creations.ready(address)
        elif hdrs.AUTHORIZATION not in request.headers and is_joining(method, request.path):
            accounts = self.joins.ready(address)
        if KEY in request.headers:
            accounts += self.keys.ready(address)
        return accounts


KEY = istr("Idempotency-Key")
GUARD = web.AppKey("guard", Guard)

PAYER = web.RequestKey("payer", Payer)
"""Of a request that was let in, where clients are limited."""


async def guarding(app: web.Application) -> AsyncIterator[None]:
    """End at the application's end what the guard has under way."""
    yield
    await app[GUARD].aclose()
