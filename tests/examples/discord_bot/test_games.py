"""Undo, resignation, rematch, restarts, pictures, and an unavailable service."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from time import time

import pytest

from examples.chat.bot import ChatBot
from examples.chat.games import NewGameOptions, Person
from examples.chat.phrases import LANGUAGES, translate
from examples.chat.storage import ChannelGame
from examples.discord_bot.bot import SouthSeasBot
from examples.discord_bot.messages import DISCORD
from service.games.context import Context
from service.games.scheduling.scheduler import run_scheduler
from service.store.game_store import RedisStore
from tests.examples.discord_bot.discord_objects import CHANNEL, DiscordUser, SeenMessage
from tests.examples.discord_bot.fake_discord import FakeDiscord
from tests.examples.discord_bot.test_bot import ANA, BO, CY, begun_alone, calls, is_over
from tests.web.app_server import TILESETS

PNG = b"\x89PNG"
STALE = {translate(language, "stale") for language in LANGUAGES}
NOTHING_BACK = "Il n'y a rien que vous puissiez annuler."


async def begun(fake_discord: FakeDiscord) -> tuple[SeenMessage, DiscordUser]:
    """Start a game of Ana and Bo; return the message that mentions the first player, and the player."""
    await fake_discord.command(ANA, "new", opponent=BO)
    called = await fake_discord.wait_for_post(lambda seen: "<@" in seen.text)
    return called, ANA if calls(ANA)(called) else BO


async def placed(fake_discord: FakeDiscord, person: DiscordUser, called: SeenMessage) -> SeenMessage:
    """Place the tile on the first cell, in the first rotation."""
    menu = await fake_discord.press_action(person, called, "menu")
    shown = await fake_discord.choose(person, menu, menu.options()[0]["value"])
    turns = [custom_id for custom_id in shown.acts() if re.search(r":move:p-?\d", custom_id)]
    return await fake_discord.use(person, shown, turns[0]) if turns else shown


@pytest.mark.parametrize("width", (300,))
async def test_the_board_is_a_picture(bot: SouthSeasBot, fake_discord: FakeDiscord) -> None:
    called = await begun_alone(fake_discord)
    menu = await fake_discord.press_action(ANA, called, "menu")
    (plain,) = (await fake_discord.command(ANA, "board")).pictures
    assert all(picture.startswith(PNG) for picture in (*called.pictures, *menu.pictures, plain))
    assert menu.pictures != [plain]
    assert bot.is_closed() is False


@pytest.mark.parametrize("width", (-1,))
@pytest.mark.usefixtures("bot")
async def test_a_failing_picture_does_not_stop_the_game(fake_discord: FakeDiscord) -> None:
    """The service draws nothing of such a size."""
    called = await begun_alone(fake_discord)
    assert called.pictures == []
    assert (await fake_discord.press_action(ANA, called, "menu")).options()


@pytest.mark.usefixtures("bot")
async def test_a_chosen_cell_can_be_changed(fake_discord: FakeDiscord) -> None:
    called, person = await begun(fake_discord)
    menu = await fake_discord.press_action(person, called, "menu")
    offered = menu.options()
    several = [option["value"] for option in offered if not option["label"].partition(" · ")[0].isdecimal()]
    turned = await fake_discord.choose(person, menu, several[0])
    assert len(turned.acts()) > 1
    assert (await fake_discord.press_action(person, turned, "page")).options() == offered


@pytest.mark.usefixtures("bot")
async def test_commands_work_in_a_channel_closed_to_the_bot(fake_discord: FakeDiscord) -> None:
    fake_discord.is_closed = True
    await fake_discord.command(ANA, "new", bots=1)
    async with asyncio.timeout(8):
        await fake_discord.rejected.wait()
    assert (await fake_discord.command(ANA, "moves")).options()


async def test_a_missing_game_is_not_watched(bot: SouthSeasBot) -> None:
    table = ChannelGame("gone", str(CHANNEL), "o" * 43, "s" * 43)
    bot.core.storage.add_game(table)
    bot.core.notifier.watch(table)
    await asyncio.wait_for(bot.core.notifier._tasks["gone"], 8)
    assert bot.core.storage.running_games() == []


@pytest.mark.usefixtures("bot")
async def test_a_move_is_undone(fake_discord: FakeDiscord) -> None:
    called, person = await begun(fake_discord)
    islander = await placed(fake_discord, person, called)
    assert islander.acts()
    before = {**islander.payload}
    again = await fake_discord.press_action(person, islander, "undo")
    assert again.options()[0]["label"].startswith("1")
    stale = await fake_discord.press_action(person, islander._replace(payload=before), "undo")
    assert stale.text.splitlines()[0] in STALE
    rejected = await fake_discord.command(person, "undo")
    assert rejected.text == ("You have nothing to undo." if person is ANA else NOTHING_BACK)
    assert rejected.is_private
    assert not [button for button in again.components(2) if ":undo:" in button["custom_id"]]
    assert (await fake_discord.choose(person, again, again.options()[0]["value"])).acts()


@pytest.mark.usefixtures("bot")
async def test_resigning_is_confirmed_and_allows_a_rematch(fake_discord: FakeDiscord) -> None:
    await begun(fake_discord)
    requested = await fake_discord.command(ANA, "resign")
    assert requested.text == "Do you really want to resign?"
    assert (await fake_discord.press(ANA, requested, "Resign")).text == "You have resigned."
    over = await fake_discord.wait_for_post(is_over)
    assert "Ana" in over.text
    again = await fake_discord.press_action(BO, over, "rematch")
    assert again.text.startswith("Une nouvelle partie")
    called = await fake_discord.wait_for_post(lambda seen: int(seen.payload["id"]) > int(again.payload["id"]))
    person = ANA if calls(ANA)(called) else BO
    assert (await fake_discord.press_action(person, called, "menu")).options()
    repeated = await fake_discord.press_action(BO, over, "rematch")
    assert repeated.text == "Les mêmes joueurs ont déjà une nouvelle partie."


async def test_a_rematch_that_was_started_elsewhere_is_taken_over(bot: SouthSeasBot, fake_discord: FakeDiscord) -> None:
    await begun(fake_discord)
    requested = await fake_discord.command(ANA, "resign")
    await fake_discord.press(ANA, requested, "Resign")
    over = await fake_discord.wait_for_post(is_over)
    game = bot.core.games.storage.latest_game(str(CHANNEL))
    assert game is not None
    rematch = await bot.core.games.reader(game, "en").with_token(game.owner_token).rematch(game.game)
    assert (await fake_discord.press_action(BO, over, "rematch")).text.startswith("Une nouvelle partie")
    assert bot.core.games.storage.latest_game(str(CHANNEL)) == game._replace(game=rematch.game.id)


@pytest.mark.usefixtures("bot")
async def test_a_player_who_joined_is_in_the_rematch(fake_discord: FakeDiscord) -> None:
    table = await fake_discord.command(ANA, "new", free=1)
    await fake_discord.press_action(CY, table, "join")
    await fake_discord.command(CY, "resign")
    sure = await fake_discord.command(CY, "resign")
    await fake_discord.press_action(CY, sure, "resign")
    await fake_discord.wait_for_post(is_over)
    again = await fake_discord.command(ANA, "rematch")
    called = await fake_discord.wait_for_post(lambda seen: int(seen.payload["id"]) > int(again.payload["id"]))
    person = ANA if calls(ANA)(called) else CY
    assert (await fake_discord.press_action(person, called, "menu")).options()


@pytest.mark.usefixtures("bot")
async def test_only_a_replaced_player_can_return(fake_discord: FakeDiscord) -> None:
    await fake_discord.command(ANA, "new", bots=1, minutes=5)
    assert (await fake_discord.command(ANA, "back")).text == "No bot plays for you."


async def test_a_restart_repeats_no_notification(url: str, fake_discord: FakeDiscord, file: Path) -> None:
    async with fake_discord.logged_in(SouthSeasBot(ChatBot(url, file, DISCORD, 0))):
        called, person = await begun(fake_discord)
        menu = await fake_discord.press_action(person, called, "menu")
    output = len(fake_discord.channel)
    async with fake_discord.logged_in(SouthSeasBot(ChatBot(url, file, DISCORD, 0))):
        assert (await fake_discord.choose(person, menu, menu.options()[0]["value"])).acts()
        assert len(fake_discord.channel) == output


async def test_an_unreachable_service_is_reported(fake_discord: FakeDiscord, file: Path, url: str) -> None:
    async with fake_discord.logged_in(SouthSeasBot(ChatBot(url, file, DISCORD, 0))):
        _, person = await begun(fake_discord)
    async with fake_discord.logged_in(SouthSeasBot(ChatBot("http://127.0.0.1:9", file, DISCORD, 0))):
        shown = await fake_discord.command(person, "moves")
        assert await fake_discord.suggestions(person, "new", "strength", "") == []
        assert "Your games are safe" in shown.text or "Rien n'est perdu" in shown.text


async def test_tokens_are_never_shown(bot: SouthSeasBot, fake_discord: FakeDiscord) -> None:
    await fake_discord.command(ANA, "new", bots=1)
    (seat,) = bot.core.storage.seats_of(str(ANA.id))
    assert all(seat.token not in str(shown.payload) for shown in fake_discord.channel)


async def test_only_players_can_name_a_game_of_another_channel(bot: SouthSeasBot, fake_discord: FakeDiscord) -> None:
    ana = Person(str(ANA.id), "Ana", "en")
    await bot.core.start_game(ana, str(CHANNEL + 1), NewGameOptions(bots=["greedy"]))
    table = bot.core.storage.latest_game(str(CHANNEL + 1))
    assert table is not None
    assert (await fake_discord.command(BO, "board", game=table.game)).text.startswith("Je ne connais pas")
    assert (await fake_discord.command(ANA, "board", game=table.game)).text == "It is Ana's turn to place a tile."


@pytest.mark.usefixtures("bot")
async def test_an_error_is_in_the_user_s_language(fake_discord: FakeDiscord) -> None:
    shown = await fake_discord.command(BO, "new", bots=4, free=4)
    assert shown.text.startswith("Il faut 2 à 5 joueurs")


@pytest.fixture
async def _on_time(store: RedisStore) -> AsyncIterator[None]:
    """Start an instance that processes deadlines."""
    context = Context(store=store, tilesets=TILESETS, clock=time, on_committed=lambda _game, _diffs: None)
    task = asyncio.create_task(run_scheduler(context, 0.1))
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.usefixtures("_on_time")
async def test_a_replaced_player_returns(bot: SouthSeasBot, fake_discord: FakeDiscord) -> None:
    """The game goes on without them: a bot stands in, and the next message in the channel says so."""
    options = NewGameOptions([Person(str(BO.id), "Bo", "fr")], timeout_s=1)
    await bot.core.start_game(Person(str(ANA.id), "Ana", "en"), str(CHANNEL), options)
    late = await fake_discord.wait_for_post(lambda seen: "<@" in seen.text)
    person = ANA if calls(ANA)(late) else BO
    called = await fake_discord.wait_for_post(lambda seen: ":return:" in str(seen.components(2)))
    assert f"Time is up for {person.name}. The bot Greedy stands in for {person.name}." in called.text
    assert not (await fake_discord.press_action(person, called, "return")).text.startswith("No bot")
