"""Joining, removing players, and replacing seat tokens."""

import asyncio
from typing import Any

import pytest

from service.games.history import verify
from service.games.hub import Hub
from service.json_patch import apply_patch
from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.polling import TIMEOUT_S
from tests.web.app_server import TILESETS, Client, serve
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game
from tests.web.watcher_client import connect_watcher, open_event_stream, watch_game

OPEN = [{"name": "Ana"}, {"open": True}, {"open": True}, {"bot": "random"}]
SECRET = "8f1d0a6b3c5e49d7b2a4f06c9e8d7b13"
OTHER_SECRET = SECRET[::-1]


async def join(game: HTTPGame, name: str = "Bo", **headers: str) -> Any:
    """Take the next open seat with the spectator token."""
    response = await game.join(name, game.spectator_token, **headers)
    assert response.status == 200, await response.text()
    return await response.json()


async def replace_token(game: HTTPGame, seat: int, token: str, **headers: str) -> Any:
    return await game.post(f"/seats/{seat}/token", token=token, **headers)


async def test_bots_answer_who_joins_a_game_that_starts(client: Client) -> None:
    game = await create_game(client, [{"open": True}, {"bot": "random"}], first_seat=1)
    joined = (await join(game))["game"]
    assert (joined["status"], joined["version"] > 2) == ("active", True)


async def test_removal_is_repeatable_and_supports_if_match(client: Client) -> None:
    game = await create_game(client, OPEN)
    await join(game)
    tag = (await game.get()).headers["ETag"]
    first, again = await game.delete("/seats/1"), await game.delete("/seats/1")
    assert (first.status, again.status, await first.json()) == (200, 200, await again.json())
    await join(game, "Cy")
    await check_problem(await game.delete("/seats/1", **{"If-Match": tag}), 412, "version_mismatch")
    assert (await game.get_json())["players"][1]["name"] == "Cy"


@pytest.mark.parametrize(
    ("visibility", "by_owner"), (("public", False), ("private", False), ("public", True), ("private", True))
)
async def test_a_player_leaves_or_the_owner_removes_them_and_another_joins(
    client: Client, visibility: str, *, by_owner: bool
) -> None:
    game = await create_game(client, OPEN, visibility=visibility)
    bo = await join(game)
    response = await game.delete("/seats/1", game.owner_token if by_owner else bo["token"])
    left = await response.json()
    assert (response.status, left["version"], left["status"]) == (200, 3, "waiting")
    assert [left["players"][1][name] for name in ("name", "color", "kind")] == [None, None, "open"]
    assert response.headers["ETag"].startswith('"3-')
    diff = (await game.get_json("/diffs?since=2"))["diffs"][0]
    assert diff["events"] == [{"type": "player_left", "seat": 1, "name": "Bo"}]
    assert [diff[name] for name in ("seat", "move", "by")] == [None, None, None]
    assert apply_patch(bo["game"], diff["patch"]) == left
    repeated = await game.delete("/seats/1", bo["token"])  # its token is unknown now
    await check_problem(repeated, *((401, "unauthorized") if visibility == "public" else (404, "not_found")))
    mine = await client.get("/v1/seats/me/games", headers=bearer_header(bo["token"]))
    await check_problem(mine, 401, "unauthorized")
    assert (await game.get_json())["version"] == 3
    again = await join(game)
    assert (again["seat"], again["token"] != bo["token"]) == (1, True)
    if visibility == "public":
        lobby = (await (await client.get("/v1/games?status=waiting")).json())["games"]
        assert [one["id"] for one in lobby] == [game.id]
    assert (await join(game, "Cy"))["game"]["status"] == "active"


async def test_players_who_leave_and_join_at_once_take_turns(client: Client) -> None:
    """Each leaves or the game has started; nobody loses a seat that they were given."""
    for _ in range(5):
        game = await create_game(client, [{"name": "Ana"}, {"open": True}, {"open": True}])
        bo = (await join(game))["token"]
        left, *joined = await asyncio.gather(game.delete("/seats/1", bo), *(game.join(name) for name in ("Cy", "Di")))
        assert left.status in (200, 409)
        seats = {(await one.json())["seat"] for one in joined if one.status == 200}
        players = (await game.get_json())["players"]
        assert {player["seat"] for player in players[1:] if player["name"] in ("Cy", "Di")} == seats
        assert (players[1]["name"] == "Bo") == (left.status == 409)


