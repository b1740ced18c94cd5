"""The dispatcher on the real store: leases, turns, retries and challenges, by a clock that only the tests move."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack

import msgspec
import pytest

from schemas.webhooks import RegisterKeyWebhook, RegisterWebhook, RotateSecret
from service.games import webhook_delivery
from service.games.commands.webhooks import RegistrationRequest, delete_webhook, register_webhook, rotate_secret
from service.games.ports import POSTPONED, SendResult, StoredWebhook, WebhookChange, WebhookState
from service.games.webhook_delivery import (
    BUSY_DELAY_S,
    JITTER,
    LEASE_TTL_S,
    MAX_DELIVERIES,
    POSTPONED_DELAY_S,
    RETRY_DELAYS_S,
    HostTurns,
    WebhookDispatcher,
)
from service.games.webhook_owner import owner_by_key, owner_by_token
from service.games.webhook_payloads import CHALLENGE_RETRY_DELAYS_S, CLIENT_RATE
from service.store.game_store import RedisStore
from service.store.schedule import GRACE_S
from service.store.webhooks import RedisWebhookStore
from tests.api_key_fixture import add_api_key
from tests.games.game_fixture import GameFixture, new_game
from tests.polling import wait_until

URL = "https://bot.example/"


class Webhook:
    """The webhook of a game, its server, and the dispatcher that delivers to it."""

    def __init__(self, store: RedisStore, game: GameFixture, fraction: float = 0.5) -> None:
        self.game = game
        self.clock = game.clock
        self.clock.now += 60  # commits schedule by the real time
        store.webhooks = self.webhooks = RedisWebhookStore(store._client, self.clock)
        self.owner = owner_by_token(game.id, game.owner, 10)
        self.dispatcher = WebhookDispatcher(store, self, self.clock, random_fraction=lambda: fraction)
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
        due = [await self.webhooks.list_due(at, 10) for at in (now, now + LEASE_TTL_S)]
        self.was_due.append([bool(hooks) for hooks in due] == [False, True])
        self.sent.append(0 if challenge else message["data"]["version"])
        if not challenge or self.result.error is not None:
            return self.result
        repeated = message["challenge"] if self.is_challenge_passed else "another"
        return SendResult(200, None, 1, msgspec.json.encode({"challenge": repeated}))

    async def register(self) -> None:
        """Register the webhook."""
        body = RegisterWebhook(url=URL) if self.owner.api_key is None else RegisterKeyWebhook(url=URL)
        created = await register_webhook(self.game.context, self.owner, RegistrationRequest(body))
        self.id = created.response.id

    async def deliver(self, after_s: float = 0) -> None:
        """Deliver what is due after some seconds."""
        self.clock.now += after_s
        await self.dispatcher.dispatch_due()
        await self.dispatcher.join()

    async def state(self) -> WebhookState:
        """Return the stored state."""
        stored = await self.webhooks.get(self.game.id, self.id)
        assert stored is not None
        return stored.state

    async def due_in_s(self) -> int | None:
        """Return the seconds until the webhook is due; None if it is not scheduled."""
        for seconds in range(100):
            if await self.webhooks.list_due(int(self.clock()) + seconds, 10):
                return seconds
        return None


@pytest.fixture
async def webhook(store: RedisStore) -> Webhook:
    """Return a new webhook, whose challenge is due."""
    webhook = Webhook(store, await new_game(store))
    await webhook.register()
    return webhook


async def test_a_webhook_waits_for_the_turn_of_its_host_without_a_lease(webhook: Webhook) -> None:
    async with webhook.dispatcher._turns.take("bot.example"):
        await webhook.dispatcher.dispatch_due()
        await wait_until(lambda: webhook.dispatcher._turns._hosts["bot.example"]._waiters)
        assert await webhook.due_in_s() == BUSY_DELAY_S, "another instance continues if this one ends"
        lease = await webhook.webhooks.acquire_lease(webhook.game.id, webhook.id, "another", 1)
        assert isinstance(lease, StoredWebhook)
        await webhook.webhooks.save(webhook.game.id, webhook.id, "another", WebhookChange(lease.state))
        assert webhook.sent == []
    await webhook.dispatcher.join()
    assert webhook.sent == [0]


async def test_a_webhook_that_waits_too_long_is_tried_again(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_delivery, "MAX_WAIT_S", 0.01)
    turns = webhook.dispatcher._turns
    async with turns.take("bot.example"):
        await webhook.deliver()
        assert webhook.sent == []
    await webhook.deliver(BUSY_DELAY_S)
    assert webhook.sent == [0]
    assert not turns._hosts, "no host is remembered"


async def test_none_waits_in_the_process_if_too_many_do(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_delivery, "MAX_WAITING", 0)
    async with webhook.dispatcher._turns.take("bot.example"):
        await webhook.deliver()
    assert (webhook.sent, await webhook.due_in_s()) == ([], BUSY_DELAY_S)


async def test_only_so_many_deliveries_run_at_once() -> None:
    turns = HostTurns()
    async with AsyncExitStack() as taken:
        for number in range(MAX_DELIVERIES):
            assert turns.is_free(f"{number}.example")
            await taken.enter_async_context(turns.take(f"{number}.example"))
        assert not turns.is_free("another.example")
    assert turns.is_free("another.example")


async def test_a_change_while_the_webhook_is_unscheduled_is_delivered(
    webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an instance that cannot deliver it: the log is read once more afterwards."""
    await webhook.deliver()
    reschedule = webhook.webhooks.reschedule

    async def act_and_reschedule(subject: str, webhook_id: str, until: int | None) -> None:
        if until is None and (await webhook.game.game()).version == 2:
            await webhook.game.act()
        await reschedule(subject, webhook_id, until)

    monkeypatch.setattr(webhook.webhooks, "reschedule", act_and_reschedule)
    await webhook.game.act()
    await webhook.deliver()
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
    webhook.owner = owner_by_key("discord-bot", 10)
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


async def test_nothing_is_sent_before_the_challenge_is_passed(webhook: Webhook) -> None:
    webhook.is_challenge_passed = False
    await webhook.game.act()
    await webhook.deliver()
    assert (webhook.sent, (await webhook.state()).failures) == ([0], 1)
    webhook.is_challenge_passed = True
    await webhook.deliver(after_s=CHALLENGE_RETRY_DELAYS_S[0])
    assert webhook.sent == [0, 0, 2]


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
    for _ in range(CLIENT_RATE.quota + 1):
        await webhook.deliver()
        await delete_webhook(webhook.game.context, webhook.owner, webhook.id)
        await webhook.register()
    assert webhook.sent == [0] * (CLIENT_RATE.quota + is_passed)


async def test_an_expired_lease_ends_a_delivery(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another instance may have delivered more since."""
    await webhook.deliver()
    await webhook.game.act()
    await webhook.game.act()

    async def expire(*_: object, **__: object) -> bool:
        return False

    monkeypatch.setattr(webhook.webhooks, "save", expire)
    await webhook.deliver()
    assert webhook.sent == [0, 2]


async def test_a_rotated_secret_is_stored_beside_the_one_before(webhook: Webhook) -> None:
    before = await webhook.webhooks.get(webhook.game.id, webhook.id)
    rotated = await rotate_secret(webhook.game.context, webhook.owner, webhook.id, None, RotateSecret())
    after = await webhook.webhooks.get(webhook.game.id, webhook.id)
    assert before is not None
    assert after is not None
    assert after.registration.secrets(int(webhook.clock())) == [rotated.response.secret, before.registration.secret]
