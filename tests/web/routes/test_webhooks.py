"""Registering, reading and deleting webhooks."""

from typing import Any

import pytest
from redis.asyncio import Redis

from service.store import keys
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game
from tests.web.webhook_owner import GameOwner
from tests.web.webhook_receiver import SECRET, WebhookReceiver, register_webhook

URL = "https://bot.example/south-seas"


async def test_webhooks_require_the_owner_token(client: Client, http_game: HTTPGame) -> None:
    hook = (await register_webhook(http_game, URL))["id"]
    requests = (
        *(("post", ""), ("get", ""), ("get", f"/{hook}"), ("get", f"/{hook}/deliveries")),
        *(("post", f"/{hook}/retry"), ("delete", f"/{hook}")),
    )
    for method, path in requests:
        body = {"url": URL} if method == "post" else None
        url = f"{http_game.path}/webhooks{path}"
        await check_problem(await client.request(method, url, json=body), 401, "unauthorized")
        for token in (*http_game.seat_tokens.values(), http_game.spectator_token):
            await check_problem(
                await client.request(method, url, json=body, headers=bearer_header(token)), 403, "not_owner"
            )
    private = await create_game(client, visibility="private")
    await check_problem(await client.get(f"{private.path}/webhooks"), 404, "not_found")
    assert len((await http_game.get_json("/webhooks"))["webhooks"]) == 1


@pytest.mark.parametrize(
    ("body", "path"),
    (
        ({}, "$.url"),
        ({"url": 1}, "$.url"),
        ({"url": ""}, "$.url"),
        ({"url": URL, "events": []}, "$.events"),
        ({"url": URL, "events": ["turn_begun"]}, "$.events"),
        ({"url": URL, "seats": []}, "$.seats"),
        ({"url": URL, "seats": [0, 2]}, "$.seats[1]"),
        ({"url": URL, "seats": [9]}, "$.seats[0]"),
        ({"url": URL, "secret": "whsec_c2hvcnQ="}, "$.secret"),
        ({"url": URL, "secret": SECRET[6:]}, "$.secret"),
        ({"url": URL, "secret": f"{SECRET}AA"}, "$.secret"),
        ({"url": URL, "color": "red"}, "$.color"),
    ),
)
async def test_malformed_registrations_are_rejected(http_game: HTTPGame, body: Any, path: str) -> None:
    response = await http_game.post("/webhooks", body)
    await check_problem(response, 400, "malformed", path)


async def test_webhooks_expire_with_their_game(game_owner: GameOwner, receiver: WebhookReceiver, redis: Redis) -> None:
    hook, game = await game_owner.register(), game_owner.game
    await game_owner.act(game)
    assert receiver.versions == [2]
    assert 0 < await redis.ttl(keys.webhook_attempts(game.id, hook["id"])) <= await redis.ttl(keys.game(game.id))
    await redis.delete(keys.game(game.id))
    await game_owner.deliver()
    assert receiver.versions == [2]
    left = {key.decode() async for key in redis.scan_iter(f"*{game.id}*hook*")}
    assert left == {keys.webhook_attempts(game.id, hook["id"])}
