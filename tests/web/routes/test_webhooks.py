"""Registering, reading and deleting webhooks."""

from typing import Any

import pytest
from redis.asyncio import Redis

from service.store import keys
from service.store.game_store import RedisStore
from tests.web.app_server import Client
from tests.web.http_game import bearer_header, check_problem, create_game
from tests.web.webhook_receiver import SECRET, register_webhook, run_instance, run_receiver

URL = "https://bot.example/south-seas"


async def test_everything_can_be_chosen(client: Client) -> None:
    game = await create_game(client)
    created = await register_webhook(game, URL, events=["decision", "turn_started"], seats=[1], secret=SECRET)
    view = {
        "id": created["id"],
        "url": URL,
        "events": ["decision", "turn_started"],
        "seats": [1],
        "created_at": created["created_at"],
        "status": "pending",
        "disabled_reason": None,
        "delivered_version": 1,
        "failures": 0,
        "next_attempt_at": None,
    }
    assert created == {**view, "secret": SECRET}
    assert await game.get_json("/webhooks") == {"webhooks": [view]}
    assert await game.get_json(f"/webhooks/{created['id']}") == view
    assert await game.get_json(f"/webhooks/{created['id']}/deliveries") == {"webhook": view, "attempts": []}
    plain = await register_webhook(game, URL)
    assert (plain["events"], plain["seats"]) == (None, None)


async def test_webhooks_require_the_owner_token(client: Client) -> None:
    game = await create_game(client)
    hook = (await register_webhook(game, URL))["id"]
    requests = (
        *(("post", ""), ("get", ""), ("get", f"/{hook}"), ("get", f"/{hook}/deliveries")),
        *(("post", f"/{hook}/retry"), ("delete", f"/{hook}")),
    )
    for method, path in requests:
        body = {"url": URL} if method == "post" else None
        url = f"{game.path}/webhooks{path}"
        await check_problem(await client.request(method, url, json=body), 401, "unauthorized")
        for token in (*game.seat_tokens.values(), game.spectator_token):
            await check_problem(
                await client.request(method, url, json=body, headers=bearer_header(token)), 403, "not_owner"
            )
    private = await create_game(client, visibility="private")
    await check_problem(await client.get(f"{private.path}/webhooks"), 404, "not_found")
    assert len((await game.get_json("/webhooks"))["webhooks"]) == 1


async def test_a_deleted_webhook_is_not_found(client: Client, redis: Redis) -> None:
    game = await create_game(client)
    first, second = await register_webhook(game, URL), await register_webhook(game, URL)
    path = f"{game.path}/webhooks/{first['id']}"
    removed = await client.delete(path, headers=bearer_header(game.owner_token))
    assert (removed.status, await removed.read()) == (204, b"")
    for method in ("get", "delete"):
        await check_problem(
            await client.request(method, path, headers=bearer_header(game.owner_token)), 404, "not_found"
        )
    await check_problem(await client.post(f"{path}/retry", headers=bearer_header(game.owner_token)), 404, "not_found")
    await check_problem(await game.get(f"/webhooks/{first['id']}/deliveries"), 404, "not_found")
    assert [hook["id"] for hook in (await game.get_json("/webhooks"))["webhooks"]] == [second["id"]]
    await game.delete(f"/webhooks/{second['id']}")
    assert await redis.hget(keys.game(game.id), "hooks") is None


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
async def test_malformed_registrations_are_rejected(client: Client, body: Any, path: str) -> None:
    game = await create_game(client)
    response = await game.post("/webhooks", body)
    await check_problem(response, 400, "malformed", path)


async def test_webhooks_expire_with_their_game(store: RedisStore, redis: Redis) -> None:
    async with run_instance(store) as one, run_receiver() as receiver:
        game = await create_game(one.client)
        hook = await register_webhook(game, receiver.url)
        await game.act_successfully()
        await one.deliver()
        assert receiver.versions == [2]
        assert 0 < await redis.ttl(keys.webhook_attempts(game.id, hook["id"])) <= await redis.ttl(keys.game(game.id))
        await redis.delete(keys.game(game.id))
        await one.deliver()
        assert receiver.versions == [2]
        left = {key.decode() async for key in redis.scan_iter(f"*{game.id}*hook*")}
        assert left == {keys.webhook_attempts(game.id, hook["id"])}
