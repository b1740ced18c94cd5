"""The bots of one instance, with a fallback for bots that fail."""

import asyncio
import logging
from collections.abc import Iterable
from functools import cache
from time import perf_counter

from schemas.actions import Action
from schemas.bots import BotInfo
from service.engine import Game, TileSetIndex
from service.fair_queue import ANONYMOUS, FairQueue, QueueFull, Requester, UnattendedLimits
from service.games.bots.decision_pool import BotProcessPool
from service.games.bots.plugins import LoadedBot, load_bots
from service.games.bots.runner import BotFailed, redact, run_bot
from service.telemetry.metrics import BOT_FAILURES, BOT_QUEUE_WAIT, BOT_THINKING, LATE_BOT_DECISIONS

logger = logging.getLogger(__name__)

FALLBACK_BOT = "greedy"
"""The bot that decides when another bot fails, and for absent players."""


MISSING_BOT_LABEL = "missing"
"""The metric label of all bots that are not installed."""


LIGHT_BOT_LIMITS = UnattendedLimits(slots=1, time_share=0.1, overhead_s=0.0005)
"""Limits of light bots in unattended games; the overhead is about what storing a move costs."""


class BotRegistry:
    """All bots by name. Without a process pool, heavy bots run in this process too and nothing is queued."""

    def __init__(self, loaded_bots: Iterable[LoadedBot], process_pool: BotProcessPool | None = None) -> None:
        self._bots = {loaded.bot.name: loaded for loaded in loaded_bots}
        self._process_pool = process_pool
        self._light_queue = FairQueue(1, LIGHT_BOT_LIMITS, wait_histogram=BOT_QUEUE_WAIT)
        """Decisions in this process: one per iteration of the event loop, so that other tasks run in between."""
        for name in (*self._bots, MISSING_BOT_LABEL):  # so that each series exists before its first event
            for metric in (BOT_FAILURES, LATE_BOT_DECISIONS, BOT_THINKING):
                metric.labels(name)

    def queue_length(self, *, attended: bool) -> int:
        """Return how many decisions of attended or unattended games wait."""
        heavy_waiting = 0 if self._process_pool is None else self._process_pool.queue.queue_length(attended=attended)
        return heavy_waiting + self._light_queue.queue_length(attended=attended)

    def __contains__(self, name: str) -> bool:
        return name in self._bots

    def list_bots(self) -> list[BotInfo]:
        """Return the public description of each bot, sorted by name."""
        return [self._bots[name].info for name in sorted(self._bots)]

    def is_heavy(self, name: str) -> bool:
        """Return whether a bot is heavy; one that is not installed is not, as the fallback decides."""
        return name in self._bots and self._bots[name].info.heavy

    def is_deferred(self, requester: Requester) -> bool:
        """Return whether requests do not wait for this game's bots, as nobody plays it."""
        return self._process_pool is not None and not requester.attended

    async def choose(
        self, name: str, index: TileSetIndex, game: Game, timeout_s: float | None, requester: Requester = ANONYMOUS
    ) -> Action | None:
        """Return the legal move that the bot `name` decides on, or None on timeout.

        For a bot that fails or is not installed, the fallback decides.
        """
        label = name if name in self._bots else MISSING_BOT_LABEL
        started_at = perf_counter()
        try:
            async with asyncio.timeout(timeout_s):
                return await self._choose(name, index, game, requester)
        except (TimeoutError, QueueFull):
            LATE_BOT_DECISIONS.labels(label).inc()
            return None
        except BotFailed as failed:
            BOT_FAILURES.labels(label).inc()
            logger.warning("game %s, version %d: %s; %s decides", game.id, game.version, failed, FALLBACK_BOT)
            return run_bot(self._bots[FALLBACK_BOT].bot, index, game)
        finally:
            BOT_THINKING.labels(label).observe(perf_counter() - started_at)

    async def _choose(self, name: str, index: TileSetIndex, game: Game, requester: Requester) -> Action:
        loaded = self._bots.get(name)
        if loaded is None:
            raise BotFailed(name, "is not installed")
        if self._process_pool is None:
            return run_bot(loaded.bot, index, game)
        if loaded.info.heavy:
            return await self._process_pool.decide(loaded, *redact(loaded.bot, index, game), requester)
        started_at = await self._light_queue.acquire(requester)
        try:
            return run_bot(loaded.bot, index, game)
        finally:  # the next decision starts only after all other ready tasks have run
            asyncio.get_running_loop().call_soon(self._light_queue.release, requester, started_at, perf_counter())


@cache
def built_in_registry() -> BotRegistry:
    """Return a registry of the built-in bots without a process pool, for tools and tests."""
    return BotRegistry(load_bots(plugins=False))
