"""Delivery of webhooks: challenges, pings, and the messages of a game, each at least once and in the order of changes.

It is due work. The game's log is the source of truth: a webhook's state says how far it is delivered. While an instance
delivers, it has the webhook's lease, so that no other sends the same. After a crash, the lease expires and another
instance may repeat a message. A failed message is retried with growing delays, and delays those behind it. Before any
message, the server must have answered a challenge.

A webhook of an API key is delivered to game by game, in the same way. Only its challenge and its pings belong to the
key itself. While it is pending, games with new changes wait; while it is disabled, they wait for their next change.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from http import HTTPStatus
from itertools import takewhile
from math import ceil

import msgspec

from service.fair_queue import FairQueue, QueueFull, Requester
from service.games import ports, webhook_payloads
from service.games.access import key_of_subject, subject_of_key
from service.games.due_work import Deferred, DueWorker, LeaseTaken, Wakeups, lease
from service.games.webhook_owner import restart, update_webhook
from service.telemetry.clock import timestamp, unix_seconds
from service.telemetry.metrics import WEBHOOK_ATTEMPTS, WEBHOOK_CHALLENGES, WEBHOOK_DELAY, WEBHOOKS_DISABLED

logger = logging.getLogger(__name__)

RETRY_DELAYS_S: tuple[float, ...] = (5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""Delay before each retry of a message; after the last, at the end of a day, the webhook is disabled."""

JITTER = 0.2
"""Fraction by which a delay varies at random, so that retries spread."""

LEASE_TTL_S = 14
"""Duration of a lease; longer than an attempt may take."""

LOG_BATCH_SIZE = 50
GONE = "gone"
"""The reason of a webhook that is disabled because its server answered 410."""

POSTPONED_DELAY_S = 60
"""Delay before a challenge that the sender postponed is tried again."""


