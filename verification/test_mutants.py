"""The mutants of a small module."""

import re
import subprocess
import sys

import pytest

from tests.tools import MUTMUT, ROOT, require


@pytest.mark.timeout(900)
def test_mistakes_are_made_and_noticed() -> None:
    require(MUTMUT)
    command = (sys.executable, "-m", "verification.mutants", "service/files.py")
    finished = subprocess.run(
        (*command, "tests/test_files.py"), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    (killed,) = re.findall(r"\U0001f389 (\d+)", finished.stdout)[-1:]
    assert int(killed) > 0
