"""What the rate limiter charges and to whom, with buckets and leases beside a small model of them."""

import asyncio
from fractions import Fraction
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import web
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from schemas.lobby import CreateGame, SeatRequest
from service.engine import Player
from service.games.api_key import ApiKey
from service.games.ports import RateLimit
from service.web.accounts import RESERVED_MS, Accounts, Bucket, RecentCache, TokenLease, refund
from service.web.app import NO_ROUTE, HttpRequest
from service.web.assembly import ROUTES
from service.web.charge import Charge
from service.web.connection import get_connection
from service.web.headers import make_token_id
from service.web.limits import Limits
from service.web.problems import RateLimited
from service.web.rate_limiter import MessageInfo, RateLimiter
from service.web.response_heads import IDEMPOTENT_REPLAYED
from service.web.routing import Route
from tests.web.app_server import FrozenClock
from tests.web.http_game import bearer_header
from tests.web.ratelimit.conftest import ADDRESS, HOST, SITE_ADDRESS, SharedBuckets, charged, make_request

OPERATIONS = {route.operation_id: route for route in ROUTES}
UNKNOWN_PATH = ""

TRUSTED, NEW = bearer_header("trusted"), bearer_header("new")
API_KEY, KEY = {"Api-Key": "secret"}, {"Idempotency-Key": "k"}

OF_ADDRESS = {"requests address": 1, "time address": RESERVED_MS}
OF_TOKEN = {
    "requests trusted": 1,
    "time trusted": RESERVED_MS,
    "tokens-requests address": 1,
    "tokens-time address": RESERVED_MS,
}
OF_SECOND = {name.replace("trusted", "second"): tokens for name, tokens in OF_TOKEN.items()}
OF_HOST = {"key-requests host": 1, "tokens-time host": RESERVED_MS}
GUESS, CREATION, KEPT = {"guesses address": 1}, {"creations address": 1}, {"keys address": 1}


async def admit(limiter: RateLimiter, operation: str, headers: dict[str, str], address: str = ADDRESS) -> HttpRequest:
    """Admit a request to an operation."""
    route: Route | None = OPERATIONS.get(operation)
    account = limiter.accounts.get(address)
    request = make_request(account, route.method if route else "POST", route.path if route else "/x", headers)
    request.match_info = {"id": "abc"}
    await limiter.admit(request, NO_ROUTE if route is None else route.terms)
    return request


@pytest.mark.parametrize(
    ("operation", "headers", "charges"),
    (
        ("listBots", {}, OF_ADDRESS),
        ("listBots", NEW, OF_ADDRESS),
        ("listBots", TRUSTED, OF_TOKEN),
        ("readGame", {}, OF_ADDRESS | GUESS),
        ("readGame", NEW, OF_ADDRESS | GUESS),
        ("readGame", {"Authorization": "Basic QTpC"}, OF_ADDRESS | GUESS),
        ("readGame", TRUSTED, OF_TOKEN),
        ("readGame", TRUSTED | KEY, OF_TOKEN),
        ("listMyGames", bearer_header("new, second"), OF_SECOND),
        ("listMyGames", bearer_header("new, other"), OF_ADDRESS),
        ("checkLiveness", {}, {}),
        ("createGame", {}, OF_ADDRESS | CREATION),
        ("createGame", TRUSTED | KEY, OF_TOKEN | CREATION | KEPT),
        ("joinGame", NEW, OF_ADDRESS | GUESS),
        ("createRematch", TRUSTED, OF_TOKEN | CREATION),
        ("replaceSeatToken", TRUSTED, OF_TOKEN | CREATION),
        ("registerWebhook", TRUSTED, OF_TOKEN | CREATION),
        ("act", TRUSTED | API_KEY, OF_TOKEN),
        ("act", TRUSTED | KEY, OF_TOKEN | KEPT),
        (UNKNOWN_PATH, NEW | API_KEY, OF_ADDRESS),
        (UNKNOWN_PATH, TRUSTED | KEY, OF_TOKEN),
        ("createGame", API_KEY | KEY, OF_HOST | {"key-games host": 1}),
        ("createRematch", API_KEY | TRUSTED, OF_HOST | {"key-games host": 1}),
        ("createRematch", API_KEY | NEW, OF_HOST | {"key-games host": 1} | GUESS),
        ("joinGame", API_KEY | KEY, OF_HOST | GUESS | {"keys host": 1}),
        ("readApiKey", API_KEY, OF_HOST),
        ("registerKeyWebhook", API_KEY | KEY, OF_HOST | {"keys host": 1}),
    ),
)
async def test_a_request_is_charged_to_its_key_its_trusted_token_or_its_address(
    limiter: RateLimiter, operation: str, headers: dict[str, str], charges: dict[str, float]
) -> None:
    request = await admit(limiter, operation, headers)
    assert charged(limiter) == charges
    get_connection(request).charge.charge_time(0.002)
    limiter.settle(request, web.Response())
    spent = {name: 2 if "time" in name else tokens for name, tokens in charges.items() if name not in GUESS}
    assert charged(limiter) == (spent or {"time address": 2})  # what has no limit takes time all the same


