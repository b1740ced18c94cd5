"""The webhook of an API key: one for all its games, over the machinery of games' webhooks."""

from collections import defaultdict
from time import time
from typing import Any

import msgspec
import pytest
from aiohttp import web
from redis.asyncio import Redis
from standardwebhooks import Webhook, WebhookVerificationError

from service.games.context import Retention
from service.games.index_repair.repairer import IndexRepairer
from service.games.timestamps import DAY_S, timestamp, unix_seconds
from service.games.webhooks.delivery import JITTER
from service.games.webhooks.port import StoredWebhook
from service.store import keys
from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.api_key_fixture import add_api_key
from tests.web.http_game import TWO_PLAYERS, check_problem, create_game
from tests.web.webhook_owner import KeyHolder
from tests.web.webhook_receiver import (
    SECRET,
    OffsetClock,
    WebhookInstance,
    WebhookReceiver,
    run_instance,
    run_receiver,
)

OTHER_SECRET = "whsec_Zm9ydHktdHdvLWJ5dGVzLW9mLWEtc2VjcmV0LWhlcmU="
RANDOM_KEY = "9f86d081884c7d659a2feaa0c55ad015"
DELAYS_S = (5, 30)
"""The delays before retries of the fixture `one`."""


def versions_by_game(receiver: WebhookReceiver) -> dict[str, list[int]]:
    """Return the versions that were received of each game, in their order."""
    versions = defaultdict(list)
    for one in receiver.received:
        if one.message["type"] != "ping":
            versions[one.message["data"]["game"]].append(one.version)
    return dict(versions)


@pytest.fixture
async def host(one: WebhookInstance, store: RedisStore) -> KeyHolder:
    """Return the holder of an API key."""
    return KeyHolder(one, await add_api_key(store))


async def test_one_webhook_receives_the_changes_of_all_games(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url, secret=SECRET)
    (challenge,) = receiver.challenges
    assert (challenge.message["game"], challenge.message["webhook"]) == (None, webhook["id"])
    games = [await host.create_game() for _ in range(3)]
    for _ in range(2):
        for game in games:
            await game.act_successfully()
    other = await create_game(host.instance.client)
    await other.act_successfully()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {game.id: [1, 2, 3] for game in games}
    for received in receiver.received:
        assert Webhook(SECRET).verify(received.body, received.headers) == received.message
        assert received.id == f"{received.message['data']['game']}.{received.version}.{webhook['id']}"


async def test_only_the_selected_events_are_delivered(host: KeyHolder, receiver: WebhookReceiver) -> None:
    await host.register(receiver.url, events=["game_aborted", "decision"])
    game = await host.create_game()
    await game.delete()
    await host.instance.dispatcher.join()
    assert [one.message["type"] for one in receiver.received] == ["decision", "game_aborted"]


async def test_games_in_play_are_attached_and_ended_ones_are_not(host: KeyHolder, receiver: WebhookReceiver) -> None:
    playing, ended = await host.create_game(), await host.create_game()
    await playing.act_successfully()
    await ended.delete()
    await host.register(receiver.url)
    await playing.act_successfully()
    assert (await ended.post("/rematch")).status == 201  # a last version, which names the rematch
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {playing.id: [3]}


async def test_more_games_than_a_batch_are_attached(host: KeyHolder, receiver: WebhookReceiver) -> None:
    games = [await host.create_game() for _ in range(60)]
    await host.register(receiver.url)
    for game in (games[0], games[-1]):
        await game.act_successfully()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {games[0].id: [2], games[-1].id: [2]}


async def test_the_owner_of_a_game_neither_sees_nor_changes_it(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url)
    game = await host.create_game()
    assert await game.get_json("/webhooks") == {"webhooks": []}
    path = f"/webhooks/{webhook['id']}"
    for response in (
        await game.get(path),
        await game.delete(path),
        await game.post(f"{path}/retry"),
        await game.get(f"{path}/deliveries"),
    ):
        await check_problem(response, 404, "not_found")
    await game.act_successfully()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {game.id: [1, 2]}


