"""A short run of `make faults`: one fault that somebody must repair, and one that heals by itself."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.polling import wait_until
from tests.tools import HAPROXY, PROMETHEUS, ROOT, Finished, require, run_program
from tools.site.faults import load_faults
from tools.site.pages import ALERTS
from verification.faults import faults
from verification.faults.__main__ import run_faults
from verification.faults.alerts import MAX_FOR_S, Rules
from verification.faults.catalogue import FAULT_TYPES
from verification.faults.run import is_promised

SHORT = ("Redis full", "an instance killed and started again")

MEASURED = re.compile(r"\w+ pages for what heals itself|players moved after .*|before the fault: \w+ timeout")
"""Problems of a busy machine; `make faults` has a quiet one."""


@pytest.mark.timeout(900)
async def test_a_full_redis_pages_and_a_killed_instance_does_not() -> None:
    require(HAPROXY)
    require(PROMETHEUS)
    chosen = [fault for fault in FAULT_TYPES if fault.name in SHORT]
    full, killed = await run_faults(chosen, seed=3, jobs=2)
    assert [one for one in full.problems + killed.problems if not MEASURED.fullmatch(one)] == []
    assert full.moves["503"] > 0
    assert "503" not in full.reads
    assert (full.alert, full.severity, killed.alert) == ("SouthSeasRedisNotWritable", "page", "")
    assert (full.lost, killed.lost) == (0, 0)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
async def test_an_interrupted_run_leaves_no_process(number: signal.Signals, tmp_path: Path) -> None:
    require(HAPROXY)
    require(PROMETHEUS)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "verification.faults", "--only", "an instance gone"),
        *("--output", str(tmp_path / "faults.json")),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stderr is not None
    assert b"1 of 1: an instance gone" in await process.stderr.readline()
    started = descendants(process.pid)
    assert len(started) >= len(("Redis", "instance", "instance", "haproxy", "Prometheus"))
    process.send_signal(number)
    await process.communicate()
    await wait_until(lambda: not any(map(is_running, started)))


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and theirs."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]
    return [*children, *(below for child in children for below in descendants(child))]


def is_running(pid: int) -> bool:
    """Return whether a process has not ended; one that nobody has waited for has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_stranger_learns_what_there_is_and_what_is_missing() -> None:
    async def faults(*arguments: str, **environment: str) -> Finished:
        command = (sys.executable, "-m", "verification.faults", *arguments)
        return await run_program(*command, cwd=ROOT, env={**os.environ, **environment})

    listed = await faults("--list", "--only", "Redis full")
    assert listed.stdout.split() == ["Redis", "full", "standalone", "SouthSeasRedisNotWritable"]
    wrong = await faults("--only", "no such fault")
    assert (wrong.returncode, wrong.stderr.splitlines()[-1]) == (
        2,
        "Error: Invalid value for --only: no fault has this in its name: --list names all",
    )


def test_every_command_of_the_service_in_a_runbook_is_run_on_its_fault() -> None:
    runbooks = " ".join(" ".join((ROOT / file).read_text(encoding="utf-8") for file in ALERTS).split())
    run = Path(faults.__file__).read_text(encoding="utf-8")
    commands = {*re.findall(r"`south-seas ([a-z]+(?: [a-z]+)*)", runbooks)}
    assert "import" in commands
    for command in commands:
        assert "south_seas(bed, " + ", ".join(f'"{word}"' for word in command.split()) in run, command


def test_what_a_rule_waits_less_is_known() -> None:
    rules = Rules()
    assert rules.shortened_s["SouthSeasUpdateStuck"] == 20 * 60 - MAX_FOR_S
    assert rules.shortened_s["SouthSeasRedisNotWritable"] == 0


def test_in_every_row_of_the_page_somebody_is_told_who_must_act_and_nothing_is_lost() -> None:
    results, types = load_faults().results, {fault.name: fault for fault in FAULT_TYPES}
    assert [result.fault for result in results] == [name for name in types if name in {one.fault for one in results}]
    for result in results:
        fault = types[result.fault]
        assert result.problems == [], result.fault
        assert (result.alert, result.act) == (fault.alert, fault.act)
        assert not result.lost or is_promised(result.may_lose)
