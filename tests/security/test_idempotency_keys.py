"""The memory that idempotency keys use in Redis, and how many a token and an address may use."""

from random import Random
from typing import Any

from redis.asyncio import Redis

from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.security.limited_client import make_limits, read_status
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, HTTPGame, check_problem, create_game
from tests.web.watcher_client import connect_watcher

SECRET = "5b0e3f9a1c7d48e26a90b4f8d1c3e57"
MAX_BYTES = 150
"""Memory of a key in Redis."""

LARGEST_RESPONSE: dict[str, Any] = {"query": "?include=legal_moves", "Prefer": "return=representation"}
"""A request with the largest responses."""


async def used_memory(redis: Redis) -> int:
    """Return the bytes of all data in Redis."""
    total = 0
    async for name in redis.scan_iter(count=1000):
        total += await redis.memory_usage(name, samples=0) or 0
    return total


async def play(client: Client, moves: int, *, keyed: bool) -> HTTPGame:
    """Play so many moves of the same game, all with an idempotency key or none."""
    game = await create_game(client, TWO_PLAYERS, seed="tides", first_seat=0)
    chance = Random(7)
    for number in range(moves):
        move = chance.choice(await game.legal_moves())["id"]
        headers = {"Idempotency-Key": f"move {number}"} if keyed else {}
        assert (await game.act({"move": move}, **LARGEST_RESPONSE, **headers)).status == 200
    return game


async def test_a_key_of_an_action_takes_few_bytes_whatever_the_size_of_the_response(
    store: RedisStore, redis: Redis
) -> None:
    async with serve(store, Limits(rate_limits=False)) as client:
        before = await used_memory(redis)
        await play(client, 120, keyed=False)
        plain = await used_memory(redis) - before
        await play(client, 120, keyed=True)
        keyed = await used_memory(redis) - before - plain
        assert 0 < (keyed - plain) / 120 <= MAX_BYTES, (keyed - plain) / 120


async def test_a_key_of_a_creation_takes_few_bytes_in_one_redis_key(store: RedisStore, redis: Redis) -> None:
    async with serve(store, Limits(rate_limits=False)) as client:
        sizes = []
        for headers in ({}, {"Idempotency-Key": SECRET}):
            before, keys = await used_memory(redis), await redis.dbsize()
            for number in range(20):
                created = {name: f"{value}{number:02}" for name, value in headers.items()}
                body = {"players": [{"name": "Ana"}, {"open": True}], "seed": "tides", "visibility": "private"}
                game = HTTPGame(client, await (await client.post("/v1/games", json=body, headers=created)).json())
                assert (await game.join(token=game.spectator_token, **created)).status == 200
            sizes.append(((await used_memory(redis) - before) / 40, await redis.dbsize() - keys))
        (plain, plain_keys), (keyed, keyed_keys) = sizes
        assert keyed - plain <= MAX_BYTES
        assert keyed_keys == plain_keys + 20


async def test_the_keys_of_an_address_are_limited_and_it_may_act_without(store: RedisStore) -> None:
    """Only what was done counts: neither what is refused nor what is done already."""
    async with serve(store, make_limits(rate_keys=20)) as client:
        game = await create_game(client)
        refusals = [await read_status(await game.act({"move": "i9"}, **key_header(number))) for number in range(30)]
        assert set(refusals) == {422}
        move = await game.first_move()
        again = [await read_status(await game.act(move, **key_header(0))) for _ in range(30)]
        assert set(again) == {200}
        answers = [await game.act(await game.first_move(), **key_header(number)) for number in range(1, 30)]
        result = [answer.status for answer in answers]
        assert 19 <= result.count(200) <= 21
        problem = await check_problem(answers[-1], 429, "rate_limited")
        assert "keys" in problem["detail"]
        assert answers[-1].headers["RateLimit"].startswith('"keys";r=0;')
        assert (await game.act(await game.first_move())).status == 200


async def test_keys_over_a_socket_are_limited_too(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_keys=20)) as client:
        game = await create_game(client)
        result = []
        async with connect_watcher(client, token=game.owner_token) as watcher:
            for number in range(30):
                act = {"type": "act", "game": game.id, **await game.first_move(), "key": f"k{number}"}
                await watcher.send(act)
                result.append((await watcher.receive())["type"])
        assert 20 <= result.count("ack") <= 21
        assert result[-1] == "error"


def key_header(number: int) -> dict[str, str]:
    """Return a header with a key."""
    return {"Idempotency-Key": f"k{number}"}
