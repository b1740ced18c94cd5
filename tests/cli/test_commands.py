"""`south-seas export`, `import`, `reindex` and `verify` on the command line."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from redis.asyncio import Redis

from service.main import cli
from service.store import keys
from service.store.game_store import RedisStore
from tests.games.stored_games import OwnedGame, load_whole_game, store_game
from tests.programs import Finished, run_program


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
        ended = await asyncio.wait_for(south_seas(*arguments, SOUTH_SEAS_REDIS_URL=redis_url), 20)
    finally:
        os.close(os.open("fifo.json", os.O_RDWR))  # ends whoever waits for it
    assert ended.returncode == 1
    assert re.fullmatch(r".*fifo\.json: is not a regular file\n", ended.stderr)


async def test_all_games_are_moved_from_one_redis_to_another(
    store: RedisStore, second_store: RedisStore, redis_url: str, second_redis_url: str, tmp_path: Path
) -> None:
    games = [await store_game(store, status, webhooks=1) for status in ("waiting", "active", "finished")]
    out = await south_seas("export", "--all", str(tmp_path), SOUTH_SEAS_REDIS_URL=redis_url)
    assert (out.returncode, out.stdout) == (0, f"exported 3 games to {tmp_path}, 0 failed\n"), out.stderr
    again = []
    for _ in range(2):
        finished = await south_seas("import", str(tmp_path), "--redis-url", second_redis_url)
        again.append((finished.returncode, finished.stdout))
    assert again == [(0, "imported 3 games, 0 skipped, 0 rejected\n"), (0, "imported 0 games, 3 skipped, 0 rejected\n")]
    for stored in games:
        assert await load_whole_game(second_store, stored.id) == await load_whole_game(store, stored.id)


async def test_a_game_is_imported_into_an_idle_data_directory(
    store: RedisStore, redis_url: str, tmp_path: Path
) -> None:
    stored = await store_game(store)
    file, data, back = tmp_path / "game.json.gz", str(tmp_path / "data"), tmp_path / "back.json.gz"
    await south_seas("export", "--game", stored.id, str(file), "--redis-url", redis_url)
    finished = await run_in_process("import", str(file), "--data-dir", data)
    assert finished.stdout == "imported 1 games, 0 skipped, 0 rejected\n", finished.stderr
    await run_in_process("export", "--game", stored.id, str(back), "--data-dir", data)
    assert back.read_bytes() == file.read_bytes()


def check_lines(output: str) -> list[str]:
    """Return a line for each check, without the verdict."""
    return output.partition("Proved:")[0].partition("Not proved:")[0].splitlines()


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
        assert (finished.returncode, [line.split()[0] for line in check_lines(finished.stdout)]) == (code, words), (
            finished.stderr
        )
        assert re.search(r"^ok +snapshot +export of version", finished.stdout, re.MULTILINE)


async def test_verify_detects_the_snapshot_of_another_game(store: RedisStore, redis_url: str, tmp_path: Path) -> None:
    stored, another = await store_game(store, "finished"), await store_game(store, "finished")
    texts = []
    for game in (stored, another):
        await south_seas("export", "--game", game.id, str(tmp_path / f"{game.id}.json"), "--redis-url", redis_url)
        texts.append((tmp_path / f"{game.id}.json").read_text())
    snapshots = [re.search(r'"snapshot":"([^"]+)"', text) for text in texts]
    assert snapshots[0]
    assert snapshots[1]
    forged = tmp_path / "forged.json"
    forged.write_text(texts[0].replace(snapshots[0][1], snapshots[1][1]))
    finished = await south_seas("verify", str(forged))
    assert finished.returncode == 1
    assert re.search(r"^WRONG +snapshot ", finished.stdout, re.MULTILINE)


async def test_reindex_rebuilds_the_lists(
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
            await asyncio.sleep(0.001)
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
