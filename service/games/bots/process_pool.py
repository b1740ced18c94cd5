"""Processes of their own in which heavy bots think, so that everybody else is served meanwhile."""

import asyncio
import faulthandler
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache, lru_cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from types import FrameType
from typing import NamedTuple

import msgspec

from schemas.actions import Action
from schemas.tileset import TileSet
from service.engine import Tables, decode, encode
from service.games.bots.fair_queue import Claim, FairQueue, Share
from service.games.bots.interface import Position
from service.games.bots.plugins import LoadedBot, load
from service.games.bots.runner import BotFailed, decide
from service.games.shuffle import Chance
from service.supervision import spawn
from service.telemetry.metrics import BOT_QUEUE_WAIT

LIMIT_S = 3.0
"""A decision that takes longer is given up."""

TRIES = 2
"""A process may have ended for another reason than the bot that is asked."""


class Job(NamedTuple):
    """A question to a bot, as it goes to the process that answers it."""

    bot: str
    source: str
    """Where the bot is found: `module:attribute`."""
    tileset: bytes
    snapshot: bytes
    chance: Chance
    limit_s: float


UNATTENDED_SHARE = 0.5
"""Of the processes' time, for games without people."""

MAX_UNCLAIMED = 64
"""Decisions, begun or made, that are kept for whoever asks again: nobody waited for them any longer."""


_Key = tuple[str, str, bytes, bytes]
"""Bot, source, tile set and snapshot of a job."""


class Workers:
    """At most `number` processes, started with the first question; one that ends is replaced.

    A process decides for one game at a time, and no other waits inside the pool: so whose turn it is, the queue says.
    """

    def __init__(self, number: int = 1, limit_s: float = LIMIT_S, unattended_share: float = UNATTENDED_SHARE) -> None:
        self._number, self._limit_s = number, limit_s
        self._executor: ProcessPoolExecutor | None = None
        self.queue = FairQueue(number, Share(max(1, number - 1), unattended_share), waits=BOT_QUEUE_WAIT)
        """One process is left to games with people, where there are several."""
        self._decisions: dict[_Key, asyncio.Task[Action]] = {}

    @property
    def processes(self) -> int:
        """How many may think now."""
        return 0 if self._executor is None else self._number

    @property
    def questions(self) -> int:
        """How many are thought about, or will be."""
        queue = self.queue
        return queue.taken + queue.waiting(attended=True) + queue.waiting(attended=False)

    async def decide(self, loaded: LoadedBot, position: Position, chance: Chance, claim: Claim = Claim()) -> Action:  # noqa: B008  (a NamedTuple)
        """What a bot decides in one of the processes. Raises BotFailed, QueueFull.

        Whoever is cancelled meanwhile, and asks the same again, gets what was decided.
        """
        tables, game = position
        job = Job(loaded.bot.name, loaded.source, _written(tables), encode(game), chance, self._limit_s)
        key = job[:4]  # the chance follows from the game
        task = self._decisions.get(key)
        if task is None:
            began = await self.queue.acquire(claim)
            task = spawn("bot-decision", self._run(job, claim, began), expected=(BotFailed,))
            self._decisions[key] = task
            self._forget()
        try:
            return await asyncio.shield(task)
        finally:
            if task.done() and self._decisions.get(key) is task:
                del self._decisions[key]

    async def _run(self, job: Job, claim: Claim, began: float) -> Action:
        """Have a job done, and give its slot back when the process is free again."""
        try:
            return await self._asked(job)
        finally:
            self.queue.release(claim, began)

    def _forget(self) -> None:
        """Forget decisions that nobody has asked for again."""
        for key in [*self._decisions][:-MAX_UNCLAIMED]:
            if self._decisions[key].done():
                del self._decisions[key]

    async def _asked(self, job: Job) -> Action:
        for _ in range(TRIES):
            executor = self._started()
            try:
                return await asyncio.wrap_future(executor.submit(_answer, job))
            except BrokenProcessPool:
                self._drop(executor)
        raise BotFailed(job.bot, "ended the process that it thought in")

    async def aclose(self) -> None:
        """End all processes; whoever waits for an answer gets none."""
        executor, self._executor = self._executor, None
        if executor is not None:
            await asyncio.to_thread(executor.shutdown, cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._number, get_context("spawn"), _prepare)
        return self._executor

    def _drop(self, executor: ProcessPoolExecutor) -> None:
        """Give up a pool that is broken, once for all who found out."""
        if self._executor is executor:
            self._executor = None
            executor.shutdown(wait=False)


class _TooSlow(BaseException):
    """The time is up; no Exception, so that a bot which catches those does not catch this."""


def _prepare() -> None:
    """In a new process: Ctrl-C is the service's to handle, and the process ends with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _answer(job: Job) -> Action:
    loaded = _found(job.bot, job.source)
    position = Position(_read(job.tileset), decode(job.snapshot))
    try:
        with _limited(job.limit_s):
            return decide(loaded.bot, position, job.chance)
    except _TooSlow:
        raise BotFailed(job.bot, f"took more than {job.limit_s:g} s") from None


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise _TooSlow when the time is up; end the process where even that does not help."""
    signal.signal(signal.SIGALRM, _raise)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(2 * seconds, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _raise(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise _TooSlow


@cache
def _found(bot: str, source: str) -> LoadedBot:
    return load(bot, source)


@lru_cache(maxsize=8)
def _written(tables: Tables) -> bytes:
    return msgspec.msgpack.encode(tables.tileset)


@lru_cache(maxsize=8)
def _read(tileset: bytes) -> Tables:
    return Tables(msgspec.msgpack.decode(tileset, type=TileSet))
