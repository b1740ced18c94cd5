"""Directories whose paths are short enough for unix sockets."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short_path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        yield Path(directory)
