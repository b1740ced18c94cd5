"""`south-seas games` and `keys`, the failures of single games, how long games are kept, and the log of changes."""

import asyncio
import json
import logging
import re
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from aiohttp import ClientSession
from redis.asyncio import Redis

from schemas.vocabulary import Status
from schemas.webhooks import RegisterWebhook
from service.cli.export import iter_documents
from service.cli.store import UNREADABLE_HELP, report_failure
from service.games.api_key import ApiKeyAuthenticator, Quotas
from service.games.archive import InvalidDocument
from service.games.commands import webhooks as webhook_commands
from service.games.commands.create import RematchRequest, rematch
from service.games.commands.execute import GameRequest
from service.games.commands.play import abort_game
from service.games.errors import ApiKeyRejected, TileSetMissing
from service.games.ports import StoreUnavailable, UnreadableGame, WebhookState
from service.games.repository import Context
from service.games.webhook_owner import Owner
from service.store import keys
from service.store.game_store import RedisStore
from service.telemetry.clock import DAY_S, unix_seconds
from tests.cli.test_commands import south_seas
from tests.cli.test_export_import import RETENTION, WEBHOOK, play_first_move
from tests.games.game_fixture import Clock, make_context
from tests.games.stored_games import OwnedGame, store_game
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import set_to_1
from tests.server_process import start_server
from tests.store.commits import load_record
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
    failed = [keys.failures(queue, stored.id) for queue in (keys.GAME_SCHEDULE, keys.ARCHIVE_SCHEDULE)]
    await redis.mset(dict.fromkeys((*failed, keys.lease(keys.ARCHIVE_SCHEDULE, stored.id)), 1))
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


async def test_what_the_archive_lacks_is_deleted_by_force(redis_url: str, store: RedisStore, tmp_path: Path) -> None:
    """Or what a webhook lacks; a rematch is archived too."""
    stored = await store_game(store, "finished")
    command = ("delete", stored.id, "--yes", "--archive-url", tmp_path.as_uri())
    assert "is not archived yet" in (await games(redis_url, *command)).stderr
    ended = (await load_record(store, stored.id)).revision
    assert await store.compacted_logs.mark_archived(stored.id, ended, 3600)
    await rematched(stored, stored.context)
    assert "is not archived yet" in (await games(redis_url, *command)).stderr
    await store.webhooks.add(stored.id, WEBHOOK, WebhookState(ended.version))
    assert "does not have its end yet" in (await games(redis_url, *command)).stderr
    assert (await games(redis_url, *command, "--force")).returncode == 0
    archived = await store_game(store, "finished")
    revision = (await load_record(store, archived.id)).revision
    assert await store.compacted_logs.mark_archived(archived.id, revision, 3600)
    assert (await games(redis_url, "delete", archived.id, *command[2:])).returncode == 0


async def test_a_damaged_game_is_named_and_deleted_by_force(redis: Redis, redis_url: str, store: RedisStore) -> None:
    whole, damaged = await store_game(store), await store_game(store)
    await redis.hset(keys.game(damaged.id), "snapshot", b"?")
    for command in (("show",), ("abort", "--yes")):
        refused = await games(redis_url, *command, damaged.id)
        assert refused.returncode == 1
        assert refused.stderr.startswith("Error: the game cannot be read: ")
        assert UNREADABLE_HELP in refused.stderr
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
    async with set_to_1(redis):
        listed, shown = await games(redis_url, "list"), await games(redis_url, "show", stored.id)
        exported = await south_seas("export", "--all", str(tmp_path), "--redis-url", redis_url)
        refused = await games(redis_url, "abort", stored.id, "--yes")
    assert (listed.returncode, shown.returncode, exported.returncode) == (0, 0, 0), listed.stderr + exported.stderr
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: Redis has reached maxmemory and takes no writes: ")


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
        Mock(side_effect=error)()
    assert capsys.readouterr() == ("", f"game g: {reason}\n")


def test_an_unavailable_store_ends_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StoreUnavailable, match="down"), report_failure("game g"):
        raise StoreUnavailable("down")
    assert capsys.readouterr() == ("", "")


