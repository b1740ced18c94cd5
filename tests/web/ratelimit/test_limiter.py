"""What the rate limiter charges, and to whom, request by request and message by message."""

from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import web

from service.games.ports.game_store import RateLimit
from service.web.app_keys import API_KEY as API_KEY_OF_REQUEST
from service.web.client_ip import hash_token
from service.web.common_headers import IDEMPOTENT_REPLAYED
from service.web.errors import RateLimited
from service.web.limits import Limits
from service.web.ratelimit.api_key_verifier import ApiKeyPending
from service.web.ratelimit.charges import CHARGE, Charge
from service.web.ratelimit.costs import BYTES_PER_TOKEN
from service.web.ratelimit.leases import LeasePending
from service.web.ratelimit.limiter import MessageInfo, RateLimiter
from tests.security.limited_client import RATES
from tests.web.http_game import bearer_header
from tests.web.ratelimit.conftest import ADDRESS, HOST, SITE_ADDRESS, EmptyBuckets, charged, make_request

TRUSTED, NEW = bearer_header("trusted"), bearer_header("new")
API_KEY, KEY = {"Api-Key": "secret"}, {"Idempotency-Key": "k"}

GAME = "/v1/games/abc"

READ, WRITE = {"reads address": -1}, {"writes address": -1}
GUESS = {"guesses address": -1}
OWN_READ = {"reads trusted": -1, "requests address": -1}
OWN_WRITE = {"writes trusted": -1, "requests address": -1}
CREATION = {"creations address": -1}


@pytest.mark.parametrize(
    ("method", "path", "headers", "charges"),
    (
        ("GET", "/v1/bots", {}, READ),
        ("GET", "/nowhere.svg", {}, READ),
        ("GET", "/v1/tilesets/archipelago/ships/s01.svg", {}, {"pictures address": -1}),
        ("GET", "/v1/bots", TRUSTED, OWN_READ),
        ("GET", GAME, {}, READ | GUESS),
        ("GET", GAME, NEW, READ | GUESS),
        ("GET", GAME, {"Authorization": "Basic QTpC"}, READ | GUESS),
        ("GET", GAME, TRUSTED, OWN_READ),
        ("GET", f"{GAME}/board.png", {}, {"pictures address": -1} | GUESS),
        ("GET", f"{GAME}/board.txt", TRUSTED, {"pictures trusted": -1, "requests address": -1}),
        ("GET", f"{GAME}/ws", {}, READ),
        ("GET", "/v1/seats/me/games", bearer_header("new, second"), {"reads second": -1, "requests address": -1}),
        ("GET", "/v1/seats/me/games", bearer_header("new, other"), READ),
        ("GET", "/livez", {}, {}),
        ("GET", "/readyz", {}, {}),
        ("POST", "/v1/games", {}, WRITE | CREATION),
        ("POST", "/v1/games", TRUSTED, WRITE | CREATION),
        ("POST", "/v1/games", KEY, WRITE | CREATION | {"keys address": -1}),
        ("PUT", "/v1/games", {}, WRITE),
        ("POST", f"{GAME}/seats", {}, WRITE | GUESS),
        ("POST", f"{GAME}/seats", NEW, WRITE | GUESS),
        ("POST", f"{GAME}/seats", TRUSTED | KEY, OWN_WRITE | {"keys address": -1}),
        *(("POST", f"{GAME}/{path}", TRUSTED, OWN_WRITE | CREATION) for path in ("rematch", "webhooks", "token")),
        ("DELETE", f"{GAME}/webhooks", TRUSTED, OWN_WRITE),
        ("POST", f"{GAME}/actions", TRUSTED | API_KEY, OWN_WRITE),
        ("POST", f"{GAME}/actions", TRUSTED | KEY, OWN_WRITE | {"keys address": -1}),
        ("HEAD", GAME, {}, READ | GUESS),
        ("HEAD", GAME, TRUSTED, OWN_READ),
        ("HEAD", f"{GAME}/board.png", TRUSTED, {"pictures trusted": -1, "requests address": -1}),
        ("HEAD", "/livez", {}, {}),
        ("OPTIONS", GAME, NEW, READ),
        ("OPTIONS", GAME, TRUSTED, OWN_READ),
        ("OPTIONS", "/v1/games", API_KEY, READ),
        ("OPTIONS", "/v1/keys/me", API_KEY, READ),
    ),
)
def test_a_request_is_charged_to_its_trusted_token_or_its_address(
    limiter: RateLimiter, method: str, path: str, headers: dict[str, str], charges: dict[str, float]
) -> None:
    request = make_request(method, path, headers)
    charge = limiter.admit(request, ADDRESS)
    assert charged(limiter) == charges
    assert request.get(CHARGE) is charge
    assert (charge is None) == (not charges)


