"""`python -m verification.faults`: inject every fault, and print the table."""

import asyncio
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from traceback import format_exc

import aiohttp
import click
import msgspec
from redis.exceptions import RedisError

from service.store.planned_failover import PlannedFailoverError
from tests.tools import C_COMPILER, HAPROXY, PROMETHEUS, REDIS, exit_without, require
from tools.site.faults import HEAD, RESULTS, FaultResult, FaultRuns, row
from verification.faults.alerts import MAX_FOR_S, SHORT_AGES_S
from verification.faults.catalogue import FAULT_TYPES, FaultType
from verification.faults.run import run_group

NOTES = (
    "Two instances behind haproxy, Redis, six players and Prometheus, all on this machine.",
    f"Prometheus has the shipped rules, but scrapes and evaluates each second, waits {MAX_FOR_S} s at most for the",
    f"`for` of a rule, and {max(SHORT_AGES_S.values())} s for a game to be archived. The table adds what that",
    "saved, but not the interval of 15 s, which may add 30 s.",
)

MAX_FAULTS = 5
"""Of one deployment, so that several can run at once."""

FAILURES_OF_THE_RUN = (
    *(AssertionError, OSError, RuntimeError, TimeoutError),
    *(aiohttp.ClientError, RedisError, PlannedFailoverError),
)
"""What a fault's own deployment may raise, as on a busy machine; the other faults go on."""


@click.command()
@click.option("--only", multiple=True, help="Inject only faults whose name contains this.")
@click.option("--list", "is_list", is_flag=True, help="List the faults with their Redis and alert, and inject none.")
@click.option("--seed", type=int, default=7, show_default=True, help="Chooses servers and moves.")
@click.option("--jobs", type=click.IntRange(1, 16), default=3, show_default=True, help="Deployments at once.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=RESULTS,
    show_default="that of the page",
    help="Write the results into this file.",
)
def main(*, only: Sequence[str], is_list: bool, seed: int, jobs: int, output: Path) -> None:
    """Inject every fault of docs/operating.md, and print what users see, the log says, and which alert fires.

    Starts all that it needs on this machine, on free ports and in temporary directories: Redis or Valkey, instances,
    haproxy, players, and Prometheus with the shipped rules. All faults take about half an hour, one a minute; the row
    of each is printed when it has healed, and the error stream says which are under way.

    Replaces the rows of these faults in benchmarks/results/faults.json, of which the page is made. Exits with 1 if a
    fault is seen by nobody who must act, loses what was acknowledged, or does not heal.

    Example: make faults ARGS="--only 'Redis full' --only FLUSHALL"
    """
    chosen = [fault for fault in FAULT_TYPES if not only or any(part in fault.name for part in only)]
    if not chosen:
        raise click.BadParameter("no fault has this in its name: --list names all", param_hint="--only")
    if is_list:
        for fault in chosen:
            click.echo(f"{fault.name:42} {fault.redis:11} {fault.alert or 'no alert: it heals by itself'}")
        return
    exit_without(REDIS, HAPROXY, PROMETHEUS, C_COMPILER)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that all that was started ends
    click.echo("\n".join(HEAD))
    started_at = time.monotonic()
    results = asyncio.run(run_faults(chosen, seed, jobs, output))
    click.echo(f"{len(results)} of {len(chosen)} faults in {time.monotonic() - started_at:.0f} s", err=True)
    sys.exit(len(results) < len(chosen) or any(result.problems for result in results))


async def run_faults(
    faults: Sequence[FaultType], seed: int, jobs: int, output: Path | None = None
) -> list[FaultResult]:
    """Inject faults into `jobs` deployments at once. Print the row of each when it ended, and write it. Return all."""
    lanes, results, started_at = asyncio.Semaphore(jobs), list[FaultResult](), time.monotonic()

    def begin(fault: FaultType) -> None:
        number = 1 + [one.name for one in faults].index(fault.name)
        click.echo(f"  {time.monotonic() - started_at:4.0f} s  {number} of {len(faults)}: {fault.name}", err=True)

    def report(result: FaultResult) -> None:
        results.append(result)
        click.echo(row(result))
        if result.other_alerts:
            click.echo(f"  also fired: {', '.join(result.other_alerts)}", err=True)
        for problem in result.problems:
            click.echo(f"  PROBLEM {result.fault}: {problem}", err=True)
        if output is not None:
            _save(result, output)

    async def run(group: list[FaultType]) -> None:
        """Inject what is left of a group into another deployment, if one could not go on."""
        while group:
            async with lanes:
                failure = await _run_group(group, seed, begin, report)
            done = {result.fault for result in results}
            remaining = [fault for fault in group if fault.name not in done]
            if failure:
                click.echo(f"  {remaining[0].name}: the run itself failed\n{failure}", err=True)
            group = remaining[1:]

    await asyncio.gather(*(run(group) for group in _group(faults)))
    names = [fault.name for fault in faults]
    return sorted(results, key=lambda result: names.index(result.fault))


async def _run_group(
    group: Sequence[FaultType],
    seed: int,
    begin: Callable[[FaultType], None],
    report: Callable[[FaultResult], None],
) -> str:
    """Inject a group of faults; return the traceback if their deployment could not go on."""
    try:
        with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as directory:
            await run_group(group, Path(directory), seed, begin, report)
    except FAILURES_OF_THE_RUN:
        return format_exc()
    return ""


def _group(faults: Sequence[FaultType]) -> list[list[FaultType]]:
    """Return groups of faults that can follow each other in the same deployment."""
    groups: dict[object, list[FaultType]] = {}
    for fault in faults:
        groups.setdefault(fault.deployment, []).append(fault)
    return [
        group[start : start + MAX_FAULTS] for group in groups.values() for start in range(0, len(group), MAX_FAULTS)
    ]


def _save(result: FaultResult, output: Path) -> None:
    """Write a result, with those of other faults, in the order of the catalogue."""
    earlier = msgspec.json.decode(output.read_bytes(), type=FaultRuns).results if output.exists() else []
    latest = {one.fault: one for one in (*earlier, result)}
    redis = subprocess.run((require(REDIS), "--version"), capture_output=True, text=True, check=True).stdout.split()
    runs = FaultRuns(
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        redis=f"{redis[0]} {redis[2].removeprefix('v=')}",
        notes=[*NOTES],
        results=[latest[fault.name] for fault in FAULT_TYPES if fault.name in latest],
    )
    output.write_bytes(msgspec.json.format(msgspec.json.encode(runs)) + b"\n")


if __name__ == "__main__":
    main()
