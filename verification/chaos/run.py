"""A whole run: start everything, play and inject faults, finish all games, and check every history."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from traceback import format_exception
from typing import NamedTuple

from redis.exceptions import RedisError

from service.store.planned_failover import PlannedFailoverError
from tests.tools import ROOT
from verification.chaos.checker import Violation
from verification.chaos.client_context import NO_RETRIES, RETRIES, ClientContext, client_context
from verification.chaos.faults import CLOCK_SHIFT, FAULT_TYPES, REDIS_CLOCK_SHIFT, FaultType
from verification.chaos.game_checker import CheckResult, GameChecker, game_checker
from verification.chaos.history import Fault
from verification.chaos.nemesis import inject_faults
from verification.chaos.progress import Progress
from verification.chaos.rolling_update import polling, roll_instances
from verification.chaos.scenarios import SCENARIOS, Scenario, play_games
from verification.chaos.testbed import REPLICAS, Testbed, count_archived_logs, start_testbed, wait_until_healthy

FINISH_TIMEOUT_S = 600.0
"""How long games may take to finish after the last fault."""

CONCURRENT_GAMES = 32
"""What two cores can serve beside everything else that a run starts on them."""

ROLLING_UPDATE_POLLERS = 4


class Plan(NamedTuple):
    """The options of a run."""

    seconds: float
    seed: int
    redis: str
    only: Sequence[str] = ()
    """Names of fault types; empty: all that this deployment of Redis supports."""
    games: int = CONCURRENT_GAMES
    scenarios: Sequence[Scenario] = SCENARIOS
    max_think_time_s: float = 0.3
    wait_replicas: int = REPLICAS
    """How many replicas must have an action before it is acknowledged."""
    releases: Sequence[Path] = ()
    """The sources that instances begin with, and those of each rolling update; none: inject faults instead."""
    flags: Sequence[str] = ("--drain-time-s", "2", "--close-window-s", "1", "--rate-limits", "off")
    """The proxy may take 1.5 s to notice that an instance stops: it checks each 0.5 s, and waits 1 s for the answer."""

    def injects(self, fault_type: FaultType) -> bool:
        """Whether this type of fault is injected."""
        return not self.releases and fault_type in self.fault_types()

    def fault_types(self) -> list[FaultType]:
        """Return the fault types of this plan."""
        return [
            fault
            for fault in FAULT_TYPES
            if self.redis in fault.deployments and (not self.only or fault.name in self.only)
        ]


async def run(plan: Plan, directory: Path, progress: Progress) -> CheckResult:
    """Run the plan, and return the result of all checks."""
    backoff = NO_RETRIES if plan.releases else RETRIES
    is_rolling = bool(plan.releases)
    async with (
        start_testbed(
            *(directory, plan.redis, plan.flags, plan.wait_replicas),
            fake_clock=plan.injects(CLOCK_SHIFT),
            fake_redis_clock=plan.injects(REDIS_CLOCK_SHIFT),
            release=plan.releases[0] if plan.releases else ROOT,
        ) as testbed,
        client_context(testbed.proxy.url, plan.seed, plan.max_think_time_s, backoff) as context,
        game_checker(
            context,
            directory / "games",
            testbed.deployment.nodes,
            progress.report_violation,
            is_rolling=is_rolling,
        ) as checker,
    ):
        async with (
            _playing(plan, context, checker),
            polling(context, ROLLING_UPDATE_POLLERS if is_rolling else 0),
            progress.summarize_each_minute(checker),
        ):
            try:
                async for fault in _faults(plan, testbed, context):
                    progress.report_fault(fault)
            except (
                TimeoutError,
                RuntimeError,
                RedisError,
                PlannedFailoverError,
            ) as error:  # the histories so far are checked all the same
                context.history.add_violation("nemesis", "".join(format_exception(error)))
        await wait_until_healthy(testbed)
        archived_logs = await count_archived_logs(testbed)
        result = await checker.finish()
        result.tally.archived_logs = archived_logs
        notices = [fault.notice for fault in result.tally.faults if fault.notice]
        errors = [
            Violation("contract", instance.name, line)
            for instance in testbed.instances
            for line in instance.errors()
            if not any(re.search(notice, line) for notice in notices)
        ]
        return CheckResult(result.tally, [*result.violations, *errors])


@asynccontextmanager
async def _playing(plan: Plan, context: ClientContext, checker: GameChecker) -> AsyncIterator[None]:
    """Play concurrent games, and finish them when the context ends."""
    tasks = [
        asyncio.create_task(play_games(context, checker, number, plan.scenarios), name=f"games {number}")
        for number in range(plan.games)
    ]
    try:
        yield
        await _finish_games(context, tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _faults(plan: Plan, testbed: Testbed, context: ClientContext) -> AsyncIterator[Fault]:
    if plan.releases:
        return roll_instances(testbed, context.history, plan.releases[1:])
    until = time.monotonic() + plan.seconds
    return inject_faults(testbed, context.history, plan.fault_types(), Random(plan.seed), until)


async def _finish_games(context: ClientContext, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Wait until the games that were created have finished."""
    context.is_ending.set()
    context.think_time.max_s = 0.0
    finished, unfinished = await asyncio.wait(tasks, timeout=FINISH_TIMEOUT_S)
    for task in finished:
        if error := task.exception():
            context.history.add_violation(task.get_name(), "".join(format_exception(error)))
    for task in unfinished:
        context.history.add_violation(task.get_name(), "the game did not finish in time")
