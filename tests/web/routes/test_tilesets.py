from hashlib import sha256

from schemas.base import canonical_json
from tests.web.app_server import Client
from tests.web.http_game import check_problem, create_game

PATH = "/v1/tilesets/lagoon"


async def test_every_tile_set_is_listed(client: Client) -> None:
    listed = (await (await client.get("/v1/tilesets")).json())["tilesets"]
    assert [one["id"] for one in listed] == ["archipelago", "lagoon"]
    assert listed[1] == await (await client.get(PATH)).json()


async def test_a_commitment_contains_the_digest_of_the_response(client: Client) -> None:
    answer = await (await client.get(PATH)).json()
    game = await create_game(client, seed="tides")
    made_of = f"{game.id}:tides:{sha256(canonical_json(answer)).hexdigest()}"
    assert (await game.get_json())["deck"]["commitment"] == sha256(made_of.encode()).hexdigest()


async def test_an_unknown_tile_set_is_rejected(client: Client) -> None:
    await check_problem(await client.get("/v1/tilesets/atoll"), 404, "not_found")
    await check_problem(await client.get("/v1/tilesets/At_oll"), 404, "not_found")
    body = {"players": [{"name": "Ana"}, {"name": "Bo"}], "tileset": "atoll"}
    await check_problem(await client.post("/v1/games", json=body), 422, "unknown_tileset", "$.tileset")
