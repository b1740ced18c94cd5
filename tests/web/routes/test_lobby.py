import re

import pytest

from tests.web.app_server import Client, Clock
from tests.web.http_game import TWO, bearer, new_table, refused

OPEN = [{"name": "Ana"}, {"open": True}, {"open": True}]


async def test_a_new_game_tells_its_place_its_version_and_its_tokens(client: Client) -> None:
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


async def test_colours_not_asked_for_go_by_seat_and_skip_those_taken(client: Client) -> None:
    players = [{"name": "Ana"}, {"name": "Bo", "color": "red"}, {"bot": "random"}, {"open": True}, {"bot": "greedy"}]
    game = (await new_table(client, players)).created["game"]
    assert [player["color"] for player in game["players"]] == ["blue", "red", "green", None, "yellow"]
    assert [player["name"] for player in game["players"]] == ["Ana", "Bo", "Random", None, "Greedy"]


async def test_everything_can_be_chosen(client: Client) -> None:
    table = await new_table(
        client, edition="german", first_seat=1, tileset="archipelago", seed="tides", visibility="public"
    )
    game = table.created["game"]
    assert (game["status"], game["edition"], game["turn"]["seat"]) == ("active", "german", 1)
    assert (game["deck"]["seed"], game["deck"]["seed_chosen"]) == (None, True)


async def test_null_stands_for_each_default(client: Client) -> None:
    nothing = dict.fromkeys(("edition", "first_seat", "tileset", "seed", "visibility", "turn_timeout_s"))
    game = (await new_table(client, **nothing)).created["game"]
    assert (game["edition"], game["tileset"], game["deck"]["seed_chosen"]) == ("international", "archipelago", False)


async def test_the_first_legal_moves_come_along_where_asked_for(client: Client) -> None:
    response = await client.post("/v1/games?include=legal_moves", json={"players": TWO})
    created = await response.json()
    moves = await (await client.get(f"/v1/games/{created['game']['id']}/legal-moves")).json()
    assert created["legal_moves"] == moves
    assert moves["phase"] == "place_tile"


async def test_joining_takes_the_next_open_seat_and_the_last_starts_the_game(client: Client) -> None:
    table = await new_table(client, OPEN)
    first = await client.post(f"{table.path}/seats", json={"name": "Bo", "color": "green"})
    joined = await first.json()
    assert (first.status, joined["seat"], joined["game"]["status"]) == (200, 1, "waiting")
    assert first.headers["ETag"] == f'"2-{joined["digest"]}"'
    assert joined["game"]["players"][1]["color"] == "green"
    second = await client.post(f"{table.path}/seats?include=legal_moves", json={"name": "Cy"})
    assert second.status == 200, await second.text()
    joined = await second.json()
    assert (joined["seat"], joined["game"]["status"], joined["game"]["version"]) == (2, "active", 3)
    assert joined["game"]["players"][2]["color"] == "blue"
    assert joined["legal_moves"]["phase"] == "place_tile"
    await refused(await client.post(f"{table.path}/seats", json={"name": "Di"}), 409, "no_open_seat")


async def test_a_seats_token_acts_for_its_seat(client: Client) -> None:
    table = await new_table(client, OPEN, first_seat=1)
    tokens = [
        (await (await client.post(f"{table.path}/seats", json={"name": name})).json())["token"] for name in ("Bo", "Cy")
    ]
    move = {"move": (await table.moves())[0]["id"]}
    await refused(await table.act(move, tokens[1]), 409, "not_your_turn")
    await refused(await table.act({**move, "seat": 1}, tokens[1]), 403, "wrong_seat")
    await refused(await table.act(move, table.owner), 403, "wrong_seat")
    acted = await (await table.act(move, tokens[0])).json()
    assert (acted["diffs"][0]["seat"], acted["diffs"][0]["by"]) == (1, "seat")


async def test_a_colour_that_somebody_has_is_a_conflict(client: Client) -> None:
    table = await new_table(client, OPEN)
    await refused(await client.post(f"{table.path}/seats", json={"name": "Bo", "color": "red"}), 409, "conflict")
    assert (await table.json())["version"] == 1


async def test_the_list_shows_public_games_the_newest_first_in_pages(client: Client) -> None:
    made = [(await new_table(client, OPEN)).id for _ in range(5)]
    await new_table(client, OPEN, visibility="private")
    found: list[str] = []
    query = "?limit=2"
    while True:
        page = await (await client.get(f"/v1/games{query}")).json()
        assert len(page["games"]) <= 2
        found += [game["id"] for game in page["games"]]
        if page["next_cursor"] is None:
            break
        query = f"?limit=2&cursor={page['next_cursor']}"
    assert sorted(found) == sorted(made)
    assert "board" not in page["games"][0]
    assert "discarded" not in page["games"][0]


async def test_the_list_is_ordered_by_creation(timed_client: Client, clock: Clock) -> None:
    made = []
    for second in range(3):
        clock.now += second
        made.append((await new_table(timed_client, OPEN)).id)
    page = await (await timed_client.get("/v1/games")).json()
    assert [game["id"] for game in page["games"]] == made[::-1]


async def test_the_list_can_be_of_one_status(client: Client) -> None:
    waiting, active, aborted = await new_table(client, OPEN), await new_table(client), await new_table(client)
    await client.delete(aborted.path, headers=bearer(aborted.owner))
    for status, table in (("waiting", waiting), ("active", active), ("aborted", aborted)):
        page = await (await client.get(f"/v1/games?status={status}")).json()
        assert [(game["id"], game["status"]) for game in page["games"]] == [(table.id, status)]
    assert (await (await client.get("/v1/games?status=finished")).json())["games"] == []


@pytest.mark.parametrize("cursor", ("x", "%00", "-1", "1e9", "é"))
async def test_a_foreign_cursor_of_the_list_is_malformed(client: Client, cursor: str) -> None:
    problem = await refused(await client.get(f"/v1/games?cursor={cursor}"), 400, "malformed")
    assert problem["path"] == "cursor"


async def test_the_owner_aborts_and_may_repeat_it(client: Client) -> None:
    table = await new_table(client, seed="tides")
    stranger = await new_table(client)
    await refused(await client.delete(table.path), 401, "unauthorized")
    await refused(await client.delete(table.path, headers=bearer(stranger.owner)), 401, "unauthorized")
    for token in (*table.seats.values(), table.spectator):
        await refused(await client.delete(table.path, headers=bearer(token)), 403, "not_owner")
    first = await client.delete(table.path, headers=bearer(table.owner))
    game = await first.json()
    assert (first.status, game["status"], game["version"], game["turn"]) == (200, "aborted", 2, None)
    assert game["deck"]["seed"] == "tides"
    again = await client.delete(table.path, headers=bearer(table.owner))
    assert (again.status, await again.json(), again.headers["ETag"]) == (200, game, first.headers["ETag"])
    await refused(await table.act({"move": "i0"}), 409, "not_active")
    await refused(await client.post(f"{table.path}/seats", json={"name": "Di"}), 409, "no_open_seat")


async def test_aborting_can_expect_a_version(client: Client) -> None:
    table = await new_table(client)
    await table.do()
    await refused(
        await client.delete(table.path, headers={**bearer(table.owner), "If-Match": '"1"'}), 412, "version_mismatch"
    )
    assert (await table.json())["status"] == "active"
    done = await client.delete(table.path, headers={**bearer(table.owner), "If-Match": '"2"'})
    assert done.status == 200
