"""The short form."""

from pathlib import Path

from tests.fuzz.figures import Effort, Figures
from tests.fuzz.tilesets import fuzz


def test_valid_and_nearly_valid_sets(tmp_path: Path) -> None:
    figures = Figures()
    fuzz(tmp_path, Effort(examples=40, seed=None), figures)
    assert figures["tilesets played"] > 0
