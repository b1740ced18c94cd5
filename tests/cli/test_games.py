"""`south-seas games`: an operator shows, lists, aborts and deletes games, beside a running instance.

The failures of single games in commands for many.

Each game is kept as long after its last change as the setting for its status says, in all of its keys.
"""

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from redis.asyncio import Redis

from schemas.commands import SeatCommand
from schemas.lobby import JoinGame
from schemas.vocabulary import Status
from schemas.webhooks import RegisterWebhook
from service.cli.export import iter_documents
from service.cli.store import report_failure
from service.engine import decode_snapshot
from service.games.archive import InvalidDocument
from service.games.commands import webhooks as webhook_commands
from service.games.commands.execute import CommandRequest, GameRequest
from service.games.commands.play import abort_game, resign_seat, undo
from service.games.commands.rematch import RematchRequest, rematch
from service.games.commands.seats import JoinRequest, join
from service.games.errors import TileSetMissing
from service.games.ports import StoreUnavailable, UnreadableGame
from service.games.repository import Context
from service.games.scheduler import advance_due_game, make_scheduler
from service.games.webhook_owner import Owner
from service.store import keys
from service.store.game_store import RedisStore
from service.telemetry.clock import DAY_S
from tests.cli.test_commands import south_seas
from tests.cli.test_export_import import RETENTION, play_first_move
from tests.games.game_fixture import Clock, make_context
from tests.games.stored_games import OwnedGame, store_game
from tests.polling import TIMEOUT_S, wait_until
from tests.server_process import start_server
from tests.tools import Finished, run_program
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
            async with asyncio.timeout(TIMEOUT_S):
                diff = await socket.receive_json()
        assert [event["type"] for event in diff["events"]] == ["game_aborted"]
        printed = json.loads(aborted.stdout)
        assert (printed["id"], printed["status"], printed["version"]) == (game.id, "aborted", diff["version"])
        audit = rf"INFO south_seas\.audit: \S+@\S+ aborted game {game.id} at \S+Z: version {diff['version']}, digest"
        assert re.search(audit, aborted.stderr)
        await wait_until(lambda: diff["version"] in receiver.versions)
        await wait_until(lambda: asyncio.to_thread(lambda: [*iter_documents([archive])]))
        again = await games(redis_url, "abort", game.id, "--yes")
        assert (again.returncode, again.stderr) == (1, "Error: the game is aborted\n")

        async def is_archived() -> bool:
            return bool((await store.compacted_logs.load_state(game.id)).archived == diff["version"])

        await wait_until(is_archived)
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


def fail(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("error", "reason"),
    (
        (TileSetMissing("no tile set x"), "no tile set x: name the directory of its tile set with --tilesets-dir"),
        (InvalidDocument("it is empty"), "it is empty"),
        (UnreadableGame("no log"), "no log"),
        (PermissionError(13, "Permission denied", "/f"), "Permission denied"),
        (OSError("no number"), "no number"),
        (KeyError("x\x1b"), "KeyError: 'x\\x1b'"),
    ),
)
def test_the_failure_of_one_game_is_one_line(error: Exception, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with report_failure("game g"):
        fail(error)
    assert capsys.readouterr() == ("", f"game g: {reason}\n")


def test_an_unavailable_store_ends_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StoreUnavailable, match="down"), report_failure("game g"):
        fail(StoreUnavailable("down"))
    assert capsys.readouterr() == ("", "")


SLACK_S = 60
EXTENSION_SLACK_S = 600


async def joined(stored: OwnedGame, context: Context) -> None:
    await join(context, JoinRequest(id=stored.id, body=JoinGame(name="Bo"), token=stored.created.owner_token))


async def taken_back(stored: OwnedGame, context: Context) -> None:
    """After the tile, so that there is something to take back, unless the tile has ended the turn."""
    await play_first_move(stored, context)
    loaded = await context.store.load(stored.id)
    assert loaded is not None
    if decode_snapshot(loaded.snapshot).undoable:
        await undo(context, CommandRequest(id=stored.id, body=SeatCommand(), token=stored.created.owner_token))


