"""Builds the wheel: of plain Python, or, with SOUTH_SEAS_COMPILE=1, with the modules that pyproject.toml lists as C.

The wheel names its revision. The rest of the build is told in pyproject.toml. Compiling needs mypy, a C compiler and
Python's headers.
"""

import os
import subprocess
import tomllib
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py


def extensions() -> list[Extension]:
    """Return the modules to compile; none unless SOUTH_SEAS_COMPILE is set."""
    if os.environ.get("SOUTH_SEAS_COMPILE") != "1":
        return []
    try:
        from mypyc.build import mypycify  # noqa: PLC0415 (only who compiles needs it)
    except ImportError as missing:
        raise SystemExit("SOUTH_SEAS_COMPILE=1 needs mypy, installed, and pip's --no-build-isolation") from missing
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    modules = project["tool"]["south-seas"]["compiled"]
    # A cache of its own: `make check` may run mypy beside it, and two that write one cache end in an internal error.
    arguments = ["--cache-dir=build/mypy", *modules]
    # -O1 takes half the time of -O3 to compile, and runs as fast: most of the work is done inside Python's own types.
    compiled: list[Extension] = mypycify(arguments, group_name="south_seas", opt_level="1", debug_level="0")
    for extension in compiled:
        # The modules call each other; no other library may put its own functions in between.
        extension.extra_compile_args += ["-fvisibility=hidden", "-fno-semantic-interposition"]
    return compiled


class BuildWithRevision(build_py):
    """Writes the revision into the package: that of SOUTH_SEAS_REVISION, or of git, if this is a checkout."""

    def run(self) -> None:
        """Copy the modules, and write the file, which `service.release` reads."""
        super().run()
        revision = os.environ.get("SOUTH_SEAS_REVISION")
        if not revision and Path(".git").exists():
            command = ("git", "rev-parse", "HEAD")
            revision = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603  no input
        if revision and not self.editable_mode:
            Path(self.build_lib, "service", "revision.txt").write_text(revision, encoding="ascii")


setup(ext_modules=extensions(), cmdclass={"build_py": BuildWithRevision})
