"""The dispatcher: delivers each message at least once, in the order of the changes, from whichever instance is free.

The game's log is the source of truth: a webhook's state says how far it is delivered. A commit of a game with webhooks
schedules them beforehand, so that no change is lost when an instance dies. A dispatcher leases a webhook while it
delivers, so that no other instance sends the same. After a crash, the lease expires and another instance may repeat a
message. A failed message is retried with growing delays, and delays those behind it. Before any message, the server
must have answered a challenge (see `challenges`).
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from uuid import uuid4

import msgspec

from service.games.game_failures import record_failure
from service.games.ports import GameStore, StoreUnavailable
from service.games.timestamps import timestamp, unix_seconds
from service.games.webhooks.challenges import (
    CHALLENGE_RETRY_DELAYS_S,
    ChallengeRateLimiter,
    create_challenge,
    is_correct_response,
)
from service.games.webhooks.delivery_slots import DeliverySlot, DeliverySlots, HostStatus
from service.games.webhooks.payloads import WebhookPayload, build_payload, signature_headers
from service.games.webhooks.port import (
    DeliveryAttempt,
    LeaseTaken,
    StoredWebhook,
    WebhookNotFound,
    WebhookRegistration,
    WebhookState,
)
from service.games.webhooks.sender import POSTPONED, TIMEOUT, WRONG_ANSWER, SendResult, WebhookSender
from service.supervision import spawn
from service.telemetry.log_context import LOG_CONTEXT, DueGameContext
from service.telemetry.metrics import WEBHOOK_ATTEMPTS, WEBHOOK_CHALLENGES, WEBHOOK_DELAY, WEBHOOKS_DISABLED
from service.telemetry.throttled_log import ThrottledLog

logger = logging.getLogger(__name__)
_throttled_log = ThrottledLog(logger)

RETRY_DELAYS_S: tuple[float, ...] = (5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""Delay before each retry of a message; after the last, at the end of a day, the webhook is disabled."""

JITTER = 0.2
"""Fraction by which a delay varies at random, so that retries spread."""

LEASE_TTL_S = 14
"""Duration of a lease; longer than an attempt may take."""

LOG_BATCH_SIZE = 50
DUE_BATCH_SIZE = 100
NO_SLOT_DELAY_S = 1
"""Delay before a webhook without a delivery slot is tried again."""

SLOW_HOST_DELAY_RANGE_S = (10, 15)
"""The same for a slow host: a random delay in this range."""

FAILURE_DELAY_S = 60
"""Delay after a failure that is not the server's."""

POSTPONED_DELAY_S = 60
"""Delay before a challenge that the sender postponed is tried again."""


@dataclass
class _Delivery:
    """A leased webhook that has a slot, and its state after the attempts so far."""

    game: str
    webhook: WebhookRegistration
    state: WebhookState
    slot: DeliverySlot


