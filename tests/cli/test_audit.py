"""The log says who changed what by which command."""

import logging
import re
from pathlib import Path

import pytest

from service.store.game_store import RedisStore
from tests.cli.test_commands import south_seas
from tests.games.stored_games import store_game

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
