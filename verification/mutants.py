"""Mutation testing: mutmut puts small mistakes into modules, one at a time, and those that no test notices are printed.

As in: make mutants ARGS="service/engine/islanders.py tests/rules". mutmut works in .mutants, where all but its
configuration is linked to the project; `mutmut browse` shows there what it has found.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.tools import MUTMUT, ROOT, exit_without

DIRECTORY = ROOT / ".mutants"
PROGRAM = Path(sys.executable).with_name("mutmut")

CONFIGURATION = """
[tool.mutmut]
source_paths = ["service"]
only_mutate = ["{source}"]
do_not_mutate_patterns = ['logger\\.', 'LOG\\.']
also_copy = ["conftest.py", "clients/python", "docs", "examples", "schemas", "tools", "README.md"]
pytest_add_cli_args = ["-p", "no:cacheprovider"]
pytest_add_cli_args_test_selection = {tests}
timeout_multiplier = 5.0
"""
"""Of the project, for a module or pattern of modules; log lines are not what tests of behaviour are about."""


def main() -> None:
    """Run mutmut, and print the mutants that survive as diffs."""
    parser = argparse.ArgumentParser(prog="python -m verification.mutants", description=__doc__)
    parser.add_argument("source", help="a module, or a pattern such as service/engine/*")
    parser.add_argument("tests", nargs="+", help="test files and directories that are to notice the mistakes")
    arguments = parser.parse_args()
    exit_without(MUTMUT)
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    DIRECTORY.mkdir()
    for path in ROOT.iterdir():
        if not path.name.startswith(".") and path.name != "pyproject.toml":
            (DIRECTORY / path.name).symlink_to(path)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    configuration = CONFIGURATION.format(source=arguments.source, tests=arguments.tests)
    (DIRECTORY / "pyproject.toml").write_text(project + configuration, encoding="utf-8")
    if status := subprocess.run((PROGRAM, "run"), cwd=DIRECTORY, check=False).returncode:
        sys.exit(status)
    for mutant in re.findall(r"^ +(\S+): (?!killed|not checked)", _mutmut("results"), re.MULTILINE):
        sys.stdout.write(_mutmut("show", mutant))


def _mutmut(*command: str) -> str:
    return subprocess.run((PROGRAM, *command), cwd=DIRECTORY, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main()