async def test_which_tokens_remove_which_players(client: Client) -> None:
    game = await create_game(client, OPEN)
    bo = await join(game)
    await check_problem(await client.delete(f"{game.path}/seats/1"), 401, "unauthorized")
    for token in (game.seat_tokens[0], game.spectator_token):
        await check_problem(await game.delete("/seats/1", token), 403, "wrong_seat")
    await check_problem(await game.delete("/seats/2", bo["token"]), 403, "wrong_seat")
    await check_problem(await game.delete("/seats/0", game.seat_tokens[0]), 409, "conflict")
    for seat in (0, 3):
        await check_problem(await game.delete(f"/seats/{seat}"), 409, "conflict")
    await check_problem(await game.delete("/seats/4"), 404, "not_found")
    await check_problem(await game.delete("/seats/5"), 404, "not_found")
    await join(game, "Cy")
    await check_problem(await game.delete("/seats/1"), 409, "conflict")
    await game.delete()
    await check_problem(await game.delete("/seats/1"), 409, "not_active")


async def test_the_new_token_acts_and_the_old_one_is_revoked(client: Client) -> None:
    http_game = await create_game(client, [{"name": "Ana"}, {"open": True}], first_seat=1)
    old = (await join(http_game))["token"]
    game = await http_game.get_json()
    response = await replace_token(http_game, 1, old)
    replaced = await response.json()
    assert (response.status, replaced["seat"], response.headers["Cache-Control"]) == (200, 1, "no-store")
    new = replaced["token"]
    assert len(new) == len(old)
    move = await http_game.first_move()
    await check_problem(await http_game.act(move, old), 401, "unauthorized")
    await check_problem(await client.get("/v1/seats/me/games", headers=bearer_header(old)), 401, "unauthorized")
    assert await http_game.get_json() == game
    assert (await http_game.act(move, new)).status == 200
    listed = await (await client.get("/v1/seats/me/games", headers=bearer_header(new))).json()
    assert [one["game"]["id"] for one in listed["games"]] == [http_game.id]


async def test_an_instance_with_a_cached_game_rejects_the_old_token(client: Client, elsewhere: Client) -> None:
    game = await create_game(client, first_seat=0)
    old = game.seat_tokens[0]
    assert (await game.act(await game.first_move(), old)).status == 200
    path = f"{game.path}/seats/0/token"
    assert (await elsewhere.post(path, json={}, headers=bearer_header(game.owner_token))).status == 200
    await check_problem(await game.act(await game.first_move(), old), 401, "unauthorized")


async def test_which_tokens_replace_which_tokens(client: Client) -> None:
    game = await create_game(client, OPEN)
    bo = (await join(game))["token"]
    await check_problem(await client.post(f"{game.path}/seats/1/token"), 401, "unauthorized")
    not_of_seat_1 = (game.owner_token, game.seat_tokens[0], game.spectator_token)
    for token, seat in (*((token, 1) for token in not_of_seat_1), (bo, 0), (game.owner_token, 3)):
        await check_problem(await replace_token(game, seat, token), 403, "wrong_seat")
    assert (await replace_token(game, 0, game.owner_token)).status == 200
    assert (await replace_token(game, 1, bo)).status == 200
    await check_problem(await game.post("/seats/0/token", {"name": "Bo"}), 400, "malformed")


async def test_a_retry_with_the_revoked_token_returns_the_same_token(client: Client) -> None:
    game = await create_game(client, OPEN)
    old = (await join(game, **{"Idempotency-Key": SECRET}))["token"]
    answers = [await replace_token(game, 1, old, **{"Idempotency-Key": SECRET}) for _ in range(2)]
    tokens = [(await answer.json())["token"] for answer in answers]
    assert [answer.headers.get("Idempotent-Replayed") for answer in answers] == [None, "true"]
    assert tokens[0] == tokens[1] != old
    assert (await game.get(token=tokens[0])).status == 200
    await check_problem(await replace_token(game, 1, old, **{"Idempotency-Key": OTHER_SECRET}), 401, "unauthorized")


async def test_concurrent_replacements_leave_one_valid_token(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"name": "Bo"}])
    answers = await asyncio.gather(*(replace_token(game, 0, game.owner_token) for _ in range(8)))
    assert {answer.status for answer in answers} == {200}
    tokens = [(await answer.json())["token"] for answer in answers]
    statuses = [(await game.get(token=token)).status for token in tokens]
    assert sorted(statuses) == [200] + [401] * 7


