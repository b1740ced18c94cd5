"""A private game is for those who hold one of its tokens."""

import pytest

from tests.web.app_server import Client
from tests.web.http_game import bearer, new_table, refused

READS = ("", "/legal-moves", "/diffs", "/scores", "/tiles")
PLAYERS = [{"name": "Ana"}, {"open": True}]


@pytest.mark.parametrize("path", READS)
async def test_it_is_read_with_any_of_its_tokens_and_kept_by_no_shared_cache(client: Client, path: str) -> None:
    table = await new_table(client, visibility="private")
    for token in (table.owner, table.spectator, *table.seats.values()):
        response = await client.get(table.path + path, headers=bearer(token))
        assert response.status == 200
        assert response.headers["Cache-Control"] == "private, no-cache"
        assert "Authorization" in response.headers["Vary"]
        tag = response.headers["ETag"]
        same = await client.get(table.path + path, headers={**bearer(token), "If-None-Match": tag})
        assert (same.status, same.headers["Cache-Control"]) == (304, "private, no-cache")
        assert "Authorization" in same.headers["Vary"]


@pytest.mark.parametrize("path", READS)
async def test_without_one_it_is_not_there(client: Client, path: str) -> None:
    table = await new_table(client, visibility="private")
    stranger = await new_table(client)
    unknown = await refused(await client.get(f"/v1/games/k7m2x9qd4t1w{path}"), 404, "not_found")
    for headers in ({}, bearer(stranger.owner), bearer("x")):
        response = await client.get(table.path + path, headers={**headers, "If-None-Match": "*"})
        problem = await refused(response, 404, "not_found")
        assert problem["detail"] == unknown["detail"].replace("k7m2x9qd4t1w", table.id)


async def test_without_one_it_cannot_be_changed(client: Client) -> None:
    table = await new_table(client, PLAYERS, visibility="private")
    act, join = {"move": "i0"}, {"name": "Bo"}
    for headers in ({}, bearer("x")):
        await refused(await client.post(f"{table.path}/actions", json=act, headers=headers), 404, "not_found")
        await refused(await client.post(f"{table.path}/seats", json=join, headers=headers), 404, "not_found")
        await refused(await client.delete(table.path, headers=headers), 404, "not_found")
    assert (await table.json())["version"] == 1


async def test_its_spectator_joins_but_does_not_act(client: Client) -> None:
    table = await new_table(client, PLAYERS, visibility="private", first_seat=1)
    response = await client.post(f"{table.path}/seats", json={"name": "Bo"}, headers=bearer(table.spectator))
    joined = await response.json()
    assert response.status == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Vary"] == "Authorization"
    move = {"move": (await table.moves())[0]["id"]}
    await refused(await table.act(move, table.spectator), 403, "wrong_seat")
    acted = await table.act(move, joined["token"])
    assert acted.status == 200
    assert acted.headers["Cache-Control"] == "private, no-cache"


async def test_a_public_game_is_joined_without_a_token_but_played_only_with_one(client: Client) -> None:
    table = await new_table(client, PLAYERS)
    assert (await client.post(f"{table.path}/seats", json={"name": "Bo"})).status == 200
    response = await client.post(f"{table.path}/actions", json={"move": "i0"})
    await refused(response, 401, "unauthorized")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="south-seas"'
