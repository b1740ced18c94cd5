"""What a start refuses, warns of and ignores, and `south-seas config check`."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from redis.asyncio import Redis

from tests.cli.test_commands import south_seas
from tests.programs import Finished, run_program
from tests.redis_servers.access import create_access
from tests.redis_servers.acl import ACL
from tests.redis_servers.topologies import standalone
from tests.server_process import start_server

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SOUTH_SEAS_")}
NOTHING: Mapping[str, str] = MappingProxyType({})


async def run_in_process(*arguments: str, environment: Mapping[str, str] = NOTHING, max_files: int = 1000) -> Finished:
    """Run the command in a process of its own that may open so many files."""
    command = f'ulimit -n {max_files}; exec "$0" -m service.main "$@"'
    return await run_program("sh", "-c", command, sys.executable, *arguments, env={**CLEAN, **environment})


async def test_a_mistyped_setting_refuses_the_start_and_names_the_nearest() -> None:
    mistyped = {"SOUTH_SEAS_DRAIN_S": "5", "SOUTH_SEAS_REDIS_ULR": "redis://x"}
    text = (
        ": there is no setting SOUTH_SEAS_DRAIN_S: do you mean SOUTH_SEAS_DRAIN_TIME_S?; "
        "there is no setting SOUTH_SEAS_REDIS_ULR: do you mean SOUTH_SEAS_REDIS_URL?\n"
    )
    for command in (("config", "check"), ("export", "--all", "out")):
        finished = await south_seas(*command, **mistyped)
        assert (finished.returncode, finished.stderr.endswith(f"Error{text}")) == (2, True)
    finished = await run_in_process("serve", environment=mistyped)
    assert (finished.returncode, finished.stderr) == (2, f"south-seas{text}")


SERVICE_LINKS = {
    "SOUTH_SEAS_PORT": "tcp://10.0.0.1:80",
    "SOUTH_SEAS_PORT_80_TCP": "tcp://10.0.0.1:80",
    "SOUTH_SEAS_PORT_80_TCP_ADDR": "10.0.0.1",
    "SOUTH_SEAS_PORT_80_TCP_PORT": "80",
    "SOUTH_SEAS_PORT_80_TCP_PROTO": "tcp",
    "SOUTH_SEAS_SERVICE_HOST": "10.0.0.1",
    "SOUTH_SEAS_SERVICE_PORT": "80",
    "SOUTH_SEAS_SERVICE_PORT_HTTP": "80",
    "SOUTH_SEAS_REDIS_PORT": "tcp://10.0.0.2:6379",
    "SOUTH_SEAS_REDIS_SERVICE_HOST": "10.0.0.2",
}
"""What Kubernetes sets for Services named south-seas and south-seas-redis."""


async def test_what_kubernetes_sets_for_a_service_is_no_setting() -> None:
    finished = await south_seas("config", "check", "--max-connections", "10", **SERVICE_LINKS)
    assert finished.returncode == 0, finished.stderr
    assert "\nport = 8080 (default)\n" in finished.stdout


@pytest.mark.parametrize(
    ("flags", "text"),
    (
        (("--redis-wait-replicas", "1"), "needs a --redis-url"),
        (
            ("--redis-url", "redis://x", "--redis-wait-replicas", "1", "--redis-wait-ms", "5000"),
            "must be less than --redis-timeout-s",
        ),
        (("--max-unsent-bytes", "16777217"), "may not exceed"),
    ),
)
async def test_values_that_do_not_fit_together_refuse_the_start(flags: tuple[str, ...], text: str) -> None:
    finished = await south_seas("serve", *flags)
    assert finished.returncode == 2
    assert text in finished.stderr


async def test_a_check_prints_settings_with_their_origin_and_no_secrets() -> None:
    url = "redis+sentinel://user:p%40ss@127.0.0.1:1/games/0?sentinel_password=s3cret"
    finished = await south_seas("config", "check", "--redis-url", url, SOUTH_SEAS_CLOSE_WINDOW_S="20")
    assert finished.returncode == 1
    lines = finished.stdout.splitlines()
    assert "redis-url = redis+sentinel://***@127.0.0.1:1/games/0?sentinel_password=*** (flag)" in lines
    assert "close-window-s = 20.0 (environment)" in lines
    assert "rate-requests = 2500/10 (default)" in lines
    assert "allowed-origins = * (default)" in lines
    assert "p%40ss" not in finished.stdout
    assert re.search(r"^unavailable Redis: no sentinel names a primary", finished.stdout, re.MULTILINE)


async def test_files_limit_connections_and_only_more_that_were_asked_for_are_refused(tmp_path: Path) -> None:
    text = "the limit on open files allows 156 connections of clients, not"
    for command in (("config", "check"), ("serve",)):
        asked = await run_in_process(*command, "--max-connections", "1000", max_files=256)
        assert asked.returncode == 1
        assert f"{text} 1000 (--max-connections): raise it (ulimit -n) to 1100" in asked.stdout + asked.stderr
    default = await run_in_process("config", "check", "--data-dir", str(tmp_path), max_files=256)
    assert default.returncode == 0
    assert f"warning     {text} 50000" in default.stdout
    assert f"not {50_000}" not in (await south_seas("config", "check", "--max-connections", "10")).stdout


async def test_a_redis_that_cannot_work_refuses_the_start(tmp_path: Path) -> None:
    async with standalone(tmp_path, access=create_access(tmp_path, ACL.replace(" +xadd", ""))) as server:
        served = await run_in_process("serve", "--port", "0", "--redis-url", server.url)
        checked = await south_seas("config", "check", "--redis-url", server.url)
    assert (served.returncode, checked.returncode) == (1, 1)
    assert re.search(r"^south-seas: Redis \S+ \(primary\) denies its user xadd: allow", served.stderr, re.MULTILINE)
    assert re.search(r"^error +Redis .* denies its user xadd", checked.stdout, re.MULTILINE)


async def test_a_check_says_whether_redis_takes_writes(redis: Redis, redis_url: str) -> None:
    checked = await south_seas("config", "check", "--redis-url", redis_url)
    assert checked.returncode == 0, checked.stdout
    await redis.config_set("maxmemory", 1)
    try:
        checked = await south_seas("config", "check", "--redis-url", redis_url)
    finally:
        await redis.config_set("maxmemory", 0)
    assert checked.returncode == 1
    assert re.search(r"^unavailable Redis has reached maxmemory .* \(primary\)$", checked.stdout, re.MULTILINE)


async def test_an_archive_that_cannot_be_opened_refuses_the_start() -> None:
    for command in (("serve",), ("config", "check"), ("export", "--all", "out")):
        finished = await south_seas(*command, "--archive-url", "az://container/x")
        assert finished.returncode == 2
        assert "the URL cannot be used: Generic MicrosoftAzure error: Account must be specified" in finished.stderr


async def test_a_redis_that_does_not_reply_does_not_delay_the_start(short_path: Path) -> None:
    async with start_server(short_path, "redis://127.0.0.1:1/0", "--drain-time-s", "0") as server:
        assert await server.stop() == 0


def test_the_check_starts_no_server(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "service.main", "config", "check", "--data-dir", str(tmp_path / "data"))
    assert "an embedded server" in subprocess.run(command, check=True, capture_output=True, text=True, env=CLEAN).stdout
    assert not (tmp_path / "data").exists()
