"""What the image contains besides plain copies: links, libraries, entry points of packages."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.deploy.scripts import load_script


@pytest.fixture(scope="module")
def collect() -> ModuleType:
    """Import the script."""
    return load_script("collect")


def test_a_file_comes_with_all_links_that_lead_to_it(collect: ModuleType, tmp_path: Path) -> None:
    source, root = (tmp_path / "here").resolve(), tmp_path / "root"
    (source / "versions" / "3").mkdir(parents=True)
    (source / "versions" / "3" / "program").write_text("it")
    (source / "current").symlink_to("versions/3")
    (source / "program").symlink_to(source / "current" / "program")
    assert [*collect.copy_with_links(source / "program", root)] == [source / "versions" / "3" / "program"]
    copy = root / source.relative_to("/")
    assert (copy / "program").readlink() == source / "current" / "program"
    assert (copy / "current").readlink() == Path("versions/3")
    assert (copy / "versions" / "3" / "program").read_text() == "it"


def test_libraries_of_all_programs_are_found(collect: ModuleType, tmp_path: Path) -> None:
    [*collect.copy_with_links(Path(sys.executable).resolve(), tmp_path)]
    names = {library.name.partition(".so")[0] for library in collect.shared_libraries(tmp_path)}
    assert {"libc", "libm"} <= names
    assert any(name.startswith("ld-linux") for name in names)


def test_everything_gets_one_date(collect: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    collect.set_timestamps(tmp_path, 1_000_000_000)
    assert {one.lstat().st_mtime for one in (tmp_path, *tmp_path.iterdir())} == {1_000_000_000}
