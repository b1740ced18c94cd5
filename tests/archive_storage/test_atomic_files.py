"""Files are written completely or not at all, and only their owner may read them."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.archive_storage.atomic_files import write_atomically


@pytest.fixture(autouse=True)
def _permissive_umask() -> Iterator[None]:
    """Set a umask that takes no permission away."""
    before = os.umask(0)
    yield
    os.umask(before)


def read_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_and_the_directories_created_for_it_are_private(tmp_path: Path) -> None:
    file = tmp_path / "2026" / "11" / "game.json"
    write_atomically(file, b"whole")
    assert file.read_bytes() == b"whole"
    assert [read_mode(path) for path in (file, file.parent, file.parent.parent)] == [0o600, 0o700, 0o700]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    write_atomically(file, b"old")
    with pytest.raises(TypeError):
        write_atomically(file, "new")  # type: ignore[arg-type]  # a write that fails
    assert file.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [file]
