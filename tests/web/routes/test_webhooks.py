"""Registering, reading and deleting webhooks."""

import asyncio

import pytest
from redis.asyncio import Redis

from service.store import keys
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game
from tests.web.webhook_receiver import GameOwner, WebhookReceiver, register_webhook

URL = "https://bot.example/south-seas"


async def list_ids(game: HTTPGame, token: str) -> list[str]:
    """Return the ids of the webhooks that a token sees."""
    return [hook["id"] for hook in (await (await game.get("/webhooks", token)).json())["webhooks"]]


async def test_webhooks_require_the_owner_or_a_player(client: Client, http_game: HTTPGame) -> None:
    hook = (await register_webhook(http_game, URL))["id"]
    requests = [("POST", ""), ("GET", ""), *((method, f"/{hook}{path}") for method, path in GameOwner.commands)]
    for method, path in requests:
        body = {"url": URL} if method == "POST" else None
        url = f"{http_game.path}/webhooks{path}"
        await check_problem(await client.request(method, url, json=body), 401, "unauthorized")
        response = await client.request(method, url, json=body, headers=bearer_header(http_game.spectator_token))
        await check_problem(response, 403, "not_owner")
    private = await create_game(client, visibility="private")
    await check_problem(await client.get(f"{private.path}/webhooks"), 404, "not_found")
    assert len((await http_game.get_json("/webhooks"))["webhooks"]) == 1


async def test_a_player_registers_two_webhooks(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"open": True}], visibility="private")
    bo = (await (await game.join(token=game.spectator_token)).json())["token"]
    created = [await register_webhook(game, URL, bo) for _ in range(2)]
    assert {one["registered_by"] for one in created} == {1}
    problem = await check_problem(await game.post("/webhooks", {"url": URL}, bo), 409, "limit_reached")
    assert "2 webhooks" in problem["detail"]
    await register_webhook(game, URL, game.seat_tokens[0])  # another seat has two of its own, and the owner ten
    for _ in range(10):
        await register_webhook(game, URL, game.owner_token)
    assert await list_ids(game, bo) == [one["id"] for one in created]


@pytest.mark.parametrize("end", ("replaced", "left"))
async def test_the_webhooks_of_a_seat_end_with_its_token(client: Client, end: str) -> None:
    """Whoever had seen the token may have registered them."""
    game = await create_game(client, [{"name": "Ana"}, {"open": True}, {"open": True}])
    bo = (await (await game.join()).json())["token"]
    of_owner, of_ana = [
        (await register_webhook(game, URL, token))["id"] for token in (game.owner_token, game.seat_tokens[0])
    ]
    for _ in range(2):
        await register_webhook(game, URL, bo)
    if end == "replaced":
        response = await game.post("/seats/1/token", token=bo)
        assert await list_ids(game, (await response.json())["token"]) == []
    else:
        response = await game.delete("/seats/1", bo)
    assert response.status == 200
    assert await list_ids(game, game.owner_token) == [of_owner, of_ana]
    await check_problem(await game.post("/webhooks", {"url": URL}, bo), 401, "unauthorized")


async def test_a_token_that_is_replaced_meanwhile_registers_nothing(http_game: HTTPGame) -> None:
    """Otherwise a webhook would outlive the token with which it was registered."""
    for _ in range(5):
        old = http_game.seat_tokens[0]
        replaced, registered = await asyncio.gather(
            http_game.post("/seats/0/token", token=old), http_game.post("/webhooks", {"url": URL}, old)
        )
        assert replaced.status == 200
        assert registered.status in (201, 401)
        assert await list_ids(http_game, http_game.owner_token) == []
        http_game.seat_tokens[0] = (await replaced.json())["token"]


async def test_webhooks_expire_with_their_game(game_owner: GameOwner, receiver: WebhookReceiver, redis: Redis) -> None:
    hook, game = await game_owner.register(), game_owner.game
    await game_owner.act(game)
    assert receiver.versions == [2]
    game_ttl_s = await redis.ttl(keys.game(game.id))
    assert game_ttl_s - 60 < await redis.ttl(keys.webhook_attempts(game.id, hook["id"])) <= game_ttl_s
    await redis.delete(keys.game(game.id))
    await game_owner.deliver()
    assert receiver.versions == [2]
    left = {key.decode() async for key in redis.scan_iter(f"*{game.id}*hook*")}
    assert left == {keys.webhook_attempts(game.id, hook["id"])}
