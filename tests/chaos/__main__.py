"""`python -m tests.chaos`: a run of some minutes, and its table."""

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

from tests.chaos.faults import FAULTS
from tests.chaos.progress import Progress
from tests.chaos.run import SESSIONS, Plan, run
from tests.chaos.statistics import markdown_table
from tests.chaos.testbed import DEPLOYMENTS, REPLICAS
from tests.tools import HAPROXY, LIBFAKETIME, REDIS, exit_without, require


@click.command()
@click.option(
    "--minutes", type=click.FloatRange(0.05, 600), default=3.0, show_default=True, help="Things break so long."
)
@click.option("--seed", type=int, default=7, show_default=True, help="Chooses the faults and the moves.")
@click.option("--only", multiple=True, type=click.Choice([kind.name for kind in FAULTS]), help="These faults only.")
@click.option(
    "--redis", type=click.Choice(DEPLOYMENTS), default="sentinel", show_default=True, help="How Redis is deployed."
)
@click.option("--tables", type=click.IntRange(1, 500), default=SESSIONS, show_default=True, help="Games at once.")
@click.option(
    "--pace",
    "pace_s",
    type=click.FloatRange(0, 60),
    default=0.3,
    show_default=True,
    help="Players think so long, in s.",
)
@click.option(
    "--wait", type=click.IntRange(0, REPLICAS), default=REPLICAS, show_default=True, help="Replicas waited for."
)
@click.option("--rolling", type=click.IntRange(0, 100), default=0, help="So many rolling updates, in place of faults.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep histories and logs here.")
@click.option("--brief", is_flag=True, help="One line a minute, and none for each fault.")
def main(*, minutes: float, keep: Path | None, brief: bool, **chosen: Any) -> None:
    """Break everything that can break, while games are played, and look whether anything was lost."""
    plan = Plan(seconds=60 * minutes, **chosen)
    exit_without(REDIS, HAPROXY, *((LIBFAKETIME,) if plan.faked else ()))
    started_at = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="chaos-") as directory:
        try:
            result = asyncio.run(run(plan, Path(directory), Progress(_tell, brief=brief)))
        finally:
            if keep is not None:
                shutil.copytree(directory, keep, ignore=shutil.ignore_patterns("*.sock"), dirs_exist_ok=True)
    redis = subprocess.run((require(REDIS), "--version"), capture_output=True, text=True, check=True).stdout.split()
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    click.echo(f"`{shlex.join(sys.argv[1:])}`: {minutes:g} minutes from {started_at:%Y-%m-%d at %H:%M} UTC. {machine},")
    click.echo(f"{redis[0]} {redis[2].removeprefix('v=')}; everything ran on this machine.\n")
    click.echo(markdown_table(result.tally, result.violations))
    for violation in result.violations:
        click.echo(f"VIOLATION {violation.kind}: {violation.who}: {violation.detail}")
    sys.exit(1 if result.violations else 0)


def _tell(line: str) -> None:
    click.echo(f"{datetime.now(UTC):%H:%M:%S} {line}", err=True)


if __name__ == "__main__":
    main()
