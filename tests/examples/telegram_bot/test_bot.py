"""Users who play with the Telegram bot's commands and buttons, on the real service."""

import asyncio
from pathlib import Path
from random import Random
from typing import Any, Never

import pytest
from click.testing import CliRunner
from telegram.ext import Application

from examples import telegram_bot
from examples.chat.bot import COMMANDS
from examples.chat.player_actions import PlayerActions
from examples.chat.storage import ChannelGame, Seat
from examples.telegram_bot import TelegramBot
from south_seas import Client
from south_seas.models import CreateGame, SeatRequest
from tests.examples.telegram_bot.fake_telegram import FakeTelegram, SeenMessage, TelegramUser

pytestmark = pytest.mark.usefixtures("bot")

ANA = TelegramUser(1, "Ana")
BO = TelegramUser(2, "Bo", "fr")
CY = TelegramUser(3, "Cy", None)

CHOICES = ("cell", "ship", "move")


def calls(seen: SeenMessage, *people: TelegramUser) -> bool:
    """Whether a message calls one of these people."""
    return any(f"tg://user?id={person.id}" in seen.links for person in people)


async def call_of(telegram: FakeTelegram, *people: TelegramUser) -> tuple[SeenMessage, TelegramUser]:
    """Wait for the message that calls one of these people; return it and the person."""
    seen = await telegram.wait_for(lambda seen: calls(seen, *people))
    return seen, next(person for person in people if calls(seen, person))


async def begun(telegram: FakeTelegram) -> tuple[SeenMessage, TelegramUser]:
    """Start a game of Ana and Bo; return the message that calls the first player, and the player."""
    started = await telegram.say(ANA, "/new open", "A new game: Ana,")
    assert await telegram.press(BO, started, *started.data("join")) is None
    await telegram.wait_for(lambda seen: seen.text == "Vous avez une place.")
    return await call_of(telegram, ANA, BO)


async def begun_alone(telegram: FakeTelegram) -> SeenMessage:
    """Start a game of Ana and a bot; return the message that calls Ana."""
    await telegram.say(ANA, "/new greedy", "A new game: Ana,")
    return (await call_of(telegram, ANA))[0]


async def next_call(telegram: FakeTelegram, after: int) -> SeenMessage:
    """Wait for the next message that calls a player, or says that the game is over."""
    return await telegram.wait_for(
        lambda seen: seen.number > after and (calls(seen, ANA, BO) or bool(seen.data("rematch")))
    )


async def take_turn(telegram: FakeTelegram, person: TelegramUser, called: SeenMessage, chance: Random) -> SeenMessage:
    """Play a whole turn."""
    seen = await telegram.use(person, called, *called.data("menu"))
    while choices := seen.data(*CHOICES):
        seen = await telegram.use(person, seen, chance.choice(choices))
    return seen


async def test_commands_are_registered_and_explained(telegram: FakeTelegram) -> None:
    assert {command["command"]: command["description"] for command in telegram.commands} == COMMANDS
    assert "/new: Start a game" in (await telegram.say(ANA, "/help")).text


async def test_a_call_becomes_the_player_s_menu(telegram: FakeTelegram) -> None:
    started = await telegram.say(ANA, "/new greedy", "A new game: Ana,")
    assert started.text == "A new game: Ana, Greedy."
    called, _ = await call_of(telegram, ANA)
    assert called.text.endswith("Ana, it is your turn.")
    menu = await telegram.use(ANA, called, *called.data("menu"))
    assert menu.text == "Which cell? The numbers are those in the picture."
    assert menu.labels()[0].startswith("1")
    assert len(menu.data("cell")) <= 24


async def test_two_people_play_a_whole_game(telegram: FakeTelegram, bot: TelegramBot, url: str) -> None:
    """One of them in French, the other in English: every message is checked against Telegram's limits."""
    called, person = await begun(telegram)
    chance, turns = Random(7), 0
    while not called.data("rematch"):
        await take_turn(telegram, person, called, chance)
        turns += 1
        called = await next_call(telegram, called.number)
        person = BO if calls(called, BO) else ANA
    channel_game = bot.core.storage.latest_game("-700")
    assert channel_game is not None
    async with Client(url, channel_game.spectator_token) as client:
        game = await client.game(channel_game.game)
    assert game.status == "finished"
    assert turns == sum(tile.order > 0 for tile in game.board.values())
    assert bot.core.storage.running_games() == []