async def resigned(stored: OwnedGame, context: Context) -> None:
    request = CommandRequest(id=stored.id, body=SeatCommand(seat=0), token=stored.created.owner_token)
    await resign_seat(context, request)


async def too_late(stored: OwnedGame, context: Context) -> None:
    assert isinstance(context.clock, Clock)
    context.clock.now += 10_000
    await advance_due_game(context, stored.id)


async def aborted(stored: OwnedGame, context: Context) -> None:
    await abort_game(context, GameRequest(id=stored.id, token=stored.created.owner_token))


async def rematched(stored: OwnedGame, context: Context) -> None:
    await rematch(context, RematchRequest(id=stored.id, token=stored.created.owner_token))


async def nothing(stored: OwnedGame, context: Context) -> None:
    del stored, context


Change = Callable[[OwnedGame, Context], Awaitable[object]]


@pytest.mark.parametrize(
    ("status", "change", "days"),
    (
        ("waiting", nothing, 3),
        ("waiting", joined, 5),
        ("waiting", aborted, 7),
        ("active", nothing, 5),
        ("active", play_first_move, 5),
        ("active", taken_back, 5),
        ("active", too_late, 5),
        ("active", resigned, 7),
        ("active", aborted, 7),
        ("finished", nothing, 7),
        ("finished", rematched, 7),
        ("aborted", rematched, 7),
    ),
)
async def test_each_kind_of_change_renews_the_retention_of_its_status(
    store: RedisStore, redis: Redis, status: Status, change: Change, days: int
) -> None:
    context = make_context(store, retention=RETENTION)
    timed: dict[str, Any] = {"turn_timeout_s": 600, "on_timeout": "pass"} if change is too_late else {}
    stored = await store_game(store, status, context=context, **timed)
    for key in (keys.game(stored.id), keys.log(stored.id)):  # what is stored on must be put off by the change itself
        if change is not nothing:
            await redis.expire(key, 1000)
    await change(stored, context)
    for key in (keys.game(stored.id), keys.log(stored.id)):
        assert days * DAY_S - SLACK_S < await redis.ttl(key) <= days * DAY_S + EXTENSION_SLACK_S, key
    for name in await redis.keys(keys.game_index("*")):
        assert await redis.ttl(name) > RETENTION.finished + DAY_S


async def test_every_key_of_a_game_expires(store: RedisStore, redis: Redis) -> None:
    context = make_context(store, retention=RETENTION)
    stored = await store_game(store, context=context, webhooks=1)
    await play_first_move(stored, context)
    of_game = await redis.keys(f"*{{{stored.id}}}*")
    assert len(of_game) >= 2
    assert all([await redis.ttl(key) > 0 for key in of_game]), of_game


async def test_a_webhook_does_not_renew_the_retention(store: RedisStore, redis: Redis) -> None:
    context = make_context(store, retention=RETENTION)
    stored = await store_game(store, context=context)
    await redis.expire(keys.game(stored.id), 1000)
    owner = Owner(stored.id, 10, stored.created.owner_token)
    await webhook_commands.register_webhook(context, owner, RegisterWebhook(url="https://example.org/"))
    assert 900 < await redis.ttl(keys.game(stored.id)) <= 1000


async def test_an_expired_game_is_removed_from_the_schedule(store: RedisStore, redis: Redis) -> None:
    context = make_context(store)
    stored = await store_game(store, context=context, turn_timeout_s=600, on_timeout="pass")
    for key in (keys.game(stored.id), keys.log(stored.id)):
        await redis.pexpire(key, 1)

    async def has_expired() -> bool:
        return not await redis.exists(keys.game(stored.id))

    await wait_until(has_expired)
    assert await store.due_games.list_due(2**33, 10) == [stored.id]
    await redis.zadd(keys.GAME_SCHEDULE, {stored.id: 1_000_000_000.5})
    await make_scheduler(context).process(stored.id)
    assert await store.due_games.list_due(2**33, 10) == []