async def test_the_networks_of_an_address_are_charged_too(limiter: RateLimiter) -> None:
    await admit(limiter, "createRematch", TRUSTED | KEY, SITE_ADDRESS)
    above = {"tokens-requests": 1, "tokens-time": RESERVED_MS, "creations": 1, "keys": 1}
    assert charged(limiter) == (
        {"requests trusted": 1, "time trusted": RESERVED_MS}
        | {f"{name} address": tokens for name, tokens in above.items()}
        | {f"network-{name} network": tokens for name, tokens in above.items()}
    )


@pytest.mark.parametrize(
    ("operation", "headers", "response", "charges"),
    (
        ("readGame", NEW, web.Response(status=404), {"guesses address": 1}),
        ("readGame", NEW, web.Response(status=401), {"guesses address": 1}),
        ("readGame", {"Authorization": "Basic QTpC"}, web.Response(status=401), {"guesses address": 1}),
        ("readGame", {}, web.Response(status=401), {}),
        ("createRematch", NEW, web.Response(status=401), {"guesses address": 1}),
        ("listMyGames", bearer_header("a, b, c"), web.Response(status=401), {"guesses address": 3}),
        ("readTileSet", {}, web.Response(status=404), {}),
        ("createGame", KEY, web.Response(status=201), CREATION | KEPT),
        ("createGame", KEY, web.Response(status=201, headers={IDEMPOTENT_REPLAYED: "true"}), {}),
        ("createGame", KEY, web.Response(status=400), {}),
    ),
)
async def test_a_charge_is_settled_by_the_response(
    limiter: RateLimiter, operation: str, headers: dict[str, str], response: web.Response, charges: dict[str, float]
) -> None:
    request = await admit(limiter, operation, headers)
    limiter.settle(request, response)
    assert charged(limiter) == charges | OF_ADDRESS
    assert response.headers["RateLimit"].startswith('"')


@pytest.mark.parametrize(
    ("operation", "status", "is_trusted"),
    (
        *(("readGame", 200, True), ("readGame", 304, True), ("readGame", 401, False), ("listMyGames", 200, True)),
        *(("listBots", 200, False), (UNKNOWN_PATH, 204, False)),
    ),
)
async def test_a_token_is_trusted_once_a_response_proves_it(
    limiter: RateLimiter, operation: str, status: int, is_trusted: bool
) -> None:
    request = await admit(limiter, operation, NEW)
    limiter.settle(request, web.Response(status=status))
    assert (limiter.trusted_tokens.get(make_token_id("new")) is not None) == is_trusted


@pytest.mark.parametrize("policy", ("requests", "time"))
async def test_strangers_at_an_address_do_not_starve_a_token(limiter: RateLimiter, policy: str) -> None:
    """Nor one that this instance does not know yet, if it is valid."""
    accounts = limiter.accounts
    next(one for one in accounts.get(ADDRESS).buckets if one.policy.name == policy).take(1_000, accounts.clock())
    with pytest.raises(RateLimited) as limited:
        await admit(limiter, "readGame", NEW)
    assert limited.value.policy == policy
    await admit(limiter, "readGame", TRUSTED)
    limiter._is_valid_token = AsyncMock(return_value=True)
    request = await admit(limiter, "readGame", NEW)
    assert get_connection(request).charge.buckets


