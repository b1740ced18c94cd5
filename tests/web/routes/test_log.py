"""`GET /v1/games/{id}/story`."""

from random import Random
from typing import Any

from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import TWO_PLAYERS, HTTPGame, bearer_header, create_game


async def story(game: HTTPGame, query: str = "", language: str = "en") -> Any:
    response = await game.get(f"/story{query}", **{"Accept-Language": language})
    assert response.status == 200, await response.text()
    assert response.headers["Content-Language"] == language
    return await response.json()


async def test_a_turn_in_sentences(timed_client: Client, clock: FrozenClock) -> None:
    game = await create_game(timed_client, seed="tides", first_seat=0)
    await game.act_successfully({"move": "p0.-1.0"})
    body = await story(game)
    assert (body["version"], body["language"], body["now"]) == (
        2,
        "en",
        "Ana may place an islander.",
    )
    assert [(line["version"], line["turn"], line["seat"]) for line in body["lines"]] == [(1, None, None), (2, 1, 0)]
    assert body["lines"][0]["text"].startswith("A new game: the start tile is in place, the first ships are turned up.")
    tile = "island tip with 2 opposite bridges (2 shells, 2 fish)"
    assert body["lines"][1]["text"] == f"Ana places a tile 1 north of the start: {tile}."
    assert body["lines"][1]["at"] == "2027-01-15T08:00:00Z"
    assert clock.now == 1_800_000_000


async def test_names_are_not_escaped(client: Client) -> None:
    name = "*Zoë* {0} %s <b>"
    game = await create_game(client, [{"name": name}, {"name": "Bo"}], first_seat=0)
    for language in ("en", "fr", "de"):
        assert name in (await story(game, language=language))["now"]


async def test_a_whole_game_in_every_language(client: Client) -> None:
    http_game = await create_game(client, [*TWO_PLAYERS, {"bot": "greedy"}], seed="tides")
    game = await http_game.play_randomly(Random(1))
    diffs = (await http_game.get_json("/diffs?limit=1000"))["diffs"]
    for language in ("en", "fr", "de"):
        body = await story(http_game, "?limit=1000", language)
        assert [(line["version"], line["at"], line["seat"]) for line in body["lines"]] == [
            (diff["version"], diff["at"], diff["seat"]) for diff in diffs
        ]
        assert all(line["text"] for line in body["lines"])
        winners = [game["players"][seat]["name"] for seat in game["result"]["winners"]]
        assert all(name in body["now"] for name in winners)


async def test_pages_equal_the_whole_story(client: Client) -> None:
    """Turns and the names of islanders are the same too."""
    game = await create_game(client, [*TWO_PLAYERS, {"bot": "random"}], seed="coral")
    await game.play_randomly(Random(2), versions=60)
    whole = (await story(game, "?limit=1000"))["lines"]
    for since in range(0, len(whole), 7):
        part = await story(game, f"?since={since}&limit=7")
        assert part["lines"] == whole[since : since + 7]
    beyond = await story(game, f"?since={len(whole)}")
    assert beyond["lines"] == []
    assert beyond["now"]


async def test_an_undone_tile_has_its_position(client: Client) -> None:
    game = await create_game(client, seed="tides", first_seat=0)
    first, *_, last = await game.legal_moves()
    for move in (first, last, first, last) * 5:
        await game.act_successfully({"move": move["id"]})
        undone = await game.post("/undo", {})
        assert undone.status == 200, await undone.text()
    await game.act_successfully({"move": last["id"]})
    whole = (await story(game))["lines"]
    assert whole[2]["text"].startswith("Ana takes back the tile 1 ")
    assert {line["turn"] for line in whole[1:]} == {1}
    assert (await story(game, "?since=40"))["lines"] == whole[40:]


async def test_a_page_may_begin_anywhere(unlimited: Client) -> None:
    """Before the start, between an action and its undo, and after the end."""
    game = await create_game(unlimited, [{"name": "Ana"}, {"open": True}], seed="reef", first_seat=0)
    joined = await game.join()
    tokens, chance = [game.owner_token, (await joined.json())["token"]], Random(6)
    while (turn := (await game.get_json())["turn"]) is not None:
        displayed = bearer_header(tokens[turn["decider"]])
        if turn["undoable"] and chance.random() < 0.3:
            assert (await unlimited.post(f"{game.path}/undo", headers=displayed)).status == 200
        else:
            move = {"move": chance.choice(await game.legal_moves())["id"]}
            assert (await unlimited.post(f"{game.path}/actions", json=move, headers=displayed)).status == 200
    assert (await game.post("/rematch")).status == 201
    whole = (await story(game, "?limit=1000"))["lines"]
    assert any(" takes back the tile " in line["text"] for line in whole)
    assert whole[-1]["turn"] == whole[-2]["turn"] is not None
    for since in range(len(whole)):
        assert (await story(game, f"?since={since}&limit=1"))["lines"] == whole[since : since + 1]


async def test_lines_before_the_start_have_no_turn(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"open": True}, {"open": True}])
    await game.join()
    await game.delete()
    whole = (await story(game))["lines"]
    assert [line["turn"] for line in whole] == [None, None, None]
    for since in (1, 2):
        assert (await story(game, f"?since={since}"))["lines"] == whole[since:]


async def test_hidden_information_is_not_in_the_story(client: Client) -> None:
    """Neither the next tile nor the next ship."""
    http_game = await create_game(client, seed="tides")
    game = await http_game.get_json()
    body = str(await story(http_game))
    displayed = {game["turn"]["tile"], "start"}
    tiles = await (await client.get("/v1/tilesets/lagoon")).json()
    assert [tile["id"] for tile in tiles["tiles"] if tile["id"] in body.split() and tile["id"] not in displayed] == []