async def test_a_cell_with_one_move_that_ends_the_turn_is_no_alert(
    telegram: FakeTelegram, bot: TelegramBot, url: str
) -> None:
    """Nothing is to be decided after the tile."""
    people = [SeatRequest(name=ANA.name), SeatRequest(name=BO.name)]
    async with Client(url) as client:
        created = await client.create(CreateGame(players=people, first_seat=0, seed="one-rotation-87"))
        for seat, moves in ((0, ("p0.-1.3", "i1")), (1, ("p1.-1.1", "i0")), (0, ("p0.-2.1", "i2"))):
            for move in moves:
                await client.with_token(created.seats[seat].token).act(created.game.id, move)
    game = ChannelGame(created.game.id, "-700", created.owner_token, created.spectator_token)
    seats = [Seat(game.game, one.seat, str((ANA, BO)[one.seat].id), one.token) for one in created.seats]
    bot.core.games._save_game(game, seats)
    called, _ = await call_of(telegram, BO)
    menu = await telegram.use(BO, called, *called.data("menu"))
    (cell,) = (data for data in menu.data("cell") if data.endswith(":1.-2"))
    played = await telegram.use(BO, menu, cell)
    assert "Ana" in played.text
    assert played.data("scores")
    assert not played.data("menu"), "Ana gets a message of her own"


async def test_only_the_deciding_player_can_use_a_menu(telegram: FakeTelegram) -> None:
    called, person = await begun(telegram)
    menu = await telegram.use(person, called, *called.data("menu"))
    other = BO if person is ANA else ANA
    alert = await telegram.press(other, menu, menu.data("cell")[0])
    assert alert is not None
    assert person.name in alert
    assert await telegram.press(CY, menu, menu.data("cell")[0]) == "You have no seat in this game."
    assert telegram.messages[menu.number] == menu


async def test_a_stale_button_shows_the_current_position(telegram: FakeTelegram) -> None:
    called = await begun_alone(telegram)
    menu = await telegram.use(ANA, called, *called.data("menu"))
    placed = await telegram.use(ANA, menu, menu.data("cell")[0])
    if placed.text.startswith("Which rotation?"):
        await telegram.use(ANA, placed, placed.data("move")[0])
    stale = await telegram.use(ANA, menu, menu.data("cell")[0])
    assert stale.text.startswith("That button is from an earlier position. Here is the current one.\nWhich ")


async def test_other_commands_and_buttons(telegram: FakeTelegram) -> None:
    assert (await telegram.say(CY, "/board")).text == "There is no game here yet. Start one with /new."
    called, person = await begun(telegram)
    game = called.data("menu")[0].split(":")[0]
    assert "0 now" in (await telegram.say(ANA, "/scores")).text
    assert game in (await telegram.say(ANA, "/mygames")).text
    assert person.name in (await telegram.say(ANA, f"/board {game}")).text
    assert (await telegram.say(ANA, "/board nothing")).text == "I do not know this game."
    before = max(telegram.messages)
    assert await telegram.press(ANA, called, *called.data("scores")) is None
    assert "0 now" in (await telegram.wait_for(lambda seen: seen.number > before and "0 now" in seen.text)).text
    sure = await telegram.say(ANA, "/resign")
    assert sure.text == "Do you really want to resign?"
    assert await telegram.press(ANA, sure, *sure.data("resign")) is None
    over = await telegram.wait_for(lambda seen: bool(seen.data("rematch")))
    assert await telegram.press(BO, over, *over.data("rematch")) is None
    again = await telegram.wait_for(lambda seen: seen.text.startswith("Une nouvelle partie"))
    assert again.number > over.number


