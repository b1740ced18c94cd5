"""`GET /v1/seats/me/games`, with tokens, or with a creator key and external users."""

from typing import Any

import pytest
from redis.asyncio import Redis

from service.store import keys
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import TWO_PLAYERS, bearer_header, check_problem, create_game

BOT = "c1b2f7d09e5a48c6b3f8e2d4a7901c5e"
OTHER_BOT = "0f9e8d7c6b5a49382716f5e4d3c2b1a0=="
ANA = {"name": "Ana", "external_user": "discord:1"}
BO = {"name": "Bo", "external_user": "discord:2"}
OPEN = {"open": True}


def creator_header(key: str = BOT) -> dict[str, str]:
    return {"Creator-Key": key}


async def list_mine(client: Client, *secrets: str, **query: str) -> list[dict[str, Any]]:
    response = await client.get("/v1/seats/me/games", params=query, headers=bearer_header(", ".join(secrets)))
    assert response.status == 200, await response.text()
    assert (response.headers["Cache-Control"], response.headers["Vary"]) == (
        "private, no-cache",
        "Authorization, Accept-Encoding",
    )
    games: list[dict[str, Any]] = (await response.json())["games"]
    return games


def ids(games: list[dict[str, Any]]) -> set[str]:
    return {one["game"]["id"] for one in games}


async def test_a_seat_token_lists_its_game(client: Client) -> None:
    game = await create_game(client, TWO_PLAYERS, first_seat=1, visibility="private")
    (bos,) = await list_mine(client, game.seat_tokens[1])
    summary = await game.get_json()
    for name in ("board", "discarded"):
        summary.pop(name)
    assert bos == {
        "game": summary,
        "digest": game.created["digest"],
        "seats": [{"seat": 1, "external_user": None, "waiting": True}],
        "waiting": True,
    }
    (anas,) = await list_mine(client, game.seat_tokens[0])
    assert (anas["seats"], anas["waiting"]) == ([{"seat": 0, "external_user": None, "waiting": False}], False)


async def test_several_tokens_list_every_game_once(client: Client) -> None:
    http_games = [await create_game(client, TWO_PLAYERS, first_seat=0) for _ in range(3)]
    await create_game(client)
    tokens = [token for game in http_games for token in (*game.seat_tokens.values(), game.owner_token)]
    games = await list_mine(client, *tokens, "nobody-knows-this-one")
    assert sorted(one["game"]["id"] for one in games) == sorted(game.id for game in http_games)
    for one in games:
        assert [(seat["seat"], seat["waiting"]) for seat in one["seats"]] == [(0, True), (1, False)]


async def test_the_owner_token_lists_the_seats_filled_at_creation(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, OPEN, {"bot": "random"}, {"name": "Di"}])
    joined = await (await game.join()).json()
    assert [seat["seat"] for seat in (await list_mine(client, game.owner_token))[0]["seats"]] == [0, 3]
    assert [seat["seat"] for seat in (await list_mine(client, joined["token"]))[0]["seats"]] == [1]
    spectator = await client.get("/v1/seats/me/games", headers=bearer_header(game.spectator_token))
    await check_problem(spectator, 401, "unauthorized")


async def test_waiting_follows_the_decider(client: Client) -> None:
    game = await create_game(client, TWO_PLAYERS, first_seat=0)
    while (await game.get_json())["turn"]["seat"] == 0:
        await game.act_successfully()
    assert await list_mine(client, game.seat_tokens[0], waiting="true") == []
    assert ids(await list_mine(client, game.seat_tokens[0], waiting="false")) == {game.id}
    assert ids(await list_mine(client, game.seat_tokens[1], waiting="true")) == {game.id}
    await game.delete()
    assert await list_mine(client, game.seat_tokens[1], waiting="true") == []
    assert ids(await list_mine(client, game.seat_tokens[1], status="aborted")) == {game.id}
    assert await list_mine(client, game.seat_tokens[1], status="active") == []


async def test_the_tokens_of_a_game_list_the_rematch(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, OPEN])
    bo = (await (await game.join()).json())["token"]
    await game.delete()
    again = await game.rematch(token=bo)
    for token in (bo, game.seat_tokens[0], game.owner_token):
        assert ids(await list_mine(client, token)) == {game.id, again.id}
        assert ids(await list_mine(client, token, status="active")) == {again.id}


async def test_a_game_is_not_listed_for_a_player_who_has_left(client: Client) -> None:
    games = [await create_game(client, [{"name": "Ana"}, OPEN, OPEN]) for _ in range(2)]
    bo, _ = [await client.post(f"{game.path}/seats", json=BO, headers=creator_header()) for game in games]
    assert (await games[0].delete("/seats/1", (await bo.json())["token"])).status == 200
    assert (
        ids(await list_mine(client, BOT))
        == ids(await list_mine(client, BOT, external_user="discord:2"))
        == {games[1].id}
    )


