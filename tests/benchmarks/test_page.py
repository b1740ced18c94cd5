"""The README has the figures of the last run."""

import re

from benchmarks.builds import ROOT
from benchmarks.report import report_lines
from benchmarks.results import load_result


def test_the_readme_has_the_figures_of_the_last_run() -> None:
    section = (ROOT / "README.md").read_text().partition("## How fast")[2].partition("\n## ")[0]
    figures = re.findall(r"\*\*([^*]+)\*\*", section)
    assert len(figures) >= 5
    table = "\n".join(report_lines(load_result("suite")))
    assert [figure for figure in figures if f" {figure} " not in table] == []
