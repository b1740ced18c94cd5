"""What the holder of an API key does with its webhook: change it, test it, rotate its secret."""

from typing import Any

import pytest
from aiohttp import web
from redis.asyncio import Redis
from standardwebhooks import Webhook, WebhookVerificationError

from service.store import keys
from service.telemetry.clock import unix_seconds
from tests.web.http_game import check_problem
from tests.web.webhook_owner import KeyHolder
from tests.web.webhook_receiver import SECRET, WebhookReceiver, run_receiver

OTHER_SECRET = "whsec_Zm9ydHktdHdvLWJ5dGVzLW9mLWEtc2VjcmV0LWhlcmU="
RANDOM_KEY = "9f86d081884c7d659a2feaa0c55ad015"


async def test_a_ping_arrives_once_and_signed(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(secret=SECRET)
    answered = await host.send_command(webhook, "ping", status=202)
    assert answered["status"] == "active"
    await host.deliver()
    (ping,) = receiver.received
    assert Webhook(SECRET).verify(ping.body, ping.headers) == ping.message
    assert ping.message == {"type": "ping", "timestamp": ping.message["timestamp"], "webhook": webhook["id"]}
    newest, challenge = await host.deliveries(webhook)
    assert (newest["type"], newest["id"], newest["game"], newest["delivered"]) == ("ping", ping.id, None, True)
    assert (challenge["type"], challenge["delivered"]) == ("challenge", True)


async def test_a_failed_ping_has_no_consequence(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register()
    receiver.statuses = [500]
    await host.send_command(webhook, "ping", status=202)
    await host.join()
    await host.deliver()
    assert len(receiver.received) == 1
    read = await host.read(webhook)
    assert (read["status"], read["failures"]) == ("active", 0)
    assert (await host.deliveries(webhook))[0]["error"] == "status"


async def test_a_pending_webhook_gets_no_ping(host: KeyHolder, receiver: WebhookReceiver) -> None:
    receiver.challenge_response = lambda _: web.Response(status=404)
    webhook = await host.register()
    response = await host.command(webhook, "ping")
    problem = await check_problem(response, 409, "conflict")
    assert "the webhook is pending" in problem["detail"]
    assert receiver.received == []


async def test_other_events_count_from_the_next_message_on(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(events=["game_aborted"])
    game = await host.create_game()
    changed = await host.send("PATCH", f"{host.path}/{webhook['id']}", {"events": []})
    assert (changed["events"], changed["status"]) == (None, "active")
    await host.act(game)
    assert receiver.versions_by_game == {game.id: [2]}
    assert len(receiver.challenges) == 1
    unchanged = await host.send("PATCH", f"{host.path}/{webhook['id']}", {})
    assert unchanged == changed
    refused = await host.request("PATCH", f"{host.path}/{webhook['id']}", {"events": ["no_event"]})
    await check_problem(refused, 400, "malformed", "$.events[0]")


async def test_another_url_must_answer_a_challenge_and_receives_what_was_missed(
    host: KeyHolder, receiver: WebhookReceiver
) -> None:
    webhook = await host.register()
    game = await host.create_game()
    async with run_receiver() as new:
        new.challenge_response = lambda _: web.Response(status=503)
        changed = await host.send("PATCH", f"{host.path}/{webhook['id']}", {"url": new.url})
        assert (changed["url"], changed["status"]) == (new.url, "pending")
        await host.act(game)
        assert (receiver.versions_by_game, new.received) == ({game.id: [1]}, [])
        new.challenge_response = lambda message: web.json_response({"challenge": message["challenge"]})
        host.clock.offset_s = 10
        await host.deliver_all()
        assert new.versions_by_game == {game.id: [2]}
        assert receiver.versions_by_game == {game.id: [1]}


async def test_both_secrets_sign_until_the_previous_one_expires(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook, requested_at = await host.register(secret=SECRET), int(host.clock())
    response = await host.command(webhook, "rotate-secret", {"secret": OTHER_SECRET, "grace_s": 60})
    rotated = await response.json()
    assert requested_at + 60 <= unix_seconds(rotated["previous_secret_expires_at"]) <= host.clock() + 60
    assert response.headers["Cache-Control"] == "no-store"
    assert rotated["secret"] == OTHER_SECRET
    assert (await host.read(webhook))["previous_secret_expires_at"] == rotated["previous_secret_expires_at"]
    game = await host.create_game()
    both = receiver.received[-1]
    assert len(both.headers["webhook-signature"].split()) == 2
    for secret in (SECRET, OTHER_SECRET):
        assert Webhook(secret).verify(both.body, both.headers) == both.message
    host.clock.offset_s = 61
    await host.act(game)
    new = receiver.received[-1]
    assert len(new.headers["webhook-signature"].split()) == 1
    assert Webhook(OTHER_SECRET).verify(new.body, new.headers) == new.message
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(new.body, new.headers)
    assert (await host.read(webhook))["previous_secret_expires_at"] is None
    await host.command(webhook, "rotate-secret", {"secret": OTHER_SECRET})
    assert (await host.read(webhook))["previous_secret_expires_at"] is None, "it is the current one"


async def test_a_command_with_an_idempotency_key_is_applied_once(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register()
    game = await host.create_game()
    receiver.received.clear()
    key = {"Idempotency-Key": RANDOM_KEY}
    commands: tuple[tuple[str, Any, int], ...] = (
        ("ping", None, 202),
        ("rotate-secret", {}, 200),
    )
    rotated: list[bytes] = []
    for replayed in (None, "true"):
        for command, body, status in commands:
            response = await host.command(webhook, command, body, **key)
            assert (response.status, response.headers.get("Idempotent-Replayed")) == (status, replayed), command
            rotated += [await response.read()] if command == "rotate-secret" else []
            await host.deliver_all()
    assert [one.message["type"] for one in receiver.received] == ["ping"]
    assert rotated[0] == rotated[1]
    weak = await host.command(webhook, "rotate-secret", {}, **{"Idempotency-Key": "rotation-1"})
    await check_problem(weak, 400, "malformed", "Idempotency-Key")
    other_body = await host.command(webhook, "rotate-secret", {"grace_s": 9}, **key)
    await check_problem(other_body, 422, "key_reused")
    receiver.statuses = [410]
    await host.act(game)
    assert (await host.command(webhook, "ping", **key)).status == 202, "the key's first response wins"
    await check_problem(await host.command(webhook, "ping"), 409, "conflict")
    assert (await host.command(webhook, "retry")).status == 200, "a rejected command ends its lease"


async def test_idempotency_records_of_an_api_key_are_small_and_expire(
    host: KeyHolder, receiver: WebhookReceiver, redis: Redis
) -> None:
    key = {"Idempotency-Key": "webhook-1"}
    created = await (await host.request("POST", host.path, {"url": receiver.url}, **key)).json()
    await host.join()
    assert (await host.command(created, "retry", **key)).status == 200
    records = [name async for name in redis.scan_iter("*:idempotency:*")]
    assert len(records) == 2
    for name in records:
        assert 0 < await redis.ttl(name) <= 86_400
        assert (await redis.memory_usage(name) or 0) <= 200
    assert await redis.hlen(keys.subject("key.discord-bot")) == 5  # the key's two fields, and three for the webhook
