"""A server receives only a few challenges until it confirms a webhook."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web
from standardwebhooks import Webhook

from service.games import webhook_payloads
from service.games.webhook_payloads import CHALLENGE_RETRY_DELAYS_S, CLIENT_RATE, SITE_RATE
from service.web.outbound import CHALLENGES_PER_ADDRESS, open_webhook_sender
from tests.web.webhook_owner import GameOwner, WebhookOwner
from tests.web.webhook_receiver import LOCAL_LIMITS, SECRET, OffsetClock, WebhookReceiver, repeat_challenge

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
    limits, rates_of, sent = webhook_payloads.KeyedRateLimiter(later), webhook_payloads.challenge_rates, 0
    for second in range(600):
        clients = (rates_of(f"client {number}", "https://a.victim.example/") for number in range(50))
        sent += sum(not limits.take(rates) for rates in clients)
        later.offset_s = second
    assert SITE_RATE.quota <= sent <= SITE_RATE.quota + 600 * SITE_RATE.quota / SITE_RATE.window_s + 2
    assert limits.take(rates_of("client", "https://other.example/")) == 0


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
