"""A client that takes all open seats: joins have their own limit, and owners can empty a seat."""

from secrets import token_hex

from service.store.game_store import RedisStore
from tests.security.limited_client import count_admitted, count_statuses, make_limits, open_client_at
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, check_problem, create_game

WAITING = [{"name": "Ana"}, {"open": True}, {"open": True}]


async def test_joins_of_an_address_are_limited(client: Client) -> None:
    """By default: without the limit all forty games were joined within a second."""
    games = [await create_game(client, WAITING) for _ in range(40)]
    answers = [await game.join() for game in games]
    result = [answer.status for answer in answers]
    assert 20 <= result.count(200) <= 21
    assert result.count(200) + result.count(429) == 40
    received = await check_problem(answers[-1], 429, "rate_limited")
    assert "joins" in received["detail"]
    assert answers[-1].headers["RateLimit"].startswith('"joins";r=0;')
    assert 0 < received["retry_after_s"] <= 60
    assert [player["kind"] for player in (await games[-1].get_json())["players"]] == ["human", "open", "open"]
    async with open_client_at(client, "127.0.0.2") as other:
        assert (await HTTPGame(other, games[-1].created).join()).status == 200


async def test_rejected_joins_and_invitations_are_not_counted(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_joins=20)) as client:
        game = await create_game(client, WAITING)
        assert await count_statuses(30, lambda: game.join("Ana")) == {409: 30}
        for _ in range(15):
            private = await create_game(client, WAITING, visibility="private")
            for name in ("Bo", "Cy"):
                assert (await private.join(name, private.spectator_token)).status == 200
        assert (await game.join()).status == 200


async def test_joins_with_any_token_of_a_public_game_are_limited(client: Client) -> None:
    """Else the token of a seat that was taken before would take the others."""
    four_open = [{"name": "Ana"}, *[{"open": True}] * 4]
    result = []
    for _ in range(20):
        game = await create_game(client, four_open)
        tokens = (None, game.owner_token, game.spectator_token, game.created["seats"][0]["token"])
        for name, token in zip(("Bo", "Cy", "Di", "Ed"), tokens, strict=True):
            result.append((await game.join(name, token)).status)
    assert 20 <= result.count(200) <= 21
    assert result.count(200) + result.count(429) == 80


async def test_a_join_that_is_repeated_with_its_key_counts_once(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_joins=1)) as client:
        game = await create_game(client, WAITING)
        headers = {"Idempotency-Key": token_hex(16)}
        for _ in range(3):
            assert (await game.join(**headers)).status == 200


async def test_the_owner_empties_a_seat_that_a_stranger_took(client: Client) -> None:
    game = await create_game(client, WAITING)
    stranger = (await (await game.join("Anna")).json())["token"]
    assert (await game.delete("/seats/1")).status == 200
    assert (await game.get(token=stranger)).status == 401
    assert (await (await game.join()).json())["seat"] == 1


async def test_replaced_tokens_count_as_creations(store: RedisStore) -> None:
    """Each leaves an entry in what games are found by."""
    async with serve(store, make_limits(rate_creations=20)) as client:
        game = await create_game(client, WAITING)
        assert 19 <= await count_admitted(40, lambda: game.post("/seats/0/token")) <= 20
