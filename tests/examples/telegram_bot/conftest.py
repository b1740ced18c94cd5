"""The bot between the real service and a fake Telegram."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from examples.chat.bot import ChatBot
from examples.telegram_bot import TELEGRAM, TelegramBot
from tests.examples.telegram_bot.fake_telegram import TOKEN, FakeTelegram


@pytest.fixture
async def telegram() -> AsyncIterator[FakeTelegram]:
    """Telegram, as far as the bot sees it."""
    async with FakeTelegram() as server:
        yield server
        assert server.faults == []


@pytest.fixture
def width() -> int:
    """Of the pictures, which take longest: most tests look at none."""
    return 0


@pytest.fixture
async def bot(url: str, telegram: FakeTelegram, tmp_path: Path, width: int) -> AsyncIterator[TelegramBot]:
    """Start the bot."""
    bot = TelegramBot(ChatBot(url, tmp_path / "bot.sqlite", TELEGRAM, width), TOKEN, telegram.base_url)
    async with telegram.polled_by(bot):
        yield bot