async def test_names_cannot_format_or_link(telegram: FakeTelegram) -> None:
    person = TelegramUser(4, '<a href="tg://user?id=1">Zoë</a> & co')
    await telegram.say(person, "/new greedy")
    called, _ = await call_of(telegram, person)
    assert called.links == ["tg://user?id=4"]
    assert '<a href="tg://user?id=1">Zoë' in called.text


@pytest.mark.parametrize("width", (300,))
async def test_the_board_is_a_picture(telegram: FakeTelegram) -> None:
    called = await begun_alone(telegram)
    assert called.photo is not None
    menu = await telegram.use(ANA, called, *called.data("menu"))
    assert menu.photo is not None
    assert menu.photo.startswith(b"\x89PNG")
    assert menu.photo != called.photo


@pytest.mark.parametrize("width", (300,))
async def test_a_picture_that_is_rejected_is_left_out(telegram: FakeTelegram) -> None:
    telegram.failing = {"sendPhoto"}
    started = await telegram.say(ANA, "/new greedy", "A new game: Ana,")
    assert (started.text, started.photo) == ("A new game: Ana, Greedy.", None)
    called, _ = await call_of(telegram, ANA)
    assert await telegram.press(ANA, called, *called.data("menu")) is None
    assert (await telegram.wait_for(lambda seen: bool(seen.data("cell")))).number > called.number


async def test_a_message_that_cannot_be_edited_is_sent_again(telegram: FakeTelegram) -> None:
    called = await begun_alone(telegram)
    telegram.failing = {"editMessageText"}
    assert await telegram.press(ANA, called, *called.data("menu")) is None
    assert (await telegram.wait_for(lambda seen: bool(seen.data("cell")))).number > called.number


async def test_a_message_that_is_postponed_is_sent_later(
    telegram: FakeTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "true")  # otherwise the library warns of its next release
    telegram.postponed = {"sendMessage"}
    await telegram.say(ANA, "/new greedy", "A new game: Ana,")
    assert telegram.postponed == set()


async def test_games_move_with_a_group_that_becomes_a_supergroup(telegram: FakeTelegram, bot: TelegramBot) -> None:
    await begun(telegram)
    telegram.supergroup = -1_000_700
    assert "0 now" in (await telegram.say(ANA, "/scores")).text
    assert bot.core.storage.latest_game("-700") is None
    assert bot.core.storage.latest_game("-1000700") is not None


async def test_a_confirmation_counts_for_its_seat_only(telegram: FakeTelegram) -> None:
    await begun(telegram)
    sure = await telegram.say(ANA, "/resign", "Do you really")
    assert await telegram.press(BO, sure, *sure.data("resign")) is None
    assert (await telegram.wait_for(lambda seen: "Voulez-vous" in seen.text)).data("resign") != sure.data("resign")


async def test_an_unexpected_error_is_an_alert(
    telegram: FakeTelegram, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: Any) -> Never:
        raise KeyError("a mistake of the bot")

    called = await begun_alone(telegram)
    monkeypatch.setattr(PlayerActions, "perform", fail)
    alert = await telegram.press(ANA, called, *called.data("menu"))
    assert alert == "Something went wrong. Your game is safe; try again."
    assert "a mistake of the bot" in caplog.text


def test_the_settings_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    urls: list[str] = []

    def run(application: Application[Any, Any, Any, Any, Any, Any]) -> None:
        urls.append(application.bot.base_url)
        assert application.post_shutdown is not None
        asyncio.run(application.post_shutdown(application))

    monkeypatch.setattr(Application, "run_polling", run)
    environment = {"TELEGRAM_TOKEN": "1:a", "SOUTH_SEAS_BOT_FILE": str(tmp_path / "games.sqlite")}
    finished = CliRunner().invoke(telegram_bot.main, ["--url", "http://127.0.0.1:9"], env=environment)
    assert (finished.exit_code, urls) == (0, ["https://api.telegram.org/bot1:a"])
    assert CliRunner().invoke(telegram_bot.main, [], env={"TELEGRAM_TOKEN": ""}).exit_code == 2
