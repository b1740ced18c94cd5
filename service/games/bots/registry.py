"""The bots of one instance, and the game going on whatever one of them does."""

import asyncio
import logging
from collections.abc import Iterable
from functools import cache
from time import perf_counter

from schemas.actions import Action
from schemas.bots import BotInfo
from service.engine import Game, Tables
from service.games.bots.fair_queue import Claim, FairQueue, QueueFull, Share
from service.games.bots.plugins import LoadedBot, find_bots
from service.games.bots.process_pool import Workers
from service.games.bots.redaction import shown
from service.games.bots.runner import BotFailed, ask
from service.telemetry.metrics import BOT_FAILED, BOT_LATE, BOT_QUEUE_WAIT, BOT_THINKING

logger = logging.getLogger(__name__)

STAND_IN = "greedy"
"""Decides where a bot fails, and for whoever is absent."""


MISSING = "missing"
"""As which all bots are counted that are not here."""


LIGHT = Share(slots=1, time=0.1, overhead_s=0.0005)
"""Of the event loop's time, for light bots in games without people; storing a move takes about as long as said."""

ANYBODY = Claim()


class Bots:
    """All bots by name; without `workers` the heavy ones think in this process too, and nobody waits for a turn."""

    def __init__(self, found: Iterable[LoadedBot], workers: Workers | None = None) -> None:
        self._found = {loaded.bot.name: loaded for loaded in found}
        self._workers = workers
        self._here = FairQueue(1, LIGHT, waits=BOT_QUEUE_WAIT)
        """Decisions in this process: one each time that the event loop comes round, so that others are served."""
        for name in (*self._found, MISSING):  # so that the first of each is seen
            for metric in (BOT_FAILED, BOT_LATE, BOT_THINKING):
                metric.labels(name)

    def waiting(self, *, attended: bool) -> int:
        """How many decisions wait for their turn: in games that people play, or in those that nobody plays."""
        there = 0 if self._workers is None else self._workers.queue.waiting(attended=attended)
        return there + self._here.waiting(attended=attended)

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def listed(self) -> list[BotInfo]:
        """What is told of each."""
        return [self._found[name].info for name in sorted(self._found)]

    def is_heavy(self, name: str) -> bool:
        """Whether a bot thinks for long; one that is not here does not, as another stands in."""
        return name in self._found and self._found[name].info.heavy

    def defers(self, claim: Claim) -> bool:
        """Whether no request waits for this game's bots: nobody plays it."""
        return self._workers is not None and not claim.attended

    async def choose(
        self, name: str, tables: Tables, game: Game, within_s: float | None, claim: Claim = ANYBODY
    ) -> Action | None:
        """The decider's move as the bot `name` decides, legal and in full; None where it does not come in time.

        A bot that fails, or that this instance does not have, is stood in for.
        """
        known = name if name in self._found else MISSING
        began = perf_counter()
        try:
            async with asyncio.timeout(within_s):
                return await self._ask(name, tables, game, claim)
        except (TimeoutError, QueueFull):
            BOT_LATE.labels(known).inc()
            return None
        except BotFailed as failed:
            BOT_FAILED.labels(known).inc()
            logger.warning("game %s, version %d: %s; %s decides", game.id, game.version, failed, STAND_IN)
            return ask(self._found[STAND_IN].bot, tables, game)
        finally:
            BOT_THINKING.labels(known).observe(perf_counter() - began)

    async def _ask(self, name: str, tables: Tables, game: Game, claim: Claim) -> Action:
        loaded = self._found.get(name)
        if loaded is None:
            raise BotFailed(name, "is not installed here")
        if self._workers is None:
            return ask(loaded.bot, tables, game)
        if loaded.info.heavy:
            return await self._workers.decide(loaded, *shown(loaded.bot, tables, game), claim)
        began = await self._here.acquire(claim)
        try:
            return ask(loaded.bot, tables, game)
        finally:  # the next one has its turn only when everybody else has been served in between
            asyncio.get_running_loop().call_soon(self._here.release, claim, began, perf_counter())


@cache
def built_in() -> Bots:
    """The service's own bots, without processes: for tools and tests."""
    return Bots(find_bots(plugins=False))
