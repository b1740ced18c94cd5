"""`docs/benchmarks.md` and the figures that the README takes from it."""

import re
from pathlib import Path

from benchmarks.builds import ROOT
from benchmarks.page import PAGE, render_page, write_page
from benchmarks.results import load_result, save
from tests.benchmarks.some_result import a_result


def test_the_page_is_generated_from_the_last_results() -> None:
    assert PAGE.read_text() == render_page([load_result("suite"), load_result("peers")])


def test_a_suite_that_never_ran_has_no_section(tmp_path: Path) -> None:
    save(a_result(), tmp_path)
    text = write_page(tmp_path, tmp_path / "page.md").read_text()
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["The service"]


def test_the_readme_has_the_figures_of_the_last_run() -> None:
    readme = (ROOT / "README.md").read_text()
    section = readme[readme.index("## How fast") :].split("\n## ")[0]
    figures = re.findall(r"\*\*([^*]+)\*\*", section)
    assert len(figures) >= 5
    table = PAGE.read_text()
    assert [figure for figure in figures if f" {figure} " not in table] == []
