"""The bots of one instance: built-in ones and plugins, each run with what it may see, heavy ones in processes.

Plugins are entry points of `ENTRY_POINT_GROUP` in other packages. For a bot that fails, a fallback decides. Heavy bots
do not block the event loop; light ones take turns with other tasks.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from time import perf_counter
from typing import NamedTuple

import msgspec

from schemas.actions import Action
from schemas.bots import BotInfo
from schemas.tileset import TileSet
from service.engine import Game, TileSetIndex, apply_action, copy_game, decode_snapshot, encode_snapshot
from service.fair_queue import ANONYMOUS, FairQueue, QueueFull, Requester, UnattendedLimits
from service.games.bots.interface import Bot, GameState
from service.games.tilesets import SeededRNG, bot_seed
from service.supervision import ProcessEnded, ProcessPool, spawn
from service.telemetry.metrics import BOT_FAILURES, BOT_QUEUE_WAIT, BOT_THINKING, LATE_BOT_DECISIONS

logger = logging.getLogger(__name__)

ENTRY_POINT_GROUP = "south_seas.bots"

BUILT_IN_BOTS = {
    "random": "service.games.bots.random:BOT",
    "greedy": "service.games.bots.greedy:BOT",
    "expert": "service.games.bots.expert:BOT",
}

FALLBACK_BOT = "greedy"
"""The bot that decides when another bot fails, and for absent players."""

MISSING_BOT_LABEL = "missing"
"""The metric label of all bots that are not installed."""

DECISION_TIMEOUT_S = 3.0
"""A decision that takes more processor time fails, however long a busy machine takes."""

MAX_UNCLAIMED_DECISIONS = 64
"""Number of decisions that are stored for a retry after their caller timed out."""

UNATTENDED_TIME_SHARE = 0.5
"""Share of the processes' time for unattended games."""

LIGHT_BOT_LIMITS = UnattendedLimits(slots=1, time_share=0.1, overhead_s=0.0005)
"""Limits of light bots in unattended games; the overhead is about what storing a move costs."""


class InvalidBot(Exception):
    """An entry point does not name a usable bot."""

    def __init__(self, name: str, source: str, reason: str) -> None:
        super().__init__(f"bot {name} ({source}): {reason}")


class LoadedBot(msgspec.Struct, frozen=True):
    """A bot, its public description, and its import path `module:attribute`."""

    bot: Bot
    info: BotInfo
    source: str


def load_bots(*, plugins: bool) -> list[LoadedBot]:
    """Return all bots, sorted by name, with or without plugins. Raises InvalidBot."""
    loaded = {name: load_bot(name, source) for name, source in BUILT_IN_BOTS.items()}
    for entry_point in entry_points(group=ENTRY_POINT_GROUP) if plugins else ():
        if entry_point.name in loaded:
            raise InvalidBot(
                entry_point.name, entry_point.value, f"{loaded[entry_point.name].source} has this name too"
            )
        loaded[entry_point.name] = load_bot(entry_point.name, entry_point.value)
    return [loaded[name] for name in sorted(loaded)]


def load_bot(name: str, source: str) -> LoadedBot:
    """Return the bot that an entry point names. Raises InvalidBot."""
    try:
        bot = EntryPoint(name, source, ENTRY_POINT_GROUP).load()
    except Exception as error:  # importing a plugin may raise anything
        raise InvalidBot(name, source, f"cannot be loaded: {type(error).__name__}: {error}") from error
    try:
        info = msgspec.convert(bot, BotInfo, from_attributes=True)
    except msgspec.ValidationError as error:
        raise InvalidBot(name, source, str(error)) from error
    if info.name != name:
        raise InvalidBot(name, source, f"has the name {info.name}")
    if not callable(getattr(bot, "choose", None)):
        raise InvalidBot(name, source, "has no method `choose`")
    return LoadedBot(bot, info, source)


class BotFailed(Exception):
    """A bot raised an error, chose an illegal move, or did not decide in time."""

    def __init__(self, bot: str, reason: str) -> None:
        super().__init__(bot, reason)
        self.bot = bot
        self.reason = reason

    def __str__(self) -> str:
        return f"the bot {self.bot} {self.reason}"


def choose_legal_action(bot: Bot, state: GameState, rng: SeededRNG) -> Action:
    """Return the bot's move, validated and completed by the engine. Raises BotFailed."""
    index, game = state
    try:
        choice = bot.choose(GameState(index, copy_game(game)), rng)
        action, _ = apply_action(index, copy_game(game), _DECODER.decode(msgspec.msgpack.encode(choice)))
    except Exception as error:  # a plugin may raise anything; the caller logs BotFailed
        raise BotFailed(bot.name, f"failed: {type(error).__name__}: {error}") from error
    return action


