import re

from service.store import keys
from service.store.game_store import RedisStore
from tests.web.app_server import Client
from tests.web.http_game import TWO_PLAYERS, HTTPGame, check_problem, create_game

OPEN = [{"name": "Ana"}, {"open": True}, {"open": True}]


async def test_creation_returns_location_version_and_tokens(client: Client) -> None:
    response = await client.post("/v1/games", json={"players": [{"name": "Ana"}, {"bot": "greedy"}, {"open": True}]})
    created = await response.json()
    game = created["game"]
    assert response.status == 201
    assert response.headers["Location"] == f"/v1/games/{game['id']}"
    assert response.headers["ETag"] == f'"{game["version"]}-{created["digest"]}"'
    assert re.fullmatch(r"[a-z0-9]{12}", game["id"])
    assert (game["status"], game["turn"], game["edition"]) == ("waiting", None, "international")
    assert [player["kind"] for player in game["players"]] == ["human", "bot", "open"]
    assert [seat["seat"] for seat in created["seats"]] == [0]
    assert created["legal_moves"] is None
    assert await (await client.get(response.headers["Location"])).json() == game


async def test_default_colours_go_by_seat_and_skip_taken_ones(client: Client) -> None:
    players = [{"name": "Ana"}, {"name": "Bo", "color": "red"}, {"bot": "random"}, {"open": True}, {"bot": "greedy"}]
    game = (await create_game(client, players)).created["game"]
    assert [player["color"] for player in game["players"]] == ["blue", "red", "green", None, "yellow"]
    assert [player["name"] for player in game["players"]] == ["Ana", "Bo", "Random", None, "Greedy"]


async def test_everything_can_be_chosen(client: Client) -> None:
    http_game = await create_game(
        client, edition="german", first_seat=1, tileset="lagoon", seed="tides", visibility="public"
    )
    game = http_game.created["game"]
    assert (game["status"], game["edition"], game["turn"]["seat"]) == ("active", "german", 1)
    assert (game["deck"]["seed"], game["deck"]["seed_chosen"]) == (None, True)


async def test_null_means_the_default(client: Client) -> None:
    nothing = dict.fromkeys(("edition", "first_seat", "tileset", "seed", "visibility", "turn_timeout_s"))
    game = (await create_game(client, **nothing)).created["game"]
    assert (game["edition"], game["tileset"], game["deck"]["seed_chosen"]) == ("international", "lagoon", False)


async def test_include_adds_the_first_legal_moves(client: Client) -> None:
    response = await client.post("/v1/games?include=legal_moves", json={"players": TWO_PLAYERS})
    created = await response.json()
    moves = await (await client.get(f"/v1/games/{created['game']['id']}/legal-moves")).json()
    assert created["legal_moves"] == moves
    assert moves["phase"] == "place_tile"


async def test_joining_takes_the_next_open_seat_and_the_last_starts_the_game(client: Client) -> None:
    game = await create_game(client, OPEN)
    first = await client.post(f"{game.path}/seats", json={"name": "Bo", "color": "green"})
    joined = await first.json()
    assert (first.status, joined["seat"], joined["game"]["status"]) == (200, 1, "waiting")
    assert first.headers["ETag"] == f'"2-{joined["digest"]}"'
    assert joined["game"]["players"][1]["color"] == "green"
    second = await client.post(f"{game.path}/seats?include=legal_moves", json={"name": "Cy"})
    assert second.status == 200, await second.text()
    joined = await second.json()
    assert (joined["seat"], joined["game"]["status"], joined["game"]["version"]) == (2, "active", 3)
    assert joined["game"]["players"][2]["color"] == "blue"
    assert joined["legal_moves"]["phase"] == "place_tile"
    await check_problem(await game.join("Di"), 409, "no_open_seat")


async def test_a_seats_token_acts_for_its_seat(client: Client) -> None:
    game = await create_game(client, OPEN, first_seat=1)
    tokens = [(await (await game.join(name)).json())["token"] for name in ("Bo", "Cy")]
    move = await game.first_move()
    await check_problem(await game.act(move, tokens[1]), 409, "not_your_turn")
    await check_problem(await game.act({**move, "seat": 1}, tokens[1]), 403, "wrong_seat")
    await check_problem(await game.act(move, game.owner_token), 403, "wrong_seat")
    acted = await (await game.act(move, tokens[0])).json()
    assert (acted["diffs"][0]["seat"], acted["diffs"][0]["by"]) == (1, "seat")


async def test_a_taken_colour_is_a_conflict(client: Client) -> None:
    game = await create_game(client, OPEN)
    await check_problem(await client.post(f"{game.path}/seats", json={"name": "Bo", "color": "red"}), 409, "conflict")
    assert (await game.get_json())["version"] == 1


async def test_private_games_are_not_listed(client: Client) -> None:
    public = await create_game(client, OPEN)
    await create_game(client, OPEN, visibility="private")
    (listed,) = (await (await client.get("/v1/games")).json())["games"]
    assert listed["id"] == public.id
    assert not {"board", "discarded"} & listed.keys()


async def test_a_private_game_in_the_lobby_is_not_listed_but_removed(client: Client, store: RedisStore) -> None:
    private = await create_game(client, OPEN, visibility="private")
    await store._client.execute("ZADD", keys.lobby("waiting"), 1_700_000_000, private.id)
    assert (await (await client.get("/v1/games")).json())["games"] == []
    assert (await store.list_by_status(["waiting"], 10, None)).games == []


async def test_the_list_can_be_filtered_by_status(client: Client) -> None:
    waiting, active, aborted = await create_game(client, OPEN), await create_game(client), await create_game(client)
    await aborted.delete()
    for status, http_game in (("waiting", waiting), ("active", active), ("aborted", aborted)):
        page = await (await client.get(f"/v1/games?status={status}")).json()
        assert [(game["id"], game["status"]) for game in page["games"]] == [(http_game.id, status)]
    assert (await (await client.get("/v1/games?status=finished")).json())["games"] == []


async def test_the_owner_aborts_and_may_repeat_it(client: Client) -> None:
    http_game = await create_game(client, seed="tides")
    stranger = await create_game(client)
    await check_problem(await client.delete(http_game.path), 401, "unauthorized")
    await check_problem(await http_game.delete(token=stranger.owner_token), 401, "unauthorized")
    for token in (*http_game.seat_tokens.values(), http_game.spectator_token):
        await check_problem(await http_game.delete(token=token), 403, "not_owner")
    first = await http_game.delete()
    game = await first.json()
    assert (first.status, game["status"], game["version"], game["turn"]) == (200, "aborted", 2, None)
    assert game["deck"]["seed"] == "tides"
    again = await http_game.delete()
    assert (again.status, await again.json(), again.headers["ETag"]) == (200, game, first.headers["ETag"])
    await check_problem(await http_game.act({"move": "i0"}), 409, "not_active")
    await check_problem(await http_game.join("Di"), 409, "no_open_seat")


async def test_abort_supports_if_match(http_game: HTTPGame) -> None:
    await http_game.act_successfully()
    await check_problem(await http_game.delete(**{"If-Match": '"1"'}), 412, "version_mismatch")
    assert (await http_game.get_json())["status"] == "active"
    finished = await http_game.delete(**{"If-Match": '"2"'})
    assert finished.status == 200
