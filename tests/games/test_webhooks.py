"""Challenges and payloads of webhooks, and deliveries on the real store, by a clock that only the tests move."""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest
from redis.asyncio import Redis

from schemas.webhooks import RegisterKeyWebhook, RegisterWebhook, RotateSecret, Secret
from service.fair_queue import Requester
from service.games import webhook_delivery, webhook_payloads
from service.games.access import subject_of_key
from service.games.commands.webhooks import delete_webhook, register_webhook, retry_webhook, rotate_secret
from service.games.due_work import Wakeups, lease
from service.games.ports import (
    POSTPONED,
    RateLimit,
    SendResult,
    StoredDiff,
    WebhookRegistration,
    WebhookState,
    webhook_entry,
)
from service.games.webhook_delivery import (
    BUSY_DELAY_S,
    JITTER,
    LEASE_TTL_S,
    MAX_DELIVERIES,
    POSTPONED_DELAY_S,
    RETRY_DELAYS_S,
    WebhookDeliverer,
)
from service.games.webhook_owner import Owner
from service.games.webhook_payloads import (
    CHALLENGE_RETRY_DELAYS_S,
    CLIENT_RATE,
    SITE_RATE,
    KeyedRateLimiter,
    build_payload,
    generate_secret,
    is_correct_response,
    site_of_url,
)
from service.store import keys
from service.store.game_store import RedisStore
from service.store.schedule import GRACE_S
from service.telemetry.clock import DAY_S
from tests.api_key_fixture import add_api_key
from tests.games.game_fixture import Clock, GameFixture, new_game, process_due
from tests.polling import wait_until

RATE = RateLimit(2, 20)
CHALLENGE = "q0xIVUWK1cnpzjcsmm7h9s0Vd1i2k3TNfDTdJcGxOYs"


@pytest.fixture
def clock() -> Clock:
    return Clock(0.0)


def test_after_a_burst_there_is_one_per_interval(clock: Clock) -> None:
    limiter = KeyedRateLimiter(clock)
    assert [limiter.take({"a": RATE}) for _ in range(4)] == [0, 0, 10, 10]
    assert limiter.take({"b": RATE, "a": RATE}) == 10
    clock.now = 5.0
    assert limiter.take({"a": RATE}) == 5
    limiter.refund({"a": RATE, "c": RATE})
    assert [limiter.take({"a": RATE}), limiter.take({"a": RATE})] == [0, 5]
    assert [limiter.take({"b": RATE}) for _ in range(3)] == [0, 0, 10], "nothing was taken where another key had none"


@pytest.mark.parametrize("now", (59.324, 501.546, 2896.071134715))
def test_a_burst_is_whole_at_any_time(clock: Clock, now: float) -> None:
    clock.now = now
    limiter = KeyedRateLimiter(clock)
    for burst in (1, 20):
        rate = RateLimit(burst, 60 * burst)
        assert [limiter.take({f"{burst}": rate}) for _ in range(burst + 1)] == [0] * burst + [60]


def test_the_least_recently_used_key_is_forgotten(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_payloads, "MAX_KEYS", 2)
    limiter = KeyedRateLimiter(clock)
    for key in ("a", "b", "a", "c"):
        limiter.take({key: RATE})
    assert [*limiter._full_at] == ["a", "c"]


def test_a_response_may_begin_with_a_byte_order_mark() -> None:
    assert is_correct_response('{"challenge": "c"}'.encode("utf-8-sig"), "c")


@pytest.mark.parametrize(
    "body",
    (
        b"",
        b"\xff{",
        CHALLENGE.encode(),
        f'{{"type": "challenge", "challenge": "{CHALLENGE}"}}'.encode(),
        f'["{CHALLENGE}"]'.encode(),
        f'{{"challenge": "{CHALLENGE} "}}'.encode(),
        '{"challenge": "é"}'.encode(),
        b'{"challenge": null}',
        b'{"challenge": "' + b"x" * 43 + b'"}',
        b"[" * 100_000,
    ),
)
def test_only_the_challenge_itself_passes(body: bytes) -> None:
    assert is_correct_response(f' {{"challenge": "{CHALLENGE}"}}'.encode(), CHALLENGE)
    assert not is_correct_response(body, CHALLENGE)


