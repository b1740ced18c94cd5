"""What a command is charged beyond its first token: for bots, replays, streams and open games."""

from typing import Any
from unittest.mock import Mock

import pytest

from schemas.lobby import CreateGame, SeatRequest
from service.games.api_key import ApiKey
from service.games.bots.priority import hash_creator
from service.web.app_keys import API_KEY, CONTEXT, LIMITS
from service.web.connections.limiter import CONNECTION_LIMITER, ConnectionLimiter
from service.web.errors import OriginNotAllowed, TooManyConnections
from service.web.limits import Limits
from service.web.ratelimit import request_charges
from service.web.ratelimit.charges import CHARGE, Charge
from service.web.ratelimit.concurrency import REPLAY_QUEUE, ReplayQueue
from service.web.ratelimit.limiter import RATE_LIMITER, RateLimiter
from service.web.ratelimit.request_charges import (
    ClientCharge,
    charge_open_game,
    charge_request,
    hash_client,
    open_stream,
    refund_request,
    trust_issued_tokens,
)
from tests.web.app_server import TILESETS
from tests.web.ratelimit.conftest import ADDRESS, HOST, charged, make_request

LIGHT, HEAVY = SeatRequest(bot="light"), SeatRequest(bot="heavy")
PERSON, OPEN = SeatRequest(name="Ana"), SeatRequest(open=True)

TILES = 73
"""Of the default tile set."""


@pytest.fixture
def app(limiter: RateLimiter) -> Any:
    """Return the parts of an application that charges need."""
    context = Mock(tilesets=TILESETS)
    context.bots.is_heavy = "heavy".__eq__
    return {
        RATE_LIMITER: limiter,
        CONTEXT: context,
        REPLAY_QUEUE: ReplayQueue(),
        LIMITS: Limits(allowed_origins=("https://a.example",)),
        CONNECTION_LIMITER: ConnectionLimiter(Limits(max_streams_per_address=1)),
    }


@pytest.mark.parametrize(
    ("players", "tileset", "charges"),
    (
        ([PERSON, PERSON], None, {}),
        ([PERSON, LIGHT], None, {"bots address": -4}),
        ([PERSON, LIGHT, HEAVY, HEAVY], None, {"bots address": -84}),
        ([OPEN, LIGHT], None, {}),
        ([LIGHT, LIGHT], None, {"bot-games address": -4 * TILES}),
        ([HEAVY, LIGHT, LIGHT], "archipelago", {"bot-games address": -16 * TILES}),
    ),
)
async def test_a_new_game_is_charged_for_its_bots(
    app: Any, limiter: RateLimiter, players: list[SeatRequest], tileset: str | None, charges: dict[str, float]
) -> None:
    """A turn of each, or all turns if nobody else plays."""
    charge = ClientCharge(app, ADDRESS, None)
    for _ in range(2):  # the command may be retried
        await charge.charge_new_game(CreateGame(players=players, tileset=tileset))
    assert charged(limiter) == charges


@pytest.mark.parametrize(("key", "charges"), ((None, {"joins address": -1}), (HOST, {})))
async def test_a_seat_is_charged_once_to_its_address(
    app: Any, limiter: RateLimiter, key: ApiKey | None, charges: dict[str, float]
) -> None:
    charge = ClientCharge(app, ADDRESS, None, key)
    for _ in range(2):  # the command may be retried
        await charge.charge_join()
    assert charged(limiter) == charges


@pytest.mark.parametrize(
    ("upcoming", "is_attended", "key", "charges"),
    (
        ([], True, None, {}),
        ([], False, None, {}),
        (["light", "heavy"], True, None, {"bots address": -44}),
        (["light", "heavy"], True, HOST, {"key-bots host": -44}),
        (["light"], False, None, {"bot-games address": -198}),
        (["light"], False, HOST, {"key-bots host": -198}),
    ),
)
async def test_a_command_is_charged_for_the_turns_that_follow(
    app: Any,
    monkeypatch: pytest.MonkeyPatch,
    upcoming: list[str],
    is_attended: bool,
    key: ApiKey | None,
    charges: dict[str, float],
) -> None:
    """If it leaves the game to its two bots, for all eight tiles in the bag and the drawn one: 22 tokens each."""
    monkeypatch.setattr(request_charges, "upcoming_bots", lambda _game: upcoming)
    monkeypatch.setattr(request_charges, "is_attended", lambda _game: is_attended)
    game: Any = Mock(players=[LIGHT, HEAVY, PERSON], bag=[None] * 8)
    charge = ClientCharge(app, ADDRESS, None, key)
    for _ in range(2):
        await charge.charge_bots(game)
    assert charged(app[RATE_LIMITER]) == charges


