"""The bot's program: its settings."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from examples.discord_bot.__main__ import main
from examples.discord_bot.bot import SouthSeasBot


def test_the_settings_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens: list[str] = []

    def run(bot: SouthSeasBot, token: str, log_handler: None) -> None:
        assert log_handler is None
        tokens.append(token)
        bot.core.storage.close()

    monkeypatch.setattr(SouthSeasBot, "run", run)
    file = tmp_path / "games.sqlite"
    environment = {"DISCORD_TOKEN": "a.bot.token", "SOUTH_SEAS_BOT_FILE": str(file)}
    finished = CliRunner().invoke(main, ["--url", "http://127.0.0.1:9"], env=environment)
    assert (finished.exit_code, tokens, file.exists()) == (0, ["a.bot.token"], True)