@pytest.mark.parametrize(
    ("url", "expected"),
    (
        ("https://bot.example/x", "bot.example"),
        ("https://A.B.Bot.Example./x", "bot.example"),
        ("https://a.bot.co.uk:8443/", "bot.co.uk"),
        *(("https://a.bot.com.au/", "bot.com.au"), ("https://co.uk/", "co.uk")),
        *(("https://a.b.shop/", "b.shop"), ("https://192.0.2.77/", "192.0.2.0/24")),
        ("https://[2001:db8:1:2::3]:8443/", "2001:db8:1::/48"),
        ("http://localhost:1/", "localhost"),
    ),
)
def test_a_site_is_the_registered_domain_or_network(url: str, expected: str) -> None:
    assert site_of_url(url) == expected


PLACED = {"type": "tile_placed", "seat": 0, "tile": "cross", "x": 1, "y": 0, "rotation": 0}
TURN = {"type": "turn_started", "number": 2, "seat": 1}
DRAWN = {"type": "tile_drawn", "tile": "start"}
FUTURE = {"type": "volcano_erupted", "seat": 0, "ash": 3}


def make_diff(events: list[Any], decider: int | None = 0, seat: int | None = 0, phase: str = "islander") -> StoredDiff:
    """Return a change in which `seat` acted and after which `decider` decides."""
    begun = {"number": 1, "seat": 0, "decider": decider, "phase": phase, "tile": "t", "placed": None}
    turn = None if decider is None else begun
    received = {
        "type": "diff",
        "game": "g",
        "version": 7,
        "at": "2026-11-21T21:00:00Z",
        "digest": "0" * 32,
        "seat": seat,
        "move": None,
        "by": None,
        "events": events,
        "patch": [{"op": "add", "path": "/version", "value": 7}, {"op": "add", "path": "/turn", "value": turn}],
    }
    return StoredDiff(7, bytes(16), b"", "2026-11-21T21:00:00Z", msgspec.json.encode(received))


def build_message(change: StoredDiff, events: list[str] | None = None, seats: list[int] | None = None) -> Any:
    """Return the decoded message of a webhook, or None."""
    hook = WebhookRegistration("h", "https://bot.example/", events, seats, generate_secret(), "2026-11-21T21:00:00Z")
    message = build_payload(hook, change)
    return None if message is None else msgspec.json.decode(message.body)


def test_without_filters_a_message_has_the_whole_change() -> None:
    message = build_message(make_diff([PLACED, DRAWN, FUTURE]))
    assert (message["type"], message["data"]["events"]) == ("diff", [PLACED, DRAWN, FUTURE])
    assert message["data"]["next"] == {"seat": 0, "phase": "islander"}


def test_the_type_is_the_first_listed_event_of_the_change() -> None:
    change = make_diff([PLACED, TURN, DRAWN], decider=1)
    assert build_message(change, ["game_finished", "tile_drawn", "tile_placed"])["type"] == "tile_drawn"
    assert build_message(change, ["tile_placed", "tile_drawn"])["type"] == "tile_placed"
    assert build_message(change, ["tile_placed", "tile_drawn"])["data"]["events"] == [PLACED, DRAWN]
    assert build_message(change, ["game_finished"]) is None


def test_a_seat_filter_excludes_events_of_other_seats() -> None:
    change = make_diff([PLACED, TURN, DRAWN], decider=1)
    assert build_message(change, ["turn_started"], [1])["data"]["events"] == [TURN]
    assert build_message(change, ["turn_started"], [0, 2]) is None
    assert build_message(change, ["tile_placed", "tile_drawn"], [2])["data"]["events"] == [DRAWN]
    assert build_message(change, None, [2])["data"]["events"] == [DRAWN]
    assert build_message(make_diff([PLACED]), None, [2]) is None


@pytest.mark.parametrize(
    ("change", "decides"),
    (
        (make_diff([PLACED]), None),
        (make_diff([PLACED], decider=1, phase="take_ship"), 1),
        (make_diff([PLACED, TURN, DRAWN], decider=1), 1),
        (make_diff([{**TURN, "seat": 0}], decider=0), 0),
        (make_diff([{"type": "turn_timed_out", "seat": 0, "policy": "pass"}], decider=1, seat=None), 1),
        (make_diff([{"type": "game_aborted"}], decider=None, seat=None), None),
    ),
)
def test_a_decision_message_goes_to_the_next_decider(change: StoredDiff, decides: int | None) -> None:
    for seat in range(3):
        message = build_message(change, ["decision"], [seat])
        if seat != decides:
            assert message is None
        else:
            assert (message["type"], message["data"]["events"]) == ("decision", [])
            assert message["data"]["next"]["seat"] == seat


