"""`south-seas games`: an operator shows, lists, aborts and deletes games, beside a running instance."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession
from redis.asyncio import Redis

from service.cli.export import iter_documents
from service.store import keys
from service.store.game_store import RedisStore
from tests.cli.test_commands import south_seas
from tests.games.stored_games import store_game
from tests.polling import wait_until
from tests.programs import Finished, run_program
from tests.server_process import start_server
from tests.web.http_game import create_game
from tests.web.webhook_receiver import register_webhook, run_receiver

SHARED_KEYS = (keys.BACKUP, keys.GAME_SCHEDULE, keys.WEBHOOK_SCHEDULE, keys.ARCHIVE_SCHEDULE)
"""The last export, and what an instance removes from schedules when it is due, and finds no game."""


async def games(redis_url: str, *arguments: str) -> Finished:
    """Run a command in this process."""
    return await south_seas("games", *arguments, "--redis-url", redis_url)


async def audited(redis_url: str, *arguments: str) -> Finished:
    """Run a command in a process of its own, whose error stream has the log."""
    return await run_program(sys.executable, "-m", "service.main", "games", *arguments, "--redis-url", redis_url)


async def test_watchers_webhooks_and_the_archive_get_the_end_of_an_aborted_game(
    tmp_path: Path, redis_url: str, store: RedisStore
) -> None:
    archive = tmp_path / "archive"
    flags = ("--archive-url", archive.as_uri(), "--webhooks-allow-private", "--drain-time-s", "0")
    async with (
        run_receiver() as receiver,
        start_server(tmp_path, redis_url, *flags) as instance,
        ClientSession(instance.url) as session,
    ):
        game = await create_game(session)
        await register_webhook(game, receiver.url)
        async with session.ws_connect(f"{game.path}/ws") as socket:
            while (await socket.receive_json())["type"] != "snapshot":
                pass
            aborted = await audited(redis_url, "abort", game.id, "--yes", "--json")
            assert aborted.returncode == 0, aborted.stderr
            async with asyncio.timeout(10):
                diff = await socket.receive_json()
        assert [event["type"] for event in diff["events"]] == ["game_aborted"]
        printed = json.loads(aborted.stdout)
        assert (printed["id"], printed["status"], printed["version"]) == (game.id, "aborted", diff["version"])
        audit = rf"INFO south_seas\.audit: \S+@\S+ aborted game {game.id} at \S+Z: version {diff['version']}, digest"
        assert re.search(audit, aborted.stderr)
        async with asyncio.timeout(30):
            await wait_until(lambda: diff["version"] in receiver.versions, timeout_s=30)
            await wait_until(lambda: asyncio.to_thread(lambda: [*iter_documents([archive])]), timeout_s=30)
        again = await games(redis_url, "abort", game.id, "--yes")
        assert (again.returncode, again.stderr) == (1, "Error: the game is aborted\n")

        async def is_archived() -> bool:
            return bool((await store.archive_queue.load_log_state(game.id)).archived == diff["version"])

        await wait_until(is_archived, timeout_s=30)
        deleted = await audited(redis_url, "delete", game.id, "--yes", "--archive-url", archive.as_uri())
        assert deleted.returncode == 0, deleted.stderr
        assert re.search(rf"INFO south_seas\.audit: \S+@\S+ deleted game {game.id} at ", deleted.stderr)
        assert (await game.get()).status == 404


async def test_a_deleted_game_leaves_nothing(redis: Redis, redis_url: str, store: RedisStore) -> None:
    stored = await store_game(store, "finished", webhooks=1)
    refused = await games(redis_url, "delete", stored.id)
    assert (refused.returncode, refused.stderr) == (1, "Error: nobody can be asked here: confirm with --yes\n")
    deleted = await games(redis_url, "delete", stored.id, "--yes", "--json")
    assert (deleted.returncode, json.loads(deleted.stdout)) == (0, {"id": stored.id, "deleted": True})
    expected = {*SHARED_KEYS, keys.replica_wait(stored.id)}  # the last expires within a second
    left = {key.decode() for key in await redis.keys() if isinstance(key, bytes)} - expected
    assert not [key for key in left if not key.startswith("south-seas:bucket:")]
    missing = await games(redis_url, "delete", stored.id, "--yes")
    assert missing.returncode == 1
    assert missing.stderr.startswith(f"Error: there is no game {stored.id} in Redis")


async def test_a_game_in_progress_is_not_deleted(redis_url: str, store: RedisStore) -> None:
    stored = await store_game(store)
    refused = await games(redis_url, "delete", stored.id, "--yes", "--force")
    assert (refused.returncode, refused.stderr) == (1, f"Error: game {stored.id} is active: abort it first\n")
    assert await store.load(stored.id) is not None


async def test_a_game_that_is_not_archived_is_deleted_only_by_force(
    redis_url: str, store: RedisStore, tmp_path: Path
) -> None:
    stored = await store_game(store, "finished")
    command = ("delete", stored.id, "--yes", "--archive-url", tmp_path.as_uri())
    assert "is not archived yet" in (await games(redis_url, *command)).stderr
    assert (await games(redis_url, *command, "--force")).returncode == 0


async def test_a_damaged_game_is_named_and_deleted_by_force(redis: Redis, redis_url: str, store: RedisStore) -> None:
    whole, damaged = await store_game(store), await store_game(store)
    await redis.hset(keys.game(damaged.id), "snapshot", b"?")
    shown = await games(redis_url, "show", damaged.id)
    assert shown.returncode == 1
    assert shown.stderr.startswith("Error: the game cannot be read: ")
    listed = await games(redis_url, "list")
    assert listed.returncode == 0
    assert f"game {damaged.id}: " in listed.stderr
    assert listed.stdout.startswith(whole.id)
    assert "--force deletes it" in (await games(redis_url, "delete", damaged.id, "--yes")).stderr
    assert (await games(redis_url, "delete", damaged.id, "--yes", "--force")).returncode == 0
    assert await store.load(damaged.id) is None


@pytest.mark.parametrize("status", ("waiting", "active", "finished"))
async def test_private_games_are_shown_and_listed(redis_url: str, store: RedisStore, status: str) -> None:
    stored = await store_game(store, status, visibility="private")  # type: ignore[arg-type]  # the parameters are statuses
    other = await store_game(store, "aborted" if status != "aborted" else "active")
    shown = await games(redis_url, "show", stored.id)
    assert shown.stdout.startswith(f"{stored.id}  {status:8}  private  version ")
    assert "\n  seat 0: Ana (human)\n" in shown.stdout
    view = json.loads((await games(redis_url, "show", stored.id, "--json")).stdout)
    assert (view["id"], view["status"]) == (stored.id, status)
    listed = await games(redis_url, "list", "--json", "--status", status)
    assert [json.loads(line)["id"] for line in listed.stdout.splitlines()] == [stored.id]
    both = await games(redis_url, "list")
    assert {line.split()[0] for line in both.stdout.splitlines()} == {stored.id, other.id}


async def test_a_list_ends_in_silence_when_its_reader_does(redis_url: str, store: RedisStore) -> None:
    for _ in range(3):
        await store_game(store)
    command = '"$0" -m service.main games list --redis-url "$1" | head -c 1'
    listed = await run_program("sh", "-c", command, sys.executable, redis_url)
    assert (len(listed.stdout), listed.stderr) == (1, "")


async def test_games_are_listed_shown_and_exported_while_redis_takes_no_writes(
    redis: Redis, redis_url: str, store: RedisStore, tmp_path: Path
) -> None:
    stored = await store_game(store)
    await redis.config_set("maxmemory", 1)
    try:
        listed, shown = await games(redis_url, "list"), await games(redis_url, "show", stored.id)
        exported = await south_seas("export", "--all", str(tmp_path), "--redis-url", redis_url)
        refused = await games(redis_url, "abort", stored.id, "--yes")
    finally:
        await redis.config_set("maxmemory", 0)
    assert (listed.returncode, shown.returncode, exported.returncode) == (0, 0, 0), listed.stderr + exported.stderr
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: Redis has reached maxmemory and takes no writes: ")
