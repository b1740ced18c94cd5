"""The command line: what commands do and print, and what a start refuses, warns of and ignores."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, Never

import aiohttp
import click
import pytest
from click.testing import CliRunner
from redis.asyncio import Redis

from service.games.index_repair import IndexRepairer
from service.games.repository import Retention
from service.main import cli
from service.store import keys, log_entries
from service.store.game_store import RedisStore
from tests.cli.transcript import TRANSCRIPT, iter_commands, replay, run
from tests.games.stored_games import OwnedGame, load_whole_game, store_game
from tests.polling import TIMEOUT_S
from tests.redis_servers import ACL, create_access, set_to_1, standalone
from tests.server_process import start_server
from tests.tools import Finished, run_program


async def south_seas(*arguments: str, **environment: str) -> Finished:
    """Run the command in a thread of this process, with only these settings."""
    clean: dict[str, str | None] = {name: None for name in os.environ if name.startswith("SOUTH_SEAS_")}
    result = await asyncio.to_thread(CliRunner().invoke, cli, arguments, env={**clean, **environment})
    return Finished(result.exit_code, result.stdout, result.stderr)


async def run_in_process(*arguments: str) -> Finished:
    """Run the command in a process of its own, as it must be where it starts a server."""
    return await run_program(sys.executable, "-m", "service.main", *arguments)


@pytest.mark.parametrize(
    "arguments",
    (
        ("tileset", "check", "fifo.json"),
        ("verify", "fifo.json"),
        ("verify", "log.json", "--tileset", "fifo.json"),
        ("import", "fifo.json"),
        ("export", "--all", "out", "--tilesets-dir", "."),
        ("serve", "--port", "0", "--tilesets-dir", "."),
    ),
    ids=" ".join,
)
async def test_a_file_that_is_not_regular_is_refused_at_once(
    arguments: tuple[str, ...], tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FIFO, to which nobody writes, would be waited for without end."""
    os.mkfifo(tmp_path / "fifo.json")
    (tmp_path / "log.json").write_text("[]")
    monkeypatch.chdir(tmp_path)
    try:
        ended = await asyncio.wait_for(south_seas(*arguments, SOUTH_SEAS_REDIS_URL=redis_url), TIMEOUT_S)
    finally:
        os.close(os.open("fifo.json", os.O_RDWR))  # ends whoever waits for it
    assert ended.returncode == 1
    assert re.fullmatch(r".*fifo\.json: is not a regular file\n", ended.stderr)


async def test_a_game_is_imported_into_an_idle_directory(store: RedisStore, redis_url: str, tmp_path: Path) -> None:
    stored = await store_game(store)
    file, data, back = tmp_path / "game.json.gz", str(tmp_path / "data"), tmp_path / "back.json.gz"
    await south_seas("export", "--game", stored.id, str(file), "--redis-url", redis_url)
    finished = await run_in_process("import", str(file), "--data-dir", data)
    assert finished.stdout == "imported 1 games, 0 skipped, 0 rejected\n", finished.stderr
    await run_in_process("export", "--game", stored.id, str(back), "--data-dir", data)
    assert back.read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("status", "code", "words"),
    (("finished", 0, ["ok"] * 6), ("active", 3, ["ok", "ok", "unknown", "unknown", "unknown", "ok"])),
)
async def test_verify_proves_a_document(
    store: RedisStore, redis_url: str, tmp_path: Path, status: str, code: int, words: list[str]
) -> None:
    stored = await store_game(store, status)  # type: ignore[arg-type]  # the parameters are statuses
    for name in ("game.json.gz", "game.json"):
        await south_seas("export", "--game", stored.id, str(tmp_path / name), "--redis-url", redis_url)
        finished = await south_seas("verify", str(tmp_path / name))
        checks = re.split("(?:Not p|P)roved:", finished.stdout)[0].splitlines()
        assert (finished.returncode, [line.split()[0] for line in checks]) == (code, words), finished.stderr
        assert re.search(r"^ok +snapshot +export of version", finished.stdout, re.MULTILINE)


