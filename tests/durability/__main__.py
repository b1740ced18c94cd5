"""`python -m tests.durability --seconds 60`: try each promise for longer, and print what came of it as a table.

A row is tried several times, so that about that much time is written in it altogether; figures are sums and worst.
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

from tests.durability.promises import PROMISES, Promise
from tests.durability.trying import Load, Tried, attempt
from tests.tools import C_COMPILER, REDIS, exit_without, require

HEAD = (
    "| deployment | what happens | acknowledged | lost | oldest of them | no writes for |",
    "|---|---|--:|--:|--:|--:|",
)
EACH_S = 10.0


def main() -> int:
    """Try all promises; ends with 1 where one was broken."""
    asked = argparse.ArgumentParser(prog="python -m tests.durability", description=__doc__)
    asked.add_argument("--seconds", type=float, default=60, help="of writing before the faults, for each row")
    asked.add_argument("--only", default="", help="only rows with this in their name")
    arguments = asked.parse_args()
    times = max(1, round(arguments.seconds / EACH_S))
    load = Load(min(EACH_S, arguments.seconds), 24, 0.002)
    exit_without(REDIS, C_COMPILER)
    program = require(REDIS)
    redis = subprocess.run((program, "--version"), capture_output=True, text=True, check=True).stdout.split()[2]
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    click.echo(f"{now}, Redis {redis[2:]}, {platform.system()}, {os.cpu_count()} cores, {load.writers} writers,")
    click.echo(f"each row {times} times {load.seconds:g} s of writing before the fault\n")
    click.echo("\n".join(HEAD))
    kept = True
    for promise in PROMISES:
        if arguments.only in promise.name:
            tried = [asyncio.run(_once(promise, load)) for _ in range(times)]
            kept = _kept(promise, tried) and kept
            click.echo(_row(promise, tried))
    click.echo("\nall promises were kept" if kept else "\nA PROMISE WAS BROKEN")
    return 0 if kept else 1


async def _once(promise: Promise, load: Load) -> Tried:
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        return await attempt(promise, Path(directory), load)


def _kept(promise: Promise, tried: list[Tried]) -> bool:
    if any(one.counted.twice or one.counted.broken for one in tried):
        return False
    if promise.within_s == 0:
        return not any(one.counted.lost for one in tried)
    return promise.within_s is None or max(max(one.oldest_s, one.newest_s) for one in tried) <= promise.within_s


def _row(promise: Promise, tried: list[Tried]) -> str:
    acknowledged = sum(one.counted.acknowledged for one in tried)
    lost = sum(len(one.counted.lost) for one in tried)
    stopped = [one.stopped_s for one in tried if one.stopped_s is not None]
    waits = [f"WAIT {promise.wait.replicas}"] if promise.wait else []
    where = ", ".join([promise.deployment, *(f"`{one}`" for one in promise.settings), *waits])
    return (
        f"| {where} | {promise.fault} | {acknowledged:,} | {lost:,} | {_told(promise, tried) if lost else ''} "
        f"| {f'{max(stopped):.1f} s' if stopped else ''} |"
    )


def _told(promise: Promise, tried: list[Tried]) -> str:
    """When what was lost had been acknowledged."""
    oldest, newest = max(one.oldest_s for one in tried), max(one.newest_s for one in tried)
    if promise.fault == "cut off":
        return f"until {newest:.1f} s after"
    return f"{oldest:.2f} s before"


if __name__ == "__main__":
    sys.exit(main())