API_KEY_REQUEST = {"key-requests host": -1}
API_KEY_GAME = {"key-games host": -1}


@pytest.mark.parametrize(
    ("method", "path", "headers", "charges"),
    (
        ("POST", "/v1/games", {}, API_KEY_REQUEST | API_KEY_GAME),
        ("POST", "/v1/games", KEY, API_KEY_REQUEST | API_KEY_GAME),
        ("POST", f"{GAME}/rematch", TRUSTED, API_KEY_REQUEST | API_KEY_GAME),
        ("POST", f"{GAME}/rematch", NEW, API_KEY_REQUEST | API_KEY_GAME | GUESS),
        ("POST", f"{GAME}/seats", KEY, API_KEY_REQUEST | GUESS | {"keys host": -1}),
        ("GET", "/v1/keys/me", KEY, API_KEY_REQUEST),
        ("HEAD", "/v1/keys/me", {}, API_KEY_REQUEST),
        ("POST", "/v1/keys/me/webhooks", KEY, API_KEY_REQUEST | {"keys host": -1}),
    ),
)
def test_a_request_with_an_api_key_is_charged_to_it(
    limiter: RateLimiter, method: str, path: str, headers: dict[str, str], charges: dict[str, float]
) -> None:
    """Once it is verified."""
    request = make_request(method, path, API_KEY | headers)
    with pytest.raises(ApiKeyPending):
        limiter.admit(request, ADDRESS)
    assert charged(limiter) == {}
    request[API_KEY_OF_REQUEST] = HOST
    charge = limiter.admit(request, ADDRESS)
    assert charged(limiter) == charges
    assert request[CHARGE] is charge


def test_the_network_of_an_address_is_charged_too(limiter: RateLimiter) -> None:
    limiter.admit(make_request("POST", f"{GAME}/rematch", TRUSTED | KEY), SITE_ADDRESS)
    above = ("requests", "creations", "keys")
    assert charged(limiter) == (
        {"writes trusted": -1}
        | {f"{name} address": -1 for name in above}
        | {f"network-{name} network": -1 for name in above}
    )


def admit_and_settle(limiter: RateLimiter, request: web.Request, response: web.Response) -> None:
    """Charge a request, and settle the charge by its response."""
    charge = limiter.admit(request, ADDRESS)
    assert charge is not None
    limiter.settle(request, ADDRESS, charge, response)


@pytest.mark.parametrize(
    ("headers", "response", "charges", "trusts_new"),
    (
        (NEW, web.Response(), READ, True),
        (NEW, web.Response(status=304), READ, True),
        (NEW, web.Response(status=199), READ, False),
        (NEW, web.Response(status=400), READ, False),
        (NEW, web.Response(status=401), READ | GUESS, False),
        (NEW, web.Response(status=404), READ | GUESS, False),
        (TRUSTED, web.Response(status=404), OWN_READ | GUESS, False),
        ({}, web.Response(status=401), READ, False),
        ({}, web.Response(status=404), READ | GUESS, False),
        ({}, web.Response(body=bytes(BYTES_PER_TOKEN - 1)), READ, False),
        ({}, web.Response(body=bytes(3 * BYTES_PER_TOKEN)), {"reads address": -4}, False),
    ),
)
def test_a_response_settles_guesses_trust_and_bytes(
    limiter: RateLimiter, headers: dict[str, str], response: web.Response, charges: dict[str, float], trusts_new: bool
) -> None:
    admit_and_settle(limiter, make_request("GET", GAME, headers), response)
    assert charged(limiter) == charges
    assert (hash_token("new") in limiter.trusted_tokens) == trusts_new
    assert response.headers["RateLimit"].startswith('"reads";r=99')


