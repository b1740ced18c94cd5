"""Registering, reading and deleting webhooks."""

from redis.asyncio import Redis

from service.store import keys
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game
from tests.web.webhook_owner import GameOwner
from tests.web.webhook_receiver import WebhookReceiver, register_webhook

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
            response = await client.request(method, url, json=body, headers=bearer_header(token))
            await check_problem(response, 403, "not_owner")
    private = await create_game(client, visibility="private")
    await check_problem(await client.get(f"{private.path}/webhooks"), 404, "not_found")
    assert len((await http_game.get_json("/webhooks"))["webhooks"]) == 1


async def test_webhooks_expire_with_their_game(game_owner: GameOwner, receiver: WebhookReceiver, redis: Redis) -> None:
    hook, game = await game_owner.register(), game_owner.game
    await game_owner.act(game)
    assert receiver.versions == [2]
    game_ttl_s = await redis.ttl(keys.game(game.id))
    assert 0 < await redis.ttl(keys.webhook_attempts(game.id, hook["id"])) <= game_ttl_s
    await redis.delete(keys.game(game.id))
    await game_owner.deliver()
    assert receiver.versions == [2]
    left = {key.decode() async for key in redis.scan_iter(f"*{game.id}*hook*")}
    assert left == {keys.webhook_attempts(game.id, hook["id"])}
