"""The webhook of an API key, one for all its games: delivered, changed, tested, and with rotated secrets."""

from time import time
from typing import Any

import msgspec
import pytest
from aiohttp import web
from redis.asyncio import Redis
from standardwebhooks import Webhook, WebhookVerificationError

from service.games.due_work import lease
from service.games.index_repair import IndexRepairer
from service.games.ports import SendResult, WebhookChange, webhook_entry
from service.games.repository import Retention
from service.games.webhook_delivery import JITTER
from service.store import keys
from service.store.game_store import RedisStore
from service.telemetry.clock import unix_seconds
from service.telemetry.logs import LOG_CONTEXT
from tests.web.http_game import TWO_PLAYERS, check_problem, create_game
from tests.web.webhook_receiver import SECRET, KeyHolder, WebhookReceiver, repeat_challenge, run_receiver

RANDOM_KEY = "9f86d081884c7d659a2feaa0c55ad015"
DELAYS_S = (5, 30)
"""The delays before retries of the fixture `one`."""


async def test_one_webhook_receives_the_changes_of_all_games(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(secret=SECRET)
    (challenge,) = receiver.challenges
    assert (challenge.message["game"], challenge.message["webhook"]) == (None, webhook["id"])
    games = [await host.create_game() for _ in range(3)]
    await host.act(*games, *games, await create_game(host.instance.client))
    assert receiver.versions_by_game == {game.id: [1, 2, 3] for game in games}
    for received in receiver.received:
        assert Webhook(SECRET).verify(received.body, received.headers) == received.message
        assert received.id == f"{received.message['data']['game']}.{received.version}.{webhook['id']}"
    ids = [one["id"] for one in await host.deliveries(webhook)]
    assert sorted(ids) == sorted(one.id for one in (challenge, *receiver.received))


async def test_games_that_exist_already_are_not_reported(host: KeyHolder, receiver: WebhookReceiver) -> None:
    playing, ended = await host.create_game(), await host.create_game()
    await ended.delete()
    await host.register()
    await playing.act_successfully()
    again = await ended.rematch()
    await host.join()
    assert receiver.versions_by_game == {again.id: [1]}


async def pass_all_retries(host: KeyHolder) -> None:
    """Let all attempts at the waiting messages happen."""
    for delay_s in DELAYS_S:
        host.clock.offset_s += delay_s * (1 + JITTER) + 1
        await host.deliver()


async def test_a_message_that_is_never_taken_delays_no_other_game(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register()
    fine, failing = await host.create_game(), await host.create_game()
    receiver.statuses = [500, 204, 500, 500]
    await host.act(failing)
    await host.act(fine)
    await pass_all_retries(host)
    assert (await host.read(webhook))["status"] == "active"
    await host.act(fine)
    await host.deliver_all()
    assert receiver.versions_by_game[fine.id] == [1, 2, 3]
    assert receiver.versions_by_game[failing.id] == [1, 2, 2, 2], "it is given up"
    await host.act(failing)
    assert receiver.versions_by_game[failing.id] == [1, 2, 2, 2, 3]


async def test_games_continue_with_their_next_change_after_a_failure_of_the_server(
    host: KeyHolder, receiver: WebhookReceiver
) -> None:
    webhook = await host.register()
    receiver.statuses = [503] * 1_000
    games = [await host.create_game() for _ in range(3)]
    await host.act(*games)
    receiver.statuses[0] = 204
    await host.send_command(webhook, "ping", status=202)
    await host.join()
    await pass_all_retries(host)
    read = await host.read(webhook)
    assert (read["status"], read["disabled_reason"]) == ("disabled", "failing"), "a ping is no message of a game"
    created_meanwhile = await host.create_game()
    await games[0].act_successfully()
    await host.join()
    receiver.received.clear()
    receiver.statuses = []
    retried = await host.send_command(webhook, "retry")
    assert (retried["status"], retried["disabled_reason"]) == ("active", None)
    await host.act(games[0], games[1], created_meanwhile)
    first, second, _ = games
    versions = {first.id: [1, 2, 3, 4], second.id: [1, 2, 3], created_meanwhile.id: [1, 2]}
    assert receiver.versions_by_game == versions


async def test_a_server_that_is_gone_disables_it_for_all_games(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register()
    first, second = await host.create_game(), await host.create_game()
    receiver.statuses = [500, 204, 410]
    await host.act(first)
    await host.act(second)
    await pass_all_retries(host)
    await host.act(second)
    assert receiver.versions_by_game == {first.id: [1, 2, 2], second.id: [1, 2]}
    read = await host.read(webhook)
    assert (read["status"], read["disabled_reason"]) == ("disabled", "gone")
    refused = await host.command(webhook, "ping")
    assert "the webhook is disabled" in (await check_problem(refused, 409, "conflict"))["detail"]
    await host.send_command(webhook, "retry")
    await host.act(first, second)
    assert receiver.versions_by_game == {first.id: [1, 2, 2, 2, 3], second.id: [1, 2, 3, 4]}


async def test_a_retry_attaches_what_a_crash_left_out(host: KeyHolder, receiver: WebhookReceiver, redis: Redis) -> None:
    webhook = await host.register()
    header = {"Idempotency-Key": RANDOM_KEY}
    first = await (await host.request("POST", "/v1/games", {"players": TWO_PLAYERS}, **header)).json()
    await host.join()
    receiver.received.clear()
    game, hook = first["game"]["id"], f"hook:{webhook['id']}"
    await redis.hdel(keys.game(game), "hooks", hook, f"{hook}:state")
    assert (await host.request("POST", "/v1/games", {"players": TWO_PLAYERS}, **header)).status == 201
    await host.join()
    assert receiver.versions_by_game == {game: [1]}


async def test_the_log_names_the_game_of_a_message_and_none_for_a_challenge(
    host: KeyHolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliverer, games = host.instance.deliverer, list[str | None]()
    send = deliverer.send

    async def record_and_send(*arguments: Any, **options: Any) -> SendResult:
        context = LOG_CONTEXT.get()
        assert context is not None
        games.append(context.game)
        return await send(*arguments, **options)

    monkeypatch.setattr(deliverer, "send", record_and_send)
    await host.register()
    game = await host.create_game()
    assert games == [None, game.id]


async def test_a_key_that_was_just_revoked_registers_no_webhook(
    host: KeyHolder, receiver: WebhookReceiver, store: RedisStore
) -> None:
    await host.send("GET", host.path)  # the instance trusts the key for some seconds
    stored = await store.api_keys.load("discord-bot")
    assert stored is not None
    assert await store.api_keys.save(msgspec.structs.replace(stored.key, revoked_at=1), stored.revision)
    await check_problem(await host.request("POST", host.path, {"url": receiver.url}), 401, "unauthorized")
    assert await store.webhooks.list_by_subject("key.discord-bot") == []


async def test_index_repair_schedules_what_was_not_delivered_unless_the_webhook_is_disabled(
    host: KeyHolder, receiver: WebhookReceiver, store: RedisStore, redis: Redis
) -> None:
    webhook = await host.register()
    game = await host.create_game()
    receiver.statuses = [410]
    await host.act(game)
    other = await host.create_game()
    repairer = IndexRepairer(store, store.index_repair, Retention(), time)
    for added, disabled_reason in ((0, "gone"), (1, None)):
        await redis.delete(keys.WEBHOOK_SCHEDULE)
        key, stored = "key.discord-bot", await store.webhooks.get("key.discord-bot", webhook["id"])
        assert stored is not None
        state = msgspec.structs.replace(stored.state, disabled_reason=disabled_reason)
        async with lease(store.due_webhooks, webhook_entry(key, webhook["id"]), 10) as holder:
            await store.webhooks.save(key, webhook["id"], holder, WebhookChange(state), 10)
        assert (await repairer.repair_all()).added == added
    assert await store.due_webhooks.list_due(2**33, 10) == [webhook_entry(other.id, webhook["id"])]


OTHER_SECRET = "whsec_Zm9ydHktdHdvLWJ5dGVzLW9mLWEtc2VjcmV0LWhlcmU="


async def test_a_ping_arrives_once_and_signed(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(secret=SECRET)
    assert (await host.send_command(webhook, "ping", status=202))["status"] == "active"
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
    assert "the webhook is pending" in (await check_problem(response, 409, "conflict"))["detail"]
    assert receiver.received == []


async def test_other_events_count_from_the_next_message_on(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(events=["game_aborted"])
    game = await host.create_game()
    changed = await host.send("PATCH", f"{host.path}/{webhook['id']}", {"events": []})
    assert (changed["events"], changed["status"]) == (None, "active")
    await host.act(game)
    assert receiver.versions_by_game == {game.id: [2]}
    assert len(receiver.challenges) == 1
    for same in ({}, {"url": receiver.url}):
        assert await host.send("PATCH", f"{host.path}/{webhook['id']}", same) == changed
    refused = await host.request("PATCH", f"{host.path}/{webhook['id']}", {"events": ["no_event"]})
    await check_problem(refused, 400, "malformed", "$.events[0]")


async def test_another_url_is_challenged_and_gets_what_was_missed(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register()
    game = await host.create_game()
    receiver.statuses = [410]
    await host.act(game)
    async with run_receiver() as new:
        new.challenge_response = lambda _: web.Response(status=503)
        changed = await host.send("PATCH", f"{host.path}/{webhook['id']}", {"url": new.url})
        assert (changed["url"], changed["status"]) == (new.url, "pending")
        await host.act(game)
        assert new.received == []
        new.challenge_response = repeat_challenge
        host.clock.offset_s = 10
        await host.deliver_all()
        assert new.versions_by_game == {game.id: [2, 3]}
        assert receiver.versions_by_game == {game.id: [1, 2]}


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
    await host.command(webhook, "rotate-secret", {"grace_s": 0})
    await host.act(game)
    assert len(receiver.received[-1].headers["webhook-signature"].split()) == 1, "without grace"


async def test_a_command_with_an_idempotency_key_is_applied_once(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register()
    game = await host.create_game()
    receiver.received.clear()
    key = {"Idempotency-Key": RANDOM_KEY}
    commands: tuple[tuple[str, Any, int], ...] = (("ping", None, 202), ("rotate-secret", {}, 200))
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
        assert 86_300 < await redis.ttl(name) <= 86_400
        assert (await redis.memory_usage(name) or 0) <= 200
    assert await redis.hlen(keys.subject("key.discord-bot")) == 5  # the key's two fields, and three for the webhook
