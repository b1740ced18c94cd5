"""Webhooks of games, seats and API keys: challenged, delivered at least once, in order, signed, by any instance."""

import asyncio
from typing import Any
from unittest.mock import AsyncMock

import pytest
from aiohttp import web
from redis.asyncio import Redis
from standardwebhooks import Webhook, WebhookVerificationError

from service.games import webhook_payloads
from service.games.due_work import Wakeups
from service.games.ports import SendResult, webhook_entry
from service.games.webhook_payloads import CHALLENGE_RETRY_DELAYS_S, SITE_RATE
from service.store import keys
from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.api_key_fixture import add_api_key
from tests.polling import TIMEOUT_S, in_background
from tests.redis_servers import connect
from tests.web.http_game import check_problem, create_game
from tests.web.webhook_receiver import (
    LOCAL_LIMITS,
    OWNER_KINDS,
    SECRET,
    GameOwner,
    KeyHolder,
    OffsetClock,
    WebhookInstance,
    WebhookOwner,
    WebhookReceiver,
    make_owner,
    register_webhook,
    repeat_challenge,
    run_instance,
)

DAY_S = 86_400
KEY = {"Idempotency-Key": "webhook-1"}


async def test_the_secret_is_returned_only_once(owner: WebhookOwner, receiver: WebhookReceiver) -> None:
    chosen: dict[str, Any] = {"url": receiver.url, "events": ["decision", "turn_started"]}
    of_kind: dict[str, Any] = {"previous_secret_expires_at": None}
    if isinstance(owner, GameOwner):
        chosen["seats"], of_kind = [1], {"delivered_version": 1, "registered_by": owner.seat}
    response = await owner.request("POST", owner.path, {**chosen, "secret": SECRET})
    created = await response.json()
    assert (response.status, response.headers["Location"]) == (201, f"{owner.path}/{created['id']}")
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Vary"] == ("Authorization" if isinstance(owner, GameOwner) else "Authorization, Api-Key")
    assert created.pop("secret") == SECRET
    state = {"status": "pending", "disabled_reason": None, "failures": 0, "next_attempt_at": None}
    assert created == {"id": created["id"], **chosen, "created_at": created["created_at"], **state, **of_kind}
    await owner.deliver()
    active = {**created, "status": "active"}
    deliveries = await owner.send("GET", f"{owner.path}/{created['id']}/deliveries")
    assert deliveries["webhook"] == await owner.read(created) == active
    assert await owner.send("GET", owner.path) == {"webhooks": [active]}
    if isinstance(owner, GameOwner):  # the owner sees those of the seats
        assert await GameOwner(owner.instance, receiver, owner.game).send("GET", owner.path) == {"webhooks": [active]}
    plain = await owner.register()
    assert plain["secret"].startswith("whsec_")
    assert all(plain[name] is None for name in chosen if name != "url")


@pytest.mark.parametrize("kind", OWNER_KINDS)
async def test_the_number_of_webhooks_is_limited(store: RedisStore, receiver: WebhookReceiver, kind: str) -> None:
    async with run_instance(store, limits=LOCAL_LIMITS._replace(max_webhooks=2)) as instance:
        owner = await make_owner(kind, instance, receiver, store)
        body = {"url": receiver.url}
        responses = await asyncio.gather(*(owner.request("POST", owner.path, body) for _ in range(8)))
        assert sorted(response.status for response in responses) == [201] * 2 + [409] * 6
        problem = await check_problem(await owner.request("POST", owner.path, body), 409, "limit_reached")
        assert "2 webhooks" in problem["detail"]
        assert len((await owner.send("GET", owner.path))["webhooks"]) == 2
        if isinstance(owner, KeyHolder):
            game = await owner.create_game()
            assert (await game.post("/webhooks", body)).status == 201, "the key's do not count"
        await owner.join()
    assert Limits().max_webhooks == 10


@pytest.mark.parametrize("kind", OWNER_KINDS)
async def test_private_addresses_are_refused(store: RedisStore, receiver: WebhookReceiver, kind: str) -> None:
    async with run_instance(store, limits=Limits()) as instance:
        owner = await make_owner(kind, instance, receiver, store)
        for url in ("http://127.0.0.1:9/", "https://10.0.0.7/"):
            await check_problem(await owner.request("POST", owner.path, {"url": url}), 422, "url_refused")
        webhook = await owner.send("POST", owner.path, {"url": "https://bot.example.org/"}, 201)
        if isinstance(owner, KeyHolder):
            response = await owner.request("PATCH", f"{owner.path}/{webhook['id']}", {"url": "https://10.0.0.7/"})
            await check_problem(response, 422, "url_refused")
        await instance.join()


