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
from service.engine import TileSetIndex, decode_snapshot, encode_snapshot
from service.games.bots.fair_queue import ANONYMOUS, FairQueue, Requester, UnattendedLimits
from service.games.bots.interface import GameState
from service.games.bots.plugins import LoadedBot, load_bot
from service.games.bots.runner import BotFailed, choose_legal_action
from service.games.shuffle import SeededRNG
from service.supervision import spawn
from service.telemetry.metrics import BOT_QUEUE_WAIT

DECISION_TIMEOUT_S = 3.0
"""A decision that takes longer is given up."""

MAX_ATTEMPTS = 2
"""A process may have ended for another reason than the bot that is asked."""


class Job(NamedTuple):
    """A question to a bot, as it goes to the process that answers it."""

    bot: str
    source: str
    """Where the bot is found: `module:attribute`."""
    tileset: bytes
    snapshot: bytes
    chance: SeededRNG
    timeout_s: float


UNATTENDED_TIME_SHARE = 0.5
"""Of the processes' time, for games without people."""

MAX_UNCLAIMED_DECISIONS = 64
"""Decisions, begun or made, that are kept for whoever asks again: nobody waited for them any longer."""


_DecisionKey = tuple[str, str, bytes, bytes]
"""Bot, source, tile set and snapshot of a job."""


class BotProcessPool:
    """At most `number` processes, started with the first question; one that ends is replaced.

    A process decides for one game at a time, and no other waits inside the pool: so whose turn it is, the queue says.
    """

    def __init__(
        self, processes: int = 1, timeout_s: float = DECISION_TIMEOUT_S, unattended_share: float = UNATTENDED_TIME_SHARE
    ) -> None:
        self._processes, self._timeout_s = processes, timeout_s
        self._executor: ProcessPoolExecutor | None = None
        self.queue = FairQueue(
            processes, UnattendedLimits(max(1, processes - 1), unattended_share), wait_histogram=BOT_QUEUE_WAIT
        )
        """One process is left to games with people, where there are several."""
        self._decisions: dict[_DecisionKey, asyncio.Task[Action]] = {}

    @property
    def running_processes(self) -> int:
        """How many may think now."""
        return 0 if self._executor is None else self._processes

    @property
    def pending_decisions(self) -> int:
        """How many are thought about, or will be."""
        queue = self.queue
        return queue.slots_in_use + queue.queue_length(attended=True) + queue.queue_length(attended=False)

    async def decide(
        self, loaded: LoadedBot, position: GameState, chance: SeededRNG, requester: Requester = ANONYMOUS
    ) -> Action:
        """What a bot decides in one of the processes. Raises BotFailed, QueueFull.

        Whoever is cancelled meanwhile, and asks the same again, gets what was decided.
        """
        index, game = position
        job = Job(
            loaded.bot.name, loaded.source, _encode_tileset(index), encode_snapshot(game), chance, self._timeout_s
        )
        key = job[:4]  # the chance follows from the game
        task = self._decisions.get(key)
        if task is None:
            began = await self.queue.acquire(requester)
            task = spawn("bot-decision", self._run(job, requester, began), expected=(BotFailed,))
            self._decisions[key] = task
            self._evict_unclaimed()
        try:
            return await asyncio.shield(task)
        finally:
            if task.done() and self._decisions.get(key) is task:
                del self._decisions[key]

    async def _run(self, job: Job, requester: Requester, began: float) -> Action:
        """Have a job done, and give its slot back when the process is free again."""
        try:
            return await self._run_in_process(job)
        finally:
            self.queue.release(requester, began)

    def _evict_unclaimed(self) -> None:
        """Forget decisions that nobody has asked for again."""
        for key in [*self._decisions][:-MAX_UNCLAIMED_DECISIONS]:
            if self._decisions[key].done():
                del self._decisions[key]

    async def _run_in_process(self, job: Job) -> Action:
        for _ in range(MAX_ATTEMPTS):
            executor = self._get_executor()
            try:
                return await asyncio.wrap_future(executor.submit(_run_job, job))
            except BrokenProcessPool:
                self._discard(executor)
        raise BotFailed(job.bot, "ended the process that it thought in")

    async def aclose(self) -> None:
        """End all processes; whoever waits for an answer gets none."""
        executor, self._executor = self._executor, None
        if executor is not None:
            await asyncio.to_thread(executor.shutdown, cancel_futures=True)

    def _get_executor(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._processes, get_context("spawn"), _initialize_process)
        return self._executor

    def _discard(self, executor: ProcessPoolExecutor) -> None:
        """Give up a pool that is broken, once for all who found out."""
        if self._executor is executor:
            self._executor = None
            executor.shutdown(wait=False)


class _DecisionTimeout(BaseException):
    """The time is up; no Exception, so that a bot which catches those does not catch this."""


def _initialize_process() -> None:
    """In a new process: Ctrl-C is the service's to handle, and the process ends with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _run_job(job: Job) -> Action:
    loaded = _cached_bot(job.bot, job.source)
    position = GameState(_decode_tileset(job.tileset), decode_snapshot(job.snapshot))
    try:
        with _time_limit(job.timeout_s):
            return choose_legal_action(loaded.bot, position, job.chance)
    except _DecisionTimeout:
        raise BotFailed(job.bot, f"took more than {job.timeout_s:g} s") from None


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _TooSlow when the time is up; end the process where even that does not help."""
    signal.signal(signal.SIGALRM, _raise_timeout)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(2 * seconds, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _raise_timeout(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise _DecisionTimeout


@cache
def _cached_bot(bot: str, source: str) -> LoadedBot:
    return load_bot(bot, source)


@lru_cache(maxsize=8)
def _encode_tileset(index: TileSetIndex) -> bytes:
    return msgspec.msgpack.encode(index.tileset)


@lru_cache(maxsize=8)
def _decode_tileset(tileset: bytes) -> TileSetIndex:
    return TileSetIndex(msgspec.msgpack.decode(tileset, type=TileSet))