async def test_verify_detects_the_snapshot_of_another_game(store: RedisStore, redis_url: str, tmp_path: Path) -> None:
    file, documents = tmp_path / "game.json", []
    for _ in range(2):
        stored = await store_game(store, "finished")
        await south_seas("export", "--game", stored.id, str(file), "--redis-url", redis_url)
        documents.append(json.loads(file.read_bytes()))
    file.write_text(json.dumps({**documents[0], "snapshot": documents[1]["snapshot"]}))
    finished = await south_seas("verify", str(file))
    assert finished.returncode == 1
    assert re.search(r"^WRONG +snapshot ", finished.stdout, re.MULTILINE)


async def test_reindex_rebuilds(
    store: RedisStore, redis: Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.cli.store.REPORT_INTERVAL_S", 0)
    stored = await store_game(store)
    await redis.delete(keys.lobby("active"))
    finished = await south_seas("reindex", "--redis-url", redis_url)
    assert (finished.returncode, finished.stdout) == (
        0,
        "checked 1 games: 1 index entries added, 0 removed, 0 games unreadable\n",
    )
    assert finished.stderr.startswith("checked 1 games so far, ")
    assert (await store.list_by_status(["active"], 10, None)).games == [stored.id]


async def test_a_killed_import_leaves_whole_games_and_is_completed_by_the_next(
    store: RedisStore, second_store: RedisStore, redis_url: str, second_redis_url: str, tmp_path: Path
) -> None:
    games = [await store_game(store) for _ in range(60)]
    await south_seas("export", "--all", str(tmp_path), "--redis-url", redis_url)
    killed = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service.main", "import", str(tmp_path), "--redis-url", second_redis_url),
        stdout=subprocess.DEVNULL,
    )
    async with asyncio.timeout(60):
        while not await _there(second_store, games):  # noqa: ASYNC110  another process writes
            await asyncio.sleep(0)
    killed.kill()
    await killed.wait()
    there = await _there(second_store, games)
    for stored in there:
        assert await load_whole_game(second_store, stored.id) == await load_whole_game(store, stored.id)
    finished = await south_seas("import", str(tmp_path), "--redis-url", second_redis_url)
    left = len(games) - len(there)
    assert finished.stdout == f"imported {left} games, {len(there)} skipped, 0 rejected\n"


async def _there(store: RedisStore, games: list[OwnedGame]) -> list[OwnedGame]:
    versions = await store.load_versions([stored.id for stored in games])
    return [stored for stored, version in zip(games, versions, strict=True) if version is not None]


CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SOUTH_SEAS_")}
NOTHING: Mapping[str, str] = MappingProxyType({})


async def run_limited(*arguments: str, environment: Mapping[str, str] = NOTHING, max_files: int = 1000) -> Finished:
    """Run the command in a process of its own that may open so many files."""
    command = f'ulimit -n {max_files}; exec "$0" -m service.main "$@"'
    return await run_program("sh", "-c", command, sys.executable, *arguments, env={**CLEAN, **environment})


async def test_a_mistyped_setting_refuses_the_start_and_names_the_nearest() -> None:
    mistyped = {"SOUTH_SEAS_DRAIN_S": "5", "SOUTH_SEAS_REDIS_ULR": "redis://x"}
    text = (
        ": there is no setting SOUTH_SEAS_DRAIN_S: did you mean SOUTH_SEAS_DRAIN_TIME_S?; "
        "there is no setting SOUTH_SEAS_REDIS_ULR: did you mean SOUTH_SEAS_REDIS_URL?\n"
    )
    for command in (("config", "check"), ("export", "--all", "out")):
        finished = await south_seas(*command, **mistyped)
        assert (finished.returncode, finished.stderr.endswith(f"Error{text}")) == (2, True)
    finished = await run_limited("serve", environment=mistyped)
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


OTHER_VARIABLES = dict.fromkeys((f"SOUTH_SEAS_{name}" for name in ("API_KEY", "BOT_FILE", "TOKEN", "URL")), "x")
"""What `verify`, the clients and the bots are told."""