@pytest.mark.parametrize("number", (0, 1))
async def test_all_tokens_of_an_address_share_a_ceiling(limiter: RateLimiter, number: int) -> None:
    bucket = limiter.accounts.get(ADDRESS).token_buckets[number]
    bucket.take(bucket.policy.quota, limiter.accounts.clock())
    with pytest.raises(RateLimited):
        await admit(limiter, "readGame", TRUSTED)
    await admit(limiter, "readGame", {})
    await admit(limiter, "readGame", TRUSTED, "192.0.2.2")


async def test_requests_at_once_hold_time(limiter: RateLimiter) -> None:
    """Else as many as there are connections would all be done before the first is charged."""
    admitted = [await admit(limiter, "listBots", {}) for _ in range(int(1_000 / RESERVED_MS))]
    with pytest.raises(RateLimited) as limited:
        await admit(limiter, "listBots", {})
    assert limited.value.policy == "time"
    for request in admitted:
        get_connection(request).charge.charge_time(0.0)
    await admit(limiter, "listBots", {})


@pytest.mark.parametrize(
    ("message", "charges"),
    (
        (MessageInfo(), OF_ADDRESS),
        (MessageInfo(token="new"), OF_ADDRESS),
        (MessageInfo(token="new", game="abc"), OF_ADDRESS | GUESS),
        (MessageInfo(token="second", game="abc"), OF_SECOND),
        (MessageInfo(token="new", key=make_token_id("second"), game="abc"), OF_SECOND),
        (MessageInfo(token="trusted", game="abc", has_idempotency_key=True), OF_TOKEN | KEPT),
    ),
    ids=str,
)
async def test_a_message_is_charged_to_its_trusted_token_or_its_address(
    limiter: RateLimiter, message: MessageInfo, charges: dict[str, float]
) -> None:
    charge = make_charge(limiter)
    await limiter.admit_message(charge, message)
    assert charged(limiter) == charges
    charge.settle()
    charge.charge_time(0.0)
    assert charged(limiter) == {
        name: tokens for name, tokens in charges.items() if "time" not in name and name not in GUESS
    }


async def test_a_rejected_message_leaves_no_guess_behind(limiter: RateLimiter) -> None:
    limiter.accounts.get(ADDRESS).buckets[0].take(1_000, limiter.accounts.clock())
    with pytest.raises(RateLimited):
        await limiter.admit_message(make_charge(limiter), MessageInfo(token="new", game="abc"))
    assert charged(limiter) == {"requests address": 1_000}


async def test_without_limits_nothing_is_charged_or_stored(limiter: RateLimiter) -> None:
    limiter.accounts.is_enabled = False
    limiter.trust_tokens(("new",))
    limiter.count_guesses(limiter.accounts.get(ADDRESS))
    await limiter.admit_message(make_charge(limiter), MessageInfo(game="abc"))
    await admit(limiter, "createGame", KEY)
    assert (len(limiter.trusted_tokens), charged(limiter)) == (2, {})


LIGHT, HEAVY = SeatRequest(bot="light"), SeatRequest(bot="heavy")
PERSON, OPEN = SeatRequest(name="Ana"), SeatRequest(open=True)
TILES = 73
"""Of the default tile set."""


def make_charge(limiter: RateLimiter, key: ApiKey | None = None) -> Charge:
    """Return the charge of a request to which nothing was charged yet."""
    charge = Charge(limiter.accounts.get(ADDRESS))
    charge.api_key = key
    return charge


@pytest.mark.parametrize(
    ("players", "payer", "charges"),
    (
        ([PERSON, PERSON], None, {}),
        ([PERSON, LIGHT], None, {"bots address": 4}),
        ([PERSON, LIGHT, HEAVY, HEAVY], None, {"bots address": 84}),
        ([PERSON, HEAVY], HOST, {"key-bots host": 40}),
        ([OPEN, LIGHT], None, {}),
        ([LIGHT, LIGHT], None, {"bot-games address": 4 * TILES}),
        ([HEAVY, LIGHT, LIGHT], None, {"bot-games address": 16 * TILES}),
        ([PERSON, PERSON], 60, {"bots address": 8}),
        ([PERSON, LIGHT], 60, {"bots address": 8}),
        ([PERSON, OPEN, LIGHT], 60, {"bots address": 8}),
    ),
)
async def test_a_new_game_is_charged_for_its_bots_and_its_clock(
    limiter: RateLimiter, players: list[SeatRequest], payer: ApiKey | int | None, charges: dict[str, float]
) -> None:
    """A turn of each, and of each person with a time limit, or all turns if nobody else plays."""
    key, timeout_s = (payer, None) if isinstance(payer, ApiKey) else (None, payer)
    requested, charge = CreateGame(players=players, turn_timeout_s=timeout_s), make_charge(limiter, key)
    for _ in range(2):  # the command may be retried
        await charge.charge_new_game(requested)
    assert charged(limiter) == charges
    limiter.accounts.is_enabled = False
    await make_charge(limiter, key).charge_new_game(requested)
    assert charged(limiter) == charges


