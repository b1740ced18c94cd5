"""Delivery to one leased webhook: its challenge, its ping, and the pending messages of its game in their order.

The dispatcher: delivers each message at least once, in the order of the changes, from whichever instance is free.

The game's log is the source of truth: a webhook's state says how far it is delivered. A commit of a game with webhooks
schedules them beforehand, so that no change is lost when an instance dies. A dispatcher leases a webhook while it
delivers, so that no other instance sends the same. After a crash, the lease expires and another instance may repeat a
message. A failed message is retried with growing delays, and delays those behind it. Before any message, the server
must have answered a challenge.

A webhook of an API key is delivered to game by game, in the same way. Only its challenge and its pings belong to the
key itself. While it is pending, games with new changes wait; while it is disabled, they wait for their next change.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from http import HTTPStatus
from itertools import takewhile
from math import ceil
from uuid import uuid4
from weakref import WeakValueDictionary

import msgspec

from service.games.access import key_of_subject, subject_of_key
from service.games.game_failures import record_failure
from service.games.ports import (
    POSTPONED,
    WRONG_ANSWER,
    DeliveryAttempt,
    GameStore,
    LeaseTaken,
    SendResult,
    StoredWebhook,
    StoreUnavailable,
    UnreadableGame,
    WebhookChange,
    WebhookNotFound,
    WebhookSender,
    WebhookState,
)
from service.games.webhook_owner import restart, update_webhook
from service.games.webhook_payloads import (
    CHALLENGE_RETRY_DELAYS_S,
    ChallengeRateLimiter,
    WebhookPayload,
    build_payload,
    create_challenge,
    create_ping,
    host_of_url,
    is_correct_response,
    signature_headers,
)
from service.supervision import spawn
from service.telemetry.clock import timestamp, unix_seconds
from service.telemetry.logs import LOG_CONTEXT, DueGameContext
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


@dataclass
class DeliveryResources:
    """What all deliveries of an instance share."""

    store: GameStore
    send: WebhookSender
    clock: Callable[[], float]
    retry_delays_s: Sequence[float]
    random_fraction: Callable[[], float]
    challenge_limiter: ChallengeRateLimiter
    holder: str
    """Who holds the leases."""


class Delivery:
    """A webhook that this instance has leased, and its state after the attempts so far.

    Methods that return a boolean return False if the lease was lost.
    """

    def __init__(self, resources: DeliveryResources, subject: str, stored: StoredWebhook) -> None:
        self._resources = resources
        self._store = resources.store
        self._clock = resources.clock
        self._subject = subject
        """The game, or the API key."""
        self._webhook, self.state = stored

    async def deliver_pending(self) -> bool:
        """Send the challenge, the ping or the pending messages."""
        if self.state.pending_client is not None and not await self._send_challenge():
            return False
        if self.state.pending_client is not None:
            return True
        if self.state.is_ping_requested and not await self._send_ping():
            return False
        if key_of_subject(self._subject) is None:
            return await self._deliver_log()
        await self._store.webhooks.reschedule(self._subject, self._webhook.id, None)
        return True

    async def _deliver_log(self) -> bool:
        """Deliver to the end of the log or the first failure.

        At the end the webhook is unscheduled, and then the log is read once more: a later change schedules it again.
        """
        game, webhook = self._subject, self._webhook
        is_unscheduled = False
        while True:
            diffs = await self._store.load_diffs(game, self.state.delivered_version, LOG_BATCH_SIZE)
            if not diffs and is_unscheduled:
                return True
            if not diffs:
                await self._store.webhooks.reschedule(game, webhook.id, None)
            is_unscheduled = not diffs
            for diff in diffs:
                payload = build_payload(webhook, diff)
                if payload is None:
                    self.state = _delivered(self.state, diff.version)
                    continue
                now = int(self._clock())
                result = await self._send(payload, now)
                WEBHOOK_ATTEMPTS.labels(result.error or "delivered").inc()
                if result.error is None:
                    WEBHOOK_DELAY.observe(max(0.0, self._clock() - unix_seconds(payload.at)))
                if not await self._save_attempt(diff.version, payload, result, now):
                    return False
                if self.state.failures:
                    return True

    async def _send_ping(self) -> bool:
        """Send a ping, once."""
        now = int(self._clock())
        payload = create_ping(self._subject, self._webhook, now)
        result = await self._send(payload, now)
        attempt = DeliveryAttempt(self.state.delivered_version, payload.type, 1, timestamp(now), *result[:3])
        self.state = msgspec.structs.replace(self.state, is_ping_requested=False)
        return await self._save_state(self.state, attempt)

    async def _send_challenge(self) -> bool:
        """Send a challenge within the rate limits."""
        webhook, state, limiter = self._webhook, self.state, self._resources.challenge_limiter
        now, client = int(self._clock()), state.pending_client or ""
        wait_s = limiter.take(client, webhook.url)
        if wait_s:
            self.state = msgspec.structs.replace(state, next_attempt_at=now + ceil(wait_s))
            return True
        challenge, payload = create_challenge(self._subject, webhook, now)
        result = await self._send(payload, now, challenge=True)
        if result.error == POSTPONED:
            self.state = msgspec.structs.replace(state, next_attempt_at=now + POSTPONED_DELAY_S)
            return True
        if result.error is None and not is_correct_response(result.response_body, challenge):
            result = result._replace(error=WRONG_ANSWER)
        WEBHOOK_CHALLENGES.labels(result.error or "answered").inc()
        if result.error is None:
            limiter.refund(client, webhook.url)
        return await self._save_attempt(state.delivered_version, payload, result, now)

    async def _send(self, payload: WebhookPayload, now: int, *, challenge: bool = False) -> SendResult:
        """Send a payload."""
        await self._schedule_successor()
        headers = signature_headers(self._webhook, payload, now)
        return await self._resources.send(self._webhook.url, headers, payload.body, challenge=challenge)

    async def _schedule_successor(self) -> None:
        """Schedule the webhook for another instance, which continues if this one ends.

        Not without a need: a webhook with nothing to send would never be unscheduled.
        """
        until = int(self._clock()) + LEASE_TTL_S
        await self._store.webhooks.reschedule(self._subject, self._webhook.id, until)

    async def _save_state(self, state: WebhookState, attempt: DeliveryAttempt | None = None) -> bool:
        """Store a state, and an attempt if there was one; extend the lease."""
        holder, webhook_id = self._resources.holder, self._webhook.id
        return await self._store.webhooks.save(
            self._subject, webhook_id, holder, WebhookChange(state, attempt), LEASE_TTL_S
        )

    async def _save_attempt(self, version: int, payload: WebhookPayload, result: SendResult, now: int) -> bool:
        """Store an attempt at a version's payload, and the state after it."""
        before = self.state
        attempt = DeliveryAttempt(version, payload.type, before.failures + 1, timestamp(now), *result[:3])
        self.state = _delivered(before, version) if result.error is None else self._state_after_failure(result)
        if self._webhook.api_key is not None:
            await self._record_attempt_of_key(subject_of_key(self._webhook.api_key), attempt)
            return await self._save_state(self.state)
        if self.state.disabled_reason is not None:
            _report_disabled(self._webhook.id, self._subject, self.state.disabled_reason)
        return await self._save_state(self.state, attempt)

    async def _record_attempt_of_key(self, key: str, attempt: DeliveryAttempt) -> None:
        """Add an attempt to the log that the games of an API key share.

        After the last attempt the webhook is disabled for all games if its server wants no more, or has accepted no
        message of any game since the first attempt. Otherwise only this message is given up.
        """
        webhooks, game, webhook_id, reason = (
            self._store.webhooks,
            self._subject,
            self._webhook.id,
            self.state.disabled_reason,
        )
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

        def disable(stored: StoredWebhook) -> StoredWebhook:
            return StoredWebhook(stored.registration, msgspec.structs.replace(stored.state, disabled_reason=reason))

        outcome = await update_webhook(self._store.webhooks, key, webhook_id, int(self._clock()), disable)
        if isinstance(outcome, StoredWebhook):
            _report_disabled(webhook_id, key, reason)

    def _state_after_failure(self, result: SendResult) -> WebhookState:
        """Return the state after one more failure."""
        state, failures = self.state, self.state.failures + 1
        delays_s, reason = (
            (self._resources.retry_delays_s, "failing")
            if state.pending_client is None
            else (CHALLENGE_RETRY_DELAYS_S, "unproven")
        )
        if result.status == HTTPStatus.GONE or failures > len(delays_s):
            reason = GONE if result.status == HTTPStatus.GONE else reason
            return msgspec.structs.replace(state, failures=failures, next_attempt_at=None, disabled_reason=reason)
        delay = delays_s[failures - 1] * (1 + JITTER * (2 * self._resources.random_fraction() - 1))
        return msgspec.structs.replace(state, failures=failures, next_attempt_at=int(self._clock() + max(delay, 1)))


