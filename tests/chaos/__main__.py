"""`python -m tests.chaos`: a run of some minutes, and its table."""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from tests.chaos.faults import FAULTS
from tests.chaos.figures import table
from tests.chaos.history import Fault, dump
from tests.chaos.run import Plan, run
from tests.chaos.site import REPLICAS, SITES
from tests.tools import HAPROXY, LIBFAKETIME, REDIS, exit_without


@click.command()
@click.option(
    "--minutes", type=click.FloatRange(0.05, 600), default=3.0, show_default=True, help="Things break so long."
)
@click.option("--seed", type=int, default=7, show_default=True, help="Chooses the faults and the moves.")
@click.option("--only", multiple=True, type=click.Choice([kind.name for kind in FAULTS]), help="These faults only.")
@click.option("--redis", type=click.Choice(SITES), default="sentinel", show_default=True, help="How Redis is deployed.")
@click.option("--tables", type=click.IntRange(1, 100), default=5, show_default=True, help="Games at once.")
@click.option(
    "--wait", type=click.IntRange(0, REPLICAS), default=REPLICAS, show_default=True, help="Replicas waited for."
)
@click.option("--workers", type=click.IntRange(1, 8), default=1, show_default=True, help="Processes of each instance.")
@click.option("--rolling", type=click.IntRange(0, 100), default=0, help="So many rolling updates, in place of faults.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep history and logs here.")
def main(*, minutes: float, keep: Path | None, workers: int, **chosen: Any) -> None:
    """Break everything that can break, while games are played, and look whether anything was lost."""
    plan = Plan(seconds=60 * minutes, **chosen)
    if workers > 1 and plan.faked:
        raise click.UsageError("with --workers no clock can be put wrong: choose faults by --only, or --rolling")
    exit_without(REDIS, HAPROXY, *((LIBFAKETIME,) if plan.faked else ()))
    plan = plan._replace(flags=(*plan.flags, "--workers", str(workers)))
    with tempfile.TemporaryDirectory(prefix="chaos-") as directory:
        try:
            result = asyncio.run(run(plan, Path(directory), _tell))
        finally:
            if keep is not None:
                shutil.copytree(directory, keep, ignore=shutil.ignore_patterns("*.sock"), dirs_exist_ok=True)
    if keep is not None:
        dump(result.records, keep / "history.jsonl")
    click.echo(f"\n{table(result.records, result.violations)}")
    for violation in result.violations:
        click.echo(f"VIOLATION {violation.kind}: {violation.who}: {violation.detail}")
    sys.exit(1 if result.violations else 0)


def _tell(fault: Fault) -> None:
    click.echo(f"{fault.healed - fault.at:5.1f} s  {fault.kind}: {fault.detail}", err=True)


if __name__ == "__main__":
    main()
