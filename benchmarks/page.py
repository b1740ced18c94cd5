"""`docs/benchmarks.md`: the last run of each suite as tables. `python -m benchmarks.page` generates it."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.builds import ROOT
from benchmarks.report import report_lines
from benchmarks.results import FOLDER, Kind, Result, load_result

PAGE = ROOT / "docs" / "benchmarks.md"

INTRODUCTION = """# Benchmarks

This page is generated: each table is the last full run of a benchmark. `make bench` measures the service beside a bare
ceiling, `make bench-peers` other engines and services beside South Seas. [Performance](performance.md) explains the
figures.
"""

TITLES: dict[Kind, str] = {"suite": "The service", "peers": "Other engines and services"}


def render_page(results: Sequence[Result]) -> str:
    """Return the page of some results as Markdown."""
    sections = ["\n".join([f"## {TITLES[result.kind]}", "", *report_lines(result)]) for result in results]
    return "\n".join([INTRODUCTION, "\n\n".join(sections), ""])


def write_page(folder: Path = FOLDER, page: Path = PAGE) -> Path:
    """Write the page of the results in `folder`, and return its path."""
    results = [load_result(kind, folder) for kind in TITLES if (folder / f"{kind}.json").exists()]
    page.write_text(render_page(results), encoding="utf-8")
    return page


if __name__ == "__main__":
    write_page()