def _delivered(state: WebhookState, version: int) -> WebhookState:
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


DUE_BATCH_SIZE = 100
MAX_DELIVERIES = 64
"""Deliveries of an instance that run at once."""

MAX_WAITING = 1_000
"""Webhooks in progress beyond which none waits for its turn in the process."""

MAX_WAIT_S = 10
"""Longest wait for a turn in the process."""

BUSY_DELAY_S = 15
"""Delay before a webhook that did not get its turn is tried again."""

PENDING_DELAY_S = 1
"""Delay after the challenge of an API key's webhook before its games are tried again."""

FAILURE_DELAY_S = 60
"""Delay after a failure that is not the server's."""


class HostTurns:
    """The turns of an instance's deliveries: one at a time to a host, so that a slow one delays only itself."""

    def __init__(self) -> None:
        self._hosts = WeakValueDictionary[str, asyncio.Lock]()
        self._all = asyncio.Semaphore(MAX_DELIVERIES)

    def is_free(self, host: str) -> bool:
        """Return whether a delivery to a host need not wait."""
        lock = self._hosts.get(host)
        return not (self._all.locked() or (lock is not None and lock.locked()))

    @asynccontextmanager
    async def take(self, host: str) -> AsyncIterator[None]:
        """Take a turn, in the order of the calls. Raises TimeoutError after MAX_WAIT_S."""
        lock = self._hosts.setdefault(host, asyncio.Lock())
        async with asyncio.timeout(MAX_WAIT_S) as waiting, lock, self._all:
            waiting.reschedule(None)
            yield


