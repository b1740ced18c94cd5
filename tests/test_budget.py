"""`tools/budget.py` counts lines of code, and notices what is above its limit."""

import subprocess
from pathlib import Path

from tools.budget import INSTRUCTIONS, count_code_lines, count_files, table

MODULE = '''"""Docs of a module,

in three lines.
"""

import os  # why


class A:
    """Docs."""

    text = """Two
lines, no docs."""


async def f() -> str:
    """Docs."""
    # A comment.
    return os.name
'''


def test_comments_docstrings_and_blank_lines_do_not_count() -> None:
    assert count_code_lines(MODULE) == 6


def test_what_git_does_not_know_and_verification_do_not_count(tmp_path: Path) -> None:
    for name in ("service/a.py", "tests/test_a.py", "tests/helper.py", "verification/model.py", "README.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("# One line\n" if name == "README.md" else MODULE, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["a", "b>=1"]', encoding="utf-8")
    subprocess.run(("git", "init", "--quiet"), cwd=tmp_path, check=True)  # noqa: S607
    subprocess.run(("git", "add", "."), cwd=tmp_path, check=True)  # noqa: S607
    (tmp_path / "service/new.py").write_text(MODULE, encoding="utf-8")
    assert count_files(tmp_path) == {
        "service-lines": 6,
        "service-modules": 1,
        "test-lines": 12,
        "test-files": 2,
        "markdown-lines": 1,
        "runtime-dependencies": 2,
    }


def test_a_number_may_reach_its_limit_and_not_pass_it() -> None:
    assert table({"a": 3}, {"a": 3})[1]
    text, kept = table({"a": 4}, {"a": 3})
    assert not kept
    assert "ABOVE" in text


def test_instructions_may_pass_their_limit_by_5_percent() -> None:
    assert [table({INSTRUCTIONS: number}, {INSTRUCTIONS: 1000})[1] for number in (1050, 1051)] == [True, False]
