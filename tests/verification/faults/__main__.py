"""`python -m tests.verification.faults`: inject every fault, and print the table."""

import asyncio
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from traceback import format_exc

import aiohttp
import click
import msgspec
from redis.exceptions import RedisError

from service.store.planned_failover import PlannedFailoverError
from tests.tools import C_COMPILER, HAPROXY, PROMETHEUS, REDIS, exit_without, require
from tests.verification.faults.alerts import MAX_FOR_S, SHORT_AGES_S
from tests.verification.faults.catalogue import FAULT_TYPES, FaultType
from tests.verification.faults.run import run_fault
from tools.site.faults import HEAD, RESULTS, FaultResult, FaultRuns, row

NOTES = (
    "Each fault has a deployment of its own: two instances behind haproxy, Redis and six players, all on this machine.",
    f"Prometheus has the shipped rules, but scrapes and evaluates each second, waits {MAX_FOR_S} s at most for the",
    f"`for` of a rule, and {max(SHORT_AGES_S.values())} s for a game to be archived. The table adds what that",
    "saved, but not the interval of 15 s, which may add 30 s.",
)

FAILURES_OF_THE_RUN = (
    *(AssertionError, OSError, RuntimeError, TimeoutError),
    *(aiohttp.ClientError, RedisError, PlannedFailoverError),
)
"""What a fault's own deployment may raise, as on a busy machine; the other faults go on."""


@click.command()
@click.option("--only", multiple=True, help="Inject only faults whose name contains this.")
@click.option("--list", "is_list", is_flag=True, help="List the faults, and inject none.")
@click.option("--seed", type=int, default=7, show_default=True, help="Chooses servers and moves.")
@click.option("--jobs", type=click.IntRange(1, 16), default=3, show_default=True, help="Faults at once.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=RESULTS,
    show_default="that of the page",
    help="Write the results into this file.",
)
def main(*, only: Sequence[str], is_list: bool, seed: int, jobs: int, output: Path) -> None:
    """Inject every fault of docs/operating.md, and print what users see, the log says, and which alert fires.

    Replaces the rows of these faults in benchmarks/results/faults.json, of which the page is made. Exits with 1 if a
    fault is seen by nobody who must act, loses what was acknowledged, or does not heal.
    """
    chosen = [fault for fault in FAULT_TYPES if not only or any(part in fault.name for part in only)]
    if is_list or not chosen:
        click.echo("\n".join(fault.name for fault in FAULT_TYPES))
        sys.exit(not is_list)
    exit_without(REDIS, HAPROXY, PROMETHEUS, C_COMPILER)
    click.echo("\n".join(HEAD))
    started_at = time.monotonic()
    results = asyncio.run(run_faults(chosen, seed, jobs, output))
    click.echo(f"{len(results)} of {len(chosen)} faults in {time.monotonic() - started_at:.0f} s", err=True)
    sys.exit(len(results) < len(chosen) or any(result.problems for result in results))


async def run_faults(
    faults: Sequence[FaultType], seed: int, jobs: int, output: Path | None = None
) -> list[FaultResult]:
    """Inject faults, `jobs` at once. Print the row of each when it has ended, and write it. Return them in order."""
    lanes = asyncio.Semaphore(jobs)

    async def run(fault: FaultType) -> FaultResult | None:
        async with lanes:
            started_at = time.monotonic()
            try:
                with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as directory:
                    result = await run_fault(fault, Path(directory), seed)
            except FAILURES_OF_THE_RUN:
                click.echo(f"  {fault.name}: the run itself failed\n{format_exc()}", err=True)
                return None
        click.echo(row(result))
        if output is not None:
            _save(result, output)
        click.echo(f"  {time.monotonic() - started_at:.0f} s, also fired: {result.other_alerts}", err=True)
        for problem in result.problems:
            click.echo(f"  PROBLEM {fault.name}: {problem}", err=True)
        return result

    results = await asyncio.gather(*(run(fault) for fault in faults))
    return [result for result in results if result is not None]


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
