"""Injects faults into a deployment, and finds out what each did."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from tests.tools import ROOT
from tools.site.faults import FaultResult
from verification.chaos.instances import Instance
from verification.chaos.testbed import wait_until_healthy
from verification.faults.catalogue import FaultType
from verification.faults.deployment import Bed, start_bed
from verification.faults.users import Answer, count_statuses

CALM_S = 2.0
"""How long users play before the fault."""

SETTLE_S = 1.0
"""How long they play after it."""

ALERT_TIMEOUT_S = 90.0
RECOVERY_TIMEOUT_S = 120.0
POLL_S = 0.1

MAX_LINE_LENGTH = 140

_PREFIX = re.compile(r"^\S+ \S+ (?:\d+ )?(?:WARNING|ERROR|CRITICAL|INFO) +(?:[\w.]+:? )?")
"""What a line of the log begins with."""

_OWN = re.compile(r"127\.0\.0\.1:\d+|/tmp/[^\s:']+")
"""Names of this machine in a line."""

_OUTAGE = re.compile(r"Redis (fails commands|still fails commands|takes writes again)")

_REQUEST = re.compile(r" \[request_id=.*")


async def run_group(
    faults: Sequence[FaultType],
    directory: Path,
    seed: int,
    begin: Callable[[FaultType], None],
    report: Callable[[FaultResult], None],
) -> None:
    """Inject faults one after the other into one deployment. `begin` and `report` are called for each."""
    first = faults[0]
    flags = [flag.format(directory=directory) for flag in first.flags]
    rng = Random(f"{seed}-{first.name}")
    async with start_bed(
        directory, first.redis, rng, settings=first.settings, flags=flags, wrapper=first.wrapper
    ) as bed:
        for fault in faults:
            begin(fault)
            report(await run_fault(fault, bed))


async def run_fault(fault: FaultType, bed: Bed) -> FaultResult:
    """Inject a fault, repair it once its alert has fired, and return what it did."""
    await wait_until_healthy(bed.testbed)
    await _wait(lambda: fault.alert not in bed.alerts.active, RECOVERY_TIMEOUT_S)
    await _wait(lambda: not any(map(_is_in_outage, bed.instances)), RECOVERY_TIMEOUT_S)
    calm_at = time.monotonic()
    logged = {instance.name: instance.log.stat().st_size for instance in bed.instances} if fault.log_from_fault else {}
    await asyncio.sleep(CALM_S)
    problems = [
        f"before the fault: {answer.kind} {answer.status}"
        for answer in bed.users.answers_since(calm_at)
        if answer.is_failure
    ]
    bed.alerts.begin_fault()
    async with fault.inject(bed) as lines:
        if fault.alert:
            await _wait(lambda: fault.alert in bed.alerts.fired_at, ALERT_TIMEOUT_S)
        else:
            await asyncio.sleep(fault.lasts_s)
        repaired_at = time.monotonic()
    healed_at = time.monotonic()
    if not await _wait(lambda: bed.users.has_moved_since(healed_at), RECOVERY_TIMEOUT_S):
        problems.append(f"players cannot move {RECOVERY_TIMEOUT_S:g} s after the repair")
    await asyncio.sleep(SETTLE_S)
    return await _describe(bed, fault, [*_log_lines(bed, logged), *lines], problems, repaired_at)


async def _wait(condition: Callable[[], bool], timeout_s: float) -> bool:
    """Poll until the condition is true; return whether it was within `timeout_s`."""
    until = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > until:
            return False
        await asyncio.sleep(POLL_S)
    return True


async def _describe(
    bed: Bed, fault: FaultType, lines: list[str], problems: list[str], repaired_at: float
) -> FaultResult:
    users, fired_at, fault_at = bed.users, bed.alerts.fired_at, bed.alerts.fault_at
    answers = [*users.answers_since(fault_at)]
    acknowledged, lost = len(users.acknowledged), await users.count_lost()
    has_fired = fault.alert in fired_at
    recovery_s = users.first_moves_s(repaired_at) if fault.alert else users.longest_pause_s(fault_at)
    line = find_line(fault.log, lines) if fault.log else ""
    if fault.alert and not has_fired:
        problems.append(f"nobody is told: {fault.alert} did not fire, but {sorted(fired_at) or 'no alert'}")
    if not fault.alert:
        problems += [
            f"{one} pages for what heals itself" for one in fired_at if bed.alerts.rules.severities[one] == "page"
        ]
    if fault.log and not line:
        problems.append(f"no line of the log has {fault.log!r}")
    if recovery_s > fault.recovers_s:
        problems.append(f"players moved after {recovery_s:.1f} s, not within {fault.recovers_s:g} s")
    if lost and not (fault.may_lose and is_promised(fault.may_lose)):
        problems.append(f"{lost} acknowledged actions are lost, and docs/durability.md does not say so in bold")
    problems += [f"an instance logged {one}" for one in find_tracebacks("\n".join(lines))]
    counts = count_statuses(iter(answers))
    return FaultResult(
        fault=fault.name,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        moves=counts["moves"],
        reads=counts["reads"],
        moves_failed_s=_failed_s(answers, "moves"),
        reads_failed_s=_failed_s(answers, "reads"),
        slowest_s=round(max((answer.seconds for answer in answers if not answer.is_failure), default=0.0), 2),
        log=line,
        alert=fault.alert if has_fired else "",
        severity=bed.alerts.rules.severities[fault.alert] if has_fired else "",
        alert_after_s=round(bed.alerts.fired_after_s(fault.alert), 1) if has_fired else 0.0,
        other_alerts=sorted({*fired_at} - {fault.alert}),
        act=fault.act,
        recovery_s=round(recovery_s, 1),
        acknowledged=acknowledged,
        lost=lost,
        may_lose=fault.may_lose,
        problems=problems,
    )


def is_promised(words: str) -> bool:
    """Return whether docs/durability.md says these words in bold."""
    return f"**{words}**" in (ROOT / "docs" / "durability.md").read_text(encoding="utf-8")


def find_line(pattern: str, lines: list[str]) -> str:
    """Return the first line with a pattern, without what is of this machine; empty if there is none."""
    line = next((line for line in lines if re.search(pattern, line)), "")
    text = _OWN.sub("...", _REQUEST.sub("", _PREFIX.sub("", line))).replace("`", "'")
    return text if len(text) <= MAX_LINE_LENGTH else f"{text[:MAX_LINE_LENGTH].rpartition(' ')[0]} ..."


def find_tracebacks(text: str) -> list[str]:
    """Return the last lines of the tracebacks in a log."""
    return re.findall(r"^Traceback .*\n(?:[ \t].*\n|\n)*(.*)", text, re.MULTILINE)


def _is_in_outage(instance: Instance) -> bool:
    """Return whether an instance has logged an outage of Redis, and not yet its end."""
    lines = _OUTAGE.findall(instance.log.read_text(encoding="utf-8"))
    return lines[-1:] not in ([], ["takes writes again"])


def _log_lines(bed: Bed, logged: Mapping[str, int]) -> list[str]:
    """Return the lines of all instances behind what they had logged."""
    texts = [instance.log.read_bytes()[logged.get(instance.name, 0) :].decode() for instance in bed.instances]
    return [line for text in texts for line in text.splitlines()]


def _failed_s(answers: list[Answer], kind: str) -> float:
    """Return the time between the first and the last failed answer of a kind."""
    failed = [answer.at for answer in answers if answer.is_failure and answer.kind == kind]
    return round(failed[-1] - failed[0], 1) if failed else 0.0