async def test_without_limits_bots_cost_nothing(app: Any, limiter: RateLimiter) -> None:
    limiter.is_enabled = False
    for players in ([PERSON, LIGHT], [LIGHT, LIGHT]):
        await ClientCharge(app, ADDRESS, None).charge_new_game(CreateGame(players=players))
    assert charged(limiter) == {}


@pytest.mark.parametrize(("versions", "tokens"), ((19, 0), (20, 1), (59, 2)))
async def test_a_replay_is_charged_by_its_versions_and_takes_a_slot(
    app: Any, limiter: RateLimiter, versions: int, tokens: int
) -> None:
    charge = Charge(limiter.reads.get_or_create(ADDRESS), 0)
    async with ClientCharge(app, ADDRESS, charge).replay_slot(versions):
        assert app[REPLAY_QUEUE]._total == 1
        assert charged(limiter).get("reads address", 0) == -tokens
    async with ClientCharge(app, ADDRESS, None).replay_slot(versions):
        pass
    assert app[REPLAY_QUEUE]._total == 0


async def test_a_request_is_charged_more_and_refunded(limiter: RateLimiter) -> None:
    request, free = make_request("GET", "/", {}), make_request("GET", "/", {})
    request[CHARGE] = Charge(limiter.reads.get_or_create(ADDRESS))
    for change, tokens in ((0, 0), (7, 7), (-1, 0)):
        await charge_request(request, change)
        await charge_request(free, change)
        assert charged(limiter) == {"reads address": -1 - tokens}
        refund_request(request, change)
        refund_request(free, change)
        assert charged(limiter) == {"reads address": -1}


def make_app_request(app: Any, headers: dict[str, str]) -> Any:
    """Return a request to the application."""
    request: Any = make_request("GET", "/", headers)
    request._match_info = Mock(current_app=app)
    request.protocol.client = request.protocol.address = ADDRESS
    request.protocol.received_bytes, request.protocol.held, request.protocol.has_ended = 0, b"", False
    return request


async def test_an_open_game_is_charged_to_the_address_unless_an_api_key_is(app: Any, limiter: RateLimiter) -> None:
    request = make_app_request(app, {})
    await charge_open_game(request)
    assert charged(limiter) == {"open-games address": -1}
    request[API_KEY] = HOST
    await charge_open_game(request)
    limiter.is_enabled = False
    await charge_open_game(make_app_request(app, {}))
    assert charged(limiter) == {"open-games address": -1}


async def test_a_stream_is_admitted_charged_and_counted_while_it_is_open(app: Any, limiter: RateLimiter) -> None:
    connections, request = app[CONNECTION_LIMITER], make_app_request(app, {"Origin": "https://a.example"})
    async with open_stream(request) as address:
        assert address == ADDRESS
        assert connections.streams_per_address == {ADDRESS: 1}
        with pytest.raises(TooManyConnections):
            await open_stream(request).__aenter__()
    assert (connections.streams_per_address, charged(limiter)) == ({}, {"streams address": -2})
    limiter.is_enabled = False
    with pytest.raises(OriginNotAllowed):
        await open_stream(make_app_request(app, {"Origin": "https://b.example"})).__aenter__()
    async with open_stream(request):
        pass
    assert charged(limiter) == {"streams address": -2}


def test_issued_tokens_are_trusted(app: Any, limiter: RateLimiter) -> None:
    trust_issued_tokens(make_app_request(app, {}), ("new",))
    assert len(limiter.trusted_tokens) == 3


def test_a_client_is_hashed_by_its_network(app: Any) -> None:
    request = make_app_request(app, {})
    assert hash_client(request) == hash_creator(ADDRESS)
    request.protocol.client = "2001:db8:1:2::"
    assert hash_client(request) == hash_creator("2001:db8:1::/48")


async def test_a_command_is_charged_to_its_connection_and_its_api_key(app: Any, limiter: RateLimiter) -> None:
    request = make_app_request(app, {})
    request[CHARGE] = Charge(limiter.reads.get_or_create(ADDRESS), 0)
    async with ClientCharge.of_request(request).acquire_replay_slot(5):
        assert charged(limiter) == {"reads address": -5}
    await ClientCharge.of_request(request, HOST).charge_new_game(CreateGame(players=[PERSON, LIGHT]))
    assert charged(limiter) == {"reads address": -5, "key-bots host": -4}