SLACK_S = 60
EXTENSION_SLACK_S = 600


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
        *(("waiting", nothing, 3), ("waiting", aborted, 7), ("active", nothing, 5), ("active", play_first_move, 5)),
        *(("active", aborted, 7), ("finished", nothing, 7), ("finished", rematched, 7), ("aborted", rematched, 7)),
    ),
)
async def test_each_kind_of_change_renews_the_retention_of_its_status(
    store: RedisStore, redis: Redis, status: Status, change: Change, days: int
) -> None:
    context = make_context(store, retention=RETENTION)
    stored = await store_game(store, status, context=context)
    for key in (keys.game(stored.id), keys.log(stored.id)):  # what is stored on must be put off by the change itself
        if change is not nothing:
            await redis.expire(key, 1000)
    await change(stored, context)
    for key in (keys.game(stored.id), keys.log(stored.id)):
        assert days * DAY_S - SLACK_S < await redis.ttl(key) <= days * DAY_S + EXTENSION_SLACK_S, key
    for name in await redis.keys(keys.game_index("*")):
        assert await redis.ttl(name) > RETENTION.finished + DAY_S


async def test_a_webhook_does_not_renew_the_retention(store: RedisStore, redis: Redis) -> None:
    context = make_context(store, retention=RETENTION)
    stored = await store_game(store, context=context)
    await redis.expire(keys.game(stored.id), 1000)
    owner = Owner(stored.id, 10, stored.created.owner_token)
    await webhook_commands.register_webhook(context, owner, RegisterWebhook(url="https://example.org/"))
    assert 900 < await redis.ttl(keys.game(stored.id)) <= 1000


TIME = "yyyy-mm-ddThh:mm:ssZ"
"""Stands for a time that depends on the clock."""


async def run_keys(redis_url: str, *arguments: str) -> Finished:
    """Run `south-seas keys` on a Redis."""
    return await south_seas("keys", *arguments, "--redis-url", redis_url)


async def is_valid(store: RedisStore, secret: str) -> bool:
    """Return whether an instance that starts now accepts a secret."""
    try:
        await ApiKeyAuthenticator(store.api_keys, Clock()).authenticate(secret)
    except ApiKeyRejected:
        return False
    return True


async def test_add_prints_the_secret_alone(store: RedisStore, redis_url: str) -> None:
    added = await run_keys(redis_url, "add", "discord-bot", "--games-per-hour", "5000")
    assert added.returncode == 0, added.stderr
    assert re.fullmatch(r"ssk_discord-bot_[A-Za-z0-9_-]{43}\n", added.stdout)
    assert "5000 games an hour, 6000 requests a minute, 180000 bot turns an hour" in added.stderr
    assert added.stdout.strip() not in added.stderr
    assert await is_valid(store, added.stdout.strip())
    assert [key.quotas for key in await store.api_keys.list_all()] == [Quotas(5_000, 6_000, 180_000)]


async def test_a_name_is_used_once(store: RedisStore, redis_url: str) -> None:
    secret = (await run_keys(redis_url, "add", "bot")).stdout.strip()
    again = await run_keys(redis_url, "add", "bot")
    assert (again.returncode, again.stdout) == (1, "")
    assert "there is a key bot already" in again.stderr
    assert await is_valid(store, secret)


async def test_list_shows_quotas_and_status_and_no_secret(store: RedisStore, redis_url: str) -> None:
    del store
    assert "there are no keys" in (await run_keys(redis_url, "list")).stderr
    secrets = [(await run_keys(redis_url, "add", name, "--games-per-hour", "7")).stdout for name in ("a", "b", "c")]
    secrets.append((await run_keys(redis_url, "rotate", "b")).stdout)
    secrets.append((await run_keys(redis_url, "rotate", "a", "--grace-hours", "0")).stdout)
    await run_keys(redis_url, "revoke", "c")
    listed = (await run_keys(redis_url, "list")).stdout
    assert sorted(re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", TIME, listed).splitlines()) == [
        "NAME  GAMES/HOUR  REQUESTS/MIN  BOT TURNS/HOUR  CREATED               STATUS",
        f"a     7           6000          180000          {TIME}  active",
        f"b     7           6000          180000          {TIME}  active, previous secret until {TIME}",
        f"c     7           6000          180000          {TIME}  revoked {TIME}",
    ]
    assert listed.startswith("NAME ")
    assert not any(secret.strip() in listed for secret in secrets)


async def test_update_changes_only_the_given_quotas(store: RedisStore, redis_url: str) -> None:
    secret = (await run_keys(redis_url, "add", "bot", "--bot-turns-per-hour", "9")).stdout.strip()
    changed = await run_keys(redis_url, "update", "bot", "--games-per-hour", "50")
    assert changed == (0, "", "the key bot has 50 games an hour, 6000 requests a minute, 9 bot turns an hour\n")
    assert [key.quotas for key in await store.api_keys.list_all()] == [Quotas(50, 6_000, 9)]
    assert await is_valid(store, secret)
    assert (await run_keys(redis_url, "update", "bot")).returncode == 2