class WebhookDispatcher:
    """The deliveries of one instance."""

    def __init__(
        self,
        store: GameStore,
        send: WebhookSender,
        clock: Callable[[], float],
        *,
        retry_delays_s: Sequence[float] = RETRY_DELAYS_S,
        slots: DeliverySlots | None = None,
        random_fraction: Callable[[], float] = random.random,
    ) -> None:
        self._store = store
        self._send = send
        self._clock = clock
        self._retry_delays_s = retry_delays_s
        self._random_fraction = random_fraction
        self._holder = uuid4().hex
        self._slots = slots or DeliverySlots()
        self._challenge_limiter = ChallengeRateLimiter(clock)
        self._in_progress: dict[tuple[str, str], bool] = {}
        """Webhooks in progress, and whether they were dispatched again since."""
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Return the number of webhooks in progress."""
        return len(self._in_progress)

    def dispatch(self, game: str, webhook_ids: Sequence[str]) -> None:
        """Start delivering to these webhooks of a game, after a commit of this instance."""
        for webhook_id in webhook_ids:
            if (game, webhook_id) in self._in_progress:
                self._in_progress[game, webhook_id] = True
                continue
            self._in_progress[game, webhook_id] = False
            task = spawn("webhook-delivery", self._process(game, webhook_id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def run(self, every_s: float = 1.0) -> None:
        """Deliver to due webhooks until cancelled, including those that another instance left behind."""
        try:
            while True:
                await self.dispatch_due()
                await asyncio.sleep(every_s)
        finally:
            await self.aclose()

    async def dispatch_due(self) -> None:
        """Start delivering to all due webhooks, without waiting for them."""
        try:
            for game, webhook_id in await self._store.webhooks.list_due(int(self._clock()), DUE_BATCH_SIZE):
                self.dispatch(game, [webhook_id])
        except StoreUnavailable as unavailable:
            logger.warning("the store is unavailable, webhooks are delayed: %s", unavailable)

    async def join(self) -> None:
        """Wait until no delivery of this instance is in progress."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def aclose(self) -> None:
        """Cancel the deliveries in progress; they will be repeated."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _process(self, game: str, webhook_id: str) -> None:
        """Deliver to a webhook, and again if it was dispatched meanwhile; postpone it if that fails."""
        LOG_CONTEXT.set(DueGameContext(game))
        key, is_dispatched = (game, webhook_id), True
        try:
            try:
                while is_dispatched:
                    self._in_progress[key] = False
                    await self._deliver_webhook(game, webhook_id)
                    is_dispatched = self._in_progress[key]
            except StoreUnavailable:
                raise
            except Exception as error:  # noqa: BLE001  one failing webhook must not be retried in a loop
                record_failure("webhooks", game, error, f"its webhook {webhook_id} is retried in {FAILURE_DELAY_S} s")
                await self._store.webhooks.reschedule(game, webhook_id, int(self._clock()) + FAILURE_DELAY_S)
        except StoreUnavailable as unavailable:
            _throttled_log.warning("the store is unavailable, a webhook of game %s is delayed: %s", game, unavailable)
        finally:
            del self._in_progress[key]

    async def _deliver_webhook(self, game: str, webhook_id: str) -> None:
        """Deliver the pending messages of a webhook, if it is due and not leased."""
        webhooks = self._store.webhooks
        now = int(self._clock())
        match await webhooks.acquire_lease(game, webhook_id, self._holder, LEASE_TTL_S):
            case WebhookNotFound():
                await webhooks.reschedule(game, webhook_id, None)
            case LeaseTaken():
                await webhooks.schedule(game, [webhook_id], now + 1)
            case StoredWebhook(webhook, state):
                if _is_waiting(state, now):
                    await self._release(game, webhook, state, now)
                elif (slot := self._slots.acquire(webhook.url)) is None:
                    await self._release(game, webhook, state, now)
                    await webhooks.reschedule(game, webhook_id, now + self._delay_without_slot_s(webhook.url))
                else:
                    with slot:
                        await webhooks.reschedule(game, webhook_id, now + LEASE_TTL_S)
                        delivery = _Delivery(game, webhook, state, slot)
                        if await self._deliver_pending(delivery):
                            await self._release(game, webhook, delivery.state, now)

    def _delay_without_slot_s(self, url: str) -> int:
        """Return the delay before a webhook that got no slot is tried again."""
        if self._slots.host_status(url) is not HostStatus.SLOW:
            return NO_SLOT_DELAY_S
        shortest, longest = SLOW_HOST_DELAY_RANGE_S
        return int(shortest + (longest - shortest) * self._random_fraction())

    async def _release(self, game: str, webhook: WebhookRegistration, state: WebhookState, now: int) -> None:
        if _is_waiting(state, now):
            await self._store.webhooks.reschedule(game, webhook.id, state.next_attempt_at)
        await self._store.webhooks.save_state(
            game, state, None, webhook_id=webhook.id, holder=self._holder, seconds=None
        )

    async def _deliver_pending(self, delivery: _Delivery) -> bool:
        """Send the challenge or the pending messages of a leased webhook; return False if the lease was lost."""
        if delivery.state.pending_client is not None and not await self._send_challenge(delivery):
            return False
        return delivery.state.pending_client is not None or await self._deliver_log(delivery)

    async def _deliver_log(self, delivery: _Delivery) -> bool:
        """Deliver to the end of the log or the first failure; return False if the lease was lost.

        At the end the webhook is unscheduled, and then the log is read once more: a later change schedules it again.
        """
        game, webhook = delivery.game, delivery.webhook
        is_unscheduled = False
        while True:
            diffs = await self._store.load_diffs(game, delivery.state.delivered_version, LOG_BATCH_SIZE)
            if not diffs and is_unscheduled:
                return True
            if not diffs:
                await self._store.webhooks.reschedule(game, webhook.id, None)
            is_unscheduled = not diffs
            for diff in diffs:
                payload = build_payload(webhook, diff)
                if payload is None:
                    delivery.state = WebhookState(diff.version)
                    continue
                now = int(self._clock())
                result = await self._send_payload(delivery, payload, now)
                WEBHOOK_ATTEMPTS.labels(result.error or "delivered").inc()
                if result.error is None:
                    WEBHOOK_DELAY.observe(max(0.0, self._clock() - unix_seconds(payload.at)))
                if not await self._save_attempt(delivery, diff.version, payload, result, now):
                    return False
                if delivery.state.failures:
                    return True

    async def _send_challenge(self, delivery: _Delivery) -> bool:
        """Send a challenge within the rate limits; return False if the lease was lost."""
        webhook, state = delivery.webhook, delivery.state
        now, client = int(self._clock()), state.pending_client or ""
        wait_s = self._challenge_limiter.take(client, webhook.url)
        if wait_s:
            delivery.state = msgspec.structs.replace(state, next_attempt_at=now + ceil(wait_s))
            return True
        challenge, payload = create_challenge(delivery.game, webhook, now)
        result = await self._send_payload(delivery, payload, now, challenge=True)
        if result.error == POSTPONED:
            delivery.state = msgspec.structs.replace(state, next_attempt_at=now + POSTPONED_DELAY_S)
            return True
        if result.error is None and not is_correct_response(result.response_body, challenge):
            result = result._replace(error=WRONG_ANSWER)
        WEBHOOK_CHALLENGES.labels(result.error or "answered").inc()
        if result.error is None:
            self._challenge_limiter.refund(client, webhook.url)
        return await self._save_attempt(delivery, state.delivered_version, payload, result, now)

    async def _send_payload(
        self, delivery: _Delivery, payload: WebhookPayload, now: int, *, challenge: bool = False
    ) -> SendResult:
        """Send a payload, and record how its host responds."""
        webhook, slot = delivery.webhook, delivery.slot
        started_at = time.perf_counter()
        try:
            async with slot.track_response():
                result = await self._send(
                    webhook.url, signature_headers(webhook, payload, now), payload.body, challenge=challenge
                )
        except TimeoutError:
            result = SendResult(None, TIMEOUT, int(1000 * (time.perf_counter() - started_at)))
        if result.error == TIMEOUT:
            slot.record_timeout()
        elif result.status is not None:
            slot.record_response()
        elif result.error != POSTPONED:
            slot.record_failure()
        return result

    async def _save_attempt(
        self, delivery: _Delivery, version: int, payload: WebhookPayload, result: SendResult, now: int
    ) -> bool:
        """Store an attempt at a version's payload, and the state after it; return False if the lease was lost."""
        game, webhook, before = delivery.game, delivery.webhook, delivery.state
        state = WebhookState(version) if result.error is None else self._state_after_failure(before, result)
        attempt = DeliveryAttempt(version, payload.type, before.failures + 1, timestamp(now), *result[:3])
        if state.disabled_reason is not None:
            WEBHOOKS_DISABLED.labels(state.disabled_reason).inc()
            logger.warning("webhook %s of game %s is disabled: %s", webhook.id, game, state.disabled_reason)
        delivery.state = state
        return await self._store.webhooks.save_state(
            game, state, attempt, webhook_id=webhook.id, holder=self._holder, seconds=LEASE_TTL_S
        )

    def _state_after_failure(self, state: WebhookState, result: SendResult) -> WebhookState:
        """Return the state after one more failure."""
        failures = state.failures + 1
        delays_s, reason = (
            (self._retry_delays_s, "failing")
            if state.pending_client is None
            else (CHALLENGE_RETRY_DELAYS_S, "unproven")
        )
        if result.status == HTTPStatus.GONE or failures > len(delays_s):
            reason = "gone" if result.status == HTTPStatus.GONE else reason
            return msgspec.structs.replace(state, failures=failures, next_attempt_at=None, disabled_reason=reason)
        delay = delays_s[failures - 1] * (1 + JITTER * (2 * self._random_fraction() - 1))
        return msgspec.structs.replace(state, failures=failures, next_attempt_at=int(self._clock() + max(delay, 1)))


def _is_waiting(state: WebhookState, now: int) -> bool:
    """Return whether nothing may be sent now: the webhook is disabled, or its next attempt is later."""
    return state.disabled_reason is not None or (state.next_attempt_at or 0) > now
