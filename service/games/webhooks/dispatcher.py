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
from service.games.webhooks.challenges import CHALLENGE_DELAYS_S, ChallengeLimits, new_challenge, repeats
from service.games.webhooks.delivery_slots import Kind, Slot, Slots
from service.games.webhooks.payloads import Letter, letter, signed
from service.games.webhooks.port import Gone, Held, Hook, Registered, State, Tried
from service.games.webhooks.sender import POSTPONED, TIMEOUT, WRONG_ANSWER, Send, Sent
from service.supervision import spawn
from service.telemetry.log_context import DOING, Moving
from service.telemetry.metrics import HOOK_ATTEMPTS, HOOK_CHALLENGES, HOOK_DELAY, HOOKS_DISABLED
from service.telemetry.throttled import ThrottledLog

logger = logging.getLogger(__name__)
_WAITS = ThrottledLog(logger)

DELAYS_S: tuple[float, ...] = (5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""Before each further attempt at a message; after the last, at the end of a day, the webhook is disabled."""

JITTER = 0.2
"""By which part a delay is longer or shorter, so that not everybody comes back at once."""

HELD_S = 14
"""How long a webhook is held: longer than an attempt may take."""

READ_AT_ONCE = 50
DUE_AT_ONCE = 100
PAUSE_S = 1
"""After which a webhook is looked at again for which there was no slot."""

HANGING_PAUSE_S = (10, 15)
"""The same of one at a host that hangs: between these, so that not everybody comes back at once."""

FAILED_S = 60
"""A webhook that cannot be delivered to for a reason that is not its server's is looked at again after this."""

GONE = 410

POSTPONED_S = 60
"""After which a challenge is sent for which the sender had no place."""


class Deliverer:
    """One instance's deliveries."""

    def __init__(
        self,
        store: GameStore,
        send: Send,
        clock: Callable[[], float],
        *,
        delays_s: Sequence[float] = DELAYS_S,
        slots: Slots | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._store = store
        self._send = send
        self._clock = clock
        self._delays_s = delays_s
        self._chance = chance
        self._holder = uuid4().hex
        self._slots = slots or Slots()
        self._challenges = ChallengeLimits(clock)
        self._looking: dict[tuple[str, str], bool] = {}
        """Webhooks that are being looked at, and whether something happened since."""
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many webhooks are being looked at."""
        return len(self._looking)

    def hooked(self, game: str, hooks: Sequence[str]) -> None:
        """Look at these webhooks of a game at once: this instance has just committed something."""
        for hook in hooks:
            if (game, hook) in self._looking:
                self._looking[game, hook] = True
                continue
            self._looking[game, hook] = False
            task = spawn("webhook-delivery", self._look((game, hook)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def keep_delivering(self, every_s: float = 1.0) -> None:
        """Until cancelled, deliver what is due, whichever instance left it behind."""
        try:
            while True:
                await self.look_round()
                await asyncio.sleep(every_s)
        finally:
            await self.aclose()

    async def look_round(self) -> None:
        """Look at all webhooks that are due, and wait for none of them."""
        try:
            for game, hook in await self._store.webhooks.due(int(self._clock()), DUE_AT_ONCE):
                self.hooked(game, [hook])
        except StoreUnavailable as unavailable:
            logger.warning("the store does not answer, webhooks wait: %s", unavailable)

    async def settled(self) -> None:
        """Wait until nothing is under way here."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def aclose(self) -> None:
        """Break off what is under way: it will be sent again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _look(self, which: tuple[str, str]) -> None:
        """Deliver to a webhook, and once more where something happened meanwhile."""
        DOING.set(Moving(which[0]))
        try:
            again = True
            while again:
                self._looking[which] = False
                await self._deliver(*which)
                again = self._looking[which]
        except StoreUnavailable as unavailable:
            _WAITS.warning("the store does not answer, a webhook of game %s waits: %s", which[0], unavailable)
        except Exception as error:  # noqa: BLE001  one failing webhook must not be looked at all the time
            await self._put_off(*which, error)
        finally:
            del self._looking[which]

    async def _put_off(self, game: str, hook: str, error: Exception) -> None:
        record_failure("webhooks", game, error, f"its webhook {hook} waits for {FAILED_S} s")
        try:
            await self._store.webhooks.reschedule(game, hook, int(self._clock()) + FAILED_S)
        except StoreUnavailable as unavailable:
            _WAITS.warning("the store does not answer, a webhook of game %s waits: %s", game, unavailable)

    async def _deliver(self, game: str, hook_id: str) -> None:
        """Deliver everything that a webhook has not had yet, unless it is not its time."""
        webhooks = self._store.webhooks
        now = int(self._clock())
        match await webhooks.claim(game, hook_id, self._holder, HELD_S):
            case Gone():
                await webhooks.reschedule(game, hook_id, None)
            case Held():
                await webhooks.schedule(game, [hook_id], now + 1)
            case Registered(hook, state):
                if _must_wait(state, now):
                    await self._let_go(game, hook, state, now)
                elif (slot := self._slots.take(hook.url)) is None:
                    await self._leave_for_later(game, hook, state, now)
                else:
                    with slot:
                        await self._go_on(game, hook, state, slot)

    async def _leave_for_later(self, game: str, hook: Hook, state: State, now: int) -> None:
        """Let go of a webhook that there is no slot for, and have it looked at again a little later."""
        await self._let_go(game, hook, state, now)
        pause_s = PAUSE_S
        if self._slots.kind_of(hook.url) is Kind.HANGING:
            least, most = HANGING_PAUSE_S
            pause_s = int(least + (most - least) * self._chance())
        await self._store.webhooks.reschedule(game, hook.id, now + pause_s)

    async def _go_on(self, game: str, hook: Hook, state: State, slot: Slot) -> None:
        """Deliver to a webhook that is held, and let go of it."""
        now = int(self._clock())
        await self._store.webhooks.reschedule(game, hook.id, now + HELD_S)
        reached: State | None = state
        if state.pending is not None:
            reached = await self._prove(game, hook, state, slot)
        if reached is not None and reached.pending is None:
            reached = await self._catch_up(game, hook, reached, slot)
        if reached is not None:
            await self._let_go(game, hook, reached, now)

    async def _let_go(self, game: str, hook: Hook, state: State, now: int) -> None:
        if _must_wait(state, now):
            await self._store.webhooks.reschedule(game, hook.id, state.next_at)
        await self._store.webhooks.note(game, state, None, hook=hook.id, holder=self._holder, seconds=None)

    async def _catch_up(self, game: str, hook: Hook, state: State, slot: Slot) -> State | None:
        """Deliver to the end of the log or the first failure; gives how far, None where somebody else goes on.

        At the end the date is taken off, and then the log is read once more: a change that comes later has a date of
        its own, which nobody takes off.
        """
        settled = False
        while True:
            diffs = await self._store.load_diffs(game, state.position, READ_AT_ONCE)
            if not diffs and settled:
                return state
            if not diffs:
                await self._store.webhooks.reschedule(game, hook.id, None)
            settled = not diffs
            for diff in diffs:
                message = letter(hook, diff)
                if message is None:
                    state = State(diff.version)
                    continue
                state, held = await self._attempt(game, hook, state, message, slot, diff.version)
                if not held:
                    return None
                if state.failures:
                    return state

    async def _attempt(
        self, game: str, hook: Hook, state: State, message: Letter, slot: Slot, version: int
    ) -> tuple[State, bool]:
        """Send a message, and store what came of it; gives the new state, and whether the webhook is still held."""
        now = int(self._clock())
        sent = await self._sent(slot, hook, message, now)
        after = State(version) if sent.error is None else self._failed(state, sent)
        HOOK_ATTEMPTS.labels(sent.error or "delivered").inc()
        if sent.error is None:
            HOOK_DELAY.observe(max(0.0, self._clock() - unix_seconds(message.at)))
        tried = Tried(version, message.type, state.failures + 1, timestamp(now), *sent[:3])
        return after, await self._note(game, hook, after, tried)

    async def _prove(self, game: str, hook: Hook, state: State, slot: Slot) -> State | None:
        """Send a challenge, unless too many were sent; gives the new state, None where somebody else goes on."""
        now, client = int(self._clock()), state.pending or ""
        wait_s = self._challenges.take(client, hook.url)
        if wait_s:
            return msgspec.structs.replace(state, next_at=now + ceil(wait_s))
        challenge, message = new_challenge(game, hook, now)
        sent = await self._sent(slot, hook, message, now, challenge=True)
        if sent.error == POSTPONED:
            return msgspec.structs.replace(state, next_at=now + POSTPONED_S)
        if sent.error is None and not repeats(sent.answer, challenge):
            sent = sent._replace(error=WRONG_ANSWER)
        HOOK_CHALLENGES.labels(sent.error or "answered").inc()
        if sent.error is None:
            self._challenges.give_back(client, hook.url)
        after = State(state.position) if sent.error is None else self._failed(state, sent)
        tried = Tried(state.position, message.type, state.failures + 1, message.at, *sent[:3])
        return after if await self._note(game, hook, after, tried) else None

    async def _sent(self, slot: Slot, hook: Hook, message: Letter, now: int, *, challenge: bool = False) -> Sent:
        """Send a message, and learn how its host answers."""
        began = time.perf_counter()
        try:
            async with slot.sending():
                sent = await self._send(hook.url, signed(hook, message, now), message.body, challenge=challenge)
        except TimeoutError:
            sent = Sent(None, TIMEOUT, int(1000 * (time.perf_counter() - began)))
        if sent.error == TIMEOUT:
            slot.hang()
        elif sent.status is not None:
            slot.answer()
        elif sent.error != POSTPONED:
            slot.fail()
        return sent

    async def _note(self, game: str, hook: Hook, after: State, tried: Tried) -> bool:
        """Store what came of an attempt; gives whether the webhook is still held."""
        if after.disabled is not None:
            HOOKS_DISABLED.labels(after.disabled).inc()
            logger.warning("webhook %s of game %s is disabled: %s", hook.id, game, after.disabled)
        return await self._store.webhooks.note(game, after, tried, hook=hook.id, holder=self._holder, seconds=HELD_S)

    def _failed(self, state: State, sent: Sent) -> State:
        """The state after one more failure."""
        failures = state.failures + 1
        delays_s, reason = (self._delays_s, "failing") if state.pending is None else (CHALLENGE_DELAYS_S, "unproven")
        if sent.status == GONE or failures > len(delays_s):
            reason = "gone" if sent.status == GONE else reason
            return msgspec.structs.replace(state, failures=failures, next_at=None, disabled=reason)
        delay = delays_s[failures - 1] * (1 + JITTER * (2 * self._chance() - 1))
        return msgspec.structs.replace(state, failures=failures, next_at=int(self._clock() + max(delay, 1)))


def _must_wait(state: State, now: int) -> bool:
    """Whether nothing is to be sent now: the webhook is disabled (which has no next date), or has failed lately."""
    return state.disabled is not None or (state.next_at or 0) > now