async def test_a_creator_key_lists_its_games_and_users(client: Client) -> None:
    both = await create_game(client, [ANA, BO], creator_header(), first_seat=0, visibility="private")
    anas = await create_game(client, [ANA, {"bot": "random"}], creator_header())
    nobodys = await create_game(client, [OPEN, OPEN], creator_header())
    others = await create_game(client, [ANA, BO], creator_header(OTHER_BOT))
    assert ids(await list_mine(client, BOT)) == {both.id, anas.id, nobodys.id}
    assert ids(await list_mine(client, BOT, external_user="discord:1")) == {both.id, anas.id}
    (bos,) = await list_mine(client, BOT, external_user="discord:2")
    assert (bos["game"]["id"], bos["seats"]) == (both.id, [{"seat": 1, "external_user": "discord:2", "waiting": False}])
    assert ids(await list_mine(client, BOT, OTHER_BOT, external_user="discord:2")) == {both.id, others.id}
    assert await list_mine(client, BOT, external_user="discord:3") == []
    (empty,) = [one for one in await list_mine(client, BOT) if one["game"]["id"] == nobodys.id]
    assert (empty["seats"], empty["waiting"]) == ([], False)


async def test_a_seat_joined_with_a_creator_key_is_listed(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, OPEN, OPEN])
    bo = await client.post(f"{game.path}/seats", json=BO, headers=creator_header())
    cy = await game.join("Cy", **creator_header(OTHER_BOT))
    assert (bo.status, cy.status) == (200, 200)
    (bos,) = await list_mine(client, BOT, external_user="discord:2")
    assert bos["seats"] == [{"seat": 1, "external_user": "discord:2", "waiting": bos["game"]["turn"]["decider"] == 1}]
    (cys,) = await list_mine(client, OTHER_BOT)
    assert [(seat["seat"], seat["external_user"]) for seat in cys["seats"]] == [(2, None)]
    assert await list_mine(client, OTHER_BOT, external_user="discord:2") == []


async def test_external_users_are_visible_only_to_their_creator(client: Client) -> None:
    game = await create_game(client, [ANA, BO], creator_header())
    for path in ("", "/diffs?since=0", "/scores"):
        assert "discord" not in await (await game.get(path)).text()
    (entry,) = await list_mine(client, game.owner_token)
    assert [seat["external_user"] for seat in entry["seats"]] == [None, None]


async def test_a_creator_key_lists_the_rematch(client: Client) -> None:
    game = await create_game(client, [ANA, BO], creator_header())
    await game.delete()
    again = await game.rematch()
    assert ids(await list_mine(client, BOT, external_user="discord:2")) == {game.id, again.id}


@pytest.mark.parametrize("seat", (ANA, {**ANA, "bot": "random"}, {"open": True, "external_user": "x"}))
async def test_an_external_user_requires_a_creator_key(client: Client, seat: dict[str, Any]) -> None:
    response = await client.post("/v1/games", json={"players": [{"name": "Cy"}, seat]})
    await check_problem(response, 400, "malformed", "$.players[1].external_user")


async def test_joining_with_an_external_user_requires_a_creator_key(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, OPEN])
    problem = await check_problem(await client.post(f"{game.path}/seats", json=BO), 400, "malformed", "$.external_user")
    assert "Creator-Key" in problem["detail"]


@pytest.mark.parametrize("user", ("x" * 65, "a b", "é"))
async def test_invalid_external_users_are_rejected(client: Client, user: str) -> None:
    players = [{"name": "Ana", "external_user": user}, OPEN]
    response = await client.post("/v1/games", json={"players": players}, headers=creator_header())
    await check_problem(response, 400, "malformed", "$.players[0].external_user")
    response = await client.get("/v1/seats/me/games", params={"external_user": user}, headers=bearer_header(BOT))
    await check_problem(response, 400, "malformed", "external_user")


async def test_requests_without_a_known_secret_are_unauthorized(client: Client) -> None:
    missing = await client.get("/v1/seats/me/games")
    assert "error" not in missing.headers["WWW-Authenticate"]  # RFC 6750, 3.1
    await check_problem(missing, 401, "unauthorized")
    for header in ("Basic eDp5", "Bearer ", "Bearer a,,b", "Bearer a b"):
        response = await client.get("/v1/seats/me/games", headers={"Authorization": header})
        await check_problem(response, 401, "unauthorized")
    too_many = ",".join(f"t{number}" for number in range(101))
    response = await client.get("/v1/seats/me/games", headers=bearer_header(too_many))
    await check_problem(response, 400, "malformed", "Authorization")
    game = await create_game(client)
    many = [f"t{number}" for number in range(99)]
    assert ids(await list_mine(client, *many, game.owner_token)) == {game.id}
    response = await client.get("/v1/seats/me/games", headers=bearer_header(", ".join(many)))
    await check_problem(response, 401, "unauthorized")


async def test_an_expired_game_is_not_listed(timed_client: Client, clock: FrozenClock, redis: Redis) -> None:
    clock.now -= 60 * 86_400
    expired, current = (
        await create_game(timed_client, [ANA, OPEN], creator_header()),
        await create_game(timed_client, [ANA, OPEN], creator_header()),
    )
    await redis.delete(keys.game(expired.id))
    assert ids(await list_mine(timed_client, BOT)) == {current.id}
    assert ids(await list_mine(timed_client, BOT, expired.owner_token)) == {current.id}
    response = await timed_client.get("/v1/seats/me/games", headers=bearer_header(expired.owner_token))
    await check_problem(response, 401, "unauthorized")
