"""Registering, reading and deleting webhooks."""

import asyncio
from typing import Any

import pytest
from redis.asyncio import Redis

from service.store import keys
from service.store.game_store import RedisStore
from tests.web.app_server import Client, serve
from tests.web.http_game import bearer_header, check_problem, create_game
from tests.web.webhook_receiver import LOCAL_LIMITS, SECRET, register_webhook, run_instance, run_receiver

URL = "https://bot.example/south-seas"


async def test_the_secret_is_returned_only_once(client: Client) -> None:
    game = await create_game(client)
    response = await game.post("/webhooks", {"url": URL})
    created = await response.json()
    assert response.status == 201
    assert response.headers["Location"] == f"{game.path}/webhooks/{created['id']}"
    secret = created.pop("secret")
    assert secret.startswith("whsec_")
    assert created == {
        "id": created["id"],
        "url": URL,
        "events": None,
        "seats": None,
        "created_at": created["created_at"],
        "status": "pending",
        "disabled_reason": None,
        "delivered_version": 1,
        "failures": 0,
        "next_attempt_at": None,
    }
    for path, expected in (("", {"webhooks": [created]}), (f"/{created['id']}", created)):
        read = await game.get(f"/webhooks{path}")
        assert await read.json() == expected
        assert secret not in await read.text()
    log = await game.get_json(f"/webhooks/{created['id']}/deliveries")
    assert log == {"webhook": created, "attempts": []}


async def test_everything_can_be_chosen(client: Client) -> None:
    game = await create_game(client)
    created = await register_webhook(game, URL, events=["decision", "turn_started"], seats=[1], secret=SECRET)
    assert (created["events"], created["seats"]) == (["decision", "turn_started"], [1])
    assert created["secret"] == SECRET


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


async def test_the_number_of_webhooks_is_limited(store: RedisStore) -> None:
    async with serve(store, LOCAL_LIMITS._replace(max_webhooks=2)) as client:
        game = await create_game(client)
        for _ in range(2):
            await register_webhook(game, URL)
        response = await game.post("/webhooks", {"url": URL})
        problem = await check_problem(response, 409, "limit_reached")
        assert "2 webhooks" in problem["detail"]


async def test_a_retry_with_a_key_returns_the_same_webhook(client: Client) -> None:
    game = await create_game(client)
    headers = {**bearer_header(game.owner_token), "Idempotency-Key": "hook"}
    first = await client.post(f"{game.path}/webhooks", json={"url": URL}, headers=headers)
    again = await client.post(f"{game.path}/webhooks", json={"url": URL}, headers=headers)
    assert await first.read() == await again.read()
    assert [answer.headers.get("Idempotent-Replayed") for answer in (first, again)] == [None, "true"]
    assert len((await game.get_json("/webhooks"))["webhooks"]) == 1
    other = await client.post(f"{game.path}/webhooks", json={"url": URL, "seats": [0]}, headers=headers)
    await check_problem(other, 422, "key_reused")


async def test_concurrent_registrations_with_one_key_create_one_webhook(client: Client) -> None:
    game = await create_game(client)
    headers = {**bearer_header(game.owner_token), "Idempotency-Key": "hook"}
    answers = await asyncio.gather(
        *(client.post(f"{game.path}/webhooks", json={"url": URL}, headers=headers) for _ in range(10))
    )
    assert {response.status for response in answers} == {201}
    assert len({await response.read() for response in answers}) == 1
    assert len((await game.get_json("/webhooks"))["webhooks"]) == 1


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
