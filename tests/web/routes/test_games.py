"""`GET /v1/bots`."""

import re
from random import Random
from typing import Any

import pytest
from redis.asyncio import Redis

from service.i18n import get_translator
from service.i18n.phrases import place_phrase
from service.store import keys
from service.store.game_store import RedisStore
from service.web.app import CONTEXT
from tests.snapshots import change_game
from tests.web.app_server import Client
from tests.web.http_game import IDENTITY, HTTPGame, check_problem, create_game

OPEN = [{"name": "Ana"}, {"open": True}, {"open": True}]


async def test_creation_returns_location_version_and_tokens(client: Client) -> None:
    response = await client.post("/v1/games", json={"players": [{"name": "Ana"}, {"bot": "greedy"}, {"open": True}]})
    created = await response.json()
    game = created["game"]
    assert (response.status, response.headers["Location"]) == (201, f"/v1/games/{game['id']}")
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


async def test_a_private_game_in_the_lobby_is_not_listed_but_removed(client: Client, store: RedisStore) -> None:
    private = await create_game(client, OPEN, visibility="private")
    public = [(await create_game(client, OPEN)).id for _ in range(3)]
    await store.client.execute("ZADD", keys.lobby("waiting"), 2**33, private.id)
    page = (await (await client.get("/v1/games?limit=2")).json())["games"]
    assert [{"board", "discarded"} & listed.keys() for listed in page] == [set()] * 2
    assert {*(await store.list_by_status(["waiting"], 10, None)).games} == {*public}


async def test_a_game_committed_while_a_list_is_read_stays(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    game, store, too_early = await create_game(client), client.app[CONTEXT].store, [None]
    load = store.load

    async def load_late(*of: Any) -> Any:
        return too_early.pop() if too_early else await load(*of)

    monkeypatch.setattr(store, "load", load_late)
    for _ in range(2):
        assert game.id in [one["id"] for one in (await (await client.get("/v1/games")).json())["games"]]


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
    assert (await http_game.delete(**{"If-Match": '"2"'})).status == 200


READS = ("", "/legal-moves", "/diffs", "/story", "/scores", "/features", "/tiles")
PICTURES = ("/board.svg", "/board.png", "/board.txt")


@pytest.mark.parametrize("path", (*READS, *PICTURES))
async def test_if_none_match_returns_304_while_the_game_is_unchanged(
    client: Client, http_game: HTTPGame, path: str
) -> None:
    first = await client.get(http_game.path + path, headers=IDENTITY)
    tag = first.headers["ETag"]
    assert (first.status, tag == f'"1-{http_game.created["digest"]}"') == (200, path in READS)
    assert first.headers["Cache-Control"] == "no-cache"
    for if_none_match in (tag, f'"7-x", W/{tag}', "*"):
        same = await client.get(http_game.path + path, headers={"If-None-Match": if_none_match})
        assert (same.status, await same.read(), same.headers["ETag"]) == (304, b"", tag)
        assert same.headers["Cache-Control"] == "no-cache"
        assert same.headers.get("Vary") == first.headers.get("Vary")
    await http_game.act_successfully()
    for if_none_match in (tag, '"2"', '"x,y"'):
        changed = await client.get(http_game.path + path, headers={"If-None-Match": if_none_match})
        assert changed.status == 200
        assert changed.headers["ETag"].startswith('"2-')


@pytest.mark.parametrize("path", (*READS, *PICTURES))
async def test_an_unknown_game_is_not_found(client: Client, path: str) -> None:
    for unknown in ("k7m2x9qd4t1w", "A", "a" * 33, "a_b", "%00", "%ff", "é"):
        await check_problem(await client.get(f"/v1/games/{unknown}{path}"), 404, "not_found")


@pytest.mark.parametrize("path", (*READS, *PICTURES))
async def test_an_unknown_token_is_rejected_for_a_public_game(client: Client, http_game: HTTPGame, path: str) -> None:
    for wrong in ("Bearer " + "A" * 43, "Bearer", "Basic abc", "Bearer a b", "Bearer é", ""):
        response = await client.get(http_game.path + path, headers={"Authorization": wrong})
        await check_problem(response, 401, "unauthorized")
        assert response.headers["WWW-Authenticate"] == 'Bearer realm="south-seas", error="invalid_token"'
    spelt = await client.get(http_game.path + path, headers={"Authorization": f"bearer  {http_game.owner_token} "})
    assert spelt.status == 200


async def test_features_say_what_a_tile_or_the_whole_board_is_worth(client: Client) -> None:
    """Each segment is in one feature; the words are in the requested language; a free cell has no features."""
    game = await create_game(client, seed="tides")
    board = (await game.play_randomly(Random(3), versions=20))["board"]
    every = (await game.get_json("/features"))["features"]
    segments = [(one["x"], one["y"], one["segment"]) for feature in every for one in feature["segments"]]
    assert len(segments) == len({*segments}) > len(board)
    assert {f"{x},{y}" for x, y, _ in segments} == {*board}
    orders = [[board[f"{one['x']},{one['y']}"]["order"] for one in feature["segments"]] for feature in every]
    assert orders == [sorted(one) for one in orders]
    assert sum(count["count"] for feature in every for count in feature["islanders"]) == sum(
        len(tile["islanders"]) for tile in board.values()
    )
    here = (await game.get_json("/features?x=0&y=0"))["features"]
    assert here == [one for one in every if {"x": 0, "y": 0} in one["cells"]] != []
    assert (await game.get_json("/features?x=99"))["features"] == []
    said = {"en": "Nobody is there.", "fr": "Personne ne s’y trouve.", "de": "Dort steht niemand."}
    for language, words in said.items():
        response = await game.get("/features", **{"Accept-Language": language})
        assert response.headers["Content-Language"] == language
        assert words in await response.text()


async def test_a_completed_feature_gives_nothing_more_once_its_turn_is_over(client: Client) -> None:
    """Until the islander is placed, one that the tile of this turn completed still gives its wares (R4.3, R5.5)."""
    game = await create_game(client, seed="tides")
    told: dict[bool, set[str]] = {True: set(), False: set()}
    for versions in range(20, 70):
        state = await game.play_randomly(Random(3), versions=versions)
        turn = state["turn"]
        for feature in (await game.get_json("/features"))["features"]:
            is_due = turn["phase"] == "islander" and any(
                (cell["x"], cell["y"]) == (turn["placed"]["x"], turn["placed"]["y"]) for cell in feature["cells"]
            )
            if feature["open"] == 0:
                told[is_due].add(feature["text"])
    assert told[False] == {
        f"The {kind} is complete and gives nothing more." for kind in ("island", "bridge", "sea region")
    }
    assert told[True] != set()
    assert all("gives nothing more" not in text for text in told[True])


async def test_once_the_game_is_over_each_feature_says_what_it_was_worth(client: Client) -> None:
    """Nothing is paid any more (R7.2)."""
    game = await create_game(client, seed="tides")
    await game.play_randomly(Random(3))
    assert await game.has_ended()
    texts = [feature["text"] for feature in (await game.get_json("/features"))["features"]]
    left_open = [text for text in texts if text.startswith("At the end the ")]
    assert left_open
    assert [text for text in texts if text not in left_open and not text.endswith(" gives nothing more.")] == []


async def test_legal_moves_are_those_of_the_decider(client: Client) -> None:
    game = await create_game(client, first_seat=1)
    legal = await game.get_json("/legal-moves")
    assert (legal["seat"], legal["phase"], legal["version"]) == (1, "place_tile", 1)
    assert legal["cells"] is None
    assert legal["next_cursor"] is None
    for move in legal["moves"]:
        assert set(move) == {"id", "text", "action", "effects", "if_passed", "feature", "worth"}
        assert move["effects"] is move["feature"] is move["worth"] is None
        assert move["action"]["type"] == "place_tile"


async def test_a_waiting_or_finished_game_has_no_decider(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"open": True}])
    nobody: dict[str, Any] = {"seat": None, "phase": None, "moves": []}
    assert nobody.items() <= (await game.get_json("/legal-moves")).items()
    await game.delete()
    assert nobody.items() <= (await game.get_json("/legal-moves")).items()


