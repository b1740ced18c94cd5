"""The bot between the real service and a fake Discord."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from examples.chat.bot import ChatBot
from examples.discord_bot.bot import SouthSeasBot
from examples.discord_bot.messages import DISCORD
from tests.examples.discord_bot.fake_discord import FakeDiscord


@pytest.fixture
async def fake_discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeDiscord]:
    """Discord, as far as the bot sees it."""
    async with FakeDiscord(monkeypatch) as side:
        yield side
        assert side.faults == []


@pytest.fixture
def width() -> int:
    """Of the pictures, which take longest: most tests look at none."""
    return 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of the database."""
    return tmp_path / "bot.sqlite"


@pytest.fixture
async def bot(url: str, fake_discord: FakeDiscord, file: Path, width: int) -> AsyncIterator[SouthSeasBot]:
    """Log the bot in."""
    bot = SouthSeasBot(ChatBot(url, file, DISCORD, width))
    async with fake_discord.logged_in(bot):
        yield bot
