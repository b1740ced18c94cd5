"""Delivering to webhooks: each message at least once, in the order of the changes, whichever instance is there.

The game's log is the truth: a webhook's state is how far in it everything has been delivered. A commit of a game that
has webhooks promises beforehand that somebody will look, so that no change is forgotten, whoever dies when. Whoever
looks takes the webhook for a while, so that nobody else sends the same; who dies with it leaves it to others, who send
again what may have arrived. A message that fails is tried again later and later, and holds up those behind it. Before
all that a webhook's server must have answered a challenge (see `challenges`).
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
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
from service.telemetry.throttled import ThrottledLog

logger = logging.getLogger(__name__)
_throttled_log = ThrottledLog(logger)

RETRY_DELAYS_S: tuple[float, ...] = (5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""Before each further attempt at a message; after the last, at the end of a day, the webhook is disabled."""

JITTER = 0.2
"""By which part a delay is longer or shorter, so that not everybody comes back at once."""

LEASE_TTL_S = 14
"""How long a webhook is held: longer than an attempt may take."""

LOG_BATCH_SIZE = 50
DUE_BATCH_SIZE = 100
NO_SLOT_DELAY_S = 1
"""After which a webhook is looked at again for which there was no slot."""

SLOW_HOST_DELAY_RANGE_S = (10, 15)
"""The same of one at a host that hangs: between these, so that not everybody comes back at once."""

FAILURE_DELAY_S = 60
"""A webhook that cannot be delivered to for a reason that is not its server's is looked at again after this."""

GONE = 410

POSTPONED_DELAY_S = 60
"""After which a challenge is sent for which the sender had no place."""


