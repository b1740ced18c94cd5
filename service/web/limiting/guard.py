"""Who may go on: the rates of requests, messages and streams, by known tokens and by addresses.

A token that has opened something is known for a while and has buckets of its own, wherever it comes from. All else goes
by the address, since tokens can be made up. What only a guesser does again and again (tokens and games that there are
not) empties a bucket after which an address is only served what it has proved to know.
"""

import time
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

from aiohttp import web

from service.games.buckets import BucketStore, Size
from service.web.errors import RateLimited
from service.web.limiting.accounts import TRIES, Account, Accounts, Asking
from service.web.limiting.known import Known
from service.web.limiting.policies import Policy
from service.web.limits import Limits

__all__ = ["GUARD", "Admitted", "Guard", "guarding"]

GAMES = "/v1/games/"
CREATE = "/v1/games"
CREATING = ("/rematch", "/webhooks")
"""What makes something new below a game."""
PICTURES = (".svg", ".png", ".txt")
EXEMPT = frozenset({"/livez", "/readyz"})
"""Asked by those who run the service, from addresses that others may share."""

TOO_MANY_REQUESTS = 429

READS = frozenset({"GET", "HEAD", "OPTIONS"})


class Stranger(NamedTuple):
    """Who shows a token that is not known: the answer tells whether it is good."""

    account: Account
    token: str


Admitted = Account | Stranger | None
"""Whose tokens a request has taken."""


class Guard:
    """One instance's; `on` is whether it limits anything."""

    def __init__(self, limits: Limits, store: BucketStore, clock: Callable[[], float] = time.monotonic) -> None:
        self.on = limits.rate_limits

        def accounts(name: str, size: Size) -> Accounts:
            return Accounts(Policy(name, size), store, clock)

        self.reads = accounts("reads", limits.rate_reads)
        self.writes = accounts("writes", limits.rate_writes)
        self.creations = accounts("creations", limits.rate_creations)
        self.open_games = accounts("open-games", limits.rate_open_games)
        self.pictures = accounts("pictures", limits.rate_pictures)
        self.streams = accounts("streams", limits.rate_streams)
        self.messages = accounts("messages", limits.rate_messages)
        self.guesses = accounts("guesses", limits.rate_guesses)
        self._known = Known(clock)

    @property
    def all(self) -> tuple[Accounts, ...]:
        """Those of every policy."""
        return (
            *(self.reads, self.writes, self.creations, self.open_games),
            *(self.pictures, self.streams, self.messages, self.guesses),
        )

    async def aclose(self) -> None:
        """End what is under way."""
        for accounts in self.all:
            await accounts.aclose()

    async def admit_after(self, asking: Asking, request: web.BaseRequest, address: str) -> Admitted:
        """The same once the store has answered."""
        for _ in range(TRIES):
            await asking.answered()
            try:
                return self.admit(request, address)
            except Asking as again:
                asking = again
        raise RateLimited(self.reads.policy.name, 1, self.reads.policy.header)

    def admit(self, request: web.BaseRequest, address: str) -> Admitted:
        """Let a request in. Raises RateLimited, or Asking where only the store knows."""
        path, method = request.path, request.method
        if not path.startswith(GAMES):
            return None if path in EXEMPT else self._by_address(method, path).take(address)
        header = request.headers.get("Authorization")
        if header is not None:
            token = header.rpartition(" ")[2]
            if token in self._known:
                if method == "POST" and not path.endswith(CREATING):
                    return self.writes.take(token)
                return self._of_known(method, path, address).take(token)
            self.guesses.check(address)
            return Stranger(self._by_address(method, path).take(address), token)
        self.guesses.check(address)
        return self._by_address(method, path).take(address)

    def answered(
        self, request: web.BaseRequest, address: str, admitted: Admitted, response: web.StreamResponse
    ) -> None:
        """Learn from the answer who asked; tell whoever writes how much is left."""
        if isinstance(admitted, Stranger):
            admitted = self._learn(request, address, admitted, response.status)
        elif response.status == 404 and request.path.startswith(GAMES):
            self.guesses.spend(address)
        if admitted is not None and request.method == "POST" and response.status != TOO_MANY_REQUESTS:
            admitted.tell(response.headers)

    def more(self, request: web.BaseRequest, address: str, tokens: int) -> None:
        """A request that reads was more work than others: it takes so many tokens more."""
        token = request.headers.get("Authorization", "").rpartition(" ")[2]
        self.reads.spend(token if token in self._known else address, tokens)

    async def said(self, address: str, token: str | None) -> None:
        """Let a socket's message in, which changes a game where it comes with a token. Raises RateLimited."""
        if not self.on:
            return
        if token is not None and token in self._known:
            await self.writes.taken(token)
            return
        await self.guesses.checked(address)
        await self.messages.taken(address)

    def learn(self, token: str) -> None:
        """Know a token, which has opened something."""
        if self.on:
            self._known.add(token)

    def guessed(self, address: str) -> None:
        """Somebody there has asked for what there is not."""
        if self.on:
            self.guesses.spend(address)

    def _learn(self, request: web.BaseRequest, address: str, stranger: Stranger, status: int) -> Account:
        if status in {401, 404}:
            self.guesses.spend(address)
        elif 200 <= status < 400 and request.method != "OPTIONS":
            self._known.add(stranger.token)
        return stranger.account

    def _of_known(self, method: str, path: str, address: str) -> Accounts:
        if path.endswith(CREATING) and method == "POST":
            self.creations.take(address)
        return self.writes if method not in READS else self._reads(path)

    def _by_address(self, method: str, path: str) -> Accounts:
        if method in READS:
            return self._reads(path)
        return self.creations if path == CREATE or path.endswith(CREATING) else self.writes

    def _reads(self, path: str) -> Accounts:
        return self.pictures if path.endswith(PICTURES) and path.startswith("/v1/") else self.reads


GUARD = web.AppKey("guard", Guard)


async def guarding(app: web.Application) -> AsyncIterator[None]:
    """End at the application's end what the guard has under way."""
    yield
    await app[GUARD].aclose()
