"""The section of a document that tells of one run."""

import os
import platform
import subprocess
from datetime import datetime
from pathlib import Path

from tests.chaos.game_checker import Findings
from tests.chaos.statistics import markdown_table
from tests.tools import REDIS, require

__all__ = ["BEGIN", "END", "replace_section", "section"]

BEGIN = "## A long run"
"""The section's heading."""

END = "## "
"""What the next section begins with."""


def section(command: str, minutes: float, seed: int, begun: datetime, findings: Findings) -> str:
    """Format a run as Markdown: command, date, machine and figures."""
    redis = subprocess.run((require(REDIS), "--version"), capture_output=True, text=True, check=True).stdout.split()
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {_memory_gb():.0f} GB"
    programs = f"Python {platform.python_version()}, {redis[0]} {redis[2].removeprefix('v=')}"
    when = f"{minutes:g} minutes, seed {seed}, begun on {begun:%Y-%m-%d at %H:%M} UTC"
    heading = [BEGIN, "", f"`{command}`: {when}. {machine}, {programs}; everything ran on this machine.", ""]
    wrong = [f"- {one.kind}: {one.who}: {one.detail}" for one in findings.violations]
    return "\n".join(
        [*heading, markdown_table(findings.tally, findings.violations), *(["", *wrong] if wrong else []), ""]
    )


def replace_section(path: Path, text: str) -> None:
    """Put a section into a document in place of its predecessor, or at the end."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    head, result, rest = before.partition(f"{BEGIN}\n")
    if not result:
        path.write_text(f"{before}\n{text}" if before else text, encoding="utf-8")
        return
    _, following, tail = rest.partition(f"\n{END}")
    path.write_text(f"{head}{text}{following}{tail}", encoding="utf-8")


def _memory_gb() -> float:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