@pytest.mark.parametrize(
    ("response", "creations"),
    (
        (web.Response(status=201), -1),
        (web.Response(status=400), 0),
        (web.Response(status=201, headers={IDEMPOTENT_REPLAYED: "true"}), 0),
    ),
)
def test_only_what_was_created_counts_as_a_creation(
    limiter: RateLimiter, response: web.Response, creations: int
) -> None:
    admit_and_settle(limiter, make_request("POST", "/v1/games", {}), response)
    assert charged(limiter).get("creations address", 0) == creations


def test_a_token_of_a_path_that_checks_none_is_not_trusted(limiter: RateLimiter) -> None:
    for path, headers in (("/v1/bots", NEW), ("/v1/seats/me/games", bearer_header("new, other"))):
        admit_and_settle(limiter, make_request("GET", path, headers), web.Response())
    assert len(limiter.trusted_tokens) == 2


def test_each_of_several_unknown_tokens_is_a_guess(limiter: RateLimiter) -> None:
    request = make_request("GET", "/v1/seats/me/games", bearer_header("a, b, c"))
    admit_and_settle(limiter, request, web.Response(status=401))
    assert charged(limiter) == READ | {"guesses address": -3}


def test_a_response_that_names_another_limit_is_not_changed(limiter: RateLimiter) -> None:
    response = web.Response(headers={"RateLimit": "other"})
    admit_and_settle(limiter, make_request("GET", GAME, {}), response)
    assert response.headers["RateLimit"] == "other"


OWN_MESSAGE = {"messages second": -2, "requests address": -2}


@pytest.mark.parametrize(
    ("message", "charges"),
    (
        (MessageInfo(), {"messages address": -1}),
        (MessageInfo(token="new", tokens=2), {"messages address": -2}),
        (MessageInfo(token="new", game="abc"), {"messages address": -1} | GUESS),
        (MessageInfo(token="new", game="abc", is_write=True), {"messages address": -1} | GUESS),
        (MessageInfo(token="second", game="abc", tokens=2), OWN_MESSAGE),
        (MessageInfo(token="trusted", key=hash_token("second"), game="abc", tokens=2), OWN_MESSAGE),
        (MessageInfo(token="trusted", game="abc", is_write=True), OWN_WRITE),
        (
            MessageInfo(token="trusted", game="abc", is_write=True, has_idempotency_key=True),
            OWN_WRITE | {"keys address": -1},
        ),
        (
            MessageInfo(token="new", game="abc", has_idempotency_key=True),
            {"messages address": -1, "keys address": -1} | GUESS,
        ),
    ),
    ids=str,
)
async def test_a_message_is_charged_to_its_trusted_token_or_its_address(
    limiter: RateLimiter, message: MessageInfo, charges: dict[str, float]
) -> None:
    charge = await limiter.admit_message(ADDRESS, message)
    assert charged(limiter) == charges
    assert charge is not None
    charge.settle()
    assert charged(limiter) == {name: tokens for name, tokens in charges.items() if name not in GUESS}


@pytest.mark.parametrize(
    ("headers", "client"), (({}, "address"), (NEW, "address"), (TRUSTED, "trusted"), ({"Authorization": ""}, "address"))
)
async def test_a_stream_is_charged_to_its_trusted_token_or_its_address(
    limiter: RateLimiter, headers: dict[str, str], client: str
) -> None:
    await limiter.admit_stream(make_request("GET", f"{GAME}/ws", headers), ADDRESS)
    assert charged(limiter) == {f"streams {client}": -1}