def run_bot(bot: Bot, index: TileSetIndex, game: Game) -> Action:
    """Return the bot's move in a game, decided in this process. Raises BotFailed."""
    return choose_legal_action(bot, *redact(bot, index, game))


_DECODER: msgspec.msgpack.Decoder[Action] = msgspec.msgpack.Decoder(Action)


def redact(bot: Bot, index: TileSetIndex, game: Game) -> tuple[GameState, SeededRNG]:
    """Return the state for a bot, and its random number generator.

    Bag and ship pile are sorted and then shuffled by the generator, so their order reveals nothing. The game's seed,
    which decides that order, is removed; the generator knows only a hash of it.
    """
    rng = SeededRNG(bot_seed(game.seed, bot.name, bot.version), game.version)
    redacted = copy_game(game)
    redacted.seed = ""
    for hidden in (redacted.bag, redacted.ship_pile):
        hidden.sort()
        rng.shuffle(hidden)
    return GameState(index, redacted), rng


class Job(NamedTuple):
    """A decision to make, as it is sent to a process."""

    bot: str
    source: str
    """The bot's import path: `module:attribute`."""
    tileset: bytes
    snapshot: bytes
    rng: SeededRNG


class BotProcessPool(ProcessPool):
    """Processes for bots. Each runs one decision at a time, and `queue` alone decides the order."""

    def __init__(self, processes: int) -> None:
        super().__init__(processes)
        self._timeout_s = DECISION_TIMEOUT_S
        unattended = UnattendedLimits(max(1, processes - 1), UNATTENDED_TIME_SHARE)
        self.queue = FairQueue(processes, unattended, wait_histogram=BOT_QUEUE_WAIT)
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
        job = Job(loaded.bot.name, loaded.source, _encode_tileset(index), encode_snapshot(game), rng)
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
            return await self.run(_run_job, job, self._timeout_s)
        except ProcessEnded as ended:
            raise BotFailed(job.bot, str(ended)) from ended
        finally:
            self.queue.release(requester, started_at)

    def _evict_unclaimed(self) -> None:
        """Drop the oldest finished decisions beyond MAX_UNCLAIMED_DECISIONS."""
        for key in [*self._decisions][:-MAX_UNCLAIMED_DECISIONS]:
            if self._decisions[key].done():
                del self._decisions[key]


_load_bot = cache(load_bot)


def _run_job(job: Job) -> Action:
    loaded = _load_bot(job.bot, job.source)
    state = GameState(_decode_tileset(job.tileset), decode_snapshot(job.snapshot))
    return choose_legal_action(loaded.bot, state, job.rng)


@lru_cache(maxsize=8)
def _encode_tileset(index: TileSetIndex) -> bytes:
    return msgspec.msgpack.encode(index.tileset)


@lru_cache(maxsize=8)
def _decode_tileset(tileset: bytes) -> TileSetIndex:
    return TileSetIndex(msgspec.msgpack.decode(tileset, type=TileSet))


class BotRegistry:
    """All bots by name. Without a process pool, heavy bots run in this process too and nothing is queued."""

    def __init__(self, loaded_bots: Iterable[LoadedBot], process_pool: BotProcessPool | None = None) -> None:
        self._bots = {loaded.bot.name: loaded for loaded in loaded_bots}
        self.process_pool = process_pool
        self._light_queue = FairQueue(1, LIGHT_BOT_LIMITS, wait_histogram=BOT_QUEUE_WAIT)
        """Decisions in this process: one per iteration of the event loop, so that other tasks run in between."""
        for name in (*self._bots, MISSING_BOT_LABEL):  # so that each series exists before its first event
            for metric in (BOT_FAILURES, LATE_BOT_DECISIONS, BOT_THINKING):
                metric.labels(name)

    def queue_length(self, *, attended: bool) -> int:
        """Return how many decisions of attended or unattended games wait."""
        heavy_waiting = 0 if self.process_pool is None else self.process_pool.queue.queue_length(attended=attended)
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
        return self.process_pool is not None and not requester.attended

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
        if self.process_pool is not None and loaded.info.heavy:
            return await self.process_pool.decide(loaded, *redact(loaded.bot, index, game), requester)
        async with self.light_slot(requester):
            return run_bot(loaded.bot, index, game)

    @asynccontextmanager
    async def light_slot(self, requester: Requester) -> AsyncIterator[None]:
        """Wait for the turn of a decision in this process, a light bot's or the clock's. Raises QueueFull."""
        if self.process_pool is None:
            yield
            return
        started_at = await self._light_queue.acquire(requester)
        try:
            yield
        finally:  # the next decision starts only after all other ready tasks have run
            asyncio.get_running_loop().call_soon(self._light_queue.release, requester, started_at, perf_counter())


@cache
def built_in_registry() -> BotRegistry:
    """Return a registry of the built-in bots without a process pool, for tools and tests."""
    return BotRegistry(load_bots(plugins=False))