async def test_the_clock_of_other_policies_is_not_charged(limiter: RateLimiter) -> None:
    for policy in ("bot", "resign"):
        requested = CreateGame(players=[PERSON, PERSON], turn_timeout_s=60, on_timeout=policy)
        await make_charge(limiter).charge_new_game(requested)
    assert charged(limiter) == {}


@pytest.mark.parametrize(("key", "charges"), ((None, {"joins address": 1}), (HOST, {})))
async def test_a_seat_is_charged_once(limiter: RateLimiter, key: ApiKey | None, charges: dict[str, float]) -> None:
    charge = make_charge(limiter, key)
    for _ in range(2):
        await charge.charge_join()
    assert charged(limiter) == charges


SEATS: dict[str, Any] = {"P": {}, "X": {"resigned": True}, "L": {"bot": "light"}, "H": {"bot": "heavy"}}


@pytest.mark.parametrize(
    ("seats", "decider", "charges"),
    (
        ("PLH", 0, {}),
        ("PLH", 1, {"bots address": 44}),
        ("XLPH", 3, {"bots address": 44}),
        ("LXH", 0, {"bot-games address": 198}),
    ),
)
async def test_a_command_is_charged_for_the_turns_that_follow(
    limiter: RateLimiter, seats: str, decider: int, charges: dict[str, float]
) -> None:
    """Up to the next person's, past who has resigned (X). Bots alone: 22 tokens for each tile, the drawn one too."""
    players = [Player(None, None, "bot" if seat in "LH" else "human", **SEATS[seat]) for seat in seats]
    game: Any = Mock(players=players, decider=decider, bag=[None] * 8, status="active", absent=0)
    charge = make_charge(limiter)
    for _ in range(2):
        await charge.charge_bots(game)
    assert charged(limiter) == charges


def test_every_policy_has_the_rate_of_its_setting() -> None:
    limits = Limits(addresses_per_network=3, tokens_per_address=2)
    accounts = Accounts(limits)
    names = ("creations", "open_games", "joins", "bots", "bot_games", "guesses")
    for name in names:
        policy = getattr(accounts, name)
        assert (policy.name, policy.rate) == (name.replace("_", "-"), getattr(limits, f"rate_{name}"))
        assert policy.network.quota == 3 * policy.quota
    assert (accounts.idempotency_keys.name, accounts.idempotency_keys.rate) == ("keys", limits.rate_keys)
    pairs = zip(("requests", "time"), accounts.policies, accounts.token_policies, strict=True)
    for name, own, shared in pairs:
        assert (own.name, own.rate) == (name, getattr(limits, f"rate_{name}"))
        assert own.network is not None
        assert shared.network is not None
        assert [own.network.quota, shared.quota, shared.network.quota] == [own.quota * many for many in (3, 2, 6)]


async def test_what_a_network_rejects_is_not_taken_from_its_address(limiter: RateLimiter) -> None:
    """And while a bucket is known to be empty, the store is asked no more."""
    account = limiter.accounts.get(SITE_ADDRESS)
    account.site.leases_of(limiter.accounts.joins)[0].tokens = -1_000
    for _ in range(3):
        with pytest.raises(RateLimited):
            await account.take(limiter.accounts.joins, 3)
    assert charged(limiter) == {"network-joins network": 1_000}
    assert limiter.accounts.context.store.buckets.take.await_count == 1  # type: ignore[attr-defined]  # a mock