async def test_a_stream_beyond_the_limit_of_its_address_opens_with_a_valid_token_only(
    limiter: RateLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty,) = limiter.streams.get_or_create(ADDRESS)
    empty.tokens, empty.empty_until = -50, 60.0
    request = make_request("GET", f"{GAME}/ws", NEW)
    monkeypatch.setattr(limiter._verifier, "is_valid", AsyncMock(side_effect=(False, True)))
    with pytest.raises(RateLimited):
        await limiter.admit_stream(request, ADDRESS)
    await limiter.admit_stream(request, ADDRESS)
    assert charged(limiter) == {"streams address": -50, "streams new": -1}


async def test_without_limits_nothing_is_charged_or_stored(buckets: EmptyBuckets) -> None:
    limiter = RateLimiter(Limits(rate_limits=False), buckets, Mock(), Mock(), lambda: 0.0)
    limiter.trust_tokens(("trusted",))
    limiter.count_guess(ADDRESS)
    assert await limiter.admit_message(ADDRESS, MessageInfo()) is None
    assert (len(limiter.trusted_tokens), charged(limiter)) == (0, {})


@pytest.mark.parametrize("lease", ("reads", "guesses"))
def test_a_request_is_charged_nothing_if_one_of_its_leases_is_empty(limiter: RateLimiter, lease: str) -> None:
    """Else a rejected request would use up the others."""
    (empty,) = getattr(limiter, lease).get_or_create(ADDRESS)
    empty.tokens, empty.empty_until = -50, 60.0
    with pytest.raises(RateLimited) as limited:
        limiter.admit(make_request("GET", GAME, {}), ADDRESS)
    assert (limited.value.policy, limited.value.retry_after_s) == (lease, 60)
    assert charged(limiter) == {f"{lease} address": -50}


async def test_an_empty_lease_is_renewed_before_a_request_is_rejected(
    limiter: RateLimiter, buckets: EmptyBuckets
) -> None:
    (empty,) = limiter.reads.get_or_create(ADDRESS)
    empty.tokens = -49
    assert limiter.admit(make_request("GET", GAME, {}), ADDRESS) is not None
    assert empty.tokens == -50
    with pytest.raises(LeasePending):
        limiter.admit(make_request("GET", GAME, {}), ADDRESS)
    await limiter.aclose()
    assert buckets.requested == []


def test_thousands_of_clients_are_remembered(limiter: RateLimiter) -> None:
    clients = [f"192.0.{number // 256}.{number % 256}" for number in range(2_000)]
    for leases in limiter.leases:
        for client in clients:
            leases.pool.get_or_create(client).tokens -= 1
        assert {leases.pool.get_or_create(client).tokens for client in clients} == {-1}


def test_every_policy_has_the_rate_of_its_setting() -> None:
    # mypy cannot know that RATES names fields with rates only.
    limits = Limits(**{name: RateLimit(number, 60) for number, name in enumerate(sorted(RATES), 100)})  # type: ignore[arg-type]
    limiter = RateLimiter(limits._replace(addresses_per_network=3), Mock(), Mock(), Mock())
    settings = {"keys": limits.rate_keys} | {
        name.removeprefix("rate_").replace("_", "-"): getattr(limits, name) for name in RATES
    }
    assert {leases.pool.policy.name: leases.pool.policy.rate for leases in limiter.leases} == settings
    assert {leases.network_pool.policy.name: leases.network_pool.policy.rate for leases in limiter.leases} == {
        f"network-{name}": RateLimit(3 * rate.quota, rate.window_s) for name, rate in settings.items()
    }


def test_a_charge_names_the_lease_with_the_fewest_tokens(limiter: RateLimiter) -> None:
    (reads,), (creations,) = limiter.reads.get_or_create(ADDRESS), limiter.creations.get_or_create(ADDRESS)
    for tokens, named in ((-9, "reads"), (-10, "creations"), (-11, "creations")):
        headers: Any = {}
        reads.tokens, creations.tokens = -10, tokens + 1
        Charge((reads,), 0, creations=(creations,)).set_headers(headers)
        assert headers["RateLimit"].startswith(f'"{named}";'), tokens