async def test_rotate_leaves_two_valid_secrets_and_without_grace_one(store: RedisStore, redis_url: str) -> None:
    old = (await run_keys(redis_url, "add", "bot")).stdout.strip()
    new = (await run_keys(redis_url, "rotate", "bot")).stdout.strip()
    assert new != old
    assert [await is_valid(store, secret) for secret in (old, new)] == [True, True]
    earliest = int(time.time()) + 1800
    rotated = await run_keys(redis_url, "rotate", "bot", "--grace-hours", "0.5")
    newest, until = rotated.stdout.strip(), re.search(r"previous secret is valid until (\S+)\. Its", rotated.stderr)
    assert until
    assert earliest <= unix_seconds(until[1]) <= int(time.time()) + 1800
    assert [await is_valid(store, secret) for secret in (old, new, newest)] == [False, True, True]
    rotated = await run_keys(redis_url, "rotate", "bot", "--grace-hours", "0")
    assert "its previous secret is valid for at most 5 s more. Its secret" in rotated.stderr
    assert [await is_valid(store, secret) for secret in (new, newest, rotated.stdout.strip())] == [False, False, True]


async def test_a_revoked_key_stays_revoked(store: RedisStore, redis_url: str) -> None:
    secret = (await run_keys(redis_url, "add", "bot")).stdout.strip()
    revoked = await run_keys(redis_url, "revoke", "bot")
    assert revoked == (0, "", "revoked the key bot; instances reject it within 5 s\n")
    assert not await is_valid(store, secret)
    for arguments in (("rotate", "bot"), ("update", "bot", "--games-per-hour", "1"), ("revoke", "bot"), ("add", "bot")):
        result = await run_keys(redis_url, *arguments)
        assert (result.returncode, result.stdout) == (1, "")
        assert "revoked" in result.stderr
    assert not await is_valid(store, secret)


async def test_the_webhooks_of_a_revoked_key_end(store: RedisStore, redis_url: str) -> None:
    await run_keys(redis_url, "add", "bot")
    await store.webhooks.add("key.bot", WEBHOOK, WebhookState(0))
    await run_keys(redis_url, "rotate", "bot")
    assert len(await store.webhooks.list_by_subject("key.bot")) == 1
    await run_keys(redis_url, "revoke", "bot")
    assert await store.webhooks.list_by_subject("key.bot") == []


async def test_unknown_names_are_rejected(store: RedisStore, redis_url: str) -> None:
    del store
    for command in ("rotate", "revoke"):
        missing = await run_keys(redis_url, command, "nobody")
        assert (missing.returncode, "there is no key nobody" in missing.stderr) == (1, True)


QUOTAS = "7 games an hour, 6000 requests a minute, 180000 bot turns an hour"
LINE = re.compile(r"\S+@\S+ (?P<change>.+) at \S+Z: (?P<detail>.+)")


async def test_every_change_is_logged_without_secrets(
    store: RedisStore, redis_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "south_seas.audit")
    game = (await store_game(store, "finished")).id
    assert (await south_seas("export", "--all", str(tmp_path), "--redis-url", redis_url)).returncode == 0
    expected = {
        ("keys", "add", "bot", "--games-per-hour", "1"): ("added the key bot", QUOTAS.replace("7", "1")),
        ("keys", "update", "bot", "--games-per-hour", "7"): ("updated the key bot", QUOTAS),
        ("keys", "rotate", "bot"): ("rotated the key bot", QUOTAS),
        ("keys", "revoke", "bot"): ("revoked the key bot", QUOTAS),
        ("games", "delete", game, "--yes"): (f"deleted game {game}", r"finished, version \d+"),
        ("import", str(tmp_path)): ("imported games", "1 games, 0 skipped, 0 rejected"),
        ("reindex",): ("rebuilt the indexes", r"1 games: \d+ index entries added, \d+ removed, 0 games unreadable"),
    }
    for command, (change, detail) in expected.items():
        changed = await south_seas(*command, "--redis-url", redis_url)
        assert changed.returncode == 0, changed.stderr
        line = LINE.fullmatch(caplog.messages[-1])
        assert line is not None, command
        assert line["change"] == change
        assert re.fullmatch(detail, line["detail"])
    assert (await south_seas("keys", "rotate", "bot", "--redis-url", redis_url)).returncode == 1
    assert len(caplog.messages) == len(expected)
    assert "ssk_" not in caplog.text
