"""Private games require one of their tokens."""

import pytest

from tests.web.app_server import Client
from tests.web.http_game import bearer_header, check_problem, create_game

READS = (
    "",
    "/legal-moves",
    "/diffs",
    "/story",
    "/scores",
    "/features",
    "/tiles",
    "/board.svg",
    "/board.png",
    "/board.txt",
)
PLAYERS = [{"name": "Ana"}, {"open": True}]


@pytest.mark.parametrize(
    ("path", "caching"),
    (*((path, "private, no-cache") for path in READS), ("/board.svg?v=1", "private, max-age=31536000, immutable")),
)
async def test_any_token_reads_a_private_game_without_shared_caching(client: Client, path: str, caching: str) -> None:
    game = await create_game(client, visibility="private")
    for token in (game.owner_token, game.spectator_token, *game.seat_tokens.values()):
        response = await game.get(path, token)
        assert response.status == 200
        assert response.headers["Cache-Control"] == caching
        assert "Authorization" in response.headers["Vary"]
        tag = response.headers["ETag"]
        same = await game.get(path, token, **{"If-None-Match": tag})
        assert (same.status, same.headers["Cache-Control"]) == (304, caching)
        assert "Authorization" in same.headers["Vary"]


@pytest.mark.parametrize("path", READS)
async def test_a_private_game_is_not_found_without_a_token(client: Client, path: str) -> None:
    game = await create_game(client, visibility="private")
    stranger = await create_game(client)
    unknown = await check_problem(await client.get(f"/v1/games/k7m2x9qd4t1w{path}"), 404, "not_found")
    for headers in ({}, bearer_header(stranger.owner_token), bearer_header("x")):
        response = await client.get(game.path + path, headers={**headers, "If-None-Match": "*"})
        problem = await check_problem(response, 404, "not_found")
        assert problem["detail"] == unknown["detail"].replace("k7m2x9qd4t1w", game.id)


async def test_a_private_game_cannot_be_changed_without_a_token(client: Client) -> None:
    game = await create_game(client, PLAYERS, visibility="private")
    act, join = {"move": "i0"}, {"name": "Bo"}
    for headers in ({}, bearer_header("x")):
        await check_problem(await client.post(f"{game.path}/actions", json=act, headers=headers), 404, "not_found")
        await check_problem(await client.post(f"{game.path}/seats", json=join, headers=headers), 404, "not_found")
        await check_problem(await client.delete(game.path, headers=headers), 404, "not_found")
    assert (await game.get_json())["version"] == 1


async def test_the_spectator_token_joins_but_does_not_act(client: Client) -> None:
    game = await create_game(client, PLAYERS, visibility="private", first_seat=1)
    response = await game.join(token=game.spectator_token)
    joined = await response.json()
    assert response.status == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Vary"] == "Authorization"
    move = await game.first_move()
    await check_problem(await game.act(move, game.spectator_token), 403, "wrong_seat")
    acted = await game.act(move, joined["token"])
    assert acted.status == 200
    assert acted.headers["Cache-Control"] == "private, no-cache"


async def test_no_shared_cache_stores_what_a_token_has_changed(client: Client) -> None:
    for visibility, vary in (("public", None), ("private", "Authorization")):
        created = await client.post("/v1/games", json={"players": PLAYERS, "visibility": visibility})
        assert (created.headers["Cache-Control"], created.headers.get("Vary")) == ("no-store", vary)
    game = await create_game(client, [{"name": "Ana"}, {"open": True}, {"open": True}])
    assert (await game.join()).status == 200
    left, replaced = await game.delete("/seats/1"), await game.post("/seats/0/token", {})
    responses = [left, replaced, await game.delete()]
    assert [one.status for one in responses] == [200, 200, 200]
    assert [one.headers["Cache-Control"] for one in responses] == ["private, no-cache", "no-store", "private, no-cache"]
    assert all("Authorization" in one.headers["Vary"] for one in responses)


async def test_a_public_game_is_joined_without_a_token_and_played_with_one(client: Client) -> None:
    game = await create_game(client, PLAYERS)
    assert (await game.join()).status == 200
    response = await client.post(f"{game.path}/actions", json={"move": "i0"})
    await check_problem(response, 401, "unauthorized")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="south-seas"'
