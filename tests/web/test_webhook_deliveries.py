"""Messages are delivered at least once, in order and signed."""

import asyncio

import pytest
from redis.asyncio import Redis
from standardwebhooks import Webhook, WebhookVerificationError

from service.games.webhooks.sender import SendResult
from service.store import keys
from tests.web.http_game import create_game
from tests.web.webhook_receiver import (
    SECRET,
    OffsetClock,
    WebhookInstance,
    WebhookReceiver,
    list_message_attempts,
    read_webhook,
    register_webhook,
)


async def test_a_change_is_delivered_at_once_with_a_valid_signature(
    one: WebhookInstance, receiver: WebhookReceiver
) -> None:
    game = await create_game(one.client, first_seat=0)
    hook = await register_webhook(game, receiver.url, secret=SECRET)
    acted = await game.act_successfully()
    await one.dispatcher.join()
    (received,) = receiver.received
    assert Webhook(SECRET).verify(received.body, received.headers) == received.message
    with pytest.raises(WebhookVerificationError):
        Webhook(hook["secret"]).verify(received.body + b" ", received.headers)
    (diff,) = acted["diffs"]
    assert received.headers["content-type"] == "application/json"
    assert received.id == f"{game.id}.2.{hook['id']}"
    assert received.message == {
        "type": "diff",
        "timestamp": diff["at"],
        "data": {
            **{name: diff[name] for name in ("game", "version", "digest", "seat", "move", "by", "events")},
            "next": acted["next"],
        },
    }
    (attempt,) = await list_message_attempts(game, hook)
    assert attempt == {
        "id": received.id,
        "version": 2,
        "type": "diff",
        "attempt": 1,
        "at": attempt["at"],
        "delivered": True,
        "status": 204,
        "error": None,
        "latency_ms": attempt["latency_ms"],
    }
    assert (await read_webhook(game, hook))["delivered_version"] == 2


async def test_only_the_selected_events_and_seats_are_delivered(
    one: WebhookInstance, receiver: WebhookReceiver
) -> None:
    game = await create_game(one.client, first_seat=0, seed="tides")
    await register_webhook(game, receiver.url, events=["game_aborted", "turn_started"], seats=[1])
    while (await game.get_json())["turn"]["number"] < 5:
        await game.act_successfully()
    await game.delete()
    await one.dispatcher.join()
    received = [(one.message["type"], one.message["data"]["events"]) for one in receiver.received]
    assert received == [
        ("turn_started", [{"type": "turn_started", "number": 2, "seat": 1}]),
        ("turn_started", [{"type": "turn_started", "number": 4, "seat": 1}]),
        ("game_aborted", [{"type": "game_aborted"}]),
    ]
    assert [one.message["data"]["next"]["seat"] for one in receiver.received] == [1, 1, None]


async def test_every_change_is_delivered_in_order(one: WebhookInstance, receiver: WebhookReceiver) -> None:
    game = await create_game(one.client)
    hook = await register_webhook(game, receiver.url)
    for _ in range(30):
        await game.act_successfully()
    await one.dispatcher.join()
    assert receiver.versions == [*range(2, 32)]
    assert len({message.id for message in receiver.received}) == 30
    assert len(await list_message_attempts(game, hook)) == 30


async def test_a_change_without_a_selected_event_is_skipped(one: WebhookInstance, receiver: WebhookReceiver) -> None:
    game = await create_game(one.client)
    hook = await register_webhook(game, receiver.url, events=["game_finished"])
    await game.act_successfully()
    await one.dispatcher.join()
    assert receiver.received == []
    assert (await read_webhook(game, hook))["delivered_version"] == 2


async def test_a_failed_delivery_is_retried_with_the_same_message(
    one: WebhookInstance, receiver: WebhookReceiver, later: OffsetClock
) -> None:
    game = await create_game(one.client)
    hook = await register_webhook(game, receiver.url)
    receiver.statuses = [500, 429]
    await game.act_successfully()
    await one.deliver()
    await game.act_successfully()
    await one.deliver()
    assert receiver.versions == [2]
    waiting = await read_webhook(game, hook)
    assert (waiting["failures"], waiting["delivered_version"], waiting["status"]) == (1, 1, "active")
    assert waiting["next_attempt_at"] is not None
    later.offset_s += 6
    await one.deliver()
    assert receiver.versions == [2, 2]
    later.offset_s += 6
    await one.deliver()
    assert receiver.versions == [2, 2]
    later.offset_s += 30
    await one.deliver()
    assert receiver.versions == [2, 2, 2, 3]
    first, second, third, _ = receiver.received
    assert (first.id, first.body) == (second.id, second.body) == (third.id, third.body)
    assert first.headers["webhook-timestamp"] < third.headers["webhook-timestamp"]
    attempts = [
        (attempted["version"], attempted["attempt"], attempted["status"], attempted["error"])
        for attempted in await list_message_attempts(game, hook)
    ]
    assert attempts == [(3, 1, 204, None), (2, 3, 204, None), (2, 2, 429, "status"), (2, 1, 500, "status")]
    finished = await read_webhook(game, hook)
    assert (finished["failures"], finished["delivered_version"], finished["next_attempt_at"]) == (0, 3, None)


