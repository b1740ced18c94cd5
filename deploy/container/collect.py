"""Collect what the service needs to run, and nothing else, into one directory: the image's whole file system.

    python collect.py VENV ROOT

Taken are the virtual environment, the Python that it was made from, every shared library that any of these loads (as
`ldd` tells), and a few programs for whoever has to look inside. Paths stay as they are, so nothing has to be adapted,
whichever Debian and Python the base image has. The packages' entries go along, where scanners of images look for them
when there is no dpkg. All times are SOURCE_DATE_EPOCH, so that the same source gives the same image.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

TOOLS = ("sh", "cat", "grep", "id", "ls")
"""For `kubectl exec`. Who gets in has a whole Python anyway."""

NEEDLESS = (
    *("test", "tests", "idlelib", "turtledemo", "tkinter", "ensurepip", "lib2to3", "pydoc_data", "config-*"),
    *("site-packages", "dist-packages", "__pycache__", "turtle.py", "LICENSE.txt", "EXTERNALLY-MANAGED"),
    *("_tkinter*", "_sqlite3*", "_dbm*", "_gdbm*", "_curses*", "readline*", "_test*", "xx*.so", "_ctypes_test*"),
)
"""Of the standard library: development, graphics, terminals and databases."""

SUPERFLUOUS = ("__pycache__", "*.pyi", "*.pyx", "*.pxd", "*.c", "*.h", "[Aa]ctivate*", "include")
"""Of the virtual environment: what only a compiler, a type checker or a person at a shell reads."""

COMMANDS = ("python*", "south-seas")
"""Of the virtual environment's programs, those to keep."""

LEXERS = ("__init__.py", "_mapping.py", "configs.py", "data.py", "javascript.py", "python.py", "shell.py")
"""Of Pygments, the modules that `service/web/docs/highlighting.py` imports; all others take 8 MB."""

USERS = "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\nsouth-seas:x:10001:10001::/tmp:/bin/sh\n"
GROUPS = "root:x:0:\nnogroup:x:65534:\nsouth-seas:x:10001:\n"

DPKG = Path("/var/lib/dpkg")


def main(venv: Path, root: Path) -> None:
    """Make ROOT."""
    root.mkdir()
    for link in ("bin", "lib", "lib64", "sbin"):
        if (here := Path("/") / link).is_symlink():
            (root / link).symlink_to(here.readlink())
    stdlib = Path(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}))
    shutil.copytree(venv, root / venv.relative_to("/"), symlinks=True, ignore=shutil.ignore_patterns(*SUPERFLUOUS))
    _keep_only(root / venv.relative_to("/") / "bin", COMMANDS)
    for lexers in (root / venv.relative_to("/")).glob("lib/*/site-packages/pygments/lexers"):
        _keep_only(lexers, LEXERS)
    shutil.copytree(stdlib, root / stdlib.relative_to("/"), symlinks=True, ignore=shutil.ignore_patterns(*NEEDLESS))
    placed = {*place(venv / "bin" / "python", root)}
    for tool in TOOLS:
        found = shutil.which(tool)
        if found is None:
            raise SystemExit(f"the base image has no {tool}")
        placed |= {*place(Path(found), root)}
    for library in libraries(root):
        placed |= {*place(library, root)}
    for listing in (Path("/etc/ld.so.conf"), *Path("/etc/ld.so.conf.d").iterdir()):
        [*place(listing, root)]
    subprocess.run(["ldconfig", "-X", "-r", root], check=True)  # noqa: S603, S607
    etc(root, packages({*placed, *(Path("/") / file.relative_to(root) for file in root.glob("usr/**/*.so"))}))
    compiled(root, (stdlib, venv / "lib"))
    dated(root, int(os.environ.get("SOURCE_DATE_EPOCH", "0")))


def _keep_only(folder: Path, patterns: Iterable[str]) -> None:
    for file in folder.iterdir():
        if not any(file.match(pattern) for pattern in patterns):
            file.unlink()


def place(path: Path, root: Path) -> Iterator[Path]:
    """Copy a file to the same path below ROOT, with every symbolic link on the way; gives the real file's path."""
    here = Path("/")
    for number, part in enumerate(path.parts[1:], start=2):
        here /= part
        if here.is_symlink():
            there = root / here.relative_to("/")
            if not there.is_symlink():
                there.parent.mkdir(parents=True, exist_ok=True)
                there.symlink_to(here.readlink())
            target = Path(os.path.normpath(here.parent / here.readlink())).joinpath(*path.parts[number:])
            yield from place(target, root)
            return
    there = root / here.relative_to("/")
    if not there.exists():
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(here, there)
    yield here


def libraries(root: Path) -> set[Path]:
    """The shared libraries that the programs and modules below ROOT load, and the loader."""
    found: set[Path] = set()
    for file in root.rglob("*"):
        if not file.is_symlink() and file.is_file() and file.read_bytes()[:4] == b"\x7fELF":
            told = subprocess.run(["ldd", file], capture_output=True, text=True, check=False)  # noqa: S603, S607
            if "not found" in told.stdout:
                raise SystemExit(f"{file} needs what is not there:\n{told.stdout}")
            found.update(Path(os.path.normpath(word)) for word in told.stdout.split() if word.startswith("/"))
    return {library for library in found if not library.is_relative_to(root)}


def packages(files: set[Path]) -> set[str]:
    """The Debian packages that some files came from; those that a base image built itself have none."""
    owned = {os.path.realpath(file) for file in files}
    return {
        listing.name.removesuffix(".list").partition(":")[0]
        for listing in DPKG.glob("info/*.list")
        if any(_same_folder(line) in owned for line in listing.read_text().splitlines())
    }


def _same_folder(path: str) -> str:
    """The path without links among its folders: packages still say /lib for /usr/lib."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118 (as its parts are not Paths either)


def etc(root: Path, kept: set[str]) -> None:
    """Write the users, where names are looked up, the folders that anybody may write to, and the list of packages."""
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/passwd").write_text(USERS)
    (root / "etc/group").write_text(GROUPS)
    (root / "etc/nsswitch.conf").write_text("hosts: files dns\n")
    for shared in ("tmp", "data"):  # whichever user runs the image may keep games
        (root / shared).mkdir()
        (root / shared).chmod(0o1777)
    for file in ("/etc/os-release", "/etc/debian_version"):
        [*place(Path(file), root)]
    told = root / "var/lib/dpkg/status.d"
    told.mkdir(parents=True)
    for entry in (DPKG / "status").read_text().split("\n\n"):
        name = entry.partition("\n")[0].removeprefix("Package: ")
        if name in kept:
            (told / name).write_text(entry + "\n")


def compiled(root: Path, folders: Iterable[Path]) -> None:
    """Compile everything, valid whatever the files' times: a read-only image could not keep what it compiles."""
    for folder in folders:
        below = root / folder.relative_to("/")
        command = [sys.executable, "-m", "compileall", "-q", "-s", str(root), "-p", "/", "--invalidation-mode"]
        subprocess.run([*command, "unchecked-hash", str(below)], check=True)  # noqa: S603


def dated(root: Path, epoch: int) -> None:
    """Give everything the same time."""
    for file in (root, *root.rglob("*")):
        os.utime(file, (epoch, epoch), follow_symlinks=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
