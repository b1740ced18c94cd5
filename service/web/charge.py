"""What a request or message is charged to: its time in the event loop, and what its command costs beside that.

The charge for bots depends on the bots, not on how long they think, so a command can be rejected before they play. It
goes by address, since every game has tokens of its own: to whoever acts before them, and to whoever creates a game that
nobody plays.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from math import ceil
from time import perf_counter
from typing import NamedTuple

from multidict import CIMultiDict, istr

from schemas.lobby import CreateGame
from service.engine import Game, Message
from service.fair_queue import QueueFull, Requester
from service.games.api_key import ApiKey, Quotas
from service.games.errors import UnknownTileSet
from service.games.lifecycle import is_attended, upcoming_bots
from service.games.ports import RateLimit
from service.games.tilesets import DEFAULT_TILESET
from service.web.accounts import MAX_WAITING_REPLAYS, RESERVED_MS, Account, Bucket, Policy, TokenLease, refund
from service.web.problems import TooManyWaiting

SHOWN_TIME = 0.5
"""Part of the time that must be gone before the headers name it: clients plan by the number of requests."""

BOT_TURN_TOKENS = 4
"""What a turn of a bot that runs in the event loop costs: some 3 ms."""

HEAVY_BOT_TURN_TOKENS = 40
"""A turn of a bot that runs in a process of its own: some 170 ms."""

MAX_REPLAYS_PER_ADDRESS = 4
"""Running and waiting replays of one address."""

RATE_LIMIT = istr("RateLimit")
RATE_LIMIT_POLICY = istr("RateLimit-Policy")
"""Headers of draft-ietf-httpapi-ratelimit-headers-11."""


class KeyPolicies(NamedTuple):
    """The quotas of an API key."""

    games: Policy
    requests: Policy
    bots: Policy


@lru_cache(maxsize=1_000)
def key_policies(quotas: Quotas) -> KeyPolicies:
    """Return the policies of quotas: equal ones share theirs, and new ones start anew."""
    return KeyPolicies(
        Policy("key-games", RateLimit(quotas.games_per_hour, 3600)),
        Policy("key-requests", RateLimit(quotas.requests_per_minute, 60)),
        Policy("key-bots", RateLimit(quotas.bot_turns_per_hour * BOT_TURN_TOKENS, 3600)),
    )


class Charge:
    """The charge of one request or message: to its account, until it is admitted at the cost of others.

    Without rate limits nothing is taken.
    """

    api_key: ApiKey | None = None
    """The API key that pays in place of the address."""
    buckets: tuple[Bucket, ...] = ()
    """Of the client that pays, if one does: of requests and of time."""
    counted: tuple[TokenLease, ...] = ()
    """Charged whatever the response is."""
    creations: tuple[TokenLease, ...] = ()
    """Charged unless the response shows that nothing was created."""
    guess: tuple[TokenLease, ...] = ()
    """Charged until the response shows that the request was no guess: many concurrent guesses are rejected too."""
    may_guess = False
    """Whether the response shows if a game or a token exists."""
    unverified_token = b""
    """Hash of a token that is not trusted yet; the response shows whether it is valid."""
    _reserved_ms = 0.0
    _is_paid = False
    """Whether bots or a seat are charged, which they are once, however often the command is retried."""

    def __init__(self, account: Account) -> None:
        self.account = account
        """Of the client's address."""
        if not account.accounts.is_enabled:
            self._is_paid = True

    def admit(self, buckets: tuple[Bucket, ...]) -> None:
        """Count a request, to be followed by its time. Raises RateLimited, and takes nothing, if a token is missing."""
        now = self.account.accounts.clock()
        for number, bucket in enumerate(buckets):
            policy, full_at = bucket.policy, max(bucket.full_at, now)
            if full_at - now > policy.max_owed_s:
                for taken in buckets[:number]:
                    taken.full_at -= taken.policy.reserved_s
                empty = max(buckets, key=lambda one: one.full_at - one.policy.max_owed_s)
                raise empty.policy.make_error(empty.full_at - empty.policy.max_owed_s - now)
            bucket.full_at = full_at + policy.reserved_s
        self.buckets, self._reserved_ms = buckets, RESERVED_MS

    def charge_time(self, seconds: float) -> None:
        """Charge time that was spent; what was reserved is a part of it."""
        if not self.buckets:
            self.account.charge_time(seconds)
            return
        now, milliseconds = self.account.accounts.clock(), 1000 * seconds - self._reserved_ms
        self._reserved_ms = 0.0
        for bucket in self.buckets:
            if bucket.policy.reserved == RESERVED_MS:
                bucket.take(milliseconds, now)

    def settle(self, *, is_successful: bool = True) -> None:
        """Refund the guess, which `RateLimiter` counts itself, and a creation that failed."""
        refund(self.guess)
        self.guess = ()
        if not is_successful:
            refund(self.creations)
            self.creations = ()

    def set_headers(self, headers: CIMultiDict[str]) -> None:
        """Set the rate-limit headers of the policy of which the smallest part is left."""
        now = self.account.accounts.clock()
        shown, least = None, 2.0
        for bucket in self.buckets:
            policy = bucket.policy
            part = 1 - (bucket.full_at - now) / policy.rate.window_s
            if part < least and (policy.reserved == 1 or part < SHOWN_TIME):
                shown, least = policy, part
        for lease in self.counted + self.creations:
            if (part := lease.remaining / lease.policy.quota) < least:
                shown, least = lease.policy, part
        if shown is not None:
            whole = max(0, min(shown.quota, int(least * shown.quota + 1e-6)))
            reset_s = ceil((shown.quota - whole) * shown.token_interval_s - 1e-9)
            headers[RATE_LIMIT] = f'"{shown.name}";r={whole};t={reset_s}'
            headers[RATE_LIMIT_POLICY] = shown.header

    async def charge_bots(self, game: Game) -> None:
        """Charge the next turns of the game's bots, or the rest of the game if the command leaves it to its bots.

        Raises RateLimited.
        """
        if upcoming := upcoming_bots(game):
            if is_attended(game):
                await self._take_for_bots(self.account.accounts.bots, self._price_turns(upcoming))
            else:
                playing = [player.bot for player in game.players if player.bot is not None]
                await self._charge_game(playing, len(game.bag) + 1)

    async def charge_new_game(self, new_game: CreateGame) -> None:
        """Charge a new game for its bots: one turn of each, or all turns if nobody else plays.

        The clock may play a turn of each person before it pauses the game, which is charged as a light bot's. Raises
        RateLimited, UnknownTileSet.
        """
        playing = [player.bot for player in new_game.players if player.bot is not None]
        people = len(new_game.players) - len(playing)
        is_clocked = new_game.turn_timeout_s is not None and new_game.on_timeout in {None, "pass"}
        starts_later = any(player.open for player in new_game.players)
        if people:
            clock = people * BOT_TURN_TOKENS if is_clocked else 0
            if tokens := clock + (0 if starts_later else self._price_turns(playing)):
                await self._take_for_bots(self.account.accounts.bots, tokens)
        else:
            chosen = self.account.accounts.context.tilesets.get(new_game.tileset or DEFAULT_TILESET, UnknownTileSet)
            await self._charge_game(playing, sum(tile.count for tile in chosen.tileset.tiles))

    async def charge_join(self) -> None:
        """Charge a seat of a public game, unless an API key was charged for the request. Raises RateLimited."""
        if self.api_key is None and not self._is_paid:
            await self.account.take(self.account.accounts.joins)
            self._is_paid = True

    async def charge_open_game(self) -> None:
        """Charge a game with open seats, unless an API key is charged for it. Raises RateLimited."""
        if self.api_key is None and self.account.accounts.is_enabled:
            await self.account.take(self.account.accounts.open_games)

    @asynccontextmanager
    async def replay_slot(self) -> AsyncIterator[None]:
        """Wait for a slot to replay a game, in a thread, and charge its time. Raises TooManyWaiting."""
        account = self.account
        with account.occupy("replays", MAX_REPLAYS_PER_ADDRESS):
            try:
                async with account.accounts.replays.slot(Requester(account.site.client.encode())) as started_at:
                    try:
                        yield
                    finally:
                        self.charge_time(perf_counter() - started_at)
            except QueueFull as error:
                raise TooManyWaiting(Message("replays"), MAX_WAITING_REPLAYS) from error

    def _price_turns(self, playing: Sequence[str]) -> int:
        """Return the tokens for one turn of each bot."""
        bots = self.account.accounts.context.bots
        return sum(HEAVY_BOT_TURN_TOKENS if bots.is_heavy(bot) else BOT_TURN_TOKENS for bot in playing)

    async def _charge_game(self, playing: Sequence[str], tiles: int) -> None:
        """Charge as many turns as there are tiles, which the bots take in turn."""
        tokens = -(-self._price_turns(playing) * tiles // len(playing))
        await self._take_for_bots(self.account.accounts.bot_games, tokens)

    async def _take_for_bots(self, policy: Policy, tokens: int) -> None:
        """Take tokens of the address, or of the API key's quota of bots."""
        if not self._is_paid:
            if self.api_key is None:
                await self.account.take(policy, tokens)
            else:
                key = self.account.accounts.get(self.api_key.name, "key")
                await key.take(key_policies(self.api_key.quotas).bots, tokens)
            self._is_paid = True