@pytest.mark.parametrize(("answers", "attempts", "reason"), (([410], 1, "gone"), ([500, 302, 404, 200], 3, "failing")))
async def test_a_webhook_is_disabled_after_the_last_retry(
    one: WebhookInstance, receiver: WebhookReceiver, later: OffsetClock, answers: list[int], attempts: int, reason: str
) -> None:
    game = await create_game(one.client)
    hook = await register_webhook(game, receiver.url)
    receiver.statuses = [*answers]
    await game.act_successfully()
    for _ in range(6):
        await one.deliver()
        later.offset_s += 60
    webhook = await read_webhook(game, hook)
    assert (webhook["status"], webhook["disabled_reason"], webhook["next_attempt_at"]) == ("disabled", reason, None)
    await game.act_successfully()
    await one.deliver()
    assert receiver.versions == [2] * attempts
    assert len(await list_message_attempts(game, hook)) == attempts
    retried = await game.post(f"/webhooks/{hook['id']}/retry")
    assert (retried.status, (await retried.json())["status"], (await retried.json())["failures"]) == (200, "active", 0)
    receiver.statuses = []
    await one.dispatcher.join()
    assert receiver.versions == [*[2] * attempts, 2, 3]
    assert (await list_message_attempts(game, hook))[1]["attempt"] == 1


async def test_a_failing_webhook_is_logged_and_does_not_affect_others(
    one: WebhookInstance, receiver: WebhookReceiver, later: OffsetClock, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = await create_game(one.client), await create_game(one.client)
    hook = await register_webhook(first, receiver.url)
    await register_webhook(second, receiver.url)
    await one.deliver()
    later.offset_s += 2
    await one.deliver()
    one.expected_failures = 1
    resources = one.dispatcher._resources
    send, resources.send = resources.send, _failing
    await first.act_successfully()
    await one.dispatcher.join()
    resources.send = send
    await second.act_successfully()
    await one.dispatcher.join()
    assert len(receiver.received) == 1
    assert hook["id"] in caplog.text
    await redis.delete(keys.webhook_lease(first.id, hook["id"]))
    later.offset_s += 80
    await one.deliver()
    assert len(receiver.received) == 2


async def _failing(*_: object, **__: object) -> SendResult:
    raise KeyError("a mistake of ours")


async def test_deliveries_in_progress_end_with_the_dispatcher(
    one: WebhookInstance, receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    sending = asyncio.Event()

    async def hang(*_: object, **__: object) -> SendResult:
        sending.set()
        return await asyncio.Future()

    monkeypatch.setattr(one.dispatcher._resources, "send", hang)
    await register_webhook(await create_game(one.client), receiver.url)
    await one.dispatcher.dispatch_due()
    async with asyncio.timeout(5):
        await sending.wait()
        await one.dispatcher.aclose()
    assert len(one.dispatcher) == 0


async def test_deleting_a_webhook_stops_its_deliveries(
    one: WebhookInstance, receiver: WebhookReceiver, later: OffsetClock, redis: Redis
) -> None:
    game = await create_game(one.client)
    hook = await register_webhook(game, receiver.url)
    receiver.statuses = [500]
    await game.act_successfully()
    await one.deliver()
    await game.delete(f"/webhooks/{hook['id']}")
    later.offset_s += 60
    await game.act_successfully()
    await one.deliver()
    assert receiver.versions == [2]
    seen_before = 1_000_000_000.5
    await redis.zadd(keys.WEBHOOK_SCHEDULE, {f"{game.id} {hook['id']}": seen_before})
    await one.deliver()
    assert await redis.zcard(keys.WEBHOOK_SCHEDULE) == 0