async def test_another_key_neither_sees_nor_changes_it(
    host: KeyHolder, receiver: WebhookReceiver, store: RedisStore
) -> None:
    webhook = await host.register(receiver.url)
    stranger = KeyHolder(host.instance, await add_api_key(store, "stranger"))
    path = f"{host.path}/{webhook['id']}"
    assert await stranger.send("GET", host.path) == {"webhooks": []}
    for method, suffix in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/ping"),
        ("POST", "/rotate-secret"),
        ("POST", "/retry"),
        ("GET", "/deliveries"),
    ):
        body: dict[str, Any] | None = {} if method == "PATCH" else None
        await check_problem(await stranger.request(method, path + suffix, body), 404, "not_found")
    await stranger.create_game()
    await host.instance.dispatcher.join()
    assert receiver.received == []


async def test_a_ping_arrives_once_and_signed(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url, secret=SECRET)
    answered = await host.send("POST", f"{host.path}/{webhook['id']}/ping", status=202)
    assert answered["status"] == "active"
    await host.instance.deliver()
    (ping,) = receiver.received
    assert Webhook(SECRET).verify(ping.body, ping.headers) == ping.message
    assert ping.message == {"type": "ping", "timestamp": ping.message["timestamp"], "webhook": webhook["id"]}
    newest, challenge = await host.deliveries(webhook)
    assert (newest["type"], newest["id"], newest["game"], newest["delivered"]) == ("ping", ping.id, None, True)
    assert (challenge["type"], challenge["delivered"]) == ("challenge", True)


async def test_a_failed_ping_has_no_consequence(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url)
    receiver.statuses = [500]
    await host.send("POST", f"{host.path}/{webhook['id']}/ping", status=202)
    await host.instance.dispatcher.join()
    await host.instance.deliver()
    assert len(receiver.received) == 1
    read = await host.read(webhook)
    assert (read["status"], read["failures"]) == ("active", 0)
    assert (await host.deliveries(webhook))[0]["error"] == "status"


async def test_a_pending_webhook_gets_no_ping(host: KeyHolder, receiver: WebhookReceiver) -> None:
    receiver.challenge_response = lambda _: web.Response(status=404)
    webhook = await host.register(receiver.url)
    response = await host.command(webhook, "ping")
    problem = await check_problem(response, 409, "conflict")
    assert "the webhook is pending" in problem["detail"]
    assert receiver.received == []


async def test_other_events_count_from_the_next_message_on(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url, events=["game_aborted"])
    game = await host.create_game()
    await host.instance.dispatcher.join()
    changed = await host.send("PATCH", f"{host.path}/{webhook['id']}", {"events": []})
    assert (changed["events"], changed["status"]) == (None, "active")
    await game.act_successfully()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {game.id: [2]}
    assert len(receiver.challenges) == 1
    unchanged = await host.send("PATCH", f"{host.path}/{webhook['id']}", {})
    assert unchanged == changed
    refused = await host.request("PATCH", f"{host.path}/{webhook['id']}", {"events": ["no_event"]})
    await check_problem(refused, 400, "malformed", "$.events")


