"""The programs that are measured: each alone on the servers' core, ended with the run."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.processes import SERVER_CORE, START_S, Server, on_core, port_of

ROOT = Path(__file__).parent.parent.parent
PYTHON = ROOT / ".venv-peers" / "bin" / "python"
FOLDER = Path(__file__).parent / "node"
MODULES = FOLDER / "node_modules"
NODE = MODULES / ".bin" / "node"
"""Locked with the peers, because so much depends on it: boardgame.io is about 1.8 times as fast on Node 26 as on 20."""
ROUND_S = 60.0


class NotInstalled(Exception):
    """Something to be measured is missing; the sentence says what makes it."""


def needed(*paths: Path) -> None:
    """Raise NotInstalled where one of these is missing."""
    for path in paths:
        if not path.exists():
            raise NotInstalled(f"{path} is missing: `make bench-peers` installs the peers")


def version_of(package: str) -> str:
    """An npm package's installed version."""
    version: str = json.loads((MODULES / package / "package.json").read_bytes())["version"]
    return version


def node_version(node: Path) -> str:
    """Node's version, as it says itself: "v26.10.0"."""
    said = subprocess.run((node, "--version"), capture_output=True, text=True, check=True).stdout
    return said.strip().removeprefix("v")


@asynccontextmanager
async def started(program: Sequence[str | Path], environment: Mapping[str, str]) -> AsyncIterator[Server]:
    """A server, once it has printed where it listens."""
    async with _process(program, environment) as process:
        async with asyncio.timeout(START_S):
            port = await port_of(process)
        yield Server(process.pid, port)


class Asked:
    """A program that answers each line of JSON with one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, question: object) -> Any:
        """Its answer."""
        assert self._process.stdin is not None  # noqa: S101 (a pipe was asked for)
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        return await self.hear()

    async def hear(self) -> Any:
        """The next line that it says; raises RuntimeError where it has ended."""
        assert self._process.stdout is not None  # noqa: S101 (a pipe was asked for)
        async with asyncio.timeout(ROUND_S):
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError("an engine's process ended; its error is above")
        return json.loads(line)


@asynccontextmanager
async def asked(program: Sequence[str | Path], environment: Mapping[str, str]) -> AsyncIterator[Asked]:
    """A program that answers."""
    async with _process(program, environment) as process:
        yield Asked(process)


@asynccontextmanager
async def _process(
    program: Sequence[str | Path], environment: Mapping[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    with on_core(SERVER_CORE):
        process = await asyncio.create_subprocess_exec(
            *program,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **environment},
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
