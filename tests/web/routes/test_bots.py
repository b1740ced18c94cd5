"""`GET /v1/bots`."""

from tests.web.app_server import Client
from tests.web.http_game import check_problem


async def test_the_bots_are_listed_by_name(client: Client) -> None:
    listed = await (await client.get("/v1/bots")).json()
    assert [bot["name"] for bot in listed["bots"]] == ["expert", "greedy", "random"]
    assert {bot["name"]: bot["heavy"] for bot in listed["bots"]} == {"expert": True, "greedy": False, "random": False}
    assert all(bot["version"] and bot["description"] for bot in listed["bots"])


async def test_each_bot_fills_a_seat(client: Client) -> None:
    listed = await (await client.get("/v1/bots")).json()
    players = [{"open": True}, *({"bot": bot["name"]} for bot in listed["bots"])]
    created = await (await client.post("/v1/games", json={"players": players})).json()
    assert [player["bot"] for player in created["game"]["players"]] == [None, "expert", "greedy", "random"]


async def test_an_unknown_bot_is_rejected_with_its_path(client: Client) -> None:
    players = [{"name": "Ana"}, {"bot": "clever"}]
    response = await client.post("/v1/games", json={"players": players})
    problem = await check_problem(response, 422, "unknown_bot", "$.players[1].bot")
    assert "clever" in problem["detail"]
