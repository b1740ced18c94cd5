"""Programs that run to their end while the event loop goes on, as a server in this process needs."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Any, NamedTuple


class Finished(NamedTuple):
    """The exit code of a program, and its output on each stream."""

    returncode: int
    stdout: str
    stderr: str


async def run_program(
    *command: str | Path, given: bytes | None = None, timeout_s: float = 60, **options: Any
) -> Finished:
    """Run a program, with other options of `create_subprocess_exec`; kill it after a timeout."""
    stdin = DEVNULL if given is None else PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=stdin, stdout=PIPE, stderr=PIPE, **options)
    try:
        async with asyncio.timeout(timeout_s):
            stdout, stderr = await process.communicate(given)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Finished(process.returncode or 0, stdout.decode(), stderr.decode())
