"""Idempotency keys on every POST, scoped to path and token; version conflicts are retried a few times."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import ClientResponse
from redis.asyncio import Redis

from service.games.commands import execute
from service.games.commands.execute import MAX_ATTEMPTS
from service.games.ports import VersionConflict
from service.store.game_store import RedisStore
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import TWO_PLAYERS, HTTPGame, check_problem, create_game
from tests.web.watcher_client import connect_watcher

SECRET = "6e2f0c9b8d4a7153f0e1d2c3b4a59687"
OTHER_SECRET = SECRET[::-1]
ANOTHER_SECRET = SECRET[7:] + SECRET[:7]
CREATOR_KEY = "c1b2f7d09e5a48c6b3f8e2d4a7901c5e"
OPEN = [{"name": "Ana"}, {"open": True}, {"open": True}]


def key(value: str = SECRET) -> dict[str, str]:
    return {"Idempotency-Key": value}


def is_again(again: ClientResponse) -> bool:
    return again.headers.get("Idempotent-Replayed") == "true"


async def test_retried_creation_returns_the_same_game_and_tokens(client: Client) -> None:
    body = {"players": [*TWO_PLAYERS, {"bot": "random"}]}
    first = await client.post("/v1/games?include=legal_moves", json=body, headers=key())
    again = await client.post("/v1/games?include=legal_moves", json=body, headers=key())
    assert (first.status, again.status) == (201, 201)
    assert (is_again(first), is_again(again)) == (False, True)
    assert await first.read() == await again.read()
    for name in ("Location", "ETag", "Cache-Control"):
        assert first.headers[name] == again.headers[name]
    game = HTTPGame(client, await first.json())
    assert (await game.act(await game.first_move())).status == 200
    played_on = await client.post("/v1/games?include=legal_moves", json=body, headers=key())
    was, now = await first.json(), await played_on.json()
    for name in ("digest", "owner_token", "spectator_token", "seats"):
        assert now[name] == was[name]
    assert (played_on.headers["ETag"], played_on.status) == (first.headers["ETag"], 201)
    assert now["game"] == await game.get_json()
    assert now["game"]["version"] == now["legal_moves"]["version"] > was["game"]["version"]
    assert len((await (await client.get("/v1/games")).json())["games"]) == 1


async def test_concurrent_creations_with_one_key_make_one_game(client: Client) -> None:
    answers = await asyncio.gather(
        *(client.post("/v1/games", json={"players": TWO_PLAYERS}, headers=key()) for _ in range(20))
    )
    assert {response.status for response in answers} == {201}
    assert len({await response.read() for response in answers}) == 1
    assert len((await (await client.get("/v1/games")).json())["games"]) == 1


async def test_without_a_key_each_creation_makes_a_game(client: Client) -> None:
    one, other = await create_game(client, seed="tides"), await create_game(client, seed="tides")
    assert one.id != other.id
    assert {one.owner_token, one.spectator_token, *one.seat_tokens.values()}.isdisjoint(
        {other.owner_token, other.spectator_token, *other.seat_tokens.values()}
    )


async def test_another_creation_with_the_same_key_is_rejected(client: Client) -> None:
    await client.post("/v1/games", json={"players": TWO_PLAYERS}, headers=key())
    await check_problem(await client.post("/v1/games", json={"players": OPEN}, headers=key()), 422, "key_reused")
    assert (await client.post("/v1/games", json={"players": OPEN}, headers=key(OTHER_SECRET))).status == 201


async def test_equivalent_bodies_are_the_same_request(client: Client) -> None:
    first = await client.post("/v1/games", json={"players": TWO_PLAYERS, "seed": None}, headers=key())
    again = await client.post(
        "/v1/games",
        data=b' {"players":[{"name":"\\u0041na","open":null},{"name":"Bo"}]}',
        headers={**key(), "Content-Type": "application/json; charset=UTF-8"},
    )
    assert await first.read() == await again.read()


async def test_retried_join_returns_the_same_seat_and_token(client: Client) -> None:
    game = await create_game(client, [{"open": True}, {"name": "Ana"}, {"open": True}])
    first = await game.join(**key())
    other = await game.join("Cy", **key(OTHER_SECRET))
    again = await game.join(**key())
    was, now = await first.json(), await again.json()
    assert is_again(again)
    assert [now[name] for name in ("seat", "token", "digest")] == [was[name] for name in ("seat", "token", "digest")]
    assert again.headers["ETag"] == first.headers["ETag"] == f'"2-{was["digest"]}"'
    assert (was["game"]["version"], now["game"]["version"]) == (2, 3)
    assert (await other.json())["seat"] == 2
    await check_problem(await game.join("Di", **key()), 422, "key_reused")
    token = (await again.json())["token"]
    assert (await game.get(token=token)).status == 200


SHOWN_ONLY_TO_ITS_CREATOR: tuple[tuple[dict[str, str], dict[str, str], bool], ...] = (
    ({}, {}, False),
    ({"Creator-Key": CREATOR_KEY}, {}, False),
    ({}, {"Creator-Key": CREATOR_KEY}, False),
    ({"Creator-Key": CREATOR_KEY}, {"Creator-Key": ANOTHER_SECRET}, False),
    ({"Creator-Key": CREATOR_KEY}, {"Creator-Key": CREATOR_KEY}, True),
)


@pytest.mark.parametrize(("first", "again", "is_shown"), SHOWN_ONLY_TO_ITS_CREATOR)
async def test_after_ten_minutes_a_key_shows_its_tokens_to_its_creator_only(
    timed_client: Client, clock: FrozenClock, first: dict[str, str], again: dict[str, str], *, is_shown: bool
) -> None:
    """Else whoever guesses it would get them."""
    game = await create_game(timed_client, OPEN)

    async def send(headers: dict[str, str]) -> list[ClientResponse]:
        return [
            await timed_client.post("/v1/games", json={"players": OPEN}, headers=key() | headers),
            await game.join(**key(), **headers),
            await game.post("/seats/0/token", token=game.seat_tokens[0], **key(), **headers),
        ]

    tokens = [await response.read() for response in await send(first)]
    clock.now += 599
    assert [await response.read() for response in await send(again)] == tokens
    clock.now += 1
    for response in await send(again):
        if is_shown:
            assert is_again(response)
        else:
            problem = await check_problem(response, 422, "key_reused")
            assert problem["title"] == "This idempotency key was already used"
            assert re.match("this key was used more than 10 minutes ago: .* Creator-Key", problem["detail"])


async def test_concurrent_joins_take_different_seats(client: Client) -> None:
    http_game = await create_game(client, [{"name": "Ana"}, *({"open": True} for _ in range(4))])
    answers = await asyncio.gather(*(http_game.join(f"P{number}") for number in range(7)))
    assert sorted(response.status for response in answers) == [200] * 4 + [409] * 3
    joined = [await response.json() for response in answers if response.status == 200]
    assert sorted(one["seat"] for one in joined) == [1, 2, 3, 4]
    game = await http_game.get_json()
    assert (game["status"], game["version"]) == ("active", 5)
    assert len({player["color"] for player in game["players"]}) == 5


async def test_a_retried_action_is_replayed(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"bot": "greedy"}], first_seat=0)
    move = await game.first_move()
    query, prefer = "?include=legal_moves", {"Prefer": "return=representation"}
    first = await game.act(move, query=query, **key("k"), **prefer)
    assert first.status == 200
    await game.act_successfully()
    sent = {**key("k"), **prefer, "If-Match": '"99"', "Accept-Language": "fr"}
    again = await game.act(move, query=query, **sent)
    assert (again.status, is_again(first), is_again(again)) == (200, False, True)
    assert again.headers["ETag"] == first.headers["ETag"]
    was, now = await first.json(), await again.json()
    for name in ("version", "digest", "diffs"):
        assert now[name] == was[name]
    assert now["game"] == await game.get_json()
    assert now["legal_moves"]["version"] == now["game"]["version"] > was["game"]["version"]
    assert (was["legal_moves"]["language"], now["legal_moves"]["language"]) == ("en", "fr")
    plain = await (await game.act(move, **key("k"))).json()
    assert (plain["diffs"], plain["game"], plain["legal_moves"]) == (was["diffs"], None, None)
    await check_problem(await game.act({"move": "i0"}, **key("k")), 422, "key_reused")


async def test_a_key_creates_another_game_each_day(timed_client: Client, clock: FrozenClock) -> None:
    games = set()
    for _ in range(3):
        response = await timed_client.post("/v1/games", json={"players": TWO_PLAYERS}, headers=key())
        games.add((await response.json())["game"]["id"])
        clock.now += 86_400
    assert len(games) == 3


async def test_keys_are_scoped_to_token_and_path(client: Client) -> None:
    game, other = await create_game(client, first_seat=0, seed="tides"), await create_game(client, seed="tides")
    move = await game.first_move()
    assert (await game.act(move, game.seat_tokens[0], **key("k"))).status == 200
    await check_problem(await game.act(move, game.owner_token, **key("k")), 422, "illegal_move")
    assert (await other.act(move, **key("k"))).status == 200
    await game.post("/undo", {"seat": 0}, **key("l"))
    resigned = await (await game.post("/resign", {"seat": 0}, **key("l"))).json()
    assert resigned["diffs"][0]["events"][0]["type"] == "player_resigned"


async def test_only_successes_are_recorded(http_game: HTTPGame) -> None:
    await check_problem(await http_game.act({"move": "p9.9.0"}, **key("k")), 422, "illegal_move")
    assert (await http_game.act(await http_game.first_move(), **key("k"))).status == 200


async def test_neither_keys_nor_tokens_are_stored(client: Client, redis: Redis) -> None:
    body = {"players": OPEN, "first_seat": 0}
    response = await client.post("/v1/games", json=body, headers={**key(), "Creator-Key": CREATOR_KEY})
    game = HTTPGame(client, await response.json())
    joined = await game.join(**key(OTHER_SECRET))
    secrets = {
        *(SECRET, OTHER_SECRET, ANOTHER_SECRET, CREATOR_KEY, "key-of-a-message"),
        game.owner_token,
        game.spectator_token,
        *game.seat_tokens.values(),
        (await joined.json())["token"],
    }
    await game.join("Cy")
    assert (await game.act(await game.first_move(), **key(ANOTHER_SECRET))).status == 200
    async with connect_watcher(client, token=game.owner_token) as watcher:
        await watcher.send({"type": "act", "game": game.id, **await game.first_move(), "key": "key-of-a-message"})
        await watcher.receive("ack")
    stored = [name async for name in redis.scan_iter()]
    assert stored
    for name in stored:
        whole = name + (await redis.dump(name) or b"") + await everything(redis, name)
        for secret in secrets:
            assert secret.encode() not in whole
    for name in stored:
        if await redis.type(name) == b"string":
            assert -1 != await redis.ttl(name) <= 86_400


async def everything(redis: Redis, name: bytes) -> bytes:
    """Return the content of a Redis key, uncompressed."""
    zrange = partial(redis.zrange, start=0, end=-1)
    read: Any = {b"hash": redis.hgetall, b"stream": redis.xrange, b"zset": zrange, b"string": redis.get}
    return repr(await read[await redis.type(name)](name)).encode()


FIVE = [{"name": name} for name in ("Ana", "Bo", "Cy", "Di", "Eve")]
KEY = "key-of-the-losing_client-9f86d081884c7d659a2feaa0c55ad015"


Change = Callable[[HTTPGame], Awaitable[ClientResponse]]

CHANGES: dict[str, Change] = {
    "create": lambda game: game.client.post("/v1/games", json={"players": FIVE}),
    "create with a key": lambda game: game.client.post("/v1/games", json={"players": FIVE}, headers=key(KEY)),
    "join": lambda game: game.join("Flo"),
    "act": lambda game: game.act({"move": "pass.islander"}),
    "resign": lambda game: game.post("/resign", {"seat": 0}),
    "abort": lambda game: game.delete(),
    "rematch": lambda game: game.post("/rematch"),
}


async def create_game_for(client: Client, change: str) -> HTTPGame:
    """Create a game in which a change is possible."""
    game = await create_game(client, [*FIVE[:2], {"open": True}] if change == "join" else FIVE)
    if change == "act":
        await game.act_successfully()
    if change == "rematch":
        assert (await game.delete()).status == 200
    return game


@pytest.mark.parametrize("change", CHANGES)
async def test_attempts_after_version_conflicts_are_bounded(
    client: Client, store: RedisStore, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, pause_s = await create_game_for(client, change), Mock(return_value=0.0)
    commit = AsyncMock(return_value=VersionConflict())
    with monkeypatch.context() as losing:
        losing.setattr(execute, "BACKOFF", Mock(delay_s=pause_s))
        losing.setattr(store, "commit", commit)
        problem = await check_problem(await CHANGES[change](game), 409, "conflict")
    assert "nothing was done" in problem["detail"]
    assert MAX_ATTEMPTS <= commit.await_count <= 1 + MAX_ATTEMPTS
    assert [call.args for call in pause_s.call_args_list] == [(failures,) for failures in range(1, MAX_ATTEMPTS)]
    assert (await CHANGES[change](game)).status < 300
