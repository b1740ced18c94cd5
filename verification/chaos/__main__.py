"""`python -m verification.chaos`: inject faults for some minutes, and print the statistics."""

import asyncio
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tests.tools import C_COMPILER, HAPROXY, LIBFAKETIME, REDIS, ROOT, exit_without, require
from verification.chaos.faults import CLOCK_SHIFT, FAULT_TYPES, REDIS_CLOCK_SHIFT
from verification.chaos.progress import Progress
from verification.chaos.releases import TRIAL, list_releases
from verification.chaos.run import CONCURRENT_GAMES, Plan, run
from verification.chaos.statistics import markdown_table
from verification.chaos.testbed import DEPLOYMENTS, REPLICAS


@click.command()
@click.option(
    "--minutes", type=click.FloatRange(0.05, 600), default=3.0, show_default=True, help="How long to inject faults."
)
@click.option("--seed", type=int, default=7, show_default=True, help="Chooses the faults and the moves.")
@click.option(
    "--only", multiple=True, type=click.Choice([fault.name for fault in FAULT_TYPES]), help="Inject only this fault."
)
@click.option(
    "--redis", type=click.Choice(DEPLOYMENTS), default="sentinel", show_default=True, help="How Redis is deployed."
)
@click.option(
    "--games", type=click.IntRange(1, 500), default=CONCURRENT_GAMES, show_default=True, help="Concurrent games."
)
@click.option(
    "--think-time",
    "max_think_time_s",
    type=click.FloatRange(0, 60),
    default=0.3,
    show_default=True,
    help="The longest think time of a player, in seconds.",
)
@click.option(
    "--wait",
    "wait_replicas",
    type=click.IntRange(0, REPLICAS),
    default=REPLICAS,
    show_default=True,
    help="Replicas that must have an action before it is acknowledged.",
)
@click.option(
    "--rolling",
    "rolling_updates",
    type=click.IntRange(0, 100),
    default=0,
    help="Run this many rolling updates instead of injecting faults.",
)
@click.option(
    "--upgrade",
    "former_release",
    metavar="RELEASE",
    help=f"Roll from this release (a tag, a directory or a wheel) to this tree, back, and forward again, instead of "
    f"injecting faults. {TRIAL!r}: three releases of which the last writes a new schema.",
)
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), help="Copy histories and logs here.")
@click.option("--brief", is_flag=True, help="Print one line a minute, and none for each fault.")
def main(
    *,
    minutes: float,
    rolling_updates: int,
    former_release: str | None,
    output: Path | None,
    brief: bool,
    **options: Any,
) -> None:
    """Inject faults while games are played, and check that no acknowledged action is lost."""
    started_at = datetime.now(UTC)
    with (
        tempfile.TemporaryDirectory(prefix="releases-") as sources,
        tempfile.TemporaryDirectory(prefix="chaos-") as directory,
    ):
        releases = [ROOT] * (rolling_updates + 1) if rolling_updates else []
        if former_release is not None:
            try:
                releases = list_releases(former_release, Path(sources))
            except (OSError, ValueError) as error:
                raise click.BadParameter(str(error), param_hint="--upgrade") from error
        plan = Plan(seconds=60 * minutes, releases=releases, **options)
        clocks = {LIBFAKETIME: CLOCK_SHIFT, C_COMPILER: REDIS_CLOCK_SHIFT}
        exit_without(REDIS, HAPROXY, *(tool for tool, fault in clocks.items() if plan.injects(fault)))
        try:
            result = asyncio.run(run(plan, Path(directory), Progress(_print_progress, brief=brief)))
        finally:
            if output is not None:
                shutil.copytree(directory, output, ignore=shutil.ignore_patterns("*.sock"), dirs_exist_ok=True)
    redis = subprocess.run((require(REDIS), "--version"), capture_output=True, text=True, check=True).stdout.split()
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    click.echo(f"`{shlex.join(sys.argv[1:])}`: {minutes:g} minutes from {started_at:%Y-%m-%d at %H:%M} UTC. {machine},")
    click.echo(f"{redis[0]} {redis[2].removeprefix('v=')}; everything ran on this machine.\n")
    click.echo(markdown_table(result.tally, result.violations))
    for violation in result.violations:
        click.echo(f"VIOLATION {violation}")
    sys.exit(1 if result.violations else 0)


def _print_progress(line: str) -> None:
    click.echo(f"{datetime.now(UTC):%H:%M:%S} {line}", err=True)


if __name__ == "__main__":
    main()