class WebhookDispatcher:
    """The deliveries of one instance."""

    def __init__(
        self,
        store: GameStore,
        send: WebhookSender,
        clock: Callable[[], float],
        *,
        retry_delays_s: Sequence[float] = RETRY_DELAYS_S,
        random_fraction: Callable[[], float] = random.random,
    ) -> None:
        self._store = store
        self._clock = clock
        self._holder = uuid4().hex
        self._turns = HostTurns()
        limiter = ChallengeRateLimiter(clock)
        self._resources = DeliveryResources(store, send, clock, retry_delays_s, random_fraction, limiter, self._holder)
        self._in_progress: dict[tuple[str, str], bool] = {}
        """Webhooks in progress, and whether they were dispatched again since."""
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Return the number of webhooks in progress."""
        return len(self._in_progress)

    def dispatch(self, subject: str, webhook_ids: Sequence[str]) -> None:
        """Start delivering to these webhooks of a game, after a commit of this instance, or of an API key."""
        for webhook_id in webhook_ids:
            if (subject, webhook_id) in self._in_progress:
                self._in_progress[subject, webhook_id] = True
                continue
            self._in_progress[subject, webhook_id] = False
            task = spawn("webhook-delivery", self._process(subject, webhook_id))
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
            for subject, webhook_id in await self._store.webhooks.list_due(int(self._clock()), DUE_BATCH_SIZE):
                self.dispatch(subject, [webhook_id])
        except StoreUnavailable:
            return  # the next call tries again

    async def join(self) -> None:
        """Wait until no delivery of this instance is in progress."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def aclose(self) -> None:
        """Cancel the deliveries in progress; they will be repeated."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _process(self, subject: str, webhook_id: str) -> None:
        """Deliver to a webhook, and again if it was dispatched meanwhile; postpone it if that fails."""
        LOG_CONTEXT.set(DueGameContext(subject if key_of_subject(subject) is None else None))
        key, is_dispatched = (subject, webhook_id), True
        try:
            try:
                while is_dispatched:
                    self._in_progress[key] = False
                    await self._deliver_webhook(subject, webhook_id)
                    is_dispatched = self._in_progress[key]
            except Exception as error:  # one failing webhook must not be retried in a loop
                if isinstance(error, StoreUnavailable) and not isinstance(error, UnreadableGame):
                    raise
                record_failure(
                    "webhooks", subject, error, f"its webhook {webhook_id} is retried in {FAILURE_DELAY_S} s"
                )
                await self._store.webhooks.reschedule(subject, webhook_id, int(self._clock()) + FAILURE_DELAY_S)
        except StoreUnavailable:
            return  # it stays due, and is tried again
        finally:
            del self._in_progress[key]

    async def _deliver_webhook(self, subject: str, webhook_id: str, turn: str | None = None) -> None:
        """Deliver the pending messages of a webhook, if it is due and not leased; `turn` is the host whose turn it is.

        A webhook whose host is busy waits for its turn without a lease.
        """
        webhooks, now = self._store.webhooks, int(self._clock())
        match await webhooks.acquire_lease(subject, webhook_id, self._holder, LEASE_TTL_S):
            case WebhookNotFound():
                await webhooks.reschedule(subject, webhook_id, None)
            case LeaseTaken():
                await webhooks.schedule(subject, [webhook_id], now + 1)
            case StoredWebhook() as leased:
                is_own = leased.registration.api_key is None
                stored = leased if is_own else await self._load_webhook_of_key(subject, leased, now)
                if stored is None or await self._deliver_leased(subject, stored, now, turn):
                    return
                if turn is None and len(self._in_progress) <= MAX_WAITING:
                    await self._wait_and_deliver(subject, webhook_id, host_of_url(stored.registration.url))

    async def _wait_and_deliver(self, subject: str, webhook_id: str, host: str) -> None:
        """Deliver the pending messages of a webhook when its host's turn comes; later if that takes too long."""
        try:
            async with self._turns.take(host):
                await self._deliver_webhook(subject, webhook_id, host)
        except TimeoutError:
            return  # it is due again in a few seconds

    async def _deliver_leased(self, subject: str, stored: StoredWebhook, now: int, turn: str | None) -> bool:
        """Deliver the pending messages of a leased webhook, if it does not wait; return False if its host is busy."""
        webhooks, (webhook, state), host = self._store.webhooks, stored, host_of_url(stored.registration.url)
        delivery = Delivery(self._resources, subject, stored)
        if _is_waiting(state, now):
            await self._release(subject, webhook.id, state, now)
        elif key_of_subject(subject) is not None and state.is_active and not state.is_ping_requested:
            await webhooks.reschedule(subject, webhook.id, None)
            await self._release(subject, webhook.id, state, now)
        elif host == turn or (turn is None and self._turns.is_free(host)):
            async with nullcontext() if host == turn else self._turns.take(host):
                if await delivery.deliver_pending():
                    await self._release(subject, webhook.id, delivery.state, now)
        else:
            await self._release(subject, webhook.id, state, now)
            await webhooks.reschedule(subject, webhook.id, now + BUSY_DELAY_S)
            return False
        return True

    async def _load_webhook_of_key(self, game: str, leased: StoredWebhook, now: int) -> StoredWebhook | None:
        """Return the webhook of an API key that a game refers to, with the game's state; None if it gets no messages.

        While the webhook is pending, the game waits for the outcome of its challenge. While it is disabled, the game
        waits for its next change, and then starts again with the first message that was not accepted.
        """
        webhooks, (reference, state) = self._store.webhooks, leased
        stored = await webhooks.get(subject_of_key(reference.api_key or ""), reference.id)
        if stored is not None and stored.state.is_active:
            registration = msgspec.structs.replace(stored.registration, api_key=reference.api_key)
            current = StoredWebhook(registration, state)
            return current if state.disabled_reason is None else restart(current)
        if stored is None:
            await webhooks.remove(game, reference.id)
        waits = stored is not None and stored.state.disabled_reason is None
        until = max(now, (stored.state.next_attempt_at or 0) if stored is not None else 0) + PENDING_DELAY_S
        await webhooks.reschedule(game, reference.id, until if waits else None)
        await webhooks.save(game, reference.id, self._holder, WebhookChange(state))
        return None

    async def _release(self, subject: str, webhook_id: str, state: WebhookState, now: int) -> None:
        """Store a state and release the lease; schedule the next attempt if the webhook waits for it."""
        if _is_waiting(state, now):
            await self._store.webhooks.reschedule(subject, webhook_id, state.next_attempt_at)
        await self._store.webhooks.save(subject, webhook_id, self._holder, WebhookChange(state))


def _is_waiting(state: WebhookState, now: int) -> bool:
    """Return whether nothing may be sent now: the webhook is disabled, or its next attempt is later."""
    return state.disabled_reason is not None or (state.next_attempt_at or 0) > now