class Delivery:
    """A webhook that this instance has leased, and its state after the attempts so far.

    Every method that sends raises LeaseTaken if the lease has expired, or the webhook was deleted.
    """

    def __init__(self, deliverer: "WebhookDeliverer", subject: str, stored: ports.StoredWebhook, holder: str) -> None:
        self._deliverer = deliverer
        self._store = deliverer.store
        self._clock = deliverer.clock
        self._subject = subject
        """The game, or the API key."""
        self._webhook, self.state = stored
        self._saved = stored.state
        self._holder = holder
        """Of the lease."""

    async def deliver(self) -> int | None:
        """Send the challenge, the ping or the pending messages; return when the next attempt is due, if one failed."""
        if self.state.pending_client is not None:
            await self._send_challenge()
        if self.state.pending_client is None:
            if self.state.is_ping_requested:
                await self._send_ping()
            if key_of_subject(self._subject) is None:
                await self._deliver_log()
        if self.state != self._saved:
            await self._save_state()
        return self.state.next_attempt_at

    async def _deliver_log(self) -> None:
        """Deliver to the end of the log or the first failure."""
        while diffs := await self._store.load_diffs(self._subject, self.state.delivered_version, LOG_BATCH_SIZE):
            for diff in diffs:
                payload = webhook_payloads.build_payload(self._webhook, diff)
                if payload is None:
                    self.state = _delivered(self.state, diff.version)
                    continue
                now = int(self._clock())
                result = await self._send(payload, now)
                WEBHOOK_ATTEMPTS.labels(result.error or "delivered").inc()
                if result.error is None:
                    WEBHOOK_DELAY.observe(max(0.0, self._clock() - unix_seconds(payload.at)))
                await self._save_attempt(diff.version, payload, result, now)
                if self.state.failures:
                    return

    async def _send_ping(self) -> None:
        """Send a ping, once."""
        now = int(self._clock())
        payload = webhook_payloads.create_ping(self._subject, self._webhook, now)
        result = await self._send(payload, now)
        attempt = ports.DeliveryAttempt(self.state.delivered_version, payload.type, 1, timestamp(now), *result[:3])
        self.state = msgspec.structs.replace(self.state, is_ping_requested=False)
        await self._save_state(attempt)

    async def _send_challenge(self) -> None:
        """Send a challenge within the rate limits."""
        webhook, state, limiter = self._webhook, self.state, self._deliverer.challenge_limiter
        now, rates = int(self._clock()), webhook_payloads.challenge_rates(state.pending_client or "", webhook.url)
        if wait_s := limiter.take(rates):
            self.state = msgspec.structs.replace(state, next_attempt_at=now + ceil(wait_s))
            return
        challenge, payload = webhook_payloads.create_challenge(self._subject, webhook, now)
        result = await self._send(payload, now, challenge=True)
        if result.error == ports.POSTPONED:
            self.state = msgspec.structs.replace(state, next_attempt_at=now + POSTPONED_DELAY_S)
            return
        if result.error is None and not webhook_payloads.is_correct_response(result.response_body, challenge):
            result = result._replace(error=ports.WRONG_ANSWER)
        WEBHOOK_CHALLENGES.labels(result.error or "answered").inc()
        if result.error is None:
            limiter.refund(rates)
        await self._save_attempt(state.delivered_version, payload, result, now)

    async def _send(
        self, payload: webhook_payloads.WebhookPayload, now: int, *, challenge: bool = False
    ) -> ports.SendResult:
        """Send a payload, with the webhook scheduled for another instance, which continues if this one ends.

        Not without a need: a webhook with nothing to send would never be unscheduled.
        """
        entry = ports.webhook_entry(self._subject, self._webhook.id)
        await self._store.due_webhooks.reschedule(entry, now, now + LEASE_TTL_S)
        headers = webhook_payloads.signature_headers(self._webhook, payload, now)
        return await self._deliverer.send(self._webhook.url, headers, payload.body, challenge=challenge)

    async def _save_state(self, attempt: ports.DeliveryAttempt | None = None) -> None:
        """Store the state, and an attempt if there was one; extend the lease, or renew it after a pause."""
        change, self._saved = ports.WebhookChange(self.state, attempt, before=self._saved), self.state
        if not await self._store.webhooks.save(self._subject, self._webhook.id, self._holder, change, LEASE_TTL_S):
            raise LeaseTaken

    async def _save_attempt(
        self, version: int, payload: webhook_payloads.WebhookPayload, result: ports.SendResult, now: int
    ) -> None:
        """Store an attempt at a version's payload, and the state after it."""
        before = self.state
        attempt = ports.DeliveryAttempt(version, payload.type, before.failures + 1, timestamp(now), *result[:3])
        self.state = _delivered(before, version) if result.error is None else self._state_after_failure(result)
        if self._webhook.api_key is not None:
            await self._record_attempt_of_key(subject_of_key(self._webhook.api_key), attempt)
            await self._save_state()
            return
        if self.state.disabled_reason is not None:
            _report_disabled(self._webhook.id, self._subject, self.state.disabled_reason)
        await self._save_state(attempt)

    async def _record_attempt_of_key(self, key: str, attempt: ports.DeliveryAttempt) -> None:
        """Add an attempt to the log that the games of an API key share.

        After the last attempt the webhook is disabled for all games if its server wants no more, or has accepted no
        message of any game since the first attempt. Otherwise only this message is given up.
        """
        webhooks, game = self._store.webhooks, self._subject
        webhook_id, reason = self._webhook.id, self.state.disabled_reason
        await webhooks.add_attempt(key, webhook_id, msgspec.structs.replace(attempt, game=game))
        if reason is not None:
            first = game, attempt.version, 1
            latest = await webhooks.list_attempts(key, webhook_id)
            since = takewhile(lambda one: (one.game, one.version, one.attempt) != first, latest)
            if reason == GONE or all(one.game is None or one.error is not None for one in since):
                await self._disable(key, reason)
            else:
                self.state = _delivered(self.state, attempt.version)

    async def _disable(self, key: str, reason: str) -> None:
        """Disable the webhook of an API key, unless it is being changed: the next game that fails then tries again."""
        webhook_id = self._webhook.id

        def disable(stored: ports.StoredWebhook) -> ports.StoredWebhook:
            return ports.StoredWebhook(
                stored.registration, msgspec.structs.replace(stored.state, disabled_reason=reason)
            )

        with suppress(LeaseTaken):
            if await update_webhook(self._store, key, webhook_id, int(self._clock()), disable) is not None:
                _report_disabled(webhook_id, key, reason)

    def _state_after_failure(self, result: ports.SendResult) -> ports.WebhookState:
        """Return the state after one more failure."""
        state, failures = self.state, self.state.failures + 1
        delays_s, reason = self._deliverer.retry_delays_s, "failing"
        if state.pending_client is not None:
            delays_s, reason = webhook_payloads.CHALLENGE_RETRY_DELAYS_S, "unproven"
        if result.status == HTTPStatus.GONE or failures > len(delays_s):
            reason = GONE if result.status == HTTPStatus.GONE else reason
            return msgspec.structs.replace(state, failures=failures, next_attempt_at=None, disabled_reason=reason)
        delay = delays_s[failures - 1] * (1 + JITTER * (2 * self._deliverer.random_fraction() - 1))
        return msgspec.structs.replace(state, failures=failures, next_attempt_at=int(self._clock() + delay))


