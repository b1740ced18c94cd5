"""The dispatcher: delivers each message at least once, in the order of the changes, from whichever instance is free.

The game's log is the source of truth: a webhook's state says how far it is delivered. A commit of a game with webhooks
schedules them beforehand, so that no change is lost when an instance dies. A dispatcher leases a webhook while it
delivers, so that no other instance sends the same. After a crash, the lease expires and another instance may repeat a
message. A failed message is retried with growing delays, and delays those behind it. Before any message, the server
must have answered a challenge (see `challenges`).

A webhook of an API key is delivered to game by game, in the same way. Only its challenge and its pings belong to the
key itself. While it is pending or disabled, games with new changes are recorded as missed; then they resume.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from uuid import uuid4

import msgspec

from service.games.access import key_of_subject, subject_of_key
from service.games.game_failures import record_failure
from service.games.ports.game_store import GameStore, StoreUnavailable, UnreadableGame
from service.games.ports.webhook_store import (
    LeaseTaken,
    StoredWebhook,
    WebhookChange,
    WebhookNotFound,
    WebhookSender,
    WebhookState,
)
from service.games.webhooks.challenges import ChallengeRateLimiter
from service.games.webhooks.delivery import LEASE_TTL_S, RETRY_DELAYS_S, Delivery, DeliveryResources
from service.games.webhooks.delivery_slots import DeliverySlots, HostStatus
from service.supervision import spawn
from service.telemetry.logs import LOG_CONTEXT, DueGameContext

logger = logging.getLogger(__name__)

DUE_BATCH_SIZE = 100
NO_SLOT_DELAY_S = 1
"""Delay before a webhook without a delivery slot is tried again."""

SLOW_HOST_DELAY_RANGE_S = (10, 15)
"""The same for a slow host: a random delay in this range."""

FAILURE_DELAY_S = 60
"""Delay after a failure that is not the server's."""


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
        self._clock = clock
        self._random_fraction = random_fraction
        self._holder = uuid4().hex
        self._slots = DeliverySlots() if slots is None else slots
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

    async def _deliver_webhook(self, subject: str, webhook_id: str) -> None:
        """Deliver the pending messages of a webhook, if it is due and not leased."""
        webhooks = self._store.webhooks
        now = int(self._clock())
        match await webhooks.acquire_lease(subject, webhook_id, self._holder, LEASE_TTL_S):
            case WebhookNotFound():
                await webhooks.reschedule(subject, webhook_id, None)
            case LeaseTaken():
                await webhooks.schedule(subject, [webhook_id], now + 1)
            case StoredWebhook() as leased:
                is_own = leased.registration.api_key is None
                stored = leased if is_own else await self._load_webhook_of_key(subject, leased, now)
                if stored is not None:
                    await self._deliver_leased(subject, stored, now)

    async def _deliver_leased(self, subject: str, stored: StoredWebhook, now: int) -> None:
        """Deliver the pending messages of a leased webhook, if it does not wait and gets a slot."""
        webhooks, (webhook, state) = self._store.webhooks, stored
        delivery = Delivery(self._resources, subject, stored)
        if _is_waiting(state, now):
            await self._release(subject, webhook.id, state, now)
        elif key_of_subject(subject) is not None and state.is_active and not state.is_ping_requested:
            if await delivery.process_games():
                await self._release(subject, webhook.id, delivery.state, now)
        elif (slot := self._slots.acquire(webhook.url)) is None:
            await self._release(subject, webhook.id, state, now)
            await webhooks.reschedule(subject, webhook.id, now + self._delay_without_slot_s(webhook.url))
        else:
            with slot:
                if await delivery.deliver_pending(slot):
                    await self._release(subject, webhook.id, delivery.state, now)

    async def _load_webhook_of_key(self, game: str, leased: StoredWebhook, now: int) -> StoredWebhook | None:
        """Return the webhook of an API key that a game refers to, with the game's state; None if it gets no messages.

        The game then waits among those with missed messages. It is added before a second look at the webhook, which
        may have become active in between.
        """
        webhooks, (reference, state) = self._store.webhooks, leased
        webhook_id, key = reference.id, subject_of_key(reference.api_key or "")
        stored = await webhooks.get(key, webhook_id)
        if stored is None:
            await webhooks.remove(game, webhook_id)
        elif stored.state.is_active:
            return StoredWebhook(msgspec.structs.replace(stored.registration, api_key=reference.api_key), state)
        else:
            await webhooks.add_missed(key, webhook_id, game)
        await webhooks.reschedule(game, webhook_id, None)
        await webhooks.save(game, webhook_id, self._holder, WebhookChange(state))
        if stored is not None and (stored := await webhooks.get(key, webhook_id)) and stored.state.is_active:
            await webhooks.schedule(game, [webhook_id], now)
            if state.disabled_reason is None:
                await webhooks.remove_missed(key, webhook_id, [game])
        return None

    def _delay_without_slot_s(self, url: str) -> int:
        """Return the delay before a webhook that got no slot is tried again."""
        if self._slots.host_status(url) is not HostStatus.SLOW:
            return NO_SLOT_DELAY_S
        shortest, longest = SLOW_HOST_DELAY_RANGE_S
        return int(shortest + (longest - shortest) * self._random_fraction())

    async def _release(self, subject: str, webhook_id: str, state: WebhookState, now: int) -> None:
        """Store a state and release the lease; schedule the next attempt if the webhook waits for it."""
        if _is_waiting(state, now):
            await self._store.webhooks.reschedule(subject, webhook_id, state.next_attempt_at)
        await self._store.webhooks.save(subject, webhook_id, self._holder, WebhookChange(state))


def _is_waiting(state: WebhookState, now: int) -> bool:
    """Return whether nothing may be sent now: the webhook is disabled, or its next attempt is later."""
    return state.disabled_reason is not None or (state.next_attempt_at or 0) > now