@pytest.mark.parametrize(
    ("kind", "other"), (("game", "seat"), ("seat", "other seat"), ("api_key", "game"), ("api_key", "other key"))
)
async def test_others_neither_see_nor_change_a_webhook(
    one: WebhookInstance, store: RedisStore, receiver: WebhookReceiver, kind: str, other: str
) -> None:
    owner = await make_owner(kind, one, receiver, store)
    webhook = await owner.register()
    stranger: WebhookOwner
    if other == "other key":
        stranger = KeyHolder(one, receiver, await add_api_key(store, "stranger"))
    else:
        stranger = GameOwner(one, receiver, owner.game, {"game": None, "seat": 1, "other seat": 0}[other])
    assert await stranger.send("GET", stranger.path) == {"webhooks": []}
    for method, suffix in stranger.commands:
        body: dict[str, Any] | None = {} if method == "PATCH" else None
        response = await stranger.request(method, f"{stranger.path}/{webhook['id']}{suffix}", body)
        await check_problem(response, 404, "not_found")
    await owner.act(owner.game)
    assert receiver.versions[-1] == 2


async def test_concurrent_registrations_with_a_key_make_one(owner: WebhookOwner, receiver: WebhookReceiver) -> None:
    body = {"url": receiver.url}
    responses = await asyncio.gather(*(owner.request("POST", owner.path, body, **KEY) for _ in range(10)))
    assert {response.status for response in responses} == {201}
    assert [response.headers.get("Idempotent-Replayed") for response in responses].count(None) == 1
    assert len({(await response.json())["secret"] for response in responses}) == 1
    assert len((await owner.send("GET", owner.path))["webhooks"]) == 1
    other = await owner.request("POST", owner.path, {**body, "events": ["decision"]}, **KEY)
    await check_problem(other, 422, "key_reused")


async def test_messages_wait_for_the_challenge(owner: WebhookOwner, receiver: WebhookReceiver) -> None:
    receiver.challenge_response = lambda _: web.Response(status=503)
    webhook = await owner.register()
    game = owner.game
    for _ in range(3):
        await game.act_successfully()
        await owner.deliver()
    owner.clock.offset_s += 7
    await owner.deliver()
    waiting = await owner.read(webhook)
    assert receiver.received == []
    assert (waiting["status"], waiting["failures"]) == ("pending", 2)
    assert waiting["next_attempt_at"] is not None
    receiver.challenge_response = repeat_challenge
    owner.clock.offset_s += 60
    await owner.deliver_all()
    assert receiver.versions == [*([1] if isinstance(owner, KeyHolder) else []), 2, 3, 4]
    first, _, last = receiver.challenges
    assert first.id != last.id
    assert first.message["challenge"] != last.message["challenge"]
    assert (await owner.read(webhook))["status"] == "active"


async def test_a_command_with_a_key_is_applied_once_in_a_day(owner: WebhookOwner, receiver: WebhookReceiver) -> None:
    webhook = await owner.register()
    first = await owner.command(webhook, "retry", **KEY)
    assert (first.status, "Idempotent-Replayed" in first.headers) == (200, False)
    await owner.deliver()
    receiver.statuses = [410]
    await owner.act(owner.game)
    again = await owner.command(webhook, "retry", **KEY)
    assert (again.status, again.headers["Idempotent-Replayed"]) == (200, "true")
    assert (await again.json())["status"] == "disabled", "it is not applied again"
    owner.clock.offset_s = DAY_S
    after_a_day = await owner.command(webhook, "retry", **KEY)
    assert "Idempotent-Replayed" not in after_a_day.headers
    assert (await after_a_day.json())["status"] == "active"


ATTEMPTS = len(CHALLENGE_RETRY_DELAYS_S) + 1


