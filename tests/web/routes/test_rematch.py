"""A rematch has the same players and tokens, and players list their games by tokens and creator keys."""

import asyncio
from random import Random
from typing import Any

import pytest
from redis.asyncio import Redis

from service.games import repository
from service.games.access import hash_token
from service.games.ports import StoreUnavailable
from service.store import keys
from service.store.game_store import RedisStore
from tests.api_key_fixture import add_api_key, api_key_header
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import IDENTITY, TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
from tests.web.watcher_client import watch_game

SECRET = "6e2f0c9b8d4a7153f0e1d2c3b4a59687"


async def create_aborted(client: Client, players: Any = None, **options: Any) -> HTTPGame:
    game = await create_game(client, players, **options)
    assert (await game.delete()).status == 200
    return game


async def test_the_same_players_play_again_and_the_next_seat_begins(client: Client) -> None:
    players = [{"name": "Ana", "color": "black"}, {"bot": "random", "name": "Rob"}, {"name": "Cy", "color": "green"}]
    game = await create_aborted(
        client, players, edition="german", first_seat=2, seed="tides", turn_timeout_s=3600, on_timeout="resign"
    )
    old = await game.get_json()
    response = await game.post("/rematch", **IDENTITY)
    assert response.status == 201, await response.text()
    created = await response.json()
    assert created.keys() == {"game", "digest"}
    new = created["game"]
    assert new["id"] != game.id
    assert response.headers["Location"] == f"/v1/games/{new['id']}"
    assert response.headers["ETag"] == f'"{new["version"]}-{created["digest"]}"'
    for name in ("tileset", "edition", "turn_timeout_s", "on_timeout"):
        assert new[name] == old[name]
    assert (new["turn_timeout_s"], new["on_timeout"]) == (3600, "resign")
    for name in ("name", "color", "kind", "bot"):
        assert [player[name] for player in new["players"]] == [player[name] for player in old["players"]]
    assert (new["status"], new["turn"]["seat"], new["turn"]["number"]) == ("active", 0, 1)
    assert (new["deck"]["seed_chosen"], new["deck"]["commitment"]) != (True, old["deck"]["commitment"])


async def test_the_games_are_linked_and_watchers_are_notified(client: Client) -> None:
    game = await create_aborted(client)
    before = await game.get_json()
    async with watch_game(client, game.id) as watcher:
        again = await game.rematch()
        diff = await watcher.receive("diff")
    new = again.created["game"]
    after = await game.get_json()
    assert (new["previous_game"], new["next_game"]) == (game.id, None)
    assert after == {**before, "next_game": new["id"], "version": before["version"] + 1, "updated_at": diff["at"]}
    assert diff["events"] == [{"type": "rematch_created", "game": new["id"]}]
    assert (diff["version"], diff["seat"], diff["move"], diff["by"]) == (after["version"], None, None, None)
    first = (await again.get_json("/diffs?since=0"))["diffs"][0]
    assert {"op": "add", "path": "/previous_game", "value": game.id} in first["patch"]


async def test_a_finished_game_has_a_rematch_and_that_has_one_too(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"name": "Bo"}], first_seat=1)
    assert (await game.play_randomly(Random(3)))["status"] == "finished"
    first = await game.rematch()
    assert first.created["game"]["turn"]["seat"] == 0
    await first.delete()
    second = (await first.rematch({"seed": "tides"})).created["game"]
    assert (second["turn"]["seat"], second["previous_game"]) == (1, first.id)
    assert second["deck"]["seed_chosen"]


@pytest.mark.parametrize("seat", (None, 0, 1))
async def test_the_owner_and_each_player_create_a_rematch(client: Client, seat: int | None) -> None:
    """Also who resigned."""
    game = await create_game(client, visibility="private")
    await game.post("/resign", {"seat": 1})
    again = await game.rematch(token=game.owner_token if seat is None else game.seat_tokens[seat])
    assert (await game.get_json())["next_game"] == again.id