async def test_another_url_must_answer_a_challenge_and_receives_what_was_missed(
    host: KeyHolder, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    webhook = await host.register(receiver.url)
    game = await host.create_game()
    await host.instance.dispatcher.join()
    async with run_receiver() as new:
        new.challenge_response = lambda _: web.Response(status=503)
        changed = await host.send("PATCH", f"{host.path}/{webhook['id']}", {"url": new.url})
        assert (changed["url"], changed["status"]) == (new.url, "pending")
        await game.act_successfully()
        await host.instance.dispatcher.join()
        assert (versions_by_game(receiver), new.received) == ({game.id: [1]}, [])
        new.challenge_response = lambda message: web.json_response({"challenge": message["challenge"]})
        later.offset_s = 10
        await host.instance.deliver()
        await host.instance.deliver()
        assert versions_by_game(new) == {game.id: [2]}
        assert versions_by_game(receiver) == {game.id: [1]}


async def test_private_addresses_are_refused(store: RedisStore) -> None:
    secret = await add_api_key(store)
    async with run_instance(store, limits=Limits()) as one:
        host = KeyHolder(one, secret)
        await check_problem(await host.request("POST", host.path, {"url": "http://127.0.0.1:9/"}), 422, "url_refused")
        webhook = await host.send("POST", host.path, {"url": "https://bot.example.org/"}, 201)
        response = await host.request("PATCH", f"{host.path}/{webhook['id']}", {"url": "https://10.0.0.7/"})
        await check_problem(response, 422, "url_refused")


async def test_both_secrets_sign_until_the_previous_one_expires(
    host: KeyHolder, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    webhook, requested_at = await host.register(receiver.url, secret=SECRET), int(later())
    response = await host.command(webhook, "rotate-secret", {"secret": OTHER_SECRET, "grace_s": 60})
    rotated = await response.json()
    assert requested_at + 60 <= unix_seconds(rotated["previous_secret_expires_at"]) <= later() + 60
    assert response.headers["Cache-Control"] == "no-store"
    assert rotated["secret"] == OTHER_SECRET
    assert (await host.read(webhook))["previous_secret_expires_at"] == rotated["previous_secret_expires_at"]
    game = await host.create_game()
    await host.instance.dispatcher.join()
    both = receiver.received[-1]
    assert len(both.headers["webhook-signature"].split()) == 2
    for secret in (SECRET, OTHER_SECRET):
        assert Webhook(secret).verify(both.body, both.headers) == both.message
    later.offset_s = 61
    await game.act_successfully()
    await host.instance.dispatcher.join()
    new = receiver.received[-1]
    assert len(new.headers["webhook-signature"].split()) == 1
    assert Webhook(OTHER_SECRET).verify(new.body, new.headers) == new.message
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(new.body, new.headers)
    assert (await host.read(webhook))["previous_secret_expires_at"] is None
    await host.command(webhook, "rotate-secret", {"secret": OTHER_SECRET})
    assert (await host.read(webhook))["previous_secret_expires_at"] is None, "it is the current one"


async def test_a_second_rotation_ends_the_oldest_secret(
    host: KeyHolder, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    """By default the one before is valid for a day."""
    webhook, requested_at = await host.register(receiver.url, secret=SECRET), int(later())
    rotated = [await host.send("POST", f"{host.path}/{webhook['id']}/rotate-secret") for _ in range(2)]
    secrets = [one["secret"] for one in rotated]
    for one in rotated:
        assert requested_at + DAY_S <= unix_seconds(one["previous_secret_expires_at"]) <= later() + DAY_S
    await host.create_game()
    await host.instance.dispatcher.join()
    (received,) = receiver.received
    for secret in secrets:
        assert Webhook(secret).verify(received.body, received.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(received.body, received.headers)


async def test_a_retried_rotation_returns_the_same_secret(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url, secret=SECRET)
    path, header = f"{host.path}/{webhook['id']}/rotate-secret", {"Idempotency-Key": RANDOM_KEY}
    first, again = [await (await host.request("POST", path, **header)).json() for _ in range(2)]
    assert first == again
    await host.create_game()
    await host.instance.dispatcher.join()
    (received,) = receiver.received
    for secret in (SECRET, first["secret"]):
        assert Webhook(secret).verify(received.body, received.headers)
    weak = await host.request("POST", path, **{"Idempotency-Key": "rotation-1"})
    await check_problem(weak, 400, "malformed", "Idempotency-Key")


async def pass_all_retries(host: KeyHolder, later: OffsetClock) -> None:
    """Let all attempts at the waiting messages happen."""
    for delay_s in DELAYS_S:
        later.offset_s += delay_s * (1 + JITTER) + 1
        await host.instance.deliver()


async def test_a_message_that_is_never_accepted_delays_no_other_game(
    host: KeyHolder, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    webhook = await host.register(receiver.url)
    fine, failing = await host.create_game(), await host.create_game()
    await host.instance.dispatcher.join()
    receiver.statuses = [500, 204, 500, 500]
    await failing.act_successfully()
    await host.instance.dispatcher.join()
    await fine.act_successfully()
    await host.instance.dispatcher.join()
    await pass_all_retries(host, later)
    read = await host.read(webhook)
    assert (read["status"], read["missed_games"]) == ("active", 1)
    await failing.act_successfully()
    await fine.act_successfully()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver)[fine.id] == [1, 2, 3]
    assert versions_by_game(receiver)[failing.id] == [1, 2, 2, 2]
    await host.send("POST", f"{host.path}/{webhook['id']}/retry")
    await host.instance.deliver()
    await host.instance.deliver()
    assert versions_by_game(receiver)[failing.id] == [1, 2, 2, 2, 2, 3]
    assert (await host.read(webhook))["missed_games"] == 0


async def test_everything_missed_is_replayed_in_order_after_a_failure_of_the_server(
    host: KeyHolder, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    webhook = await host.register(receiver.url)
    receiver.statuses = [503] * 1_000
    games = [await host.create_game() for _ in range(3)]
    for game in games:
        await game.act_successfully()
    await host.instance.dispatcher.join()
    await pass_all_retries(host, later)
    read = await host.read(webhook)
    assert (read["status"], read["disabled_reason"], read["missed_games"]) == ("disabled", "failing", 3)
    created_meanwhile = await host.create_game()
    await games[0].act_successfully()
    await host.instance.dispatcher.join()
    assert (await host.read(webhook))["missed_games"] == 4
    receiver.received.clear()
    receiver.statuses = []
    retried = await host.send("POST", f"{host.path}/{webhook['id']}/retry")
    assert (retried["status"], retried["disabled_reason"]) == ("active", None)
    await host.instance.deliver()
    await host.instance.deliver()
    assert versions_by_game(receiver) == {
        games[0].id: [1, 2, 3],
        games[1].id: [1, 2],
        games[2].id: [1, 2],
        created_meanwhile.id: [1],
    }
    assert (await host.read(webhook))["missed_games"] == 0


async def test_a_server_that_is_gone_disables_the_webhook_for_all_games(
    host: KeyHolder, receiver: WebhookReceiver
) -> None:
    webhook = await host.register(receiver.url)
    first, second = await host.create_game(), await host.create_game()
    await host.instance.dispatcher.join()
    receiver.statuses = [410]
    await first.act_successfully()
    await host.instance.dispatcher.join()
    await second.act_successfully()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {first.id: [1, 2], second.id: [1]}
    read = await host.read(webhook)
    assert (read["status"], read["disabled_reason"], read["missed_games"]) == ("disabled", "gone", 2)
    refused = await host.command(webhook, "ping")
    assert "the webhook is disabled" in (await check_problem(refused, 409, "conflict"))["detail"]
    await host.send("POST", f"{host.path}/{webhook['id']}/retry")
    await host.instance.deliver()
    await host.instance.deliver()
    assert versions_by_game(receiver) == {first.id: [1, 2, 2], second.id: [1, 2]}


async def test_a_retry_of_a_server_that_is_still_gone_ends(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url)
    games = [await host.create_game() for _ in range(3)]
    await host.instance.dispatcher.join()
    receiver.statuses = [410] * 1_000
    for game in games:
        await game.act_successfully()
    await host.instance.dispatcher.join()
    for _ in range(3):
        receiver.received.clear()
        await host.send("POST", f"{host.path}/{webhook['id']}/retry")
        await host.instance.deliver()
        await host.instance.deliver()
        assert 1 <= len(receiver.received) <= len(games)
        assert (await host.read(webhook))["missed_games"] == len(games)


async def test_the_delivery_log_has_all_games(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url)
    games = [await host.create_game() for _ in range(2)]
    await host.instance.dispatcher.join()
    attempts = await host.deliveries(webhook)
    assert {one["game"] for one in attempts} == {games[0].id, games[1].id, None}
    newest = attempts[0]
    assert newest["id"] == f"{newest['game']}.1.{webhook['id']}"
    assert (newest["version"], newest["type"], newest["status"]) == (1, "diff", 204)


async def test_a_deleted_webhook_gets_nothing_more(host: KeyHolder, receiver: WebhookReceiver, redis: Redis) -> None:
    webhook = await host.register(receiver.url)
    game = await host.create_game()
    await host.instance.dispatcher.join()
    assert (await host.request("DELETE", f"{host.path}/{webhook['id']}")).status == 204
    await game.act_successfully()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {game.id: [1]}
    assert await redis.hget(keys.game(game.id), "hooks") is None  # its games forget it
    await game.act_successfully()
    await check_problem(await host.request("GET", f"{host.path}/{webhook['id']}"), 404, "not_found")
    await check_problem(await host.request("DELETE", f"{host.path}/{webhook['id']}"), 404, "not_found")


async def test_a_retried_creation_attaches_what_a_crash_left_out(
    host: KeyHolder, receiver: WebhookReceiver, redis: Redis
) -> None:
    webhook = await host.register(receiver.url)
    header = {"Idempotency-Key": RANDOM_KEY}
    first = await (await host.request("POST", "/v1/games", {"players": TWO_PLAYERS}, **header)).json()
    await host.instance.dispatcher.join()
    receiver.received.clear()
    game, hook = first["game"]["id"], f"hook:{webhook['id']}"
    await redis.hdel(keys.game(game), "hooks", hook, f"{hook}:state")
    assert (await host.request("POST", "/v1/games", {"players": TWO_PLAYERS}, **header)).status == 201
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {game: [1]}


async def test_a_rematch_is_reported_too(host: KeyHolder, receiver: WebhookReceiver) -> None:
    await host.register(receiver.url, events=["game_created"])
    game = await host.create_game()
    await game.delete()
    rematch = await (await game.post("/rematch", **host.headers)).json()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {game.id: [1], rematch["game"]["id"]: [1]}


async def test_another_instance_delivers_what_one_left_behind(
    store: RedisStore, receiver: WebhookReceiver, later: OffsetClock, redis: Redis
) -> None:
    secret = await add_api_key(store)
    async with run_instance(store, later) as one, run_instance(store, later) as other:
        webhook = await KeyHolder(one, secret).register(receiver.url)
        game = await KeyHolder(one, secret).create_game()
        await one.dispatcher.aclose()  # it crashes before it delivers
        await redis.delete(keys.webhook_lease(game.id, webhook["id"]))  # its lease expires
        later.offset_s = 20
        await other.deliver()
        assert versions_by_game(receiver) == {game.id: [1]}


async def test_messages_since_a_time_are_replayed(
    host: KeyHolder, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    webhook = await host.register(receiver.url)
    early, late, ended = [await host.create_game() for _ in range(3)]
    await early.act_successfully()
    await host.instance.dispatcher.join()
    later.offset_s = 100
    since = timestamp(int(later()) - 50)
    for game in (late, late):
        await game.act_successfully()
    await ended.delete()
    await host.instance.dispatcher.join()
    first = {one.id: one.body for one in receiver.received}
    receiver.received.clear()
    answered = await host.send("POST", f"{host.path}/{webhook['id']}/replay", {"since": since}, 202)
    assert answered["status"] == "active"
    await host.instance.dispatcher.join()
    await host.instance.deliver()
    assert versions_by_game(receiver) == {late.id: [2, 3], ended.id: [2]}
    assert all(first[one.id] == one.body for one in receiver.received)
    receiver.received.clear()
    await host.send("POST", f"{host.path}/{webhook['id']}/replay", {"since": "2026-01-01T00:00:00Z"}, 202)
    await host.instance.dispatcher.join()
    await host.instance.deliver()
    assert versions_by_game(receiver) == {early.id: [1, 2], late.id: [1, 2, 3], ended.id: [1, 2]}


async def test_a_replay_includes_what_was_missed(
    host: KeyHolder, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    webhook = await host.register(receiver.url)
    game = await host.create_game()
    await host.instance.dispatcher.join()
    receiver.statuses = [410]
    await game.act_successfully()
    await host.instance.dispatcher.join()
    receiver.received.clear()
    later.offset_s = 1_000
    await host.send("POST", f"{host.path}/{webhook['id']}/replay", {"since": timestamp(int(later()))}, 202)
    await host.instance.dispatcher.join()
    await host.instance.deliver()
    assert versions_by_game(receiver) == {game.id: [2]}


async def test_a_replay_goes_on_after_a_crash(
    store: RedisStore, receiver: WebhookReceiver, later: OffsetClock, redis: Redis
) -> None:
    secret = await add_api_key(store)
    async with run_instance(store, later) as one, run_instance(store, later) as other:
        host = KeyHolder(one, secret)
        webhook = await host.register(receiver.url)
        game = await host.create_game()
        await one.dispatcher.join()
        receiver.received.clear()
        await host.send("POST", f"{host.path}/{webhook['id']}/replay", {"since": "2026-01-01T00:00:00Z"}, 202)
        await one.dispatcher.aclose()
        await redis.delete(keys.webhook_lease("key.discord-bot", webhook["id"]))  # its lease expires
        later.offset_s = 20
        for _ in range(2):
            await other.deliver()
        assert versions_by_game(receiver) == {game.id: [1]}


async def test_a_game_that_is_being_delivered_to_is_replayed_afterwards(
    host: KeyHolder, receiver: WebhookReceiver, redis: Redis
) -> None:
    webhook = await host.register(receiver.url)
    game = await host.create_game()
    await host.instance.dispatcher.join()
    receiver.received.clear()
    lease = keys.webhook_lease(game.id, webhook["id"])
    await redis.set(lease, "another instance", px=300)
    await host.send("POST", f"{host.path}/{webhook['id']}/replay", {"since": "2026-01-01T00:00:00Z"}, 202)
    await host.instance.dispatcher.join()
    await host.instance.deliver()
    assert versions_by_game(receiver) == {game.id: [1]}


@pytest.mark.parametrize("since", ("yesterday", "2026-13-01T00:00:00Z", "2026-11-21T20:00:00+01:00", None))
async def test_a_replay_needs_a_time(host: KeyHolder, receiver: WebhookReceiver, since: str | None) -> None:
    webhook = await host.register(receiver.url)
    response = await host.command(webhook, "replay", {"since": since})
    await check_problem(response, 400, "malformed", "$.since")


async def test_a_game_that_cannot_be_read_stops_no_other(
    host: KeyHolder, receiver: WebhookReceiver, redis: Redis
) -> None:
    damaged, fine = await host.create_game(), await host.create_game()
    host.instance.expected_failures = 1
    await redis.hset(keys.game(damaged.id), "snapshot", b"damaged")
    await host.register(receiver.url)
    await fine.act_successfully()
    await host.instance.dispatcher.join()
    assert versions_by_game(receiver) == {fine.id: [2]}


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
    webhook = await host.register(receiver.url)
    game = await host.create_game()
    await host.instance.dispatcher.join()
    receiver.statuses = [410]
    await game.act_successfully()
    await host.instance.dispatcher.join()
    other = await host.create_game()
    await host.instance.dispatcher.join()
    repairer = IndexRepairer(store, store.index_repair, Retention(), time)
    for added, disabled_reason in ((0, "gone"), (1, None)):
        await redis.delete(keys.WEBHOOK_SCHEDULE)
        key, stored = "key.discord-bot", await store.webhooks.get("key.discord-bot", webhook["id"])
        assert stored is not None
        state = msgspec.structs.replace(stored.state, disabled_reason=disabled_reason)
        await store.webhooks.acquire_lease(key, webhook["id"], "me", 10)
        await store.webhooks.save(key, StoredWebhook(stored.registration, state), "me")
        assert (await repairer.repair_all()).added == added
    assert await store.webhooks.list_due(2**33, 10) == [(other.id, webhook["id"])]


async def test_a_command_with_an_idempotency_key_is_applied_once(host: KeyHolder, receiver: WebhookReceiver) -> None:
    webhook = await host.register(receiver.url)
    game = await host.create_game()
    await host.instance.dispatcher.join()
    receiver.received.clear()
    key, since = {"Idempotency-Key": RANDOM_KEY}, {"since": "2026-01-01T00:00:00Z"}
    commands: tuple[tuple[str, Any, int], ...] = (
        ("ping", None, 202),
        ("replay", since, 202),
        ("rotate-secret", {}, 200),
    )
    for replayed in (None, "true"):
        for command, body, status in commands:
            response = await host.command(webhook, command, body, **key)
            assert (response.status, response.headers.get("Idempotent-Replayed")) == (status, replayed), command
            await host.instance.deliver()
            await host.instance.deliver()
    assert [one.message["type"] for one in receiver.received] == ["ping", "diff"]
    assert versions_by_game(receiver) == {game.id: [1]}
    for command, body in (("replay", {"since": "2026-01-02T00:00:00Z"}), ("rotate-secret", {"grace_s": 9})):
        await check_problem(await host.command(webhook, command, body, **key), 422, "key_reused")
    receiver.statuses = [410]
    await game.act_successfully()
    await host.instance.dispatcher.join()
    assert (await host.command(webhook, "ping", **key)).status == 202, "the key's first response wins"
    await check_problem(await host.command(webhook, "ping"), 409, "conflict")
    assert (await host.command(webhook, "retry")).status == 200, "a rejected command ends its lease"


async def test_idempotency_records_of_an_api_key_are_small_and_expire(
    host: KeyHolder, receiver: WebhookReceiver, redis: Redis
) -> None:
    key = {"Idempotency-Key": "webhook-1"}
    created = await (await host.request("POST", host.path, {"url": receiver.url}, **key)).json()
    await host.instance.dispatcher.join()
    assert (await host.command(created, "retry", **key)).status == 200
    records = [name async for name in redis.scan_iter("*:idempotency:*")]
    assert len(records) == 2
    for name in records:
        assert 0 < await redis.ttl(name) <= 86_400
        assert (await redis.memory_usage(name) or 0) <= 200
    assert await redis.hlen(keys.subject("key.discord-bot")) == 5  # the key's two fields, and three for the webhook