async def test_a_refusal_names_the_time_until_all_missing_tokens_are_there(limiter: RateLimiter) -> None:
    """Not only the next one: bots cost many at once."""
    accounts, clock = limiter.accounts, FrozenClock()
    accounts.clock, store = clock, accounts.context.store
    store.buckets = SharedBuckets(clock)
    account = accounts.get(ADDRESS)
    for _ in range(7):
        await account.take(accounts.bots, 160)
    with pytest.raises(RateLimited) as refused:
        await account.take(accounts.bots, 160)
    assert refused.value.retry_after_s > 100
    clock.now += refused.value.retry_after_s - 4  # a token takes 3.6 s
    with pytest.raises(RateLimited) as again:
        await account.take(accounts.bots, 160)
    assert again.value.retry_after_s == 4
    clock.now += 4
    await account.take(accounts.bots, 160)


async def test_a_refusal_names_the_time_until_address_and_network_have_tokens(limiter: RateLimiter) -> None:
    account, joins = limiter.accounts.get(SITE_ADDRESS), limiter.accounts.joins
    for level, tokens in zip(account.levels, (-60, -300), strict=True):
        level.leases_of(joins)[0].tokens = tokens
    with pytest.raises(RateLimited) as refused:
        await account.take(joins)
    assert (refused.value.policy, refused.value.retry_after_s) == ("network-joins", 360)


async def test_a_refusal_names_the_time_until_every_bucket_has_a_token(limiter: RateLimiter) -> None:
    account, limiter.accounts.clock = limiter.accounts.get(ADDRESS), (clock := FrozenClock())
    for bucket, owed in zip(account.buckets, (10, 100), strict=True):
        bucket.take(bucket.policy.quota + owed, clock())
    with pytest.raises(RateLimited) as refused:
        make_charge(limiter).admit(account.buckets)
    assert (refused.value.policy, refused.value.retry_after_s) == ("time", 364)
    clock.now += 364
    make_charge(limiter).admit(account.buckets)


RATE = RateLimit(40, 100)
INSTANCES = 2
CLIENTS = ("192.0.2.1", "2001:db8:1:1::", "2001:db8:1:2::")
PORTION = 2
MAX_CLIENTS = 10
LIMITS = Limits(rate_requests=RATE, rate_joins=RATE)

clients = st.sampled_from(CLIENTS)


class Model:
    """A token bucket: it refills steadily up to its quota, and a debt is at most one quota."""

    def __init__(self, quota: int) -> None:
        self.quota = quota
        self.tokens = Fraction(quota)

    def wait(self, seconds: int) -> None:
        """Refill."""
        self.tokens = min(Fraction(self.quota), self.tokens + Fraction(seconds * self.quota, RATE.window_s))

    def spend(self, tokens: int) -> None:
        """Take tokens."""
        self.tokens = max(-Fraction(self.quota), self.tokens - tokens)


def models_of(models: dict[str, Model], client: str) -> list[Model]:
    """Return the model of a client, and that of its network, which has twice as much."""
    own = [models.setdefault(client, Model(RATE.quota))]
    return own + ([models.setdefault("network", Model(2 * RATE.quota))] if ":" in client else [])


