"""Delivering to webhooks: each message at least once, in the order of the changes, whichever instance is there.

The game's log is the truth: a webhook's state is how far in it everything has been delivered. A commit of a game that
has webhooks promises beforehand that somebody will look, so that no change is forgotten, whoever dies when. Whoever
looks takes the webhook for a while, so that nobody else sends the same; who dies with it leaves it to others, who send
again what may have arrived. A message that fails is tried again later and later, and holds up those behind it.
"""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from service.games.port import Store, StoreUnavailable
from service.games.times import timestamp, unix_seconds
from service.games.webhooks.messages import Letter, letter, signed
from service.games.webhooks.port import Gone, Held, Hook, Registered, State, Tried
from service.telemetry.doing import DOING, Moving
from service.telemetry.metrics import HOOK_ATTEMPTS, HOOK_DELAY, HOOKS_DISABLED

logger = logging.getLogger(__name__)

DELAYS_S: tuple[float, ...] = (5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""Before each further attempt at a message; after the last, at the end of a day, the webhook is disabled."""

JITTER = 0.2
"""By which part a delay is longer or shorter, so that not everybody comes back at once."""

HELD_S = 14
"""How long a webhook is held: longer than an attempt may take."""

READ_AT_ONCE = 50
DUE_AT_ONCE = 100
AT_ONCE = 64
"""Webhooks that one instance delivers to at the same time."""

OF_A_SITE = 16
"""Of these, webhooks at one site: servers that do not answer hold up their neighbours, and nobody else."""

GONE = 410


class Sent(NamedTuple):
    """What came of an attempt: the answer's status, or why there was none."""

    status: int | None
    error: str | None
    """None for success."""
    latency_ms: int


Send = Callable[[str, Mapping[str, str], bytes], Awaitable[Sent]]
"""Posts a body with headers to a URL. Raises nothing."""


class Deliverer:
    """One instance's deliveries."""

    def __init__(
        self,
        store: Store,
        send: Send,
        clock: Callable[[], float],
        *,
        delays_s: Sequence[float] = DELAYS_S,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._store = store
        self._send = send
        self._clock = clock
        self._delays_s = delays_s
        self._chance = chance
        self._holder = uuid4().hex
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._sites: Counter[str] = Counter()
        """How many are being delivered to at each site."""
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
            task = asyncio.create_task(self._look((game, hook)))
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
            async with self._slots:
                again = True
                while again:
                    self._looking[which] = False
                    await self._deliver(*which)
                    again = self._looking[which]
        except StoreUnavailable as unavailable:
            logger.warning("the store does not answer, a webhook of game %s waits: %s", which[0], unavailable)
        finally:
            del self._looking[which]

    async def _deliver(self, game: str, hook_id: str) -> None:
        """Deliver everything that a webhook has not had yet, unless it is not its time."""
        webhooks = self._store.webhooks
        now = int(self._clock())
        match await webhooks.claim(game, hook_id, self._holder, HELD_S):
            case Gone():
                await webhooks.settle(game, hook_id, None)
            case Held():
                await webhooks.promise(game, [hook_id], now + 1)
            case Registered(hook, state):
                if _must_wait(state, now):
                    await self._let_go(game, hook, state, now)
                elif self._sites[site(hook.url)] >= OF_A_SITE:
                    await self._let_go(game, hook, state, now)
                    await webhooks.promise(game, [hook_id], now + 1)
                else:
                    await self._go_on(game, hook, state, now)

    async def _go_on(self, game: str, hook: Hook, state: State, now: int) -> None:
        """Deliver to a webhook that is held, and let go of it."""
        where = site(hook.url)
        self._sites[where] += 1
        try:
            await self._store.webhooks.settle(game, hook.id, now + HELD_S)
            reached = await self._catch_up(game, hook, state)
        finally:
            self._sites[where] -= 1
            if not self._sites[where]:
                del self._sites[where]
        if reached is not None:
            await self._let_go(game, hook, reached, now)

    async def _let_go(self, game: str, hook: Hook, state: State, now: int) -> None:
        if _must_wait(state, now):
            await self._store.webhooks.settle(game, hook.id, state.next_at)
        await self._store.webhooks.note(game, state, None, hook=hook.id, holder=self._holder, seconds=None)

    async def _catch_up(self, game: str, hook: Hook, state: State) -> State | None:
        """Deliver to the end of the log or the first failure; gives how far, None where somebody else goes on.

        At the end the date is taken off, and then the log is read once more: a change that comes later has a date of
        its own, which nobody takes off.
        """
        settled = False
        while True:
            diffs = await self._store.diffs(game, state.position, READ_AT_ONCE)
            if not diffs and settled:
                return state
            if not diffs:
                await self._store.webhooks.settle(game, hook.id, None)
            settled = not diffs
            for diff in diffs:
                message = letter(hook, diff)
                if message is None:
                    state = State(diff.version)
                    continue
                state, held = await self._attempt(game, hook, state, message, diff.version)
                if not held:
                    return None
                if state.failures:
                    return state

    async def _attempt(self, game: str, hook: Hook, state: State, message: Letter, version: int) -> tuple[State, bool]:
        """Send a message, and store what came of it; gives the new state, and whether the webhook is still held."""
        now = int(self._clock())
        sent = await self._send(hook.url, signed(hook, message, now), message.body)
        tried = Tried(
            version, message.type, state.failures + 1, timestamp(now), sent.status, sent.error, sent.latency_ms
        )
        after = State(version) if sent.error is None else self._failed(state, sent)
        HOOK_ATTEMPTS.of(sent.error or "delivered").n += 1
        if sent.error is None:
            HOOK_DELAY.of().observe(max(0.0, self._clock() - unix_seconds(message.at)))
        if after.disabled is not None:
            HOOKS_DISABLED.of(after.disabled).n += 1
            logger.warning("webhook %s of game %s is disabled: %s", hook.id, game, after.disabled)
        held = await self._store.webhooks.note(game, after, tried, hook=hook.id, holder=self._holder, seconds=HELD_S)
        return after, held

    def _failed(self, state: State, sent: Sent) -> State:
        """The state after one more failure."""
        failures = state.failures + 1
        if sent.status == GONE:
            return State(state.position, failures, None, "gone")
        if failures > len(self._delays_s):
            return State(state.position, failures, None, "failing")
        delay = self._delays_s[failures - 1] * (1 + JITTER * (2 * self._chance() - 1))
        return State(state.position, failures, int(self._clock() + max(delay, 1)))


def site(url: str) -> str:
    """The address that a URL names, or the last two parts of its name: whoever has one name has all below it.

    >>> site("https://a.b.example.org:8080/hook"), site("https://192.0.2.1/")
    ('example.org', '192.0.2.1')
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    return host if host.replace(".", "").isdecimal() or ":" in host else ".".join(host.split(".")[-2:])


def _must_wait(state: State, now: int) -> bool:
    """Whether nothing is to be sent now: the webhook is disabled (which has no next date), or has failed lately."""
    return state.disabled is not None or (state.next_at or 0) > now
