"""The short form."""

from pathlib import Path

from tests.fuzz.figures import Effort, Figures
from tests.fuzz.logs import fuzz


def test_files_and_urls_that_others_give(tmp_path: Path) -> None:
    fuzz(tmp_path, Effort(examples=30, seed=None), Figures())