async def test_legal_moves_can_be_filtered(client: Client) -> None:
    game = await create_game(client, seed="tides")
    every = await game.legal_moves()
    cells = await game.get_json("/legal-moves?stage=cell")
    assert cells["moves"] == []
    assert {(cell["x"], cell["y"]) for cell in cells["cells"]} == {
        (move["action"]["x"], move["action"]["y"]) for move in every
    }
    moves = []
    for cell in cells["cells"]:
        at = (await game.get_json(f"/legal-moves?x={cell['x']}&y={cell['y']}"))["moves"]
        place = place_phrase(get_translator("en"), cell["x"], cell["y"])
        assert cell["text"] == f"{place}: {len(at)} {'move' if len(at) == 1 else 'moves'}"
        moves += at
    assert sorted(map(str, moves)) == sorted(map(str, every))
    turned = (await game.get_json("/legal-moves?q=TURNED"))["moves"]
    assert turned == [move for move in every if "turned" in move["text"]]


async def test_a_game_with_a_missing_tile_set_is_unavailable(client: Client, redis: Redis) -> None:
    other, http_game = await create_game(client), await create_game(client)
    await change_game(redis, http_game.id, lambda game: setattr(game, "tileset", "atoll"))
    for path in ("", "/legal-moves", "/scores", "/tiles"):
        await check_problem(await client.get(http_game.path + path), 503, "store_unavailable")
    await check_problem(await http_game.act({"move": "i0"}), 503, "store_unavailable")
    assert [one["id"] for one in (await (await client.get("/v1/games")).json())["games"]] == [other.id]


async def test_the_bots_are_listed_by_name(client: Client) -> None:
    listed = await (await client.get("/v1/bots")).json()
    assert [bot["name"] for bot in listed["bots"]] == ["expert", "greedy", "random"]
    assert {bot["name"]: bot["heavy"] for bot in listed["bots"]} == {"expert": True, "greedy": False, "random": False}
    assert all(bot["version"] and bot["description"] for bot in listed["bots"])
