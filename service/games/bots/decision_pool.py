"""A process pool for heavy bots, so that their decisions do not block the event loop."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from types import FrameType
from typing import NamedTuple

import msgspec

from schemas.actions import Action
from schemas.tileset import TileSet
from service.engine import TileSetIndex, decode_snapshot, encode_snapshot
from service.fair_queue import ANONYMOUS, FairQueue, Requester, UnattendedLimits
from service.games.bots.interface import GameState
from service.games.bots.plugins import LoadedBot, load_bot
from service.games.bots.runner import BotFailed, choose_legal_action
from service.games.shuffle import SeededRNG
from service.process_pool import ProcessEnded, ProcessPool
from service.supervision import spawn
from service.telemetry.metrics import BOT_QUEUE_WAIT

DECISION_TIMEOUT_S = 3.0
"""A decision that takes longer fails."""


class Job(NamedTuple):
    """A decision to make, as it is sent to a process."""

    bot: str
    source: str
    """The bot's import path: `module:attribute`."""
    tileset: bytes
    snapshot: bytes
    rng: SeededRNG
    timeout_s: float


UNATTENDED_TIME_SHARE = 0.5
"""Share of the processes' time for unattended games."""

MAX_UNCLAIMED_DECISIONS = 64
"""Number of decisions that are stored for a retry after their caller timed out."""


class BotProcessPool(ProcessPool):
    """Processes for bots. Each runs one decision at a time, and `queue` alone decides the order."""

    def __init__(
        self, processes: int = 1, timeout_s: float = DECISION_TIMEOUT_S, unattended_share: float = UNATTENDED_TIME_SHARE
    ) -> None:
        super().__init__(processes)
        self._timeout_s = timeout_s
        self.queue = FairQueue(
            processes, UnattendedLimits(max(1, processes - 1), unattended_share), wait_histogram=BOT_QUEUE_WAIT
        )
        """With several processes, one is reserved for attended games."""
        self._decisions: dict[tuple[str, str, bytes, bytes], asyncio.Task[Action]] = {}
        """By bot, source, tile set and snapshot."""

    @property
    def pending_decisions(self) -> int:
        """Return the number of decisions that run or wait."""
        queue = self.queue
        return queue.slots_in_use + queue.queue_length(attended=True) + queue.queue_length(attended=False)

    async def decide(
        self, loaded: LoadedBot, state: GameState, rng: SeededRNG, requester: Requester = ANONYMOUS
    ) -> Action:
        """Return a bot's move, decided in one of the processes. Raises BotFailed, QueueFull.

        A decision goes on when its caller is cancelled; a retry for the same game state receives its result.
        """
        index, game = state
        job = Job(loaded.bot.name, loaded.source, _encode_tileset(index), encode_snapshot(game), rng, self._timeout_s)
        key = job[:4]  # the generator follows from the game
        task = self._decisions.get(key)
        if task is None:
            started_at = await self.queue.acquire(requester)
            task = spawn("bot-decision", self._run(job, requester, started_at), expected=(BotFailed,))
            self._decisions[key] = task
            self._evict_unclaimed()
        try:
            return await asyncio.shield(task)
        finally:
            if task.done() and self._decisions.get(key) is task:
                del self._decisions[key]

    async def _run(self, job: Job, requester: Requester, started_at: float) -> Action:
        """Run a job, and release its slot when the process is free again."""
        try:
            return await self.run(_run_job, job, 2 * job.timeout_s)
        except ProcessEnded as ended:
            raise BotFailed(job.bot, str(ended)) from ended
        finally:
            self.queue.release(requester, started_at)

    def _evict_unclaimed(self) -> None:
        """Drop the oldest finished decisions beyond MAX_UNCLAIMED_DECISIONS."""
        for key in [*self._decisions][:-MAX_UNCLAIMED_DECISIONS]:
            if self._decisions[key].done():
                del self._decisions[key]


class _DecisionTimeout(BaseException):
    """The time is up. Not an Exception, so that a bot cannot catch it by accident."""


_load_bot = cache(load_bot)


def _run_job(job: Job) -> Action:
    loaded = _load_bot(job.bot, job.source)
    state = GameState(_decode_tileset(job.tileset), decode_snapshot(job.snapshot))
    try:
        with _time_limit(job.timeout_s):
            return choose_legal_action(loaded.bot, state, job.rng)
    except _DecisionTimeout:
        raise BotFailed(job.bot, f"took more than {job.timeout_s:g} s") from None


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _DecisionTimeout when the time is up; the pool ends the process if the bot goes on all the same."""
    signal.signal(signal.SIGALRM, _raise_timeout)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _raise_timeout(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise _DecisionTimeout


@lru_cache(maxsize=8)
def _encode_tileset(index: TileSetIndex) -> bytes:
    return msgspec.msgpack.encode(index.tileset)


@lru_cache(maxsize=8)
def _decode_tileset(tileset: bytes) -> TileSetIndex:
    return TileSetIndex(msgspec.msgpack.decode(tileset, type=TileSet))
