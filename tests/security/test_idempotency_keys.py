"""Idempotency keys take little memory, and guesses of tokens are limited without harm to valid ones."""

import asyncio
import gc
from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import ClientSession
from redis.asyncio import Redis

from service.fair_queue import FairQueue
from service.games.api_key import generate_secret
from service.store.game_store import RedisStore
from service.web import rate_limiter
from service.web.accounts import Accounts
from service.web.limits import Limits
from service.web.rate_limiter import MAX_CHECKS_PER_S, MAX_TOKENS_CHECKED, RATE_LIMITER, RateLimiter
from tests.api_key_fixture import api_key_header
from tests.polling import TIMEOUT_S, wait_until
from tests.security.limited_client import count_statuses, make_limits, open_socket, read_status, request_game
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
from tests.web.watcher_client import connect_watcher, watch_game

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


async def test_an_actions_key_takes_few_bytes_whatever_the_responses_size(store: RedisStore, redis: Redis) -> None:
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
        assert {await read_status(await game.act(move, **key_header(0))) for _ in range(30)} == {200}
        answers = [await game.act(await game.first_move(), **key_header(number)) for number in range(1, 30)]
        assert 19 <= [answer.status for answer in answers].count(200) <= 21
        assert "keys" in (await check_problem(answers[-1], 429, "rate_limited"))["detail"]
        assert answers[-1].headers["RateLimit"].startswith('"keys";r=0;')
        assert (await game.act(await game.first_move())).status == 200


def key_header(number: int) -> dict[str, str]:
    """Return a header with a key."""
    return {"Idempotency-Key": f"k{number}"}


OPEN = [{"name": "Ana"}, {"open": True}]


async def guess(client: Client, game: HTTPGame, times: int = 40) -> Counter[int]:
    """Send unknown tokens from the address that all clients here have."""
    numbers = iter(range(times))
    return await count_statuses(
        times, lambda: client.get(game.path, headers=bearer_header(f"guess-{next(numbers):035}"))
    )