async def test_all_tokens_of_the_game_before_are_valid_in_the_rematch(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"name": "Bo"}, {"open": True}], visibility="private")
    joined = (await (await game.join("Cy", token=game.spectator_token)).json())["token"]
    old = game.seat_tokens[0]
    game.seat_tokens[0] = (await (await game.post("/seats/0/token", token=old)).json())["token"]
    await game.delete()
    again = await game.rematch(token=joined)
    for token in (game.owner_token, game.spectator_token, game.seat_tokens[0], game.seat_tokens[1], joined):
        assert (await again.get(token=token)).status == 200
    await check_problem(await again.get(token=old), 404, "not_found")
    decider = again.created["game"]["turn"]["decider"]
    tokens = {0: game.seat_tokens[0], 1: game.seat_tokens[1], 2: joined}
    move = await again.first_move()
    await check_problem(await again.act(move, tokens[(decider + 1) % 3]), 409, "not_your_turn")
    assert (await again.act(move, tokens[decider])).status == 200
    await check_problem(await again.act({"move": "pass.islander", "seat": 2}), 403, "wrong_seat")  # who joined
    headers = bearer_header(", ".join(tokens.values()))
    mine = (await (await client.get("/v1/seats/me/games", headers=headers)).json())["games"]
    assert {one["game"]["id"] for one in mine} == {again.id, game.id}
    assert [[seat["seat"] for seat in one["seats"]] for one in mine] == [[0, 1, 2]] * 2


async def test_a_token_that_is_replaced_in_one_game_stays_valid_in_the_other(client: Client) -> None:
    """The same key in both games gives two tokens: else it would replace a token by itself."""
    game = await create_aborted(client)
    again = await game.rematch()
    token = game.seat_tokens[0]
    new = await (await again.post("/seats/0/token", token=token, **{"Idempotency-Key": SECRET})).json()
    assert (await game.get(token=token)).status == 200
    await check_problem(await again.get(token=token), 401, "unauthorized")
    other = await (await game.post("/seats/0/token", token=token, **{"Idempotency-Key": SECRET})).json()
    assert other["token"] != new["token"]


async def test_only_the_owner_and_players_create_a_rematch(client: Client) -> None:
    game = await create_aborted(client, visibility="private")
    await check_problem(await client.post(f"{game.path}/rematch"), 404, "not_found")
    response = await client.post("/v1/games/nothing/rematch", headers=bearer_header(game.owner_token))
    await check_problem(response, 404, "not_found")
    await check_problem(await game.post("/rematch", token=game.spectator_token), 403, "not_owner")
    public = await create_aborted(client)
    await check_problem(await client.post(f"{public.path}/rematch"), 401, "unauthorized")


async def test_open_seats_are_open_again(client: Client) -> None:
    http_game = await create_aborted(client, [{"name": "Ana"}, {"open": True}])
    again = await http_game.rematch()
    game = again.created["game"]
    assert (game["status"], [player["kind"] for player in game["players"]]) == ("waiting", ["human", "open"])
    assert (await again.join()).status == 200


async def test_players_who_resigned_play_again_and_webhooks_stay_behind(http_game: HTTPGame) -> None:
    assert (await http_game.post("/webhooks", {"url": "https://bot.example/hook"})).status == 201
    assert (await http_game.post("/resign", {"seat": 1})).status == 200
    again = await http_game.rematch()
    assert [player["resigned"] for player in again.created["game"]["players"]] == [False, False]
    assert (await again.get_json("/webhooks"))["webhooks"] == []


async def test_a_second_rematch_is_a_conflict_with_the_first(client: Client) -> None:
    game = await create_aborted(client)
    again = await game.rematch(token=game.seat_tokens[1])
    for token in (game.owner_token, *game.seat_tokens.values()):
        problem = await check_problem(await game.post("/rematch", token=token), 409, "conflict")
        assert problem["next_game"] == again.id


async def test_a_retry_with_a_key_returns_the_same_game(client: Client) -> None:
    """No token is derived from the key, so it need not be a secret."""
    game = await create_aborted(client)
    first = await game.post("/rematch", {}, **{"Idempotency-Key": "k"})
    again = await game.post("/rematch", **{"Idempotency-Key": "k"})
    assert (first.status, again.status) == (201, 201)
    assert await first.read() == await again.read()
    assert again.headers["Idempotent-Replayed"] == "true"
    await check_problem(await game.post("/rematch", {"seed": "x"}, **{"Idempotency-Key": "k"}), 422, "key_reused")


async def test_concurrent_requests_create_one_rematch(client: Client) -> None:
    game = await create_aborted(client)
    tokens = [game.owner_token, *game.seat_tokens.values()]
    answers = await asyncio.gather(*(game.post("/rematch", token=token) for token in tokens * 4))
    statuses = sorted(response.status for response in answers)
    assert (statuses[0], {*statuses} <= {201, 409}) == (201, True)
    bodies = [await response.json(content_type=None) for response in answers]
    ids = {one["game"]["id"] if "game" in one else one["next_game"] for one in bodies}
    assert ids == {(await game.get_json())["next_game"]}
    assert (await game.get_json())["version"] == 3
    assert len((await (await client.get("/v1/games")).json())["games"]) == 2