async def test_a_replacement_survives_concurrent_joins(client: Client) -> None:
    """Otherwise a join would write back the old access record."""
    for _ in range(5):
        game = await create_game(client, [{"name": "Ana"}, {"open": True}, {"open": True}, {"open": True}])
        old = game.seat_tokens[0]
        names = ("Bo", "Cy", "Di")
        replaced, *_ = await asyncio.gather(replace_token(game, 0, old), *(join(game, name) for name in names))
        assert replaced.status == 200
        assert (await game.get(token=old)).status == 401
        assert (await game.get(token=(await replaced.json())["token"])).status == 200


@pytest.mark.parametrize(("visibility", "code"), (("public", 4401), ("private", 4404)))
async def test_sockets_of_a_revoked_token_are_closed_on_every_instance(
    client: Client, elsewhere: Client, visibility: str, code: int
) -> None:
    game = await create_game(client, OPEN, visibility=visibility)
    bo = (await join(game))["token"]
    async with (
        watch_game(client, game.id, token=bo) as near,
        watch_game(elsewhere, game.id, token=bo) as far,
        watch_game(elsewhere, game.id, token=game.spectator_token) as other,
    ):
        await replace_token(game, 1, bo)
        assert [await near.receive_close(), await far.receive_close()] == [code, code]
        await game.delete("/seats/1")
        assert (await other.receive("diff"))["events"][0]["type"] == "player_left"


@pytest.mark.parametrize(("visibility", "code"), (("public", "unauthorized"), ("private", "not_found")))
async def test_a_shared_socket_ends_the_subscription_and_stays_open(client: Client, visibility: str, code: str) -> None:
    game, another = await create_game(client, OPEN, visibility=visibility), await create_game(client)
    bo = (await join(game))["token"]
    async with connect_watcher(client) as watcher:
        await watcher.request({"type": "auth", "game": game.id, "token": bo}, "ack")
        await watcher.subscribe(game.id)
        await watcher.subscribe(another.id)
        await game.delete("/seats/1")
        while (message := await watcher.receive())["type"] != "error":
            pass
        assert (message["game"], message["problem"]["code"]) == (game.id, code)
        if visibility == "public":  # which needs no token
            await watcher.subscribe(game.id)
        await another.act_successfully()
        assert (await watcher.receive("diff"))["game"] == another.id


@pytest.mark.parametrize("kind", ("socket", "stream"))
async def test_a_token_revoked_while_its_client_subscribes_ends_the_subscription(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The next sweep sees it."""
    subscribe = Hub.subscribe
    async with serve(store, Limits(sweep_interval_s=0.1)) as client:
        game = await create_game(client, OPEN, visibility="private")
        bo = (await join(game))["token"]

        async def revoke_then_subscribe(hub: Hub, *arguments: Any) -> None:
            await replace_token(game, 1, bo)
            await subscribe(hub, *arguments)

        monkeypatch.setattr(Hub, "subscribe", revoke_then_subscribe)
        if kind == "socket":
            async with connect_watcher(client, f"{game.path}/ws", bo) as watcher:
                assert await watcher.receive_close() == 4404
        else:
            async with open_event_stream(client, game.id, **bearer_header(bo)) as stream, asyncio.timeout(TIMEOUT_S):
                await stream.response.content.read()


@pytest.mark.parametrize("visibility", ("private", "public"))
async def test_event_streams_of_a_revoked_token_end(client: Client, visibility: str) -> None:
    game = await create_game(client, OPEN, visibility=visibility)
    bo = (await join(game))["token"]
    async with open_event_stream(client, game.id, **bearer_header(bo)) as stream, asyncio.timeout(TIMEOUT_S):
        await replace_token(game, 1, bo)
        await stream.response.content.read()


async def test_a_log_with_a_removed_player_can_be_verified(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"open": True}, {"open": True}], seed="tides", first_seat=0)
    await join(game)
    await game.delete("/seats/1")
    await join(game, "Cy")
    assert (await join(game, "Di"))["game"]["status"] == "active"
    await game.act_successfully()
    await game.delete()
    log = (await game.get_json("/diffs"))["diffs"]
    assert [check.passed for check in verify(log, TILESETS.get("lagoon").tileset)] == [True] * 5
    lines = (await game.get_json("/story"))["lines"]
    texts = " ".join(line["text"] for line in lines)
    assert "Bo joins (" in texts
    assert "Bo leaves: the seat is open again." in texts
