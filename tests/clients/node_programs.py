"""Programs that Node runs, compiled or as they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.clients.conftest import CLIENTS
from tests.tools import run_program

HERE = Path(__file__).parent
COMPILER = CLIENTS / "node_modules" / "typescript" / "bin" / "tsc"
OPTIONS = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--module", "nodenext")


async def run(program: Sequence[str | Path], cwd: Path) -> str:
    """Return the output of a program; fail with its output if it fails."""
    ended = await run_program(*program, cwd=cwd)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


async def run_script(script: str, node: str, built: Path, url: str, *more: str | Path) -> dict[str, Any]:
    """Run a script that uses the client; return its report."""
    flags = ("--experimental-websocket", "--disable-warning=ExperimentalWarning")
    received: dict[str, Any] = msgspec.json.decode(await run([node, *flags, HERE / script, built, url, *more], HERE))
    return received