class WebhookDispatcher:
    """One instance's deliveries."""

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
        """Webhooks that are being looked at, and whether something happened since."""
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many webhooks are being looked at."""
        return len(self._in_progress)

    def dispatch(self, game: str, hooks: Sequence[str]) -> None:
        """Look at these webhooks of a game at once: this instance has just committed something."""
        for hook in hooks:
            if (game, hook) in self._in_progress:
                self._in_progress[game, hook] = True
                continue
            self._in_progress[game, hook] = False
            task = spawn("webhook-delivery", self._process((game, hook)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def run(self, every_s: float = 1.0) -> None:
        """Until cancelled, deliver what is due, whichever instance left it behind."""
        try:
            while True:
                await self.dispatch_due()
                await asyncio.sleep(every_s)
        finally:
            await self.aclose()

    async def dispatch_due(self) -> None:
        """Look at all webhooks that are due, and wait for none of them."""
        try:
            for game, hook in await self._store.webhooks.list_due(int(self._clock()), DUE_BATCH_SIZE):
                self.dispatch(game, [hook])
        except StoreUnavailable as unavailable:
            logger.warning("the store does not answer, webhooks wait: %s", unavailable)

    async def join(self) -> None:
        """Wait until nothing is under way here."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def aclose(self) -> None:
        """Break off what is under way: it will be sent again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _process(self, which: tuple[str, str]) -> None:
        """Deliver to a webhook, and once more where something happened meanwhile."""
        LOG_CONTEXT.set(DueGameContext(which[0]))
        try:
            again = True
            while again:
                self._in_progress[which] = False
                await self._deliver_webhook(*which)
                again = self._in_progress[which]
        except StoreUnavailable as unavailable:
            _throttled_log.warning("the store does not answer, a webhook of game %s waits: %s", which[0], unavailable)
        except Exception as error:  # noqa: BLE001  one failing webhook must not be looked at all the time
            await self._postpone_failed(*which, error)
        finally:
            del self._in_progress[which]

    async def _postpone_failed(self, game: str, hook: str, error: Exception) -> None:
        record_failure("webhooks", game, error, f"its webhook {hook} waits for {FAILURE_DELAY_S} s")
        try:
            await self._store.webhooks.reschedule(game, hook, int(self._clock()) + FAILURE_DELAY_S)
        except StoreUnavailable as unavailable:
            _throttled_log.warning("the store does not answer, a webhook of game %s waits: %s", game, unavailable)

    async def _deliver_webhook(self, game: str, hook_id: str) -> None:
        """Deliver everything that a webhook has not had yet, unless it is not its time."""
        webhooks = self._store.webhooks
        now = int(self._clock())
        match await webhooks.acquire_lease(game, hook_id, self._holder, LEASE_TTL_S):
            case WebhookNotFound():
                await webhooks.reschedule(game, hook_id, None)
            case LeaseTaken():
                await webhooks.schedule(game, [hook_id], now + 1)
            case StoredWebhook(hook, state):
                if _is_waiting(state, now):
                    await self._release(game, hook, state, now)
                elif (slot := self._slots.acquire(hook.url)) is None:
                    await self._postpone_without_slot(game, hook, state, now)
                else:
                    with slot:
                        await self._deliver_with_slot(game, hook, state, slot)

    async def _postpone_without_slot(self, game: str, hook: WebhookRegistration, state: WebhookState, now: int) -> None:
        """Let go of a webhook that there is no slot for, and have it looked at again a little later."""
        await self._release(game, hook, state, now)
        pause_s = NO_SLOT_DELAY_S
        if self._slots.host_status(hook.url) is HostStatus.SLOW:
            least, most = SLOW_HOST_DELAY_RANGE_S
            pause_s = int(least + (most - least) * self._random_fraction())
        await self._store.webhooks.reschedule(game, hook.id, now + pause_s)

    async def _deliver_with_slot(
        self, game: str, hook: WebhookRegistration, state: WebhookState, slot: DeliverySlot
    ) -> None:
        """Deliver to a webhook that is held, and let go of it."""
        now = int(self._clock())
        await self._store.webhooks.reschedule(game, hook.id, now + LEASE_TTL_S)
        reached: WebhookState | None = state
        if state.pending_client is not None:
            reached = await self._send_challenge(game, hook, state, slot)
        if reached is not None and reached.pending_client is None:
            reached = await self._deliver_log(game, hook, reached, slot)
        if reached is not None:
            await self._release(game, hook, reached, now)

    async def _release(self, game: str, hook: WebhookRegistration, state: WebhookState, now: int) -> None:
        if _is_waiting(state, now):
            await self._store.webhooks.reschedule(game, hook.id, state.next_attempt_at)
        await self._store.webhooks.save_state(game, state, None, hook=hook.id, holder=self._holder, seconds=None)

    async def _deliver_log(
        self, game: str, hook: WebhookRegistration, state: WebhookState, slot: DeliverySlot
    ) -> WebhookState | None:
        """Deliver to the end of the log or the first failure; gives how far, None where somebody else goes on.

        At the end the date is taken off, and then the log is read once more: a change that comes later has a date of
        its own, which nobody takes off.
        """
        settled = False
        while True:
            diffs = await self._store.load_diffs(game, state.delivered_version, LOG_BATCH_SIZE)
            if not diffs and settled:
                return state
            if not diffs:
                await self._store.webhooks.reschedule(game, hook.id, None)
            settled = not diffs
            for diff in diffs:
                message = build_payload(hook, diff)
                if message is None:
                    state = WebhookState(diff.version)
                    continue
                state, held = await self._deliver_payload(game, hook, state, message, slot, diff.version)
                if not held:
                    return None
                if state.failures:
                    return state

    async def _deliver_payload(
        self,
        game: str,
        hook: WebhookRegistration,
        state: WebhookState,
        message: WebhookPayload,
        slot: DeliverySlot,
        version: int,
    ) -> tuple[WebhookState, bool]:
        """Send a message, and store what came of it; gives the new state, and whether the webhook is still held."""
        now = int(self._clock())
        sent = await self._send_payload(slot, hook, message, now)
        after = WebhookState(version) if sent.error is None else self._state_after_failure(state, sent)
        WEBHOOK_ATTEMPTS.labels(sent.error or "delivered").inc()
        if sent.error is None:
            WEBHOOK_DELAY.observe(max(0.0, self._clock() - unix_seconds(message.at)))
        tried = DeliveryAttempt(version, message.type, state.failures + 1, timestamp(now), *sent[:3])
        return after, await self._save_attempt(game, hook, after, tried)

    async def _send_challenge(
        self, game: str, hook: WebhookRegistration, state: WebhookState, slot: DeliverySlot
    ) -> WebhookState | None:
        """Send a challenge, unless too many were sent; gives the new state, None where somebody else goes on."""
        now, client = int(self._clock()), state.pending_client or ""
        wait_s = self._challenge_limiter.take(client, hook.url)
        if wait_s:
            return msgspec.structs.replace(state, next_attempt_at=now + ceil(wait_s))
        challenge, message = create_challenge(game, hook, now)
        sent = await self._send_payload(slot, hook, message, now, challenge=True)
        if sent.error == POSTPONED:
            return msgspec.structs.replace(state, next_attempt_at=now + POSTPONED_DELAY_S)
        if sent.error is None and not is_correct_response(sent.response_body, challenge):
            sent = sent._replace(error=WRONG_ANSWER)
        WEBHOOK_CHALLENGES.labels(sent.error or "answered").inc()
        if sent.error is None:
            self._challenge_limiter.refund(client, hook.url)
        after = WebhookState(state.delivered_version) if sent.error is None else self._state_after_failure(state, sent)
        tried = DeliveryAttempt(state.delivered_version, message.type, state.failures + 1, message.at, *sent[:3])
        return after if await self._save_attempt(game, hook, after, tried) else None

    async def _send_payload(
        self,
        slot: DeliverySlot,
        hook: WebhookRegistration,
        message: WebhookPayload,
        now: int,
        *,
        challenge: bool = False,
    ) -> SendResult:
        """Send a message, and learn how its host answers."""
        began = time.perf_counter()
        try:
            async with slot.track_response():
                sent = await self._send(
                    hook.url, signature_headers(hook, message, now), message.body, challenge=challenge
                )
        except TimeoutError:
            sent = SendResult(None, TIMEOUT, int(1000 * (time.perf_counter() - began)))
        if sent.error == TIMEOUT:
            slot.record_timeout()
        elif sent.status is not None:
            slot.record_response()
        elif sent.error != POSTPONED:
            slot.record_failure()
        return sent

    async def _save_attempt(
        self, game: str, hook: WebhookRegistration, after: WebhookState, tried: DeliveryAttempt
    ) -> bool:
        """Store what came of an attempt; gives whether the webhook is still held."""
        if after.disabled_reason is not None:
            WEBHOOKS_DISABLED.labels(after.disabled_reason).inc()
            logger.warning("webhook %s of game %s is disabled: %s", hook.id, game, after.disabled_reason)
        return await self._store.webhooks.save_state(
            game, after, tried, hook=hook.id, holder=self._holder, seconds=LEASE_TTL_S
        )

    def _state_after_failure(self, state: WebhookState, sent: SendResult) -> WebhookState:
        """The state after one more failure."""
        failures = state.failures + 1
        delays_s, reason = (
            (self._retry_delays_s, "failing")
            if state.pending_client is None
            else (CHALLENGE_RETRY_DELAYS_S, "unproven")
        )
        if sent.status == GONE or failures > len(delays_s):
            reason = "gone" if sent.status == GONE else reason
            return msgspec.structs.replace(state, failures=failures, next_attempt_at=None, disabled_reason=reason)
        delay = delays_s[failures - 1] * (1 + JITTER * (2 * self._random_fraction() - 1))
        return msgspec.structs.replace(state, failures=failures, next_attempt_at=int(self._clock() + max(delay, 1)))


def _is_waiting(state: WebhookState, now: int) -> bool:
    """Whether nothing is to be sent now: the webhook is disabled (which has no next date), or has failed lately."""
    return state.disabled_reason is not None or (state.next_attempt_at or 0) > now