def _delivered(state: ports.WebhookState, version: int) -> ports.WebhookState:
    """Return the state after a success: everything up to a version is delivered, or the challenge is answered."""
    return msgspec.structs.replace(
        state, delivered_version=version, failures=0, next_attempt_at=None, pending_client=None
    )


def _report_disabled(webhook_id: str, subject: str, reason: str) -> None:
    """Count and log that a webhook is disabled."""
    WEBHOOKS_DISABLED.labels(reason).inc()
    key = key_of_subject(subject)
    owner = f"game {subject}" if key is None else f"the API key {key}"
    logger.warning("webhook %s of %s is disabled: %s", webhook_id, owner, reason)


MAX_DELIVERIES = 64
"""Deliveries of an instance that run at once."""

MAX_WAITING = 500
"""Webhooks that wait for their turn in the process: fewer than a worker processes, so that they delay no others."""

MAX_WAIT_S = 10
"""Longest wait for a turn in the process."""

BUSY_DELAY_S = 15
"""Delay before a webhook that did not get its turn is tried again; longer than MAX_WAIT_S."""

PENDING_DELAY_S = 1
"""Delay after the challenge of an API key's webhook before its games are tried again."""


@dataclass(eq=False)
class WebhookDeliverer:
    """The deliveries of one instance."""

    store: ports.GameStore
    send: ports.WebhookSender
    clock: Callable[[], float]
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S
    random_fraction: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        self.challenge_limiter = webhook_payloads.KeyedRateLimiter(self.clock)
        self.turns = FairQueue(MAX_DELIVERIES, max_waiting=MAX_WAITING, max_each=1)
        """One delivery at a time to a host, so that a slow one delays only itself."""

    def worker(self, wakeups: Wakeups, interval_s: float = 1.0) -> DueWorker:
        """Return the worker that delivers to due webhooks."""
        queue = self.store.due_webhooks
        return DueWorker("webhooks", queue, self.deliver, self.clock, wakeups, interval_s, hidden_s=LEASE_TTL_S)

    async def deliver(self, entry: str) -> int | None:
        """Deliver what is pending to a webhook in the turn of its host, and return when it is due again.

        It waits for its turn without a lease, and scheduled for another instance. Raises Deferred, LeaseTaken.
        """
        subject, _, webhook_id = entry.partition(" ")
        found = await self._load(subject, webhook_id)
        if not isinstance(found, ports.StoredWebhook):
            return found
        host = Requester(webhook_payloads.host_of_url(found.registration.url).encode())
        now = int(self.clock())
        if not self.turns.is_free(host):
            await self.store.due_webhooks.defer(entry, now, now + BUSY_DELAY_S)
        async with AsyncExitStack() as turn:
            try:
                async with asyncio.timeout(MAX_WAIT_S):
                    await turn.enter_async_context(self.turns.slot(host))
            except (TimeoutError, QueueFull):
                raise Deferred(BUSY_DELAY_S) from None
            holder = await turn.enter_async_context(lease(self.store.due_webhooks, entry, LEASE_TTL_S))
            found = await self._load(subject, webhook_id)  # it may have changed meanwhile
            if not isinstance(found, ports.StoredWebhook):
                return found
            return await Delivery(self, subject, found, holder).deliver()

    async def _load(self, subject: str, webhook_id: str) -> ports.StoredWebhook | int | None:
        """Return a webhook that may have something to send; or when it is due, None for never."""
        found = await self.store.webhooks.get(subject, webhook_id)
        if found is not None and found.registration.api_key is not None:
            return await self._load_webhook_of_key(subject, found)
        if found is None or found.state.disabled_reason is not None:
            return None
        if (found.state.next_attempt_at or 0) > int(self.clock()):
            return found.state.next_attempt_at
        return found

    async def _load_webhook_of_key(self, game: str, found: ports.StoredWebhook) -> ports.StoredWebhook | int | None:
        """Return the webhook of an API key that a game refers to, with the game's state; or when it is due.

        While the webhook is pending, the game waits for the outcome of its challenge. While it is disabled, the game
        waits for its next change, and then starts again with the first message that was not accepted.
        """
        webhooks, (reference, state), now = self.store.webhooks, found, int(self.clock())
        stored = await webhooks.get(subject_of_key(reference.api_key or ""), reference.id)
        if stored is None:
            await webhooks.remove(game, reference.id)
            return None
        if stored.state.disabled_reason is not None:
            return None
        if not stored.state.is_active:
            return max(now, stored.state.next_attempt_at or 0) + PENDING_DELAY_S
        if state.disabled_reason is None and (state.next_attempt_at or 0) > now:
            return state.next_attempt_at
        registration = msgspec.structs.replace(stored.registration, api_key=reference.api_key)
        current = ports.StoredWebhook(registration, state)
        return current if state.disabled_reason is None else restart(current)