async def test_new_tokens_pass_guesses_of_others(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """By creating, joining and replacing, without a look into the store; none of them has opened anything yet."""
    monkeypatch.setattr(RateLimiter, "check_in_turn", AsyncMock(return_value=False))
    async with serve(store, make_limits(rate_guesses=10)) as client:
        target = await create_game(client, OPEN)
        assert (await guess(client, target))[429] > 20
        game = await create_game(client, TWO_PLAYERS)
        for token in (game.owner_token, game.spectator_token, *game.seat_tokens.values()):
            assert await read_status(await game.get(token=token)) == 200
        joined = await target.join(token=target.spectator_token)
        replaced = await target.post("/seats/0/token", {})
        for answer in (joined, replaced):
            assert await read_status(await target.get(token=(await answer.json())["token"])) == 200
        await game.delete()
        again = await game.rematch()
        for token in (again.owner_token, again.spectator_token, *again.seat_tokens.values()):
            assert await read_status(await again.get(token=token)) == 200


@pytest.mark.parametrize("exhausted", ("rate_guesses", "rate_requests"))
async def test_tokens_of_other_instances_pass_guesses(store: RedisStore, elsewhere: Client, exhausted: str) -> None:
    """The guesses of others have used up what the address may guess, or all that it may ask without a known token."""
    async with serve(store, make_limits(**{exhausted: 10})) as client:
        game = await create_game(elsewhere, OPEN)
        assert (await guess(client, game))[429] > 20
        for token in (game.owner_token, game.spectator_token, game.seat_tokens[0]):
            assert await read_status(await client.get(game.path, headers=bearer_header(token))) == 200
            assert await read_status(await client.get(game.path, headers=bearer_header(token))) == 200
        bad = await client.get(game.path, headers=bearer_header("x" * 43))
        assert (await check_problem(bad, 429, "rate_limited"))["retry_after_s"] > 0


async def test_lists_of_my_games_are_served_despite_guesses(store: RedisStore, elsewhere: Client) -> None:
    async with serve(store, make_limits(rate_requests=10)) as client:
        game = await create_game(elsewhere)
        assert (await guess(client, game))[429] > 20
        mine = "/v1/seats/me/games"
        good = bearer_header(f"{'x' * 43}, {game.seat_tokens[1]}")
        assert await read_status(await client.get(mine, headers=good)) == 200
        assert await read_status(await client.get(mine, headers=bearer_header("y" * 43))) == 429


async def test_sockets_accept_valid_tokens_despite_guesses(store: RedisStore, elsewhere: Client) -> None:
    async with serve(store, make_limits(rate_guesses=10)) as client:
        game, other = await create_game(elsewhere), await create_game(elsewhere)
        assert (await guess(client, game))[429] > 20
        async with connect_watcher(client) as watcher:
            await watcher.request_error({"type": "auth", "game": game.id, "token": "x" * 43}, "rate_limited")
            await watcher.request({"type": "ping"}, "pong")
            await watcher.request({"type": "auth", "game": game.id, "token": game.owner_token}, "ack")
            await watcher.subscribe(game.id)
            await watcher.send({"type": "act", "game": game.id, "move": (await game.legal_moves())[0]["id"]})
            await watcher.receive("diff")
            await watcher.receive("ack")
        async with watch_game(client, other.id, token=other.spectator_token) as watcher:
            await watcher.expect_nothing()
        async with connect_watcher(client, token=other.owner_token) as watcher:
            await watcher.send({"type": "act", "game": other.id, "move": (await other.legal_moves())[0]["id"]})
            await watcher.receive("ack")


async def test_sockets_open_for_valid_tokens_despite_guesses(store: RedisStore, elsewhere: Client) -> None:
    """Also where the guesses have opened as many as the address may."""
    async with serve(store, make_limits(rate_requests=5)) as client:
        game, other = await create_game(elsewhere), await create_game(elsewhere)
        statuses = [await open_socket(client, f"{game.path}/ws", **bearer_header(f"guess-{i}")) for i in range(10)]
        assert statuses.count(429) >= 4
        async with (
            watch_game(client, game.id, token=game.spectator_token),
            connect_watcher(client, token=other.owner_token),
        ):
            pass


async def test_few_tokens_of_a_request_are_verified(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    verified = AsyncMock(return_value=False)
    monkeypatch.setattr(RateLimiter, "check_in_turn", verified)
    async with serve(store, make_limits(rate_requests=10)) as client:
        assert (await guess(client, await create_game(client)))[429] > 20
        verified.reset_mock()
        many = bearer_header(", ".join(f"guess-{number}" for number in range(100)))
        assert await read_status(await client.get("/v1/seats/me/games", headers=many)) == 429
        assert verified.call_count == MAX_TOKENS_CHECKED


async def test_a_socket_of_an_unknown_game_is_a_guess(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_guesses=10)) as client:
        game = await create_game(client)
        for _ in range(15):
            await open_socket(client, "/v1/games/unknown/ws")
        assert await read_status(await client.get(game.path)) == 429


@pytest.mark.parametrize("kind", ("token", "api_key"))
async def test_the_rate_of_guesses_is_bounded(store: RedisStore, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Forty connections guess as fast as they can: few guesses are answered, and the others looked up at a pace."""
    async with serve(store, make_limits(rate_guesses=20)) as client:
        game, pauses, answers = await create_game(client), 0, Counter[int]()
        guessed: Any = store if kind == "token" else store.api_keys
        load = AsyncMock(wraps=guessed.load)

        def count_pauses(pause_s: float, *given: Any) -> None:
            nonlocal pauses
            pauses += pause_s == 1 / MAX_CHECKS_PER_S
            asyncio.get_running_loop().call_later(pause_s, *given)

        paced = {**vars(asyncio), "get_running_loop": lambda: SimpleNamespace(call_later=count_pauses)}
        monkeypatch.setattr(rate_limiter, "asyncio", SimpleNamespace(**paced))
        monkeypatch.setattr(guessed, "load", load)

        async def guess_often(name: int) -> None:
            async with ClientSession(client.make_url("/")) as session:
                for number in range(15):
                    if kind == "token":
                        header = bearer_header(f"guess-{name}-{number}".ljust(43, "x"))
                        response = await session.get(game.path, headers=header)
                    else:
                        response = await request_game(session, **api_key_header(generate_secret("discord-bot")))
                    answers[await read_status(response)] += 1

        async with asyncio.TaskGroup() as group:
            for name in range(40):
                group.create_task(guess_often(name))
            await (game.get_json() if kind == "token" else game.act_successfully())
        assert answers[401] <= 22
        assert answers[401] + answers[429] == 600
        assert load.await_count <= answers[401] + 1 + pauses + 1
        await wait_until(lambda: not len(client.app[RATE_LIMITER].checks))


class Checker:
    """Checks tokens of addresses, of which `good` is valid. Records those looked up; answers while not held back."""

    def __init__(self) -> None:
        self.accounts = Accounts(Limits(), Mock())
        self.limiter = RateLimiter(self.accounts, Mock())
        self.looked_up: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def is_valid(self, address: str, token: str, request: Any = None) -> bool:
        """Return whether a token is valid."""
        return await self.limiter.check_in_turn(self.accounts.get(address), request, partial(self._look_up, token))

    async def _look_up(self, token: str) -> bool:
        self.looked_up.append(token)
        await self.may_answer.wait()
        return token == "good"

    def __len__(self) -> int:
        """Return the number of running and waiting checks."""
        return sum(one.slots_in_use + one.queue_length(attended=True) for one in self.limiter.checks.values())


@pytest.fixture
def verifier() -> Checker:
    return Checker()


async def test_each_address_waits_only_for_its_own_guesses(verifier: Checker) -> None:
    guesses = [asyncio.create_task(verifier.is_valid("a", f"bad {number}")) for number in range(50)]
    await asyncio.sleep(0)
    assert await verifier.is_valid("b", "good")
    assert len(verifier.looked_up) < 10
    assert await verifier.is_valid("a", "good")
    assert not any(await asyncio.gather(*guesses))


async def test_the_next_token_of_an_address_is_verified_after_a_pause(
    verifier: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[tuple[float, Callable[[], None]]] = []
    monkeypatch.setattr(
        asyncio.get_running_loop(),
        "call_later",
        lambda pause_s, then, *given: pauses.append((pause_s, partial(then, *given))),
    )
    guesses = [asyncio.create_task(verifier.is_valid("a", f"bad {number}")) for number in range(3)]
    for number, one in enumerate(guesses, 1):
        assert not await one
        assert len(verifier.looked_up) == number
        ((pause_s, end_pause),) = pauses
        assert pause_s == 1 / MAX_CHECKS_PER_S
        pauses.clear()
        end_pause()
    assert len(verifier) == 0


async def test_no_token_is_verified_for_disconnected_clients(
    verifier: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do they wait in anybody's way, however many there were."""
    monkeypatch.setattr(rate_limiter, "MAX_CHECKS_PER_S", 5)
    disconnected = Mock(transport=None)
    async with asyncio.timeout(TIMEOUT_S):
        left = [asyncio.create_task(verifier.is_valid("a", "good", disconnected)) for _ in range(400)]
        assert await verifier.is_valid("a", "good")
        assert not any(await asyncio.gather(*left))
    assert verifier.looked_up == ["good"]


async def test_the_number_of_waiting_verifications_is_limited(
    verifier: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limiter, "FairQueue", partial(FairQueue, max_waiting=2))
    verifier.may_answer.clear()
    waiting = [asyncio.create_task(verifier.is_valid("a", "good")) for _ in range(3)]
    await asyncio.sleep(0)
    assert len(verifier) == 3
    assert not await verifier.is_valid("a", "good")
    verifier.may_answer.set()
    assert all(await asyncio.gather(*waiting))
    await wait_until(lambda: not len(verifier))


async def test_an_ended_or_cancelled_verification_leaves_nothing_behind(verifier: Checker) -> None:
    verifier.may_answer.clear()
    first, second = (asyncio.create_task(verifier.is_valid("a", "good")) for _ in range(2))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    assert len(verifier) == 1
    verifier.may_answer.set()
    assert await first
    await wait_until(lambda: not len(verifier))
    del first, second
    gc.collect()
    assert not verifier.limiter.checks
