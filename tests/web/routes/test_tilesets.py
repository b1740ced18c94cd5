from hashlib import sha256

from schemas.base import canonical_json
from tests.web.app_server import TILESETS, Client
from tests.web.http_game import check_problem, create_game

PATH = "/v1/tilesets/archipelago"


async def test_every_set_is_listed_whole(client: Client) -> None:
    listed = (await (await client.get("/v1/tilesets")).json())["tilesets"]
    assert [one["id"] for one in listed] == [loaded.tileset.id for loaded in TILESETS]
    assert listed[0] == await (await client.get(PATH)).json()


async def test_a_set_may_be_kept_for_ever(client: Client) -> None:
    response = await client.get(PATH)
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    again = await client.get(PATH, headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status, await again.read()) == (304, b"")
    assert again.headers["ETag"] == response.headers["ETag"]
    assert again.headers["Cache-Control"] == response.headers["Cache-Control"]


async def test_the_list_is_asked_for_anew_but_not_sent_again(client: Client) -> None:
    response = await client.get("/v1/tilesets")
    assert response.headers["Cache-Control"] == "no-cache"
    again = await client.get("/v1/tilesets", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status == 304


async def test_a_games_commitment_names_the_answer(client: Client) -> None:
    answer = await (await client.get(PATH)).json()
    game = await create_game(client, seed="tides")
    made_of = f"{game.id}:tides:{sha256(canonical_json(answer)).hexdigest()}"
    assert (await game.get_json())["deck"]["commitment"] == sha256(made_of.encode()).hexdigest()


async def test_an_unknown_set_is_not_found_and_a_game_cannot_be_made_of_it(client: Client) -> None:
    await check_problem(await client.get("/v1/tilesets/atoll"), 404, "not_found")
    await check_problem(await client.get("/v1/tilesets/At_oll"), 404, "not_found")
    asked = {"players": [{"name": "Ana"}, {"name": "Bo"}], "tileset": "atoll"}
    problem = await check_problem(await client.post("/v1/games", json=asked), 422, "unknown_tileset")
    assert problem["path"] == "$.tileset"
