"""The webhook of an API key: one for all its games, over the machinery of games' webhooks."""

from time import time
from typing import Any

import msgspec
import pytest
from redis.asyncio import Redis
from standardwebhooks import Webhook

from service.games.due_work import lease
from service.games.index_repair import IndexRepairer
from service.games.ports import SendResult, WebhookChange, webhook_entry
from service.games.repository import Retention
from service.games.webhook_delivery import JITTER
from service.store import keys
from service.store.game_store import RedisStore
from service.telemetry.logs import LOG_CONTEXT
from tests.web.http_game import TWO_PLAYERS, check_problem, create_game
from tests.web.webhook_owner import KeyHolder
from tests.web.webhook_receiver import SECRET, WebhookReceiver

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


async def test_a_message_that_is_never_accepted_delays_no_other_game(
    host: KeyHolder, receiver: WebhookReceiver
) -> None:
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
    assert receiver.versions_by_game == {
        games[0].id: [1, 2, 3, 4],
        games[1].id: [1, 2, 3],
        created_meanwhile.id: [1, 2],
    }


async def test_a_server_that_is_gone_disables_the_webhook_for_all_games(
    host: KeyHolder, receiver: WebhookReceiver
) -> None:
    webhook = await host.register()
    first, second = await host.create_game(), await host.create_game()
    receiver.statuses = [410]
    await host.act(first)
    await host.act(second)
    assert receiver.versions_by_game == {first.id: [1, 2], second.id: [1]}
    read = await host.read(webhook)
    assert (read["status"], read["disabled_reason"]) == ("disabled", "gone")
    refused = await host.command(webhook, "ping")
    assert "the webhook is disabled" in (await check_problem(refused, 409, "conflict"))["detail"]
    await host.send_command(webhook, "retry")
    await host.act(first, second)
    assert receiver.versions_by_game == {first.id: [1, 2, 2, 3], second.id: [1, 2, 3]}


async def test_a_retried_creation_attaches_what_a_crash_left_out(
    host: KeyHolder, receiver: WebhookReceiver, redis: Redis
) -> None:
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