async def test_the_next_request_completes_a_broken_rematch(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    http_game = await create_aborted(client)
    commit = repository.commit

    async def dies_before_the_second(context: Any, opened: Any, *args: Any, **kwargs: Any) -> Any:
        if opened.game.id == http_game.id:
            raise StoreUnavailable("gone")
        return await commit(context, opened, *args, **kwargs)

    monkeypatch.setattr(repository, "commit", dies_before_the_second)
    await check_problem(await http_game.post("/rematch"), 503, "store_unavailable")
    monkeypatch.undo()
    assert (await http_game.get_json())["next_game"] is None
    made = {game["id"] for game in (await (await client.get("/v1/games")).json())["games"]}
    assert len(made) == 2
    again = await http_game.rematch()
    assert {again.id, http_game.id} == made
    assert (await http_game.get_json())["next_game"] == again.id
    await again.act_successfully()


BOT = "c1b2f7d09e5a48c6b3f8e2d4a7901c5e"
OTHER_BOT = "0f9e8d7c6b5a49382716f5e4d3c2b1a0=="
ANA = {"name": "Ana", "external_user": "discord:1"}
BO = {"name": "Bo", "external_user": "discord:2"}
OPEN = {"open": True}


def creator_header(key: str = BOT) -> dict[str, str]:
    return {"Creator-Key": key}


async def list_mine(client: Client, *secrets: str, **query: str) -> Any:
    response = await client.get("/v1/seats/me/games", params=query, headers=bearer_header(", ".join(secrets)))
    assert response.status == 200, await response.text()
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert response.headers["Vary"] == "Authorization, Accept-Encoding"
    return (await response.json())["games"]


def ids(games: list[dict[str, Any]]) -> set[str]:
    return {one["game"]["id"] for one in games}


async def test_a_seat_token_lists_its_game(client: Client) -> None:
    game = await create_game(client, TWO_PLAYERS, first_seat=1, visibility="private")
    (bos,) = await list_mine(client, game.seat_tokens[1])
    summary = {name: value for name, value in (await game.get_json()).items() if name not in ("board", "discarded")}
    seats = [{"seat": 1, "external_user": None, "waiting": True}]
    assert bos == {"game": summary, "digest": game.created["digest"], "seats": seats, "waiting": True}
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


async def test_a_game_is_not_listed_for_a_player_who_has_left(client: Client) -> None:
    games = [await create_game(client, [{"name": "Ana"}, OPEN, OPEN]) for _ in range(2)]
    bo, _ = [await client.post(f"{game.path}/seats", json=BO, headers=creator_header()) for game in games]
    assert (await games[0].delete("/seats/1", (await bo.json())["token"])).status == 200
    for query in ({}, {"external_user": "discord:2"}):
        assert ids(await list_mine(client, BOT, **query)) == {games[1].id}


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
    (entry,) = await list_mine(client, game.owner_token, BOT)
    assert [seat["external_user"] for seat in entry["seats"]] == ["discord:1", "discord:2"]


async def test_a_creator_key_lists_the_rematch(client: Client) -> None:
    game = await create_game(client, [ANA, BO], creator_header())
    await game.delete()
    again = await game.rematch()
    assert ids(await list_mine(client, BOT, external_user="discord:2")) == {game.id, again.id}


async def test_the_rematch_is_of_the_api_key_of_whoever_asks_else_of_the_game_before(
    client: Client, store: RedisStore
) -> None:
    """A player's own app does not have the host's key."""
    first, second = [api_key_header(await add_api_key(store, name)) for name in ("first", "second")]
    games = [await create_game(client, TWO_PLAYERS, first) for _ in range(2)]
    for game, header in zip(games, ({}, second), strict=True):
        await game.delete()
        again = await (await game.post("/rematch", token=game.seat_tokens[0], **header)).json()
        mine = await (await client.get("/v1/keys/me/games", headers=header or first)).json()
        assert again["game"]["id"] in [game["id"] for game in mine["games"]]


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


async def test_an_expired_game_is_not_listed(
    timed_client: Client, clock: FrozenClock, store: RedisStore, redis: Redis
) -> None:
    clock.now -= 60 * 86_400
    expired, current = [await create_game(timed_client, [ANA, OPEN], creator_header()) for _ in range(2)]
    await redis.delete(keys.game(expired.id))
    assert ids(await list_mine(timed_client, BOT)) == {current.id}
    assert ids(await list_mine(timed_client, BOT, expired.owner_token)) == {current.id}
    await store.index_repair.prune(keys.game_index(hash_token(expired.owner_token).hex()))
    response = await timed_client.get("/v1/seats/me/games", headers=bearer_header(expired.owner_token))
    await check_problem(response, 401, "unauthorized")
