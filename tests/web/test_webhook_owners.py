"""What holds for the webhooks of games, of seats and of API keys alike.

A server receives only a few challenges until it confirms a webhook.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web
from standardwebhooks import Webhook

from service.games.webhook_payloads import CHALLENGE_RETRY_DELAYS_S, CLIENT_RATE, SITE_RATE, ChallengeRateLimiter
from service.store.game_store import RedisStore
from service.web.limits import Limits
from service.web.outbound import CHALLENGES_PER_ADDRESS, open_webhook_sender
from tests.api_key_fixture import add_api_key
from tests.web.http_game import check_problem
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
    assert created == {
        "id": created["id"],
        **chosen,
        "created_at": created["created_at"],
        "status": "pending",
        "disabled_reason": None,
        "failures": 0,
        "next_attempt_at": None,
        **of_kind,
    }
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


async def test_concurrent_registrations_with_one_key_create_one_webhook(
    owner: WebhookOwner, receiver: WebhookReceiver
) -> None:
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
    waiting = await owner.read(webhook)
    assert receiver.received == []
    assert (waiting["status"], waiting["failures"]) == ("pending", 1)
    assert waiting["next_attempt_at"] is not None
    receiver.challenge_response = repeat_challenge
    owner.clock.offset_s += 7
    await owner.deliver_all()
    assert receiver.versions == [*([1] if isinstance(owner, KeyHolder) else []), 2, 3, 4]
    first, second = receiver.challenges
    assert first.id != second.id
    assert first.message["challenge"] != second.message["challenge"]
    assert (await owner.read(webhook))["status"] == "active"


async def test_a_retry_with_an_idempotency_key_is_applied_once_in_a_day(
    owner: WebhookOwner, receiver: WebhookReceiver
) -> None:
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
    assert {**got.message, "timestamp": "", "challenge": ""} == {
        "type": "challenge",
        "timestamp": "",
        "challenge": "",
        "game": game_owner.game.id,
        "webhook": hook["id"],
    }
    assert len(got.message["challenge"]) >= 43
    (attempt,) = await game_owner.deliveries(hook)
    assert (attempt["id"], attempt["type"], attempt["version"]) == (got.id, "challenge", 1)
    assert (attempt["delivered"], attempt["status"], attempt["error"]) == (True, 200, None)
    await game_owner.act(game_owner.game)
    assert (len(receiver.challenges), receiver.versions) == (1, [2])


@pytest.mark.parametrize(
    "answer",
    (
        lambda message: web.Response(text=message["challenge"]),
        lambda message: web.Response(text=" " * 2000 + json.dumps({"challenge": message["challenge"]})),
    ),
)
async def test_a_webhook_whose_challenge_is_not_repeated_stays_pending(
    game_owner: GameOwner, receiver: WebhookReceiver, answer: Callable[[dict[str, Any]], web.Response]
) -> None:
    receiver.challenge_response = answer
    hook = await game_owner.register()
    await game_owner.act(game_owner.game)
    assert [(attempted["error"], attempted["delivered"]) for attempted in await game_owner.deliveries(hook)] == [
        ("wrong_answer", False)
    ]
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


async def test_unwanted_challenges_per_site_are_limited(game_owner: GameOwner, receiver: WebhookReceiver) -> None:
    """Even if clients register, retry and delete webhooks as often as they can."""
    receiver.challenge_response = lambda _: web.Response(status=404)
    hooks = [await game_owner.register() for _ in range(10)]
    for _ in range(30):
        for hook in hooks:
            await game_owner.send_command(hook, "retry")
        await game_owner.deliver()
        game_owner.clock.offset_s += 2
    assert CLIENT_RATE.quota <= len(receiver.challenges) <= CLIENT_RATE.quota + 2
    assert {(await game_owner.read(hook))["status"] for hook in hooks} == {"pending"}


def test_unwanted_challenges_of_all_clients_are_limited() -> None:
    later = OffsetClock()
    limits = ChallengeRateLimiter(later)
    sent = 0
    for second in range(600):
        sent += sum(not limits.take(f"client {number}", "https://a.victim.example/") for number in range(50))
        later.offset_s = second
    assert SITE_RATE.quota <= sent <= SITE_RATE.quota + 600 * SITE_RATE.quota / SITE_RATE.window_s + 2
    assert limits.take("client", "https://other.example/") == 0


async def test_unwanted_challenges_per_address_are_limited(receiver: WebhookReceiver) -> None:
    message = b'{"type": "challenge", "challenge": "c"}'
    port = receiver.url.split(":")[2].split("/")[0]
    async with open_webhook_sender(LOCAL_LIMITS) as send:
        sent = [
            await send(f"http://{number}.localhost:{port}/hook", {}, message, challenge=True)
            for number in range(CHALLENGES_PER_ADDRESS.quota + 20)
        ]
        plain = await send(receiver.url, {}, message)
    assert sent[-1].error == "postponed"
    assert len(receiver.challenges) <= CHALLENGES_PER_ADDRESS.quota + 10
    assert plain.error is None, "what is proven is not counted"