async def test_a_passed_challenge_activates_the_webhook(game_owner: GameOwner, receiver: WebhookReceiver) -> None:
    hook = await game_owner.register(secret=SECRET)
    assert hook["status"] == "pending"
    await game_owner.deliver()
    assert (await game_owner.read(hook))["status"] == "active"
    (got,) = receiver.challenges
    assert Webhook(SECRET).verify(got.body, got.headers) == got.message
    of_hook = {"type": "challenge", "game": game_owner.game.id, "webhook": hook["id"]}
    assert got.message == {**of_hook, **{name: got.message[name] for name in ("timestamp", "challenge")}}
    assert len(got.message["challenge"]) >= 43
    (attempt,) = await game_owner.deliveries(hook)
    assert (attempt["id"], attempt["type"], attempt["version"]) == (got.id, "challenge", 1)
    assert (attempt["delivered"], attempt["status"], attempt["error"]) == (True, 200, None)
    await game_owner.act(game_owner.game)
    assert (len(receiver.challenges), receiver.versions) == (1, [2])


async def test_a_webhook_without_its_answer_stays_pending(game_owner: GameOwner, receiver: WebhookReceiver) -> None:
    receiver.challenge_response = lambda message: web.Response(text=f"{'':2000}{repeat_challenge(message).text}")
    hook = await game_owner.register()
    await game_owner.act(game_owner.game)
    (attempt,) = await game_owner.deliveries(hook)
    assert (attempt["error"], attempt["delivered"]) == ("wrong_answer", False)
    assert (await game_owner.read(hook))["status"] == "pending"
    assert receiver.received == []


@pytest.mark.parametrize(("status", "attempts", "reason"), ((410, 1, "gone"), (404, ATTEMPTS, "unproven")))
async def test_challenges_end_after_a_few_attempts(
    owner: WebhookOwner, receiver: WebhookReceiver, status: int, attempts: int, reason: str
) -> None:
    receiver.challenge_response = lambda _: web.Response(status=status)
    hook = await owner.register()
    for _ in range(12):
        await owner.game.act_successfully()
        await owner.deliver()
        owner.clock.offset_s += 400
    webhook = await owner.read(hook)
    assert (webhook["status"], webhook["disabled_reason"], webhook["next_attempt_at"]) == ("disabled", reason, None)
    assert (len(receiver.challenges), receiver.received) == (attempts, [])
    assert (await owner.send_command(hook, "retry"))["status"] == "pending"
    receiver.challenge_response = repeat_challenge
    await owner.deliver()
    assert (await owner.read(hook))["status"] == "active"
    await owner.act(owner.game)
    assert receiver.versions == [*range(2 if isinstance(owner, GameOwner) else 1, 15)]


def test_unwanted_challenges_of_all_clients_are_limited() -> None:
    later = OffsetClock(lambda: 0.0)
    limits, rates_of, sent = webhook_payloads.KeyedRateLimiter(later), webhook_payloads.challenge_rates, 0
    for second in range(600):
        clients = (rates_of(f"client {number}", "https://a.victim.example/") for number in range(50))
        sent += sum(not limits.take(rates) for rates in clients)
        later.offset_s = second
    assert SITE_RATE.quota <= sent <= SITE_RATE.quota + 600 * SITE_RATE.quota / SITE_RATE.window_s + 2
    assert limits.take(rates_of("client", "https://other.example/")) == 0


async def test_a_change_is_delivered_at_once_and_signed(owner: WebhookOwner, receiver: WebhookReceiver) -> None:
    hook = await owner.register(secret=SECRET)
    acted = await owner.game.act_successfully()
    await owner.join()
    (received,) = receiver.received
    assert Webhook(SECRET).verify(received.body, received.headers) == received.message
    with pytest.raises(WebhookVerificationError):
        Webhook(hook["secret"]).verify(received.body + b" ", received.headers)
    (diff,) = acted["diffs"]
    assert received.headers["content-type"] == "application/json"
    assert received.id == f"{owner.game.id}.2.{hook['id']}"
    data = {name: diff[name] for name in ("game", "version", "digest", "seat", "move", "by", "events")}
    assert received.message == {"type": "diff", "timestamp": diff["at"], "data": {**data, "next": acted["next"]}}
    (attempt,) = await owner.message_deliveries(hook)
    of_message = {"id": received.id, "version": 2, "type": "diff", "attempt": 1}
    outcome = {"delivered": True, "status": 204, "error": None}
    measured = {name: attempt[name] for name in ("at", "latency_ms")}
    of_game = {} if isinstance(owner, GameOwner) else {"game": owner.game.id}
    assert attempt == {**of_message, **outcome, **measured, **of_game}
    if isinstance(owner, GameOwner):
        assert (await owner.read(hook))["delivered_version"] == 2


