"""A whole run: everything is started, played on, broken and mended; all games are played to their end and judged."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from traceback import format_exception
from typing import NamedTuple

from redis.exceptions import RedisError

from tests.chaos.checker import Violation
from tests.chaos.client_context import IMPATIENT, PATIENT, ClientContext, client_context
from tests.chaos.faults import CLOCK, FAULTS, Kind
from tests.chaos.game_checker import Findings, GameChecker, game_checker
from tests.chaos.history import ContractViolation, Fault
from tests.chaos.nemesis import inject_faults
from tests.chaos.progress import Progress
from tests.chaos.rolling_update import polling, roll_instances
from tests.chaos.scenarios import SCENARIOS, play_games
from tests.chaos.scenarios import Scenario as Games
from tests.chaos.testbed import REPLICAS, Testbed, start_testbed

__all__ = ["SESSIONS", "Plan", "run"]

FINISH_TIMEOUT_S = 180.0
"""How long games may take to their end after the last fault."""

SESSIONS = 32
"""As many as two cores can serve, with everything else that a run starts on them."""


class Plan(NamedTuple):
    """What a run is to be."""

    seconds: float
    seed: int
    redis: str
    only: Sequence[str] = ()
    """Sorts of faults; empty for all that fit."""
    tables: int = SESSIONS
    games: Sequence[Games] = SCENARIOS
    pace_s: float = 0.3
    """The longest time for which a player thinks."""
    wait: int = REPLICAS
    """Replicas that must have an action before it is acknowledged."""
    rolling: int = 0
    """Rounds of a rolling update, in place of faults."""
    flags: Sequence[str] = ("--drain-time-s", "1.5", "--close-window-s", "1", "--rate-limits", "off")

    @property
    def faked(self) -> bool:
        """Whether clocks are put wrong."""
        return not self.rolling and CLOCK in self.kinds()

    def kinds(self) -> list[Kind]:
        """Return the kinds of faults of this plan."""
        return [kind for kind in FAULTS if self.redis in kind.sites and (not self.only or kind.name in self.only)]


async def run(plan: Plan, directory: Path, progress: Progress) -> Findings:
    """Do it; `progress` hears of each fault when it is over, of each violation when it is found, and of each minute."""
    backoff = IMPATIENT if plan.rolling else PATIENT
    async with (
        start_testbed(directory, plan.redis, plan.flags, plan.wait, faked=plan.faked) as where,
        client_context(where.proxy.url, plan.seed, plan.pace_s, backoff) as of,
        game_checker(of, directory / "games", progress.violation_found, rolling=bool(plan.rolling)) as judge,
    ):
        async with _playing(plan, of, judge), polling(of, 4 if plan.rolling else 0), progress.each_minute(judge):
            try:
                async for fault in _broken(plan, where, of):
                    progress.fault_injected(fault)
            except (TimeoutError, RuntimeError, RedisError) as error:  # what was seen until then is told all the same
                of.history.add(ContractViolation(client="faults", detail="".join(format_exception(error))))
        result = await judge.finish()
        errors = [Violation("broke", one.name, line) for one in where.instances for line in one.errors()]
        return Findings(result.tally, [*result.violations, *errors])


@asynccontextmanager
async def _playing(plan: Plan, of: ClientContext, judge: GameChecker) -> AsyncIterator[None]:
    """Tables at play; at the end games that were begun come to theirs."""
    playing = [
        asyncio.create_task(play_games(of, judge, number, plan.games), name=f"table {number}")
        for number in range(plan.tables)
    ]
    try:
        yield
        await _finished(of, playing)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)


def _broken(plan: Plan, where: Testbed, of: ClientContext) -> AsyncIterator[Fault]:
    if plan.rolling:
        return roll_instances(where, of.history, plan.rolling)
    return inject_faults(where, of.history, plan.kinds(), Random(plan.seed), time.monotonic() + plan.seconds)


async def _finished(world: ClientContext, playing: Sequence[asyncio.Task[None]]) -> None:
    """Let the games that were begun come to their end."""
    world.over.set()
    world.pace.longest_s = 0.0
    finished, left = await asyncio.wait(playing, timeout=FINISH_TIMEOUT_S)
    for task in finished:
        if error := task.exception():
            world.history.add(ContractViolation(client=task.get_name(), detail="".join(format_exception(error))))
    for task in left:
        world.history.add(ContractViolation(client=task.get_name(), detail="is not at its end yet"))
