"""`python -m tests.chaos`: a run of some minutes, and its table."""

import asyncio
import shlex
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tests.chaos.faults import FAULTS
from tests.chaos.progress import Progress
from tests.chaos.report import replace_section, section
from tests.chaos.run import SESSIONS, Plan, run
from tests.chaos.statistics import markdown_table
from tests.chaos.testbed import DEPLOYMENTS, REPLICAS
from tests.tools import HAPROXY, LIBFAKETIME, REDIS, exit_without


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
@click.option(
    "--report",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the table into this document, in place of its section `A long run`.",
)
@click.option("--brief", is_flag=True, help="One line a minute, and none for each fault.")
def main(*, minutes: float, keep: Path | None, report: tuple[Path, ...], brief: bool, **chosen: Any) -> None:
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
    click.echo(f"\n{markdown_table(result.tally, result.violations)}")
    for violation in result.violations:
        click.echo(f"VIOLATION {violation.kind}: {violation.who}: {violation.detail}")
    for path in report:
        replace_section(path, section(_command(), minutes, plan.seed, started_at, result))
    sys.exit(1 if result.violations else 0)


def _command() -> str:
    """How this was started, but for where it writes."""
    words, values = [], iter(sys.argv[1:])
    for word in values:
        if word in ("--report", "--keep"):
            next(values)
        elif word != "--brief":
            words.append(word)
    return f'make chaos ARGS="{shlex.join(words)}"'


def _tell(line: str) -> None:
    click.echo(f"{datetime.now(UTC):%H:%M:%S} {line}", err=True)


if __name__ == "__main__":
    main()
