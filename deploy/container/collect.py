"""Collect the files of the image: what the service needs to run, and nothing else.

    python collect.py VENV ROOT

ROOT gets the virtual environment, its Python, every shared library that these load (according to `ldd`), and a few
tools for `kubectl exec`. Paths stay the same, so that this works with any Debian and Python of the base image. The
dpkg entries of the copied files are stored where image scanners look for them if there is no dpkg, and a list of all
packages beside them. All timestamps are SOURCE_DATE_EPOCH, so that builds are reproducible.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from sbom import PATH_IN_IMAGE, make_sbom

TOOLS = ("sh", "cat", "grep", "id", "ls")
"""For `kubectl exec`. They add no attack surface: the image has Python anyway."""

UNUSED_STDLIB = (
    *("test", "tests", "idlelib", "turtledemo", "tkinter", "ensurepip", "lib2to3", "pydoc_data", "config-*"),
    *("site-packages", "dist-packages", "__pycache__", "turtle.py", "LICENSE.txt", "EXTERNALLY-MANAGED"),
    *("_tkinter*", "_sqlite3*", "_dbm*", "_gdbm*", "_curses*", "readline*", "_test*", "xx*.so", "_ctypes_test*"),
)
"""Parts of the standard library for development, graphics, terminals and databases."""

UNUSED_VENV = ("__pycache__", "*.pyi", "*.pyx", "*.pxd", "*.c", "*.h", "[Aa]ctivate*", "include")
"""Files of the virtual environment for compilers, type checkers and shells."""

COMMANDS = ("python*", "south-seas")
"""The programs of the virtual environment that are copied."""

USERS = "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\nsouth-seas:x:10001:10001::/tmp:/bin/sh\n"
GROUPS = "root:x:0:\nnogroup:x:65534:\nsouth-seas:x:10001:\n"

DPKG = Path("/var/lib/dpkg")


def main(venv: Path, root: Path) -> None:
    """Create ROOT."""
    root.mkdir()
    for link in ("bin", "lib", "lib64", "sbin"):
        if (here := Path("/") / link).is_symlink():
            (root / link).symlink_to(here.readlink())
    stdlib = Path(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}))
    shutil.copytree(venv, root / venv.relative_to("/"), symlinks=True, ignore=shutil.ignore_patterns(*UNUSED_VENV))
    _remove_others(root / venv.relative_to("/") / "bin", COMMANDS)
    shutil.copytree(
        stdlib, root / stdlib.relative_to("/"), symlinks=True, ignore=shutil.ignore_patterns(*UNUSED_STDLIB)
    )
    copied = {*copy_with_links(venv / "bin" / "python", root)}
    for tool in TOOLS:
        program = shutil.which(tool)
        if program is None:
            raise SystemExit(f"the base image has no {tool}")
        copied |= {*copy_with_links(Path(program), root)}
    for library in shared_libraries(root):
        copied |= {*copy_with_links(library, root)}
    for listing in (Path("/etc/ld.so.conf"), *Path("/etc/ld.so.conf.d").iterdir()):
        [*copy_with_links(listing, root)]
    subprocess.run(["ldconfig", "-X", "-r", root], check=True)  # noqa: S603, S607
    packages = debian_packages({*copied, *(Path("/") / file.relative_to(root) for file in root.glob("usr/**/*.so"))})
    write_etc(root, {*packages, "ca-certificates"})  # the Dockerfile copies its bundle, a file of no package
    compile_bytecode(root, (stdlib, venv / "lib"))
    (root / PATH_IN_IMAGE).parent.mkdir(parents=True)
    (root / PATH_IN_IMAGE).write_text(make_sbom(root))
    set_timestamps(root, int(os.environ.get("SOURCE_DATE_EPOCH", "0")))


def _remove_others(folder: Path, patterns: Iterable[str]) -> None:
    for file in folder.iterdir():
        if not any(file.match(pattern) for pattern in patterns):
            file.unlink()


def copy_with_links(path: Path, root: Path) -> Iterator[Path]:
    """Copy a file to the same path below ROOT with all symbolic links of its path, and yield the real path."""
    source = Path("/")
    for number, part in enumerate(path.parts[1:], start=2):
        source /= part
        if source.is_symlink():
            copy = root / source.relative_to("/")
            if not copy.is_symlink():
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.symlink_to(source.readlink())
            target = Path(os.path.normpath(source.parent / source.readlink())).joinpath(*path.parts[number:])
            yield from copy_with_links(target, root)
            return
    copy = root / source.relative_to("/")
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy)
    yield source


def shared_libraries(root: Path) -> set[Path]:
    """Return the shared libraries outside ROOT that programs and modules below ROOT load, with the loader."""
    loaded: set[Path] = set()
    for file in root.rglob("*"):
        if not file.is_symlink() and file.is_file() and file.read_bytes()[:4] == b"\x7fELF":
            ldd = subprocess.run(["ldd", file], capture_output=True, text=True, check=False)  # noqa: S603, S607
            if "not found" in ldd.stdout:
                raise SystemExit(f"{file} needs missing libraries:\n{ldd.stdout}")
            loaded.update(Path(os.path.normpath(word)) for word in ldd.stdout.split() if word.startswith("/"))
    return {library for library in loaded if not library.is_relative_to(root)}


def debian_packages(files: set[Path]) -> set[str]:
    """Return the Debian packages of these files. Files that the base image built itself have none."""
    owned = {os.path.realpath(file) for file in files}
    return {
        listing.name.removesuffix(".list").partition(":")[0]
        for listing in DPKG.glob("info/*.list")
        if any(_resolve_folder(line) in owned for line in listing.read_text().splitlines())
    }


def _resolve_folder(path: str) -> str:
    """Resolve links among the folders of a path: packages still list /lib for /usr/lib."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118 (as its parts are not Paths either)


def write_etc(root: Path, packages: set[str]) -> None:
    """Write users, name resolution, the folders that any user may write to, and the list of packages."""
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/passwd").write_text(USERS)
    (root / "etc/group").write_text(GROUPS)
    (root / "etc/nsswitch.conf").write_text("hosts: files dns\n")
    for shared in ("tmp", "data"):  # the image may run as any user
        (root / shared).mkdir()
        (root / shared).chmod(0o1777)
    for file in ("/etc/os-release", "/etc/debian_version"):
        [*copy_with_links(Path(file), root)]
    listing = root / "var/lib/dpkg/status.d"
    listing.mkdir(parents=True)
    for entry in (DPKG / "status").read_text().split("\n\n"):
        name = entry.partition("\n")[0].removeprefix("Package: ")
        if name in packages:
            (listing / name).write_text(entry + "\n")


def compile_bytecode(root: Path, folders: Iterable[Path]) -> None:
    """Compile all modules, independently of timestamps: a container with a read-only file system could not."""
    for folder in folders:
        below = root / folder.relative_to("/")
        command = [sys.executable, "-m", "compileall", "-q", "-s", str(root), "-p", "/", "--invalidation-mode"]
        subprocess.run([*command, "unchecked-hash", str(below)], check=True)  # noqa: S603


def set_timestamps(root: Path, epoch: int) -> None:
    """Set the timestamps of all files."""
    for file in (root, *root.rglob("*")):
        os.utime(file, (epoch, epoch), follow_symlinks=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
