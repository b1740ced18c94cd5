"""The mutants of a small module, of which one is the same as the original."""

import subprocess
import sys

from tests.tools import MUTMUT, ROOT, require


def test_a_mistake_that_no_test_notices_is_printed() -> None:
    require(MUTMUT)
    module = "service/escaping.py"
    command = (sys.executable, "-m", "tests.verification.mutants", module, module)
    finished = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    printed = finished.stdout.rpartition("mutations/second")[2]
    assert printed.count(": survived") == printed.count("UNICODE_ESCAPE") == 1
