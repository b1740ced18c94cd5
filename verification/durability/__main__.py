"""Test each guarantee for longer, and print a table: `python -m verification.durability --seconds 60`.

Each row is several trials, which together write for about that long. Its figures are sums, or the worst of all trials.
"""

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import click

from tests.tools import C_COMPILER, REDIS, exit_without, require
from verification.durability.guarantees import GUARANTEES, Guarantee
from verification.durability.trials import Load, SecondFailover, TrialResult, find_breach, run_trial

HEAD = ("| deployment | fault | acknowledged | lost | oldest loss | no writes for |", "|---|---|--:|--:|--:|--:|")
TRIAL_S = 10.0


def main() -> int:
    """Test all guarantees, and return 1 if one does not hold."""
    parser = argparse.ArgumentParser(prog="python -m verification.durability", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to write before the faults, for each row")
    parser.add_argument("--only", default="", help="test only rows whose name contains this")
    arguments = parser.parse_args()
    trials = max(1, round(arguments.seconds / TRIAL_S))
    load = Load(min(TRIAL_S, arguments.seconds), 24, 0.002)
    exit_without(REDIS, C_COMPILER)
    program = require(REDIS)
    redis = subprocess.run((program, "--version"), capture_output=True, text=True, check=True).stdout.split()[2]
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    click.echo(f"{date}, Redis {redis[2:]}, {platform.system()}, {os.cpu_count()} cores, {load.writers} writers,")
    click.echo(f"each row {trials} trials of {load.seconds:g} s of writing before the fault\n")
    click.echo("\n".join(HEAD))
    all_hold = True
    for guarantee in GUARANTEES:
        if arguments.only in guarantee.name:
            results = [_run_trial(guarantee, load) for _ in range(trials)]
            click.echo(_row(guarantee, results))
            if breaches := [*filter(None, (find_breach(guarantee, one) for one in results))]:
                all_hold = False
                click.echo("\n".join(breaches), err=True)
    click.echo("\nall guarantees hold" if all_hold else "\nA GUARANTEE DOES NOT HOLD")
    return 0 if all_hold else 1


def _run_trial(guarantee: Guarantee, load: Load) -> TrialResult:
    """Run a trial, and again if it had a second failover: its losses would not be those of the fault."""
    while True:
        try:
            with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
                return asyncio.run(run_trial(guarantee, Path(directory), load))
        except SecondFailover:
            click.echo(f"  {guarantee.name}: the sentinels replaced the new primary too; once more", err=True)


def _row(guarantee: Guarantee, results: list[TrialResult]) -> str:
    acknowledged = sum(one.losses.acknowledged for one in results)
    losses = sum(len(one.losses.lost_commits) for one in results)
    outages = [one.outage_s for one in results if one.outage_s is not None]
    wait = [f"WAIT {guarantee.wait.replicas}"] if guarantee.wait else []
    deployment = ", ".join([guarantee.deployment, *(f"`{one}`" for one in guarantee.settings), *wait])
    loss_age = _format_loss_age(guarantee, results) if losses else ""
    outage = f"{max(outages):.1f} s" if outages else ""
    return f"| {deployment} | {guarantee.fault} | {acknowledged:,} | {losses:,} | {loss_age} | {outage} |"


def _format_loss_age(guarantee: Guarantee, results: list[TrialResult]) -> str:
    """Return when the lost commits were acknowledged, relative to the fault."""
    oldest, newest = max(one.oldest_loss_s for one in results), max(one.newest_loss_s for one in results)
    if guarantee.fault == "partition":
        return f"until {newest:.1f} s after"
    return f"{oldest:.2f} s before"


if __name__ == "__main__":
    sys.exit(main())
