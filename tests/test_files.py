"""Only regular files are read; they are written completely or not at all, and only their owner may read them."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cli.export import iter_documents
from service.files import read_file, write_atomically


@pytest.fixture(autouse=True)
def _permissive_umask() -> Iterator[None]:
    """Set a umask that takes no permission away."""
    before = os.umask(0)
    yield
    os.umask(before)


def read_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("path", ("/dev/zero", "/dev/null", "/"))
def test_only_regular_files_are_read(path: str) -> None:
    with pytest.raises(OSError, match=f"(not a regular file|Is a directory): '{path}'"):
        read_file(Path(path))


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


def test_a_write_to_a_full_disk_names_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    script = (
        "import pathlib, resource, signal, sys; from service.files import write_atomically;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100));"
        "write_atomically(pathlib.Path(sys.argv[1]), bytes(1000))"
    )
    command = (sys.executable, "-c", script, str(tmp_path / "game.json"))
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    assert finished.stderr.endswith(f"OSError: [Errno 27] File too large: '{tmp_path}/game.json'\n")
    assert [*tmp_path.iterdir()] == []


def test_a_file_and_its_directories_survive_a_loss_of_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: dict[int, int] = {}
    file = tmp_path / "2026" / "11" / "game.json"

    def sync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        synced[status.st_ino] = descriptor
        if stat.S_ISREG(status.st_mode):
            (temporary,) = file.parent.iterdir()
            assert (temporary.stat().st_ino, temporary.read_bytes()) == (status.st_ino, b"whole")

    monkeypatch.setattr(os, "fsync", sync)
    write_atomically(file, b"whole")
    assert [*synced] == [path.stat().st_ino for path in (tmp_path, tmp_path / "2026", file, file.parent)]
    for descriptor in synced.values():
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_documents_are_found_below_directories_and_sorted(tmp_path: Path) -> None:
    for name in ("b/2.json", "b/1.json.gz", "b/.hidden.json", "b/notes.txt", "c.json/3.json", "named"):
        write_atomically(tmp_path / name, b"")
    documents = iter_documents([tmp_path / "named", tmp_path, tmp_path / "absent"])
    assert [path.relative_to(tmp_path).as_posix() for path in documents] == [
        *("named", "b/1.json.gz", "b/2.json", "c.json/3.json", "absent")
    ]
