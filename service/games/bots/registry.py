"""The bots of one instance, and the game going on whatever one of them does."""

import asyncio
import logging
from collections.abc import Iterable
from functools import cache
from time import perf_counter

from schemas.actions import Action
from schemas.bots import BotInfo
from service.engine import Game, TileSetIndex
from service.games.bots.fair_queue import ANONYMOUS, FairQueue, QueueFull, Requester, UnattendedLimits
from service.games.bots.plugins import LoadedBot, load_bots
from service.games.bots.process_pool import BotProcessPool
from service.games.bots.redaction import redact
from service.games.bots.runner import BotFailed, run_bot
from service.telemetry.metrics import BOT_FAILURES, BOT_QUEUE_WAIT, BOT_THINKING, LATE_BOT_DECISIONS

logger = logging.getLogger(__name__)

FALLBACK_BOT = "greedy"
"""Decides where a bot fails, and for whoever is absent."""


MISSING_BOT_LABEL = "missing"
"""As which all bots are counted that are not here."""


LIGHT_BOT_LIMITS = UnattendedLimits(slots=1, time_share=0.1, overhead_s=0.0005)
"""Of the event loop's time, for light bots in games without people; storing a move takes about as long as said."""


class BotRegistry:
    """All bots by name; without `workers` the heavy ones think in this process too, and nobody waits for a turn."""

    def __init__(self, loaded_bots: Iterable[LoadedBot], process_pool: BotProcessPool | None = None) -> None:
        self._bots = {loaded.bot.name: loaded for loaded in loaded_bots}
        self._process_pool = process_pool
        self._light_queue = FairQueue(1, LIGHT_BOT_LIMITS, wait_histogram=BOT_QUEUE_WAIT)
        """Decisions in this process: one each time that the event loop comes round, so that others are served."""
        for name in (*self._bots, MISSING_BOT_LABEL):  # so that the first of each is seen
            for metric in (BOT_FAILURES, LATE_BOT_DECISIONS, BOT_THINKING):
                metric.labels(name)

    def queue_length(self, *, attended: bool) -> int:
        """How many decisions wait for their turn: in games that people play, or in those that nobody plays."""
        there = 0 if self._process_pool is None else self._process_pool.queue.queue_length(attended=attended)
        return there + self._light_queue.queue_length(attended=attended)

    def __contains__(self, name: str) -> bool:
        return name in self._bots

    def list_bots(self) -> list[BotInfo]:
        """What is told of each."""
        return [self._bots[name].info for name in sorted(self._bots)]

    def is_heavy(self, name: str) -> bool:
        """Whether a bot thinks for long; one that is not here does not, as another stands in."""
        return name in self._bots and self._bots[name].info.heavy

    def is_deferred(self, requester: Requester) -> bool:
        """Whether no request waits for this game's bots: nobody plays it."""
        return self._process_pool is not None and not requester.attended

    async def choose(
        self, name: str, index: TileSetIndex, game: Game, timeout_s: float | None, requester: Requester = ANONYMOUS
    ) -> Action | None:
        """The decider's move as the bot `name` decides, legal and in full; None where it does not come in time.

        A bot that fails, or that this instance does not have, is stood in for.
        """
        known = name if name in self._bots else MISSING_BOT_LABEL
        began = perf_counter()
        try:
            async with asyncio.timeout(timeout_s):
                return await self._choose(name, index, game, requester)
        except (TimeoutError, QueueFull):
            LATE_BOT_DECISIONS.labels(known).inc()
            return None
        except BotFailed as failed:
            BOT_FAILURES.labels(known).inc()
            logger.warning("game %s, version %d: %s; %s decides", game.id, game.version, failed, FALLBACK_BOT)
            return run_bot(self._bots[FALLBACK_BOT].bot, index, game)
        finally:
            BOT_THINKING.labels(known).observe(perf_counter() - began)

    async def _choose(self, name: str, index: TileSetIndex, game: Game, requester: Requester) -> Action:
        loaded = self._bots.get(name)
        if loaded is None:
            raise BotFailed(name, "is not installed here")
        if self._process_pool is None:
            return run_bot(loaded.bot, index, game)
        if loaded.info.heavy:
            return await self._process_pool.decide(loaded, *redact(loaded.bot, index, game), requester)
        began = await self._light_queue.acquire(requester)
        try:
            return run_bot(loaded.bot, index, game)
        finally:  # the next one has its turn only when everybody else has been served in between
            asyncio.get_running_loop().call_soon(self._light_queue.release, requester, began, perf_counter())


@cache
def built_in_registry() -> BotRegistry:
    """The service's own bots, without processes: for tools and tests."""
    return BotRegistry(load_bots(plugins=False))
