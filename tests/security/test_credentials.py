"""Tokens, API keys and chosen secrets: one spelling, hard to guess, bounded, limited, and never logged or cached."""

import asyncio
import logging
import secrets
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, aclosing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import quote
from uuid import UUID

import aiohttp
import msgspec
import pytest
from multidict import CIMultiDict, CIMultiDictProxy
from redis.asyncio import Redis

from service.games.access import is_guessable
from service.games.api_key import generate_secret
from service.games.ports import RateLimit
from service.store.game_store import RedisStore
from service.web.accounts import MAX_ACCOUNT_BYTES, MAX_ACCOUNTS_BYTES, Accounts
from service.web.client_ip import TrustedProxies, parse_networks
from service.web.headers import make_token_id
from service.web.limits import Limits
from service.web.rate_limiter import MAX_TRUSTED_BYTES, RateLimiter
from tests.api_key_fixture import QUOTAS, add_api_key, api_key_header
from tests.polling import TIMEOUT_S
from tests.redis_servers import SERVICE_USER, Deployment, connect, create_access, standalone
from tests.security.limited_client import count_admitted, count_statuses, make_limits, request_game
from tests.server_process import start_server
from tests.snapshots import change_game
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
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


AMBIGUOUS_HEADERS = (
    "Idempotency-Key: k\r\nIdempotency-Key: l",
    "Creator-Key: {key}\r\nCreator-Key: {key}",
    *("Creator-Key: {key}\u00a0", "Creator-Key: {key}\u017f", "If-Match: *\u00a0", "If-Match: \u2003*"),
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
def test_accounts_are_bounded_by_bytes(monkeypatch: pytest.MonkeyPatch, leases: int) -> None:
    """However many clients there are, each of a network of its own, and whatever they do. Here an eighth of them."""
    monkeypatch.setattr("service.web.accounts.MAX_ACCOUNTS_BYTES", max_bytes := MAX_ACCOUNTS_BYTES // 8)
    accounts = Accounts(Limits(rate_bots=RateLimit(7, 1)), Mock())
    policies = [accounts.guesses, accounts.creations, accounts.open_games, accounts.joins, accounts.idempotency_keys]
    policies += [accounts.bots, accounts.bot_games]
    with measure_growth() as grown:
        for number in range(2 * max_bytes // MAX_ACCOUNT_BYTES):
            for level in accounts.get(address_id(number)).levels:
                for bucket in (level.drawing, *level.buckets, *level.token_buckets):
                    bucket.full_at = number + 0.5
                for policy in policies[:leases]:
                    lease, *_ = level.leases_of(policy)
                    lease.tokens, lease.bucket_tokens, lease.empty_until = 1_000 + number, 1_000 + number, number + 0.5
                    lease._take_locally(1)
    assert max_bytes / 8 < grown[0] < max_bytes


def test_all_tables_together_are_bounded() -> None:
    """Where whoever attacks fills every one of them."""
    assert MAX_ACCOUNTS_BYTES + MAX_TRUSTED_BYTES < 64_000_000


def test_trusted_tokens_are_bounded_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.web.rate_limiter.MAX_TRUSTED_BYTES", max_bytes := MAX_TRUSTED_BYTES // 8)
    limiter = RateLimiter(Accounts(Limits(), Mock()), Mock())
    with measure_growth() as grown:
        for number in range(12_500):
            for bucket in limiter._trust(make_token_id(str(number))):
                bucket.full_at = number + 0.5
    assert max_bytes / 4 < grown[0] < max_bytes
    assert limiter.trusted_tokens.get(make_token_id("12499")) is not None
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


PASSWORD = "hunter2-of-redis-p@ss/word"
ENCODED = quote(PASSWORD, safe="")
KEY = "idempotency-key-6e2f0c9b8d4a7153f0e1d2c3b4a59687"
CREATOR = "creator-key-9f86d081884c7d659a2feaa0c55ad015"
HOOK = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
WRONG = "a-token-that-opens-nothing-but-is-somebodys-0123"
COOKIE = "session=a-cookie-of-another-service-0123456789"


async def do_everything(session: aiohttp.ClientSession, redis: Redis) -> list[str]:
    """Do everything once, also what is rejected and what fails; return all secrets that were sent or received."""
    players = [{"name": "Ana", "external_user": "u1"}, {"open": True}, {"bot": "random"}]
    headers = {"Idempotency-Key": KEY, "Creator-Key": CREATOR}
    first, game = [await create_game(session, players, headers, visibility="private") for _ in range(2)]
    assert game.created == first.created
    owner, joined = game.owner_token, await (await game.join(token=game.spectator_token)).json()
    for _ in range(3):
        await game.act({"move": (await game.legal_moves())[0]["id"]}, **{"Idempotency-Key": "turn-1"})
    await game.post("/undo")
    assert (await game.post("/webhooks", {"url": "http://127.0.0.1:9/hook", "secret": HOOK})).status == 201
    for what in ("", "/diffs", "/story", "/scores", "/board.svg", "/webhooks"):
        assert (await game.get(what)).status == 200, what
    for tokens in (f"{owner}, {WRONG}", CREATOR):
        await session.get("/v1/seats/me/games", headers=bearer_header(tokens))
    await game.get(token=WRONG)
    await session.get(f"{game.path}?token={WRONG}")
    await game.act({"move": WRONG, "token": WRONG}, WRONG)
    await session.post(f"{game.path}/actions", data=f'{{"token": "{WRONG}"', headers=bearer_header(owner))
    await session.get(f"/nowhere/{WRONG}", headers=bearer_header(owner))
    await session.post("/v1/games", json={"players": [], "token": WRONG}, headers={"Idempotency-Key": KEY})
    await session.get(game.path, headers={"Authorization": f"Basic {WRONG}"})
    async with session.ws_connect("/v1/ws", headers=bearer_header(owner)) as socket:
        for token in (owner, WRONG):
            await socket.send_json({"type": "auth", "game": game.id, "token": token})
        await socket.send_json({"type": "subscribe", "game": game.id})
        await socket.send_str(f'{{"type": "auth", "token": "{WRONG}"')
        await socket.send_json({"type": "act", "game": game.id, "move": "i9", "key": KEY})
        await socket.send_json({"type": "ping", "id": "last"})
        async with asyncio.timeout(TIMEOUT_S):
            while (await socket.receive_json()).get("id") != "last":
                pass
    await change_game(redis, game.id, lambda game: setattr(game, "display", [10_000]))
    assert (await game.get()).status == 500
    await redis.acl_setuser(SERVICE_USER, enabled=False)
    await redis.client_kill_filter(_type="normal", skipme=True)
    for _ in range(3):
        await game.get()
    received = (owner, game.spectator_token, *game.seat_tokens.values(), joined["token"])
    return [KEY, CREATOR, HOOK, WRONG, COOKIE, PASSWORD, ENCODED, *received]


FLAGS = (
    *("--log-level", "debug", "--access-log", "--redis-timeout-s", "1"),
    *("--drain-time-s", "0", "--close-window-s", "0", "--webhooks-allow-private"),
)
"""A service that logs as much as it can."""


def password_redis(directory: Path) -> AbstractAsyncContextManager[Deployment]:
    """Start a Redis server whose user for the service has PASSWORD."""
    return standalone(directory, access=create_access(directory)._replace(password=PASSWORD))


async def test_no_secret_is_logged(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with (
        password_redis(tmp_path) as deployment,
        start_server(tmp_path, deployment.url, *FLAGS) as service,
        aiohttp.ClientSession(service.url, headers={"Cookie": COOKIE}) as session,
        aclosing(deployment.nodes[0].client()) as redis,
    ):
        known = await do_everything(session, redis)
        await service.stop()
        assert service.process.stdout is not None
        log = capfd.readouterr().err
        text = log + service.printed + (await service.process.stdout.read()).decode()
    assert [one for one in known if one[: len(one) // 2 + 4] in text] == []
    assert "Traceback" in log
    assert "Redis fails commands" in log
    assert "GET /v1/games/{id} 200 [request_id=" in log


async def test_a_wrong_password_of_redis_is_not_logged(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = "not-the-password-of-redis"
    async with password_redis(tmp_path) as deployment:
        with pytest.raises(RuntimeError, match="exited before it listened"):
            async with start_server(tmp_path, deployment.url.replace(ENCODED, wrong), *FLAGS):
                pass
    log = "".join(capfd.readouterr())
    assert "Redis does not accept this user and password" in log
    assert not any(secret in log for secret in (wrong, PASSWORD))


OPEN = [{"name": "Ana"}, {"open": True}]

GUESSABLE = (
    *("", "short", "a" * 31, "a" * 32, "k" * 200, "ab" * 20, "abcdefgh" * 4, "passwordpassword" * 3),
    *("abcdefghijklmnopqrstuvwxyz0123456789", "zyxwvutsrqponmlkjihgfedcba9876543210"),
    *("0123456789" * 4, "0123456789abcdef" * 4, "0" * 31 + "1", "00000000-0000-0000-0000-000000000001"),
    *("a" * 30 + "secret", "abc" * 50 + "x"),
    "6e2f0c9b8d4a7153f0e1d2c3b4a5968",  # one character too few
    *("discord-message-1234567890123456789", "telegram-update:123456789:chat:-1001234567890"),
    *("createGameForDiscordGuild1234567890123456789", "71828182845904523536028747135266", "7" * 9 + "1029384756" * 3),
    *("guild-1234567890123456789/2026-11-29T13:11:13.123456Z", "user42:chat17:2026-11-29T13:11:13Z/try-2"),
    *("0dd6cb2e-ebf7-11f1-a2e1-02fc00000001", "discord-0e7af403-ee0d-594b-ab31-08b1c687f2fa"),  # of the time; of a name
    "12345678-9012-4345-8678-901234567890",
)

GOOD = (
    *("6e2f0c9b8d4a7153f0e1d2c3b4a59687", "f47ac10b-58cc-4372-a567-0e02b2c3d479"),
    *("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwX7a", "discord-message-F47AC10B-58CC-4372-A567-0E02B2C3D479"),
)


@pytest.mark.parametrize(("key", "guessable"), (*((key, True) for key in GUESSABLE), *((key, False) for key in GOOD)))
def test_a_key_that_is_not_random_is_guessable(key: str, guessable: bool) -> None:
    assert is_guessable(key) == guessable


def test_random_keys_are_not_guessable() -> None:
    """However they are written. One that is refused by chance would be one in millions."""
    for _ in range(1_000):
        key = secrets.token_bytes(24)
        assert not is_guessable(key.hex())
        assert not is_guessable(str(UUID(bytes=key[:16], version=4)))
        assert not is_guessable(secrets.token_urlsafe())


REQUESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/v1/games", {"json": {"players": TWO_PLAYERS}}),
    ("{game}/seats", {"json": {"name": "Bo"}}),
    ("{game}/seats/0/token", {}),
)


@pytest.mark.parametrize(
    ("key", "reason"), (("6e2f0c9b8d4a7153f0e1d2c3b4a5968", "length >= 32"), ("abcdefgh" * 4, "random"))
)
@pytest.mark.parametrize(("path", "options"), REQUESTS)
async def test_tokens_are_not_derived_from_guessable_keys(
    client: Client, path: str, options: dict[str, Any], key: str, reason: str
) -> None:
    game = await create_game(client, OPEN)
    headers = {**bearer_header(game.owner_token), "Idempotency-Key": key}
    answer = await client.post(path.format(game=game.path), headers=headers, **options)
    assert reason in (await check_problem(answer, 400, "malformed", "Idempotency-Key"))["detail"]


async def test_the_idempotency_key_of_an_action_may_be_guessable(client: Client) -> None:
    """Nothing is made of the key of an action."""
    game = await create_game(client)
    assert (await game.act(await game.first_move(), **{"Idempotency-Key": "1"})).status == 200


async def test_a_game_indexed_under_a_wrong_key_is_not_listed(client: Client, store: RedisStore, redis: Redis) -> None:
    mine, other = await add_api_key(store), await add_api_key(store, "other")
    game = await create_game(client, headers=api_key_header(mine))
    await redis.zadd("south-seas:found:key.other", {game.id: 1_800_000_000})
    listed = await client.get("/v1/keys/me/games", headers=api_key_header(other))
    assert (await listed.json())["games"] == []


async def test_a_key_opens_no_game(client: Client, store: RedisStore) -> None:
    secret = await add_api_key(store)
    header = api_key_header(secret)
    requested = {"players": TWO_PLAYERS, "visibility": "private"}
    path = (await client.post("/v1/games", json=requested, headers=header)).headers["Location"]
    for response in (
        await client.get(path, headers=header),
        await client.post(f"{path}/actions", json={"move": "pass.deliver"}, headers=header),
    ):
        await check_problem(response, 404, "not_found")
    await check_problem(await client.get(path, headers=bearer_header(secret)), 401, "unauthorized")


async def test_a_key_is_charged_in_place_of_its_address(store: RedisStore) -> None:
    secret = await add_api_key(store, quotas=msgspec.structs.replace(QUOTAS, games_per_hour=40))
    limits = make_limits(rate_creations=5, rate_requests=20, rate_open_games=5, rate_keys=5)
    async with serve(store, limits) as client:
        assert (await count_statuses(10, lambda: request_game(client)))[429] >= 4
        admitted = await count_admitted(60, lambda: request_game(client, **api_key_header(secret)), 201)
        assert 40 <= admitted <= 42  # one portion, which is a twentieth, is the instance's own risk
        last = await request_game(client, **api_key_header(secret))
        assert last.headers["RateLimit-Policy"] == '"key-games";q=40;w=3600'
        detail = (await check_problem(last, 429, "rate_limited"))["detail"]
        assert detail.startswith("over the limit of key-games, 40 in 3600 s: retry in ")


async def test_requests_with_a_key_are_limited(store: RedisStore) -> None:
    secret = await add_api_key(store, quotas=msgspec.structs.replace(QUOTAS, requests_per_minute=20))
    async with serve(store) as client:
        before = read_samples()
        counts = await count_statuses(40, lambda: client.get("/v1/keys/me", headers=api_key_header(secret)))
        assert counts[429] >= 15
        assert grown(before, "api_key_rate_limited_total", key="discord-bot", policy="key-requests") == counts[429]
        assert (await create_game(client)).id  # the address is not charged


async def test_open_games_and_joins_count_for_the_key(store: RedisStore) -> None:
    secret = await add_api_key(store)
    async with serve(store, make_limits(rate_open_games=2, rate_joins=2)) as client:
        header = api_key_header(secret)
        for _ in range(10):
            game = await create_game(client, OPEN, header)
            assert (await game.join(**header)).status == 200


@pytest.mark.parametrize(("method", "path"), (("POST", "/v1/games"), ("HEAD", "/v1/keys/me")))
async def test_guesses_of_keys_are_limited_and_lock_nobody_out(store: RedisStore, method: str, path: str) -> None:
    """A HEAD too, though it is otherwise not counted."""
    secret = await add_api_key(store)
    async with serve(store, make_limits(rate_guesses=20)) as client:

        async def guess() -> object:
            return await client.request(method, path, headers=api_key_header(generate_secret("discord-bot")))

        assert await count_admitted(60, guess, 401) <= 22
        await create_game(client, headers=api_key_header(secret))
        head, get = [await ask("/v1/keys/me", headers=api_key_header(secret)) for ask in (client.head, client.get)]
        assert (head.status, get.status) == (200, 200)
        assert head.headers["RateLimit-Policy"] == get.headers["RateLimit-Policy"]


async def test_a_guess_of_a_key_with_a_valid_token_is_limited_too(store: RedisStore, redis_url: str) -> None:
    async with serve(store, make_limits(rate_guesses=5)) as elsewhere, connect(redis_url) as second:
        game = await create_game(elsewhere)
        async with serve(second, make_limits(rate_guesses=5)) as client:  # it does not trust the game's tokens yet
            header = {**api_key_header(generate_secret("discord-bot")), **bearer_header(game.owner_token)}
            assert await count_admitted(20, lambda: client.post(f"{game.path}/rematch", headers=header), 401) <= 10


async def test_ordinary_play_reads_no_key(store: RedisStore, redis: Redis) -> None:
    secret = await add_api_key(store)
    async with serve(store) as client:
        game = await create_game(client, headers=api_key_header(secret))
        await redis.delete("south-seas:{key.discord-bot}:key")
        assert (await game.act(await game.first_move(), **api_key_header(secret))).status == 200
        assert (await game.get(**api_key_header("no key at all"))).status == 200


async def test_the_log_has_the_keys_name(client: Client, store: RedisStore, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = await add_api_key(store)
    await create_game(client, headers=api_key_header(secret))
    await request_game(client, **api_key_header(generate_secret("discord-bot")))
    lines = [vars(record) for record in caplog.records if record.name == "service.web.access"]
    assert [line.get("api_key") for line in lines] == ["discord-bot", None]
    assert not any(secret.split("_", 2)[2] in str(vars(record)) for record in caplog.records)


@pytest.mark.parametrize(
    "spelling", ("{}\u00a0", "{}\u017f", "{} x", "Bearer {}", "{},{}", "\udcff", "", "ssk_", "{}" * 50, '"{}"')
)
async def test_no_other_spelling_of_a_key_is_accepted(store: RedisStore, spelling: str) -> None:
    secret = await add_api_key(store)
    for limits in (Limits(), Limits(rate_limits=False)):
        async with serve(store, limits) as client:
            value = spelling.replace("{}", secret)
            for method, path in (("GET", "/v1/keys/me"), ("POST", "/v1/games")):
                sent = make_head(path, "Content-Length: 0", f"Api-Key: {value}", method=method)
                assert (await send_raw(client, sent)).status == 401


@pytest.mark.parametrize("quota", (28, 40))
async def test_a_burst_of_what_is_left_is_accepted(store: RedisStore, quota: int) -> None:
    """However many requests at once wait for the tokens that an instance borrows."""
    secret = await add_api_key(store, quotas=msgspec.structs.replace(QUOTAS, requests_per_minute=quota))
    async with serve(store) as client:
        header = api_key_header(secret)
        first = await client.get("/v1/keys/me", headers=header)
        left = int(first.headers["RateLimit"].partition("r=")[2].partition(";")[0])
        assert left == quota - 1
        answers = await asyncio.gather(*(client.get("/v1/keys/me", headers=header) for _ in range(left)))
        assert Counter(answer.status for answer in answers) == {200: left}
        more = [(await client.get("/v1/keys/me", headers=header)).status for _ in range(4)]
        assert 429 in more