def is_secret(text: str) -> bool:
    """Return whether requests may have the secret."""
    try:
        msgspec.convert(text, Secret)
    except msgspec.ValidationError:
        return False
    return True


@pytest.mark.parametrize("length", (23, 24, 25, 26, 62, 63, 64, 65))
def test_a_secret_is_24_to_64_bytes(length: int) -> None:
    secret = "whsec_" + base64.b64encode(bytes(length)).decode()
    assert is_secret(secret) == (24 <= length <= 64)
    assert not is_secret(secret[:-1] + "~")
    assert not is_secret(secret + "A")


def test_a_generated_secret_is_valid_and_random() -> None:
    first, second = generate_secret(), generate_secret()
    assert is_secret(first)
    assert first != second
    assert len(first) == len("whsec_") + 44


URL = "https://bot.example/"


class Webhook:
    """The webhook of a game, its server, and what delivers to it."""

    def __init__(self, store: RedisStore, game: GameFixture, fraction: float = 0.5) -> None:
        self.game = game
        self.clock = game.clock
        self.clock.now += 60  # commits schedule by the real time
        self.webhooks, self.queue = store.webhooks, store.due_webhooks
        self.owner = Owner(game.id, 10, game.owner)
        self.deliverer = WebhookDeliverer(store, self, self.clock, random_fraction=lambda: fraction)
        self.turns, self.worker = self.deliverer.turns, self.deliverer.worker(Wakeups())
        self.id = ""
        self.sent: list[int] = []
        """The versions of the messages; 0 for a challenge."""
        self.was_due: list[bool] = []
        """Whether another instance would have continued after the lease, if this one had ended while it sent."""
        self.result = SendResult(204, None, 1)
        self.is_challenge_passed = True

    async def __call__(
        self, _url: str, _headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Receive a challenge, or a message."""
        message = msgspec.json.decode(body)
        now = int(self.clock())
        due = [await self.queue.list_due(at, 10) for at in (now, now + LEASE_TTL_S)]
        self.was_due.append([bool(hooks) for hooks in due] == [False, True])
        self.sent.append(0 if challenge else message["data"]["version"])
        if not challenge or self.result.error is not None:
            return self.result
        repeated = message["challenge"] if self.is_challenge_passed else "another"
        return SendResult(200, None, 1, msgspec.json.encode({"challenge": repeated}))

    async def register(self) -> None:
        """Register the webhook."""
        body = RegisterKeyWebhook(url=URL) if self.owner.is_key else RegisterWebhook(url=URL)
        created = await register_webhook(self.game.context, self.owner, body)
        self.id = created.response.registration.id

    async def deliver(self, after_s: float = 0) -> None:
        """Deliver what is due after some seconds."""
        self.clock.now += after_s
        await process_due(self.worker)

    async def state(self) -> WebhookState:
        """Return the stored state."""
        stored = await self.webhooks.get(self.game.id, self.id)
        assert stored is not None
        return stored.state

    async def due_in_s(self) -> int | None:
        """Return the seconds until the webhook is due; None if it is not scheduled."""
        for seconds in range(100):
            if await self.queue.list_due(int(self.clock()) + seconds, 10):
                return seconds
        return None


@pytest.fixture
async def webhook(store: RedisStore) -> Webhook:
    """Return a new webhook, whose challenge is due."""
    webhook = Webhook(store, await new_game(store))
    await webhook.register()
    return webhook


async def test_a_webhook_waits_for_the_turn_of_its_host_without_a_lease(webhook: Webhook) -> None:
    async with webhook.turns.slot(Requester(b"bot.example")):
        delivering = asyncio.create_task(webhook.deliver())
        await wait_until(lambda: webhook.turns.queue_length(attended=True) == 1)
        assert await webhook.due_in_s() == BUSY_DELAY_S, "another instance continues if this one ends"
        async with lease(webhook.queue, webhook_entry(webhook.game.id, webhook.id), 1):
            assert webhook.sent == []
    await delivering
    assert webhook.sent == [0]


async def test_a_webhook_that_is_deleted_while_it_waits_for_its_turn_gets_nothing(webhook: Webhook) -> None:
    async with webhook.turns.slot(Requester(b"bot.example")):
        delivering = asyncio.create_task(webhook.deliver())
        await wait_until(lambda: webhook.turns.queue_length(attended=True) == 1)
        await delete_webhook(webhook.game.context, webhook.owner, webhook.id)
    await delivering
    assert webhook.sent == []


async def test_a_webhook_that_waits_too_long_is_tried_again(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_delivery, "MAX_WAIT_S", 0.01)
    turns = webhook.turns
    async with turns.slot(Requester(b"bot.example")):
        await webhook.deliver()
        assert webhook.sent == []
    await webhook.deliver(BUSY_DELAY_S)
    assert webhook.sent == [0]
    assert not turns._used, "no host is remembered"


async def test_none_waits_in_the_process_if_too_many_do(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    async with webhook.turns.slot(Requester(b"bot.example")):
        monkeypatch.setattr(webhook.turns, "max_waiting", 0)
        await webhook.deliver()
    assert (webhook.sent, await webhook.due_in_s()) == ([], BUSY_DELAY_S)


async def test_only_so_many_deliveries_run_at_once(webhook: Webhook) -> None:
    turns, another = webhook.turns, Requester(b"another.example")
    async with AsyncExitStack() as taken:
        for number in range(MAX_DELIVERIES):
            assert turns.is_free(another)
            await taken.enter_async_context(turns.slot(Requester(b"%d.example" % number)))
        assert not turns.is_free(another)
    assert turns.is_free(another)


async def test_a_change_while_it_is_unscheduled_is_delivered(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an instance that cannot deliver it: a webhook is looked at once more a little later."""
    await webhook.deliver()
    reschedule = webhook.queue.reschedule

    async def act_and_reschedule(entry: str, now: int, until: int | None) -> None:
        if until is None and (await webhook.game.game()).version == 2:
            await webhook.game.act()
        await reschedule(entry, now, until)

    monkeypatch.setattr(webhook.queue, "reschedule", act_and_reschedule)
    await webhook.game.act()
    await webhook.deliver()
    await webhook.deliver(after_s=GRACE_S + 1)
    assert webhook.sent == [0, 2, 3]
    assert (await webhook.state()).delivered_version == 3


async def test_a_webhook_is_unscheduled_after_its_last_message_and_not_before(webhook: Webhook) -> None:
    await webhook.deliver()
    for _ in range(3):
        await webhook.game.act()
    await webhook.deliver()
    assert (webhook.sent, webhook.was_due) == ([0, 2, 3, 4], [True] * 4)
    await webhook.deliver(after_s=GRACE_S + 1)
    assert await webhook.due_in_s() is None


async def test_the_webhook_of_an_api_key_is_unscheduled_after_its_challenge(store: RedisStore) -> None:
    await add_api_key(store)
    webhook = Webhook(store, await new_game(store))
    webhook.owner = Owner(subject_of_key("discord-bot"), 10)
    await webhook.register()
    await webhook.deliver()
    assert (webhook.sent, webhook.was_due) == ([0], [True])
    await webhook.deliver(after_s=GRACE_S + 1)
    assert await webhook.due_in_s() is None


@pytest.mark.parametrize(("fraction", "factor"), ((0.0, 1 - JITTER), (0.5, 1.0), (1.0, 1 + JITTER)))
@pytest.mark.parametrize(("delays_s", "reason"), ((RETRY_DELAYS_S, "failing"), (CHALLENGE_RETRY_DELAYS_S, "unproven")))
async def test_retries_wait_longer_each_time_until_the_last(
    store: RedisStore, fraction: float, factor: float, delays_s: Sequence[float], reason: str
) -> None:
    webhook = Webhook(store, await new_game(store), fraction)
    await webhook.register()
    if reason == "failing":
        await webhook.deliver()
        await webhook.game.act()
    webhook.sent.clear()
    webhook.result = SendResult(500, "status", 1)
    for number, delay_s in enumerate(delays_s, 1):
        await webhook.deliver()
        state = await webhook.state()
        assert (state.failures, state.next_attempt_at) == (number, int(webhook.clock() + delay_s * factor))
        await webhook.deliver(after_s=int(delay_s * factor) - 1)
        assert len(webhook.sent) == number, "it is too early"
        webhook.clock.now += 1
    await webhook.deliver()
    state = await webhook.state()
    assert (state.failures, state.next_attempt_at, state.disabled_reason) == (len(delays_s) + 1, None, reason)
    await webhook.game.act()
    await webhook.deliver(after_s=100_000)
    assert len(webhook.sent) == len(delays_s) + 1


async def test_a_postponed_challenge_is_no_failure(webhook: Webhook) -> None:
    webhook.result = SendResult(None, POSTPONED, 0)
    await webhook.deliver()
    assert (await webhook.state()).failures == 0
    webhook.result = SendResult(204, None, 1)
    await webhook.deliver(after_s=POSTPONED_DELAY_S - 1)
    assert webhook.sent == [0]
    await webhook.deliver(after_s=1)
    assert (webhook.sent, (await webhook.state()).is_active) == ([0, 0], True)


@pytest.mark.parametrize("is_passed", (True, False))
async def test_a_passed_challenge_is_refunded(webhook: Webhook, *, is_passed: bool) -> None:
    webhook.is_challenge_passed = is_passed
    for _ in range(SITE_RATE.quota + 1):
        await webhook.deliver()
        await delete_webhook(webhook.game.context, webhook.owner, webhook.id)
        await webhook.register()
    assert len(webhook.sent) == (SITE_RATE.quota + 1 if is_passed else CLIENT_RATE.quota)


async def test_a_webhook_that_is_being_delivered_to_is_not_retried(webhook: Webhook) -> None:
    async with lease(webhook.queue, webhook_entry(webhook.game.id, webhook.id), 60):
        retried = await retry_webhook(webhook.game.context, webhook.owner, webhook.id, None)
    assert retried.response.state == await webhook.state()


async def test_an_expired_lease_ends_a_delivery(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another instance may have delivered more since."""
    await webhook.deliver()
    await webhook.game.act()
    await webhook.game.act()
    monkeypatch.setattr(webhook.webhooks, "save", AsyncMock(return_value=False))
    await webhook.deliver()
    assert webhook.sent == [0, 2]


async def test_what_was_accepted_during_a_pause_is_not_sent_again(
    webhook: Webhook, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease expired while the answer lay unread, and nobody else has delivered since."""
    await webhook.deliver()
    await webhook.game.act()
    entry = webhook_entry(webhook.game.id, webhook.id)

    async def send(*arguments: Any, **options: Any) -> SendResult:
        result = await webhook(*arguments, **options)
        await redis.delete(keys.lease(keys.WEBHOOK_SCHEDULE, entry))
        webhook.clock.now += 2 * LEASE_TTL_S
        return result

    monkeypatch.setattr(webhook.deliverer, "send", send)
    await webhook.deliver()
    await webhook.deliver()
    assert webhook.sent == [0, 2]
    assert (await webhook.state()).delivered_version == 2


async def test_a_change_whose_lease_expired_during_a_pause_is_tried_again(
    webhook: Webhook, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook.result = SendResult(500, "status", 1)
    await webhook.deliver()
    leased, schedule = (
        keys.lease(keys.WEBHOOK_SCHEDULE, webhook_entry(webhook.game.id, webhook.id)),
        webhook.queue.schedule,
    )

    async def pause(*arguments: Any) -> bool:
        monkeypatch.undo()
        await redis.delete(leased)
        return await schedule(*arguments)

    monkeypatch.setattr(webhook.queue, "schedule", pause)
    await retry_webhook(webhook.game.context, webhook.owner, webhook.id, None)
    assert (await webhook.state()).failures == 0


async def test_a_rotated_secret_is_stored_for_a_day_beside_the_one_before_alone(webhook: Webhook) -> None:
    rotated = [
        (await rotate_secret(webhook.game.context, webhook.owner, webhook.id, None, RotateSecret())).response
        for _ in range(2)
    ]
    stored = await webhook.webhooks.get(webhook.game.id, webhook.id)
    assert stored is not None
    first, second = [one.registration.secret for one in rotated]
    for after_s, secrets in ((DAY_S - 1, [second, first]), (DAY_S, [second])):
        assert stored.registration.secrets(int(webhook.clock()) + after_s) == secrets