async def test_what_kubernetes_or_a_client_is_told_is_no_setting() -> None:
    others = SERVICE_LINKS | OTHER_VARIABLES
    finished = await south_seas("config", "check", "--max-connections", "10", **others)
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
        (("--max-unsent-bytes-total", "16777215"), "may not exceed"),
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
    url = "unix://user:s3cret@/no.sock?db=1&p%61ssword=s3cret&username=&password=s3cret"
    assert (
        "redis-url = unix://***@/no.sock?db=1&p%61ssword=***&username=***&password=*** (flag)"
        in (await south_seas("config", "check", "--redis-url", url)).stdout.splitlines()
    )
    assert re.search(r"^unavailable Redis: no sentinel names a primary", finished.stdout, re.MULTILINE)


async def test_files_limit_connections_and_only_more_that_were_asked_for_are_refused(tmp_path: Path) -> None:
    text = "the limit on open files allows 156 connections of clients, not"
    flag, variable = (("--max-connections", "1000"), NOTHING), ((), {"SOUTH_SEAS_MAX_CONNECTIONS": "1000"})
    for command, (flags, variables) in product((("config", "check"), ("serve",)), (flag, variable)):
        asked = await run_limited(*command, *flags, environment=variables, max_files=256)
        assert asked.returncode == 1
        assert f"{text} 1000 (--max-connections): raise it (ulimit -n) to 1100" in asked.stdout + asked.stderr
    default = await run_limited("config", "check", "--data-dir", str(tmp_path / "data"), max_files=256)
    assert (default.returncode, "an embedded server" in default.stdout) == (0, True)
    assert not (tmp_path / "data").exists(), "the check starts none"
    assert f"warning     {text} 50000" in default.stdout
    assert f"not {50_000}" not in (await south_seas("config", "check", "--max-connections", "10")).stdout


async def test_a_redis_that_cannot_work_refuses_the_start(tmp_path: Path) -> None:
    async with standalone(tmp_path, access=create_access(tmp_path, ACL.replace(" +xadd", ""))) as server:
        served = await run_limited("serve", "--port", "0", "--redis-url", server.url)
        checked = await south_seas("config", "check", "--redis-url", server.url)
    assert (served.returncode, checked.returncode) == (1, 1)
    assert re.search(r"^south-seas: Redis \S+ \(primary\) denies its user xadd: allow", served.stderr, re.MULTILINE)
    assert re.search(r"^error +Redis .* denies its user xadd", checked.stdout, re.MULTILINE)


async def test_a_check_says_whether_redis_takes_writes(redis: Redis, redis_url: str) -> None:
    checked = await south_seas("config", "check", "--redis-url", redis_url)
    assert checked.returncode == 0, checked.stdout
    checked = await south_seas("config", "check", "--redis-url", redis_url, "--redis-wait-replicas", "1")
    assert (checked.returncode, "1 must acknowledge" in checked.stdout) == (1, True)
    async with set_to_1(redis):
        checked = await south_seas("config", "check", "--redis-url", redis_url)
    assert checked.returncode == 1
    assert re.search(r"^unavailable Redis has reached maxmemory .* \(primary\)$", checked.stdout, re.MULTILINE)