async def test_only_the_selected_events_and_seats_are_delivered(owner: WebhookOwner, receiver: WebhookReceiver) -> None:
    seats = {"seats": [1]} if isinstance(owner, GameOwner) else {}
    hook = await owner.register(events=["game_aborted", "turn_started"], **seats)
    game = owner.game
    await owner.act(game)
    assert receiver.received == []
    if isinstance(owner, GameOwner):
        assert (await owner.read(hook))["delivered_version"] == 2, "a skipped change is none to come"
    while (await game.get_json())["turn"]["number"] < 5:
        await game.act_successfully()
    await game.delete()
    await owner.join()
    received = [one.message for one in receiver.received if seats or one.message["data"]["next"]["seat"] != 0]
    assert [(one["type"], one["data"]["events"]) for one in received] == [
        ("turn_started", [{"type": "turn_started", "number": 2, "seat": 1}]),
        ("turn_started", [{"type": "turn_started", "number": 4, "seat": 1}]),
        ("game_aborted", [{"type": "game_aborted"}]),
    ]
    assert [one["data"]["next"]["seat"] for one in received] == [1, 1, None]
    assert len(receiver.received) == (3 if seats else 5)


async def test_a_failed_delivery_repeats_the_same_message(game_owner: GameOwner, receiver: WebhookReceiver) -> None:
    owner = game_owner
    hook = await owner.register()
    receiver.statuses = [500, 429]
    for _ in range(2):
        await owner.game.act_successfully()
        await owner.deliver()
    assert receiver.versions == [2]
    waiting = await owner.read(hook)
    assert (waiting["failures"], waiting["delivered_version"], waiting["status"]) == (1, 1, "active")
    assert waiting["next_attempt_at"] is not None
    for pause_s, versions in ((6, [2, 2]), (6, [2, 2]), (30, [2, 2, 2, 3])):
        owner.clock.offset_s += pause_s
        await owner.deliver()
        assert receiver.versions == versions
    first, second, third, _ = receiver.received
    assert (first.id, first.body) == (second.id, second.body) == (third.id, third.body)
    assert first.headers["webhook-timestamp"] < third.headers["webhook-timestamp"]
    names, listed = ("version", "attempt", "status", "error"), await owner.message_deliveries(hook)
    attempts = [tuple(attempt[name] for name in names) for attempt in listed]
    assert attempts == [(3, 1, 204, None), (2, 3, 204, None), (2, 2, 429, "status"), (2, 1, 500, "status")]
    finished = await owner.read(hook)
    assert (finished["failures"], finished["delivered_version"], finished["next_attempt_at"]) == (0, 3, None)


@pytest.mark.parametrize(("answers", "attempts", "reason"), (([410], 1, "gone"), ([500, 302, 404, 200], 3, "failing")))
async def test_a_webhook_is_disabled_after_the_last_retry(
    owner: WebhookOwner, receiver: WebhookReceiver, answers: list[int], attempts: int, reason: str
) -> None:
    hook = await owner.register()
    receiver.statuses = [*answers]
    await owner.game.act_successfully()
    for _ in range(6):
        await owner.deliver()
        owner.clock.offset_s += 60
    webhook = await owner.read(hook)
    assert (webhook["status"], webhook["disabled_reason"], webhook["next_attempt_at"]) == ("disabled", reason, None)
    await owner.game.act_successfully()
    await owner.deliver()
    assert receiver.versions == [2] * attempts
    assert len(await owner.message_deliveries(hook)) == attempts
    retried = await owner.send_command(hook, "retry")
    assert (retried["status"], retried["failures"]) == ("active", 0)
    receiver.statuses = []
    await owner.act(owner.game)
    assert receiver.versions == [*[2] * attempts, 2, 3, 4]
    assert len({message.id for message in receiver.received}) == 3
    assert (await owner.message_deliveries(hook))[2]["attempt"] == 1


