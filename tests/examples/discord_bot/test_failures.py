"""Responses that cannot be sent: the user never sees "thinking" for ever, and no error is silent."""

import logging
from typing import Any, Never

import pytest

from examples.discord_bot.bot import SouthSeasBot
from tests.examples.discord_bot.discord_objects import CHANNEL
from tests.examples.discord_bot.fake_discord import FakeDiscord
from tests.examples.discord_bot.test_bot import ANA, begun_alone, calls
from tests.polling import wait_until

FAILED = "Something went wrong. Your game is safe; try again."


@pytest.mark.parametrize("width", (300,))
@pytest.mark.parametrize("status", (400, 413, 0))
@pytest.mark.usefixtures("bot")
async def test_a_message_that_is_rejected_is_sent_without_its_picture(fake_discord: FakeDiscord, status: int) -> None:
    fake_discord.edit_failures = [status]
    started = await fake_discord.command(ANA, "new", bots=1)
    assert (started.text, started.pictures) == ("A new game: Ana, Greedy.", [])
    assert fake_discord.errors == 1


@pytest.mark.parametrize("status", (400, 0))
@pytest.mark.usefixtures("bot")
async def test_a_message_that_is_rejected_again_becomes_an_error(fake_discord: FakeDiscord, status: int) -> None:
    fake_discord.edit_failures = [status]
    assert (await fake_discord.command(ANA, "new", bots=1)).text == FAILED
    called = await fake_discord.wait_for_post(calls(ANA))
    assert (await fake_discord.press(ANA, called, "Play")).options()


@pytest.mark.usefixtures("bot")
async def test_a_response_that_cannot_be_edited_is_deleted(
    fake_discord: FakeDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    fake_discord.edit_failures = [400, 404]
    assert (await fake_discord.command(ANA, "new", bots=1)).text == ""
    assert [record.levelno for record in caplog.records if "cannot edit" in record.message] == [logging.WARNING] * 2


@pytest.mark.usefixtures("bot")
async def test_a_menu_that_cannot_be_edited_stays_with_an_error_beside_it(fake_discord: FakeDiscord) -> None:
    menu = await fake_discord.press(ANA, await begun_alone(fake_discord), "Play")
    fake_discord.edit_failures = [400]
    failure = await fake_discord.choose(ANA, menu, menu.options()[0]["value"])
    assert (failure.text, failure.is_private) == (FAILED, True)
    assert (await fake_discord.choose(ANA, menu, menu.options()[0]["value"])).text != FAILED


async def test_an_unexpected_error_is_logged_and_reported(
    bot: SouthSeasBot, fake_discord: FakeDiscord, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: Any) -> Never:
        raise KeyError("a mistake of the bot")

    monkeypatch.setattr(bot.core.games, "create", fail)
    assert (await fake_discord.command(ANA, "new", bots=1)).text == FAILED
    assert "a mistake of the bot" in caplog.text


async def test_nothing_is_done_where_discord_no_longer_waits(bot: SouthSeasBot, fake_discord: FakeDiscord) -> None:
    fake_discord.is_late = True
    await fake_discord.send_command(ANA, "new", bots=1)
    await wait_until(lambda: fake_discord.errors)
    fake_discord.is_late = False
    assert (await fake_discord.command(ANA, "mygames")).text == "You have no games."
    assert bot.core.storage.latest_game(str(CHANNEL)) is None