async def test_what_this_version_cannot_read_is_named_and_never_deleted(
    redis: Redis, redis_url: str, store: RedisStore, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Games with keys of another layout, or with a log that needs a dictionary that this version does not have."""
    older, recompressed, _ = [await store_game(store) for _ in range(3)]
    assert await redis.hdel(keys.game(older.id), "revision") == 1
    for key in ("south-seas:listed", f"south-seas:{{{older.id}}}:answer:5"):
        await redis.set(key, "of another version")
    log: Any = await redis.xrange(keys.log(recompressed.id))
    await redis.delete(keys.log(recompressed.id))
    for entry_id, fields in log:
        head, body = fields[b"d"].split(log_entries.NEWEST, 1)
        await redis.xadd(keys.log(recompressed.id), {"d": head + b"\1\x28" + body}, id=entry_id)
    before = {key: await redis.dump(key) for key in await redis.keys("south-seas:*")}
    checked = await south_seas("config", "check", "--redis-url", redis_url)
    assert checked.returncode == 0
    texts = (
        r"1 of 3 games cannot be read, as {}: .*: the revision .* of another version of the service; they stay",
        r"1 of 3 games cannot be read, as {}: its log .* needs the dictionary 0128, which this version does not have;",
        r"2 of \d+ keys are of another version of the service, as south-seas:.*; they stay",
    )
    patterns = [text.format(game) for text, game in zip(texts, (older.id, recompressed.id, ""), strict=True)]
    for pattern in patterns:
        assert len(re.findall(f"^warning     {pattern}", checked.stdout, re.MULTILINE)) == 1, checked.stdout
    async with start_server(tmp_path, redis_url) as instance, aiohttp.ClientSession(instance.url) as session:
        for path in ("", f"/{older.id}"):
            async with session.get(f"/v1/games{path}") as response:
                assert response.status == (503 if path else 200)
        started = capfd.readouterr().err
        repairer = IndexRepairer(store, store.index_repair, Retention(), time.time)
        assert (await repairer.repair_all()).unreadable == 1
        assert [len(re.findall(pattern, started)) for pattern in patterns] == [1, 1, 1]
    after = {key: await redis.dump(key) for key in before}
    assert after == before


async def test_an_archive_that_cannot_be_opened_refuses_the_start() -> None:
    for command in (("serve",), ("config", "check"), ("export", "--all", "out")):
        finished = await south_seas(*command, "--archive-url", "az://container/x")
        assert finished.returncode == 2
        assert "the URL cannot be used: Generic MicrosoftAzure error: Account must be specified" in finished.stderr


async def test_a_redis_that_does_not_reply_does_not_delay_the_start(short_path: Path) -> None:
    async with start_server(short_path, "redis://127.0.0.1:1/0", "--drain-time-s", "0") as server:
        assert await server.stop() == 0


HELP_TEXTS = Path(__file__).with_name("help_texts.txt")


def test_commands_print_what_they_printed() -> None:
    assert replay() == TRANSCRIPT.read_text(), "if it should differ, see tests/cli/transcript.py"


def test_no_command_prints_an_escape_sequence_or_a_password() -> None:
    """Escape sequences in a log could hide an error: some of these would replace the line before."""
    output = [line for line in TRANSCRIPT.read_text().splitlines() if not line.startswith("$ ")]
    assert all(line.isprintable() for line in output)
    assert not [line for line in output if "hunter2" in line]


def test_help_texts_are_as_they_were() -> None:
    command = (sys.executable, "-m", "tests.cli.transcript")
    printed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    assert printed == HELP_TEXTS.read_text(), "if they should differ, see tests/cli/transcript.py"


def test_every_command_and_option_has_a_help_text() -> None:
    for path, command in iter_commands(cli):
        options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
        assert (path, bool(command.help), [option.name for option in options if not option.help]) == (path, True, [])


def test_without_a_command_the_help_is_printed() -> None:
    ended = run("south-seas")
    assert ended.returncode == 2
    assert "Run the service until SIGTERM or SIGINT." in ended.stderr


def test_an_interrupted_command_has_the_status_of_sigint(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: Any) -> Never:
        raise click.exceptions.Abort

    monkeypatch.setattr(cli, "main", interrupt)
    assert run("south-seas export all").returncode == 128 + signal.SIGINT


def test_the_version_is_that_of_the_services_own_distribution() -> None:
    """The Python client's distribution, `south-seas`, is installed beside it here, and not in the image."""
    distribution = tomllib.loads(Path("pyproject.toml").read_text())["project"]["name"]
    names = {
        name
        for module in Path("service").rglob("*.py")
        for name in re.findall(r"""\bversion\(['"](\S+?)['"]\)""", module.read_text())
    }
    assert names == {distribution}
