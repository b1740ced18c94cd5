"""The process of an embedded server, which ends with this one."""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["LOG_NAME", "start_process", "stop", "terminate_with_parent"]

LOG_NAME = "redis.log"
_PR_SET_PDEATHSIG = 1
STOP_TIMEOUT_S = 10.0


def start_process(program: Path, directory: Path, socket: Path, lock: int) -> subprocess.Popen[bytes]:
    """Start the server, which inherits the open file `lock`.

    Call it in the main thread: the server ends with the thread that started it.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("an embedded server must be started in the main thread")
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": "everysec",
        # Without an RDB preamble: Redis cannot read Valkey's RDB, and another program may read these files next time.
        "aof-use-rdb-preamble": "no",
        "save": "",
        "daemonize": "no",
    }
    arguments = [word for name, value in settings.items() for word in (f"--{name}", value)]
    with (directory / LOG_NAME).open("ab") as log:
        return subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[lock],
            start_new_session=True,  # Ctrl-C at the terminal reaches the service alone, which stops the server last
            preexec_fn=terminate_with_parent(os.getpid()),  # noqa: PLW1509  two system calls, no lock that a thread could hold
        )


def terminate_with_parent(parent: int) -> Callable[[], None] | None:
    """Return a `preexec_fn` that has the kernel terminate the child when `parent` dies; None except on Linux."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def set_parent_death_signal() -> None:
        if prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM)) != 0 or os.getppid() != parent:
            os._exit(1)

    return set_parent_death_signal


async def stop(process: subprocess.Popen[bytes]) -> None:
    """Terminate the server, which then saves its data, and kill it after STOP_TIMEOUT_S."""
    process.terminate()
    try:
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(process.wait, STOP_TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