async def test_a_failing_webhook_is_logged_and_does_not_affect_others(
    game_owner: GameOwner, receiver: WebhookReceiver, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    one, first = game_owner.instance, game_owner.game
    second = GameOwner(one, receiver, await create_game(one.client))
    hook = await game_owner.register()
    await second.register()
    one.expected_failures = 1
    resources = one.deliverer
    send, resources.send = resources.send, AsyncMock(side_effect=KeyError("a mistake of ours"))
    await game_owner.act(first)
    resources.send = send
    await game_owner.act(second.game)
    assert len(receiver.received) == 1
    assert hook["id"] in caplog.text
    await redis.delete(keys.lease(keys.WEBHOOK_SCHEDULE, webhook_entry(first.id, hook["id"])))
    one.clock.offset_s += 80
    await one.deliver()
    assert len(receiver.received) == 2


async def test_running_deliveries_end_with_the_worker(game_owner: GameOwner, monkeypatch: pytest.MonkeyPatch) -> None:
    sending, worker = asyncio.Event(), game_owner.instance.deliverer.worker(Wakeups())

    async def hang(*_: object, **__: object) -> SendResult:
        sending.set()
        return await asyncio.Future()

    monkeypatch.setattr(game_owner.instance.deliverer, "send", hang)
    monkeypatch.setattr(game_owner.instance.worker.wakeups, "add", lambda *_: None)
    await game_owner.send("POST", game_owner.path, {"url": game_owner.receiver.url}, 201)
    async with asyncio.timeout(TIMEOUT_S), in_background(worker.run()):
        await sending.wait()
        assert len(worker.in_progress) == 1
    assert not worker.in_progress


async def test_a_deleted_webhook_delivers_nothing(owner: WebhookOwner, receiver: WebhookReceiver, redis: Redis) -> None:
    hook, other = await owner.register(), await owner.register()
    game = owner.game
    assert (await owner.delete(other)).status == 204
    assert [one["id"] for one in (await owner.send("GET", owner.path))["webhooks"]] == [hook["id"]]
    receiver.statuses = [500]
    await owner.act(game)
    deleted = await owner.delete(hook)
    assert (deleted.status, await deleted.read()) == (204, b"")
    owner.clock.offset_s += 60
    await owner.act(game)
    await owner.deliver()
    assert receiver.versions == [2]
    assert await redis.hget(keys.game(game.id), "hooks") is None
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/deliveries"), ("POST", "/retry")):
        await check_problem(await owner.request(method, f"{owner.path}/{hook['id']}{path}"), 404, "not_found")
    seen_before = 1_000_000_000.5
    await redis.delete(keys.WEBHOOK_SCHEDULE)
    await redis.zadd(keys.WEBHOOK_SCHEDULE, {f"{game.id} {hook['id']}": seen_before})
    await owner.deliver()
    assert await redis.zcard(keys.WEBHOOK_SCHEDULE) == 0


async def test_a_change_is_delivered_without_a_notification(
    owner: WebhookOwner, receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.register()
    monkeypatch.setattr(owner.instance.worker.wakeups, "add", lambda *_: None)
    await owner.game.act_successfully()
    monkeypatch.undo()
    assert receiver.received == []
    await owner.deliver()
    assert receiver.versions == [2]


@pytest.mark.parametrize("kind", OWNER_KINDS)
async def test_an_interrupted_delivery_is_repeated_by_another_instance(
    store: RedisStore, redis: Redis, later: OffsetClock, receiver: WebhookReceiver, kind: str
) -> None:
    arrived = asyncio.Event()

    async def hang_once(_: web.Request) -> web.Response:
        arrived.set()
        if len(receiver.received) == 1:
            await asyncio.Event().wait()
        return web.Response()

    async with run_instance(store, later) as first:
        owner = await make_owner(kind, first, receiver, store)
        hook = await owner.register()
        game, receiver.respond = owner.game, hang_once
        await game.act_successfully()
        await arrived.wait()
        assert await store.due_webhooks.list_due(int(later()), 10) == []  # other instances leave it alone
        entry = webhook_entry(game.id, hook["id"])
        store.due_webhooks.release_lease = AsyncMock()  # type: ignore[method-assign]  # as if it had crashed
    async with run_instance(store, later) as second:
        second.worker.wakeups.add(entry)
        await second.join()
        assert len(receiver.received) == 1
        await redis.delete(keys.lease(keys.WEBHOOK_SCHEDULE, entry))
        later.offset_s += 20
        await second.deliver()
    assert [message.id for message in receiver.received] == [f"{game.id}.2.{hook['id']}"] * 2


async def test_webhooks_wait_while_the_store_is_away(receiver: WebhookReceiver, redis_url: str, redis: Redis) -> None:
    del redis  # it has emptied the server
    async with connect(redis_url) as store, run_instance(store) as one:
        game = await create_game(one.client)
        hook = await register_webhook(game, receiver.url)
        await store.client.aclose()
        await one.deliver()
        one.worker.wakeups.add(webhook_entry(game.id, hook["id"]))
        await one.join()
    assert receiver.received == []