class LimitMachine(RuleBasedStateMachine):
    """Buckets of an instance are exact, and of a shared bucket all instances take what it holds, and a portion each.

    No client that has tokens is rejected.
    """

    @initialize()
    def start(self) -> None:
        self.runner = asyncio.Runner()
        self.clock = FrozenClock()
        self.store = SharedBuckets(self.clock)
        self.models: dict[str, Model] = {}
        context = Mock(store=Mock(buckets=self.store))
        self.instances = [Accounts(LIMITS, context, self.clock) for _ in range(INSTANCES)]
        self.accounts = self._make_accounts()
        self.taken = dict.fromkeys(CLIENTS, 0)
        self.waited_s = 0
        self.had_outage = False

    def _make_accounts(self) -> Accounts:
        accounts = Accounts(LIMITS, None, self.clock)
        accounts.recent = RecentCache(1_000.0, MAX_CLIENTS, self.clock)
        return accounts

    def _buckets(self, client: str) -> tuple[Bucket, ...]:
        """Return the buckets of a client's requests, and of its network's."""
        return self.accounts.get(client).buckets[::2]

    def teardown(self) -> None:
        self.runner.close()

    @rule(seconds=st.integers(1, 250))
    def wait(self, seconds: int) -> None:
        self.clock.now += seconds
        self.waited_s += seconds
        for model in self.models.values():
            model.wait(seconds)

    @rule(client=clients, tokens=st.integers(1, 60))
    def spend(self, client: str, tokens: int) -> None:
        for bucket, model in zip(self._buckets(client), models_of(self.models, client), strict=True):
            bucket.take(tokens, self.clock())
            model.spend(tokens)

    @rule(client=clients)
    def admit(self, client: str) -> None:
        for bucket, model in zip(self._buckets(client), models_of(self.models, client), strict=True):
            assert abs(bucket.count_remaining(self.clock()) - float(model.tokens)) < 1e-6
            if model.tokens >= 1:
                Charge(self.accounts.get(client)).admit((bucket,))
                model.spend(1)
                continue
            with pytest.raises(RateLimited) as limited:
                Charge(self.accounts.get(client)).admit((bucket,))
            missing_s = (1 - model.tokens) * RATE.window_s / model.quota
            assert -1e-6 <= limited.value.retry_after_s - missing_s < 1 + 1e-6

    @rule()
    def flood(self) -> None:
        used = self.accounts.get(CLIENTS[-1])
        for number in range(100):
            self.accounts.get(f"192.0.2.{number}")
            self.accounts.get(f"2001:db8:{number}::")
        assert len(self.accounts.recent) <= MAX_CLIENTS
        assert len(self.accounts._known) <= 2 * MAX_CLIENTS + len(used.levels)
        assert self.accounts.get(CLIENTS[-1]) is used
        self.accounts, self.models = self._make_accounts(), {}

    @rule(is_down=st.booleans())
    def set_outage(self, is_down: bool) -> None:
        self.store.is_down = is_down
        self.had_outage |= is_down

    @rule(instance=st.integers(0, INSTANCES - 1), client=clients, number=st.integers(1, 30), is_refunded=st.booleans())
    def take(self, instance: int, client: str, number: int, is_refunded: bool) -> None:
        accounts = self.instances[instance]

        async def take_all() -> list[Any]:
            attempts = [accounts.get(client).take(accounts.joins) for _ in range(number)]
            return await asyncio.gather(*attempts, return_exceptions=True)

        results = self.runner.run(take_all())
        leases = [result for result in results if isinstance(result, tuple)]
        rejected = [result for result in results if isinstance(result, RateLimited)]
        assert len(leases) + len(rejected) == number
        assert all(error.retry_after_s > 0 for error in rejected)
        if rejected:  # one of its leases owes a portion, and the bucket above it has no token
            assert any(
                lease.tokens <= -lease.policy.lease_tokens and lease.empty_until > self.clock()
                for lease in self._leases(instance, client)
            )
        if is_refunded:
            for one in leases:
                refund(one)
        else:
            self.taken[client] += len(leases)

    @rule(instance=st.integers(0, INSTANCES - 1), client=clients)
    def take_afterwards(self, instance: int, client: str) -> None:
        accounts = self.instances[instance]

        async def take() -> None:
            accounts.get(client).take_afterwards(accounts.joins, 1_000)
            await asyncio.sleep(0)

        self.runner.run(take())
        for lease in self._leases(instance, client):
            assert -lease.policy.quota <= lease.tokens

    @invariant()
    def no_client_exceeds_its_bucket(self) -> None:
        if not hasattr(self, "taken"):
            return
        instances = INSTANCES + self.had_outage * INSTANCES  # each has a bucket of its own while the store is away
        buckets = 1 + self.had_outage * INSTANCES
        for quota, portion, taken in (
            *((RATE.quota, PORTION, taken) for taken in self.taken.values()),
            (2 * RATE.quota, 2 * PORTION, sum(taken for client, taken in self.taken.items() if ":" in client)),
        ):
            refilled = quota * self.waited_s / RATE.window_s
            assert taken <= buckets * (quota + refilled) + instances * portion + 1e-6

    def _leases(self, instance: int, client: str) -> list[TokenLease]:
        accounts = self.instances[instance]
        return [*accounts.get(client).leases_of(accounts.joins)]


LimitMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)

TestLimits = LimitMachine.TestCase


def test_a_cache_forgets_what_was_not_used_for_two_windows() -> None:
    """And nothing that was used within one."""
    clock = FrozenClock()
    cache = RecentCache[int, int](60.0, 10, clock)
    cache.put(0, 0)
    cache.put(1, 1)
    for number in (2, 3):
        clock.now += 61
        assert cache.get(1) == 1
        cache.put(number, number)
    assert [key for key in range(4) if cache.get(key) is not None] == [1, 2, 3]
    assert len(cache) == 3
