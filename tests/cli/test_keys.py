"""`south-seas keys` on the command line.

The log says who changed what by which command.
"""

import logging
import re
import time
from pathlib import Path

import pytest

from service.games.api_key import ApiKeyAuthenticator, Quotas
from service.games.errors import ApiKeyRejected
from service.games.ports import WebhookState
from service.store.game_store import RedisStore
from service.telemetry.clock import unix_seconds
from tests.cli.test_commands import south_seas
from tests.cli.test_export_import import WEBHOOK
from tests.games.game_fixture import Clock
from tests.games.stored_games import store_game
from tests.tools import Finished

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
    stored = await store.api_keys.load("discord-bot")
    assert stored is not None
    assert stored.key.quotas == Quotas(5_000, 6_000, 180_000)


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
    stored = await store.api_keys.load("bot")
    assert stored is not None
    assert stored.key.quotas == Quotas(50, 6_000, 9)
    assert await is_valid(store, secret)
    assert (await run_keys(redis_url, "update", "bot")).returncode == 2


async def test_rotate_leaves_two_valid_secrets(store: RedisStore, redis_url: str) -> None:
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


async def test_rotate_without_grace_ends_a_leaked_secret_at_once(store: RedisStore, redis_url: str) -> None:
    leaked = (await run_keys(redis_url, "add", "bot")).stdout.strip()
    rotated = await run_keys(redis_url, "rotate", "bot", "--grace-hours", "0")
    assert "its previous secret is valid for at most 5 s more. Its secret" in rotated.stderr
    new = rotated.stdout.strip()
    assert [await is_valid(store, secret) for secret in (leaked, new)] == [False, True]


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
