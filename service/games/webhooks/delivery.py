"""Delivery to one leased webhook: its challenge, its ping, and the pending messages of its game in their order."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import takewhile
from math import ceil

import msgspec

from service.games.access import key_of_subject, subject_of_key
from service.games.ports.game_store import GameStore
from service.games.ports.webhook_store import (
    POSTPONED,
    TIMEOUT,
    WRONG_ANSWER,
    DeliveryAttempt,
    SendResult,
    StoredWebhook,
    WebhookChange,
    WebhookSender,
    WebhookState,
)
from service.games.webhooks.challenges import (
    CHALLENGE_RETRY_DELAYS_S,
    ChallengeRateLimiter,
    create_challenge,
    is_correct_response,
)
from service.games.webhooks.delivery_slots import DeliverySlot
from service.games.webhooks.key_games import KeyGames
from service.games.webhooks.payloads import WebhookPayload, build_payload, create_ping, signature_headers
from service.games.webhooks.updates import update_webhook
from service.telemetry.clock import timestamp, unix_seconds
from service.telemetry.metrics import WEBHOOK_ATTEMPTS, WEBHOOK_CHALLENGES, WEBHOOK_DELAY, WEBHOOKS_DISABLED

__all__ = ["JITTER", "LEASE_TTL_S", "RETRY_DELAYS_S", "Delivery", "DeliveryResources"]

logger = logging.getLogger(__name__)

RETRY_DELAYS_S: tuple[float, ...] = (5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""Delay before each retry of a message; after the last, at the end of a day, the webhook is disabled."""

JITTER = 0.2
"""Fraction by which a delay varies at random, so that retries spread."""

LEASE_TTL_S = 14
"""Duration of a lease; longer than an attempt may take."""

LOG_BATCH_SIZE = 50
LEASED_GAMES_DELAY_S = 1
"""Delay before missed games are resumed that are leased now."""

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

    async def deliver_pending(self, slot: DeliverySlot) -> bool:
        """Send the challenge, the ping or the pending messages."""
        if self.state.pending_client is not None and not await self._send_challenge(slot):
            return False
        if self.state.pending_client is not None:
            return True
        if self.state.is_ping_requested and not await self._send_ping(slot):
            return False
        return await (self._deliver_log(slot) if key_of_subject(self._subject) is None else self.process_games())

    async def process_games(self) -> bool:
        """Do what is to be done for all games of an API key."""
        if self.state.next_games is not None or self.state.resumes:
            await self._schedule_successor()
        games = KeyGames(self._store, self._clock, self._subject, self._webhook)
        after = await games.process(self.state, self._save_state)
        if after is None:
            return False
        self.state = after
        until = int(self._clock()) + LEASED_GAMES_DELAY_S if after.resumes else None
        await self._store.webhooks.reschedule(self._subject, self._webhook.id, until)
        return True

    async def _deliver_log(self, slot: DeliverySlot) -> bool:
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
                result = await self._send(slot, payload, now)
                WEBHOOK_ATTEMPTS.labels(result.error or "delivered").inc()
                if result.error is None:
                    WEBHOOK_DELAY.observe(max(0.0, self._clock() - unix_seconds(payload.at)))
                if not await self._save_attempt(diff.version, payload, result, now):
                    return False
                if self.state.failures:
                    return True

    async def _send_ping(self, slot: DeliverySlot) -> bool:
        """Send a ping, once."""
        now = int(self._clock())
        payload = create_ping(self._subject, self._webhook, now)
        result = await self._send(slot, payload, now)
        attempt = DeliveryAttempt(self.state.delivered_version, payload.type, 1, timestamp(now), *result[:3])
        self.state = msgspec.structs.replace(self.state, is_ping_requested=False)
        return await self._save_state(self.state, attempt)

    async def _send_challenge(self, slot: DeliverySlot) -> bool:
        """Send a challenge within the rate limits."""
        webhook, state, limiter = self._webhook, self.state, self._resources.challenge_limiter
        now, client = int(self._clock()), state.pending_client or ""
        wait_s = limiter.take(client, webhook.url)
        if wait_s:
            self.state = msgspec.structs.replace(state, next_attempt_at=now + ceil(wait_s))
            return True
        challenge, payload = create_challenge(self._subject, webhook, now)
        result = await self._send(slot, payload, now, challenge=True)
        if result.error == POSTPONED:
            self.state = msgspec.structs.replace(state, next_attempt_at=now + POSTPONED_DELAY_S)
            return True
        if result.error is None and not is_correct_response(result.response_body, challenge):
            result = result._replace(error=WRONG_ANSWER)
        WEBHOOK_CHALLENGES.labels(result.error or "answered").inc()
        if result.error is None:
            limiter.refund(client, webhook.url)
        return await self._save_attempt(state.delivered_version, payload, result, now)

    async def _send(
        self, slot: DeliverySlot, payload: WebhookPayload, now: int, *, challenge: bool = False
    ) -> SendResult:
        """Send a payload, and record how its host responds."""
        await self._schedule_successor()
        headers = signature_headers(self._webhook, payload, now)
        started_at = time.perf_counter()
        try:
            async with slot.track_response():
                result = await self._resources.send(self._webhook.url, headers, payload.body, challenge=challenge)
        except TimeoutError:
            result = SendResult(None, TIMEOUT, int(1000 * (time.perf_counter() - started_at)))
        if result.error == TIMEOUT:
            slot.record_timeout()
        elif result.status is not None:
            slot.record_response()
        elif result.error != POSTPONED:
            slot.record_failure()
        return result

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

        After the last attempt the game waits among those with missed messages. The webhook itself is disabled if its
        server wants no more, or has accepted no message of any game since the first attempt.
        """
        webhooks, game, webhook_id, reason = (
            self._store.webhooks,
            self._subject,
            self._webhook.id,
            self.state.disabled_reason,
        )
        await webhooks.add_attempt(key, webhook_id, msgspec.structs.replace(attempt, game=game))
        if reason is not None:
            await webhooks.add_missed(key, webhook_id, game)
            first = game, attempt.version, 1
            latest = await webhooks.list_attempts(key, webhook_id)
            since = takewhile(lambda one: (one.game, one.version, one.attempt) != first, latest)
            if reason == GONE or all(one.game is None or one.error is not None for one in since):
                await self._disable(key, reason)

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
