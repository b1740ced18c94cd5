"""The mutants of a small module."""

import re
import subprocess
import sys

import pytest

from tests.tools import MUTMUT, ROOT, require


@pytest.mark.timeout(900)
def test_mistakes_are_made_and_noticed() -> None:
    require(MUTMUT)
    command = (sys.executable, "-m", "verification.mutants", "service/engine/final_scoring.py")
    finished = subprocess.run(
        (*command, "tests/rules/test_r7_final_scoring.py"), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    mutants, killed = re.findall(r"/(\d+)  \U0001f389 (\d+)", finished.stdout)[-1]
    assert int(mutants) > 0
    assert killed == mutants
