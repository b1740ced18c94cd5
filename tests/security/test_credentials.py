"""A token has one spelling, and the ids of limited clients are bounded in size and number."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import Mock

import pytest
from multidict import CIMultiDict, CIMultiDictProxy

from service.games.ports import RateLimit
from service.store.game_store import RedisStore
from service.web.accounts import MAX_ACCOUNT_BYTES, MAX_ACCOUNTS_BYTES, Accounts
from service.web.client_ip import TrustedProxies, parse_networks
from service.web.headers import make_token_id
from service.web.limits import Limits
from service.web.rate_limiter import MAX_TRUSTED_BYTES, RateLimiter
from tests.security.limited_client import make_limits
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.raw_http import make_head, open_connection, read_raw, send_raw
from tests.web.watcher_client import connect_watcher

INVALID_HEADERS = (
    *("Bearer {}\u00a0", "Bearer \u00a0{}", "\u00a0Bearer {}", "Bearer\u00a0{}", "Bearer {}\u2003\u2003"),
    *("Bearer {}\u0085", "Bearer {}\u001f", "Bearer {}\u017f", "Bearer {}\u212a", "Bearer \u0131{}"),
    *("Bearer {},", "Bearer {} {}", "Bearer\t{}", "Bearer {}====", "{}", "Basic {}"),
)
"""Headers that contain no token, though a laxer parser may see one."""

VALID_HEADERS = ("Bearer {}", "bearer {}", "BEARER {}", "Bearer   {}", "  Bearer {}", "Bearer {} ", "\tBearer {}\t")
"""Headers with the same token: schemes are case-insensitive, and spaces and tabs may surround a value."""


def request(game: HTTPGame, *authorizations: str) -> bytes:
    """Return a request with these Authorization headers."""
    return make_head(game.path, *(f"Authorization: {value}" for value in authorizations))


@contextmanager
def measure_growth() -> Iterator[list[int]]:
    """Measure how many bytes more are in use at the end."""
    grown: list[int] = []
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    try:
        yield grown
        after, _ = tracemalloc.get_traced_memory()
        grown.append(after - before)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("spelling", INVALID_HEADERS)
async def test_headers_without_a_valid_token_are_rejected(client: Client, spelling: str) -> None:
    game = await create_game(client)
    assert (await send_raw(client, request(game, "Bearer " + game.owner_token))).status == 200
    answer = await send_raw(client, request(game, spelling.replace("{}", game.owner_token)))
    assert answer.status in {400, 401}


async def test_two_authorization_headers_are_rejected(client: Client) -> None:
    """A proxy may look at the one, and this service at the other."""
    game = await create_game(client)
    good = "Bearer " + game.owner_token
    for values in ((good, good), (good, "Bearer x"), ("Bearer x", good)):
        assert (await send_raw(client, request(game, *values))).status == 401


AMBIGUOUS_HEADERS = (
    "Idempotency-Key: k\r\nIdempotency-Key: l",
    "Creator-Key: {key}\r\nCreator-Key: {key}",
    "Creator-Key: {key}\u00a0",
    "Creator-Key: {key}\u017f",
    "If-Match: *\u00a0",
    "If-Match: \u2003*",
)
"""Headers that two parsers may read differently: the first or the last value, a space or a letter."""


@pytest.mark.parametrize("lines", AMBIGUOUS_HEADERS)
async def test_ambiguous_headers_are_rejected(client: Client, lines: str) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"open": True}])
    before = await game.get_json()
    method, path, body = ("DELETE", "", b"") if "If-Match" in lines else ("POST", "/seats", b'{"name": "Bo"}')
    sent = (f"Authorization: Bearer {game.owner_token}", "Content-Type: application/json", lines.format(key="k" * 32))
    head = make_head(game.path + path, *sent, f"Content-Length: {len(body)}", method=method)
    assert (await send_raw(client, head + body)).status == 400
    assert await game.get_json() == before


async def test_all_spellings_of_a_token_share_a_limit(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=20)) as client:
        game = await create_game(client)
        result: Counter[int] = Counter()
        for _ in range(6):
            for spelling in VALID_HEADERS:
                answer = await send_raw(client, request(game, spelling.replace("{}", game.owner_token)))
                result[answer.status] += 1
        assert 20 <= result[200] <= 22
        assert result[200] + result[429] == 42


async def test_each_request_of_a_connection_counts_for_its_own_token(client: Client) -> None:
    game = await create_game(client, visibility="private")
    good, other = f"Bearer {game.owner_token}", f"Bearer {(await create_game(client)).owner_token}"
    async with open_connection(client) as (reader, writer):
        for sent, status in (
            *(([good], 200), ([other], 404), ([good], 200), ([good, other], 401)),
            *((["Bearer ?"], 401), ([], 404), ([good], 200)),
        ):
            writer.write(request(game, *sent))
            assert (await read_raw(reader)).status == status, sent


async def test_a_connection_remembers_no_long_header(client: Client) -> None:
    game = await create_game(client)
    assert (await send_raw(client, request(game, f"Bearer{' ' * 8}{game.owner_token}"))).status == 200
    assert (await send_raw(client, request(game, f"Bearer{' ' * 9}{game.owner_token}"))).status == 401


async def test_a_socket_accepts_a_token_only_in_its_exact_form(client: Client) -> None:
    game = await create_game(client)
    async with connect_watcher(client) as watcher:
        for spelling in ("{}\u00a0", " {}", "{},", "{}\n"):
            token = spelling.format(game.owner_token)
            await watcher.request_error({"type": "auth", "game": game.id, "token": token}, "unauthorized")
        await watcher.request({"type": "auth", "game": game.id, "token": game.owner_token}, "ack")


async def test_a_flood_of_spellings_takes_no_memory(store: RedisStore) -> None:
    """Each is longer than the one before."""
    async with serve(store, Limits(rate_guesses=Limits().rate_requests)) as client:
        game = await create_game(client)
        await flood(client, game, 100)
        with measure_growth() as grown:
            await flood(client, game, 600)
        assert grown[0] < 500_000


async def flood(client: Client, game: HTTPGame, spellings: int) -> None:
    """Send a token in so many spellings."""
    async with open_connection(client) as (reader, writer):
        for number in range(spellings):
            writer.write(request(game, f"Bearer {game.owner_token}" + "\u00a0" * (1_000 + number) + "\u2003" * 300))
            await read_raw(reader)


def address_id(number: int) -> str:
    """Return the longest id of an address, each in a network of its own."""
    return f"ffff:{number >> 16:x}:{number & 0xFFFF:x}:ffff::"


@pytest.mark.parametrize("leases", (0, 7))
def test_accounts_are_bounded_by_bytes(leases: int) -> None:
    """However many clients there are, each of a network of its own, and whatever they do."""
    accounts = Accounts(Limits(rate_bots=RateLimit(7, 1)), Mock())
    policies = [accounts.guesses, accounts.creations, accounts.open_games, accounts.joins, accounts.idempotency_keys]
    policies += [accounts.bots, accounts.bot_games]
    with measure_growth() as grown:
        for number in range(2 * MAX_ACCOUNTS_BYTES // MAX_ACCOUNT_BYTES):
            for level in accounts.get(address_id(number)).levels:
                for bucket in (level.drawing, *level.buckets, *level.token_buckets):
                    bucket.full_at = number + 0.5
                for policy in policies[:leases]:
                    lease = level.lease(policy)
                    lease.tokens, lease.bucket_tokens, lease.empty_until = 1_000 + number, 1_000 + number, number + 0.5
                    lease._take_locally(1)
    assert MAX_ACCOUNTS_BYTES / 8 < grown[0] < MAX_ACCOUNTS_BYTES


def test_all_tables_together_are_bounded() -> None:
    """Where whoever attacks fills every one of them."""
    assert MAX_ACCOUNTS_BYTES + MAX_TRUSTED_BYTES < 64_000_000


def test_trusted_tokens_are_bounded_by_bytes() -> None:
    limiter = RateLimiter(Accounts(Limits(), Mock()), Mock())
    with measure_growth() as grown:
        for number in range(100_000):
            for bucket in limiter._trust(make_token_id(str(number))):
                bucket.full_at = number + 0.5
    assert MAX_TRUSTED_BYTES / 4 < grown[0] < MAX_TRUSTED_BYTES
    assert limiter.trusted_tokens.get(make_token_id("99999")) is not None
    assert limiter.trusted_tokens.get(make_token_id("0")) is None


def test_the_cache_of_forwarded_addresses_is_bounded_by_bytes() -> None:
    """A proxy hands on, before what it says itself, whatever the client wrote."""
    proxies = TrustedProxies(parse_networks("10.0.0.0/8"))
    with measure_growth() as grown:
        for number in range(4_000):
            lie = f"{number}{chr(0x1F600 + number % 50)}".ljust(190, chr(0x1F600))
            for text in (f"{lie}, 192.0.2.1", f"{number:050}, 192.0.2.1"):
                headers = CIMultiDictProxy(CIMultiDict({"X-Forwarded-For": text}))
                assert proxies.forwarded_client("10.0.0.1", headers) == "192.0.2.1"
    assert grown[0] < 2_500_000
