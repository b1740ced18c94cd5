"""API keys: quotas of their own, nobody else's games, and an end for secrets that have leaked."""

import asyncio
import logging
from collections import Counter

import msgspec
import pytest
from redis.asyncio import Redis

from service.games.api_key import generate_secret
from service.store.game_store import RedisStore, connect
from service.web.limits import Limits
from tests.api_key_fixture import QUOTAS, add_api_key, api_key_header
from tests.security.limited_client import count_admitted, count_statuses, make_limits, request_game
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
from tests.web.raw_http import make_head, send_raw


async def create_with_key(client: Client, secret: str) -> HTTPGame:
    """Create a game with an API key."""
    response = await request_game(client, **api_key_header(secret))
    assert response.status == 201, await response.text()
    return HTTPGame(client, await response.json())


async def list_ids(client: Client, secret: str) -> list[str]:
    """Return the ids of the games that a key lists."""
    response = await client.get("/v1/keys/me/games", headers=api_key_header(secret))
    assert response.status == 200, await response.text()
    return [game["id"] for game in (await response.json())["games"]]


async def test_the_games_of_other_keys_are_not_listed(client: Client, store: RedisStore) -> None:
    mine, other = await add_api_key(store), await add_api_key(store, "discord")
    game = await create_with_key(client, mine)
    assert await list_ids(client, mine) == [game.id]
    assert await list_ids(client, other) == []


async def test_a_game_that_is_indexed_under_a_wrong_key_is_not_listed(
    client: Client, store: RedisStore, redis: Redis
) -> None:
    mine, other = await add_api_key(store), await add_api_key(store, "other")
    game = await create_with_key(client, mine)
    await redis.zadd("south-seas:found:key.other", {game.id: 1_800_000_000})
    assert await list_ids(client, other) == []


async def test_a_key_opens_no_game(client: Client, store: RedisStore) -> None:
    secret = await add_api_key(store)
    header = api_key_header(secret)
    requested = {"players": TWO_PLAYERS, "visibility": "private"}
    path = (await client.post("/v1/games", json=requested, headers=header)).headers["Location"]
    for response in (
        await client.get(path, headers=header),
        await client.post(f"{path}/actions", json={"move": "pass.deliver"}, headers=header),
        await client.get(path, headers=bearer_header(secret)),
    ):
        await check_problem(response, 404, "not_found")


async def test_a_key_is_charged_in_place_of_its_address(store: RedisStore) -> None:
    secret = await add_api_key(store, quotas=msgspec.structs.replace(QUOTAS, games_per_hour=40))
    limits = make_limits(rate_creations=5, rate_requests=20, rate_open_games=5, rate_keys=5)
    async with serve(store, limits) as client:
        assert (await count_statuses(10, lambda: request_game(client)))[429] >= 4
        admitted = await count_admitted(60, lambda: request_game(client, **api_key_header(secret)), 201)
        assert 40 <= admitted <= 42  # one portion, which is a twentieth, is the instance's own risk
        last = await request_game(client, **api_key_header(secret))
        assert last.headers["RateLimit-Policy"] == '"key-games";q=40;w=3600'
        assert (await check_problem(last, 429, "rate_limited"))["detail"] == "over the limit of key-games: retry later"


async def test_requests_with_a_key_are_limited(store: RedisStore) -> None:
    secret = await add_api_key(store, quotas=msgspec.structs.replace(QUOTAS, requests_per_minute=20))
    async with serve(store) as client:
        before = read_samples()
        counts = await count_statuses(40, lambda: client.get("/v1/keys/me", headers=api_key_header(secret)))
        assert counts[429] >= 15
        rejected = grown(before, "api_key_rate_limited_total", key="discord-bot", policy="key-requests")
        assert rejected == counts[429]
        assert (await create_game(client)).id  # the address is not charged


async def test_open_games_and_joins_count_for_the_key(store: RedisStore) -> None:
    secret = await add_api_key(store)
    async with serve(store, make_limits(rate_open_games=2, rate_joins=2)) as client:
        players, header = [{"name": "Ana"}, {"open": True}], api_key_header(secret)
        for _ in range(10):
            created = await client.post("/v1/games", json={"players": players}, headers=header)
            game = HTTPGame(client, await created.json())
            assert (await game.join(**header)).status == 200


@pytest.mark.parametrize(("method", "path"), (("POST", "/v1/games"), ("HEAD", "/v1/keys/me")))
async def test_guesses_of_keys_are_limited_and_do_not_lock_the_holder_out(
    store: RedisStore, method: str, path: str
) -> None:
    """A HEAD too, though it is otherwise not counted."""
    secret = await add_api_key(store)
    async with serve(store, make_limits(rate_guesses=20)) as client:

        async def guess() -> object:
            return await client.request(method, path, headers=api_key_header(generate_secret("discord-bot")))

        assert await count_admitted(60, guess, 401) <= 22
        await create_with_key(client, secret)
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
        game = await create_with_key(client, secret)
        await redis.delete("south-seas:{key.discord-bot}:key")
        assert (await game.act(await game.first_move(), **api_key_header(secret))).status == 200
        assert (await game.get(**api_key_header("no key at all"))).status == 200


async def test_the_log_names_the_key_and_not_its_secret(
    client: Client, store: RedisStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = await add_api_key(store)
    await create_with_key(client, secret)
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
