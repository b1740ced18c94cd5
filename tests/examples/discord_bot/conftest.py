"""The bot between the real service and a Discord that is played."""

import warnings
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

with warnings.catch_warnings():
    # discord.py imports the module for its voice channels, which no bot of ours enters.
    warnings.filterwarnings("ignore", "'audioop' is deprecated", DeprecationWarning)
    import discord  # noqa: F401

from examples.discord_bot.bot import SouthSeasBot
from tests.examples.discord_bot.fake_discord import Discord


@pytest.fixture
async def discord_side(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Discord]:
    """Discord, as far as the bot sees it."""
    async with Discord(monkeypatch) as side:
        yield side
        assert side.faults == []


@pytest.fixture
def width() -> int:
    """Of the pictures, which take longest: most tests look at none."""
    return 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the bot keeps its games."""
    return tmp_path / "bot.sqlite"


@pytest.fixture
async def bot(url: str, discord_side: Discord, file: Path, width: int) -> AsyncIterator[SouthSeasBot]:
    """The bot, logged in."""
    bot = SouthSeasBot(url, file, width)
    async with discord_side.logged_in(bot):
        yield bot
