"""People who play with the bot of a chat, whichever it is, on the real service."""

import re
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from random import Random
from time import time
from typing import Any, Never
from unittest.mock import AsyncMock

import pytest
from msgspec.structs import replace

from examples.chat.bot import ChatBot
from examples.chat.games import NewGameOptions, Person
from examples.chat.phrases import translate
from examples.chat.screens import ChatFormat, Screen
from examples.chat.storage import ChannelGame, Seat
from examples.discord_bot.messages import DISCORD
from examples.telegram_bot import TELEGRAM
from service.games.repository import Context
from service.games.scheduler import make_scheduler
from service.store.game_store import RedisStore
from south_seas import Client
from south_seas.errors import error_for, make_problem
from south_seas.models import CreateGame, SeatRequest
from tests.examples.chat.conftest import ANA, BO, CHANNEL, CY, Chat
from tests.examples.discord_bot.test_bot import discord_faults
from tests.examples.telegram_bot.test_bot import telegram_faults
from tests.polling import in_background, rounds
from tests.web.app_server import TILESETS

PNG = b"\x89PNG"
CHOICES = {"cell", "ship", "move"}


@pytest.mark.parametrize(
    ("chat_format", "faults"), ((DISCORD, discord_faults), (TELEGRAM, telegram_faults)), ids=["discord", "telegram"]
)
async def test_two_people_play_a_whole_game(
    chat: Chat, url: str, faults: Callable[[Screen], Iterable[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them in French, the other in English: every message is within the chat's limits."""
    called, person = await chat.begin(ANA, BO)
    monkeypatch.setattr(chat.bot, "_width", 0)
    chance, turns, shown = Random(7), 0, []
    while called.mention:
        posted = len(chat.posted)
        screen = await chat.press(person, called, "menu")
        while choices := [one.action for one in (*screen.options, *screen.buttons) if one.action.name in CHOICES]:
            shown.append(screen)
            screen = await chat.bot.press(person, chance.choice(choices))
        shown.append(screen)
        turns += 1
        called = await chat.wait_for(lambda _: True, posted)
        person = BO if called.mention == BO.user else ANA
    game = chat.bot.storage.latest_game(CHANNEL)
    assert game is not None
    async with Client(url, game.spectator_token) as client:
        view = await client.game(game.game)
    assert view.status == "finished"
    assert turns == sum(tile.order > 0 for tile in view.board.values())
    assert "Final scores: " in called.text
    assert chat.bot.storage.running_games() == []
    assert [fault for screen in (*shown, *chat.posted) for fault in faults(screen)] == []


async def test_islanders_say_what_they_are_worth(chat: Chat) -> None:
    """In the user's language, after the number in the picture."""
    called, person = await chat.begin(BO, CY)
    placed = await chat.place(person, called)
    wanted = {"fr": r"\n\d+: Valeur d", "de": r"\n\d+: D(ie|er) \S+ ist bisher "}[person.language]
    assert re.search(wanted, placed.text), placed.text


async def test_a_stale_button_shows_the_current_position(chat: Chat) -> None:
    """It never acts in a position that its presser did not see."""
    called, _ = await chat.begin(ANA)
    menu = await chat.press(ANA, called, "menu")
    current = await chat.place(ANA, called)
    stale = await chat.choose(ANA, menu)
    assert stale.text.startswith("That button is from an earlier position. Here is the current one.\n")
    assert stale.options == (await chat.say(ANA, "moves")).options
    assert current.question + " The numbers are those in the picture." in stale.text


async def test_a_cell_with_one_move_is_placed_at_once(chat: Chat, url: str) -> None:
    """Here nothing is to be decided after the tile, which ends the turn."""
    people = [SeatRequest(name=ANA.name), SeatRequest(name=BO.name)]
    async with Client(url) as client:
        created = await client.create(CreateGame(players=people, first_seat=0, seed="one-rotation-27"))
        for seat, moves in ((0, ("p1.0.3", "i2")), (1, ("p1.-1.3", "i0")), (0, ("p0.1.1", "i0"))):
            for move in moves:
                await client.with_token(created.seats[seat].token).act(created.game.id, move)
    chat.bot.storage.add_game(ChannelGame(created.game.id, CHANNEL, created.owner_token, created.spectator_token))
    joined = next(one for one in created.seats if one.seat == 1)
    chat.bot.storage.add_seat(Seat(created.game.id, 1, BO.user, joined.token))
    menu = await chat.say(BO, "moves")
    played = await chat.bot.press(BO, menu.options[0].action._replace(name="cell", value="0.-1"))
    assert "Ana" in played.text
    assert not played.options
    assert not played.is_others_turn


@pytest.mark.parametrize("chat_format", (DISCORD._replace(page_size=4),))
async def test_a_chosen_cell_can_be_changed(chat: Chat) -> None:
    left = rounds()
    while True:  # the first tile of a game may fit only one way round, wherever it fits
        next(left)
        called, person = await chat.begin(ANA, BO)
        menu = await chat.press(person, called, "menu")
        cells = (index for index, one in enumerate(menu.options) if not one.label.partition(" · ")[0].isdecimal())
        if (several := next(cells, None)) is not None:
            break
    turned = await chat.choose(person, menu, several)
    assert [one.action.name for one in turned.buttons].count("move") > 1
    assert (await chat.press(person, turned, "page")).options == menu.options


async def test_a_user_without_a_seat_gets_an_error(chat: Chat) -> None:
    assert (await chat.say(CY, "moves")).text.startswith("Hier gibt es noch kein Spiel")
    called, _ = await chat.begin(ANA)
    assert (await chat.press(CY, called, "menu")).text == "Du hast keinen Platz in diesem Spiel."
    unknown = await chat.say(CY, "moves", "nothing")
    assert (unknown.text, unknown.is_error) == ("Dieses Spiel kenne ich nicht (mehr).", True)


async def test_moves_of_another_turn_show_the_board(chat: Chat) -> None:
    called, person = await chat.begin(ANA, BO)
    shown = await chat.press(BO if person is ANA else ANA, called, "menu")
    assert (list(shown.options), shown.is_others_turn) == ([], True)
    assert shown.text.startswith("C’est à Ana" if person is ANA else "It is Bo’s turn")


@pytest.mark.parametrize(
    ("chat_format", "expected"),
    ((DISCORD, r"\*Zoë\* @~everyone @~here \<@1\>"), (TELEGRAM, "*Zoë* @~everyone @~here &lt;@~1&gt;")),
    ids=["discord", "telegram"],
)
async def test_names_cannot_mention_or_format(chat: Chat, expected: str) -> None:
    called, _ = await chat.begin(Person("4", "*Zoë* @everyone @here <@1>", "en"))
    assert expected in called.text.replace("\u200b", "~")


async def test_the_board_is_a_picture_with_numbers_in_menus(chat: Chat) -> None:
    called, _ = await chat.begin(ANA)
    menu, board = await chat.press(ANA, called, "menu"), await chat.say(ANA, "board")
    pictures = [await chat.bot.picture(screen) for screen in (called, menu, board)]
    assert all(picture is not None and picture.startswith(PNG) for picture in pictures)
    assert pictures[1] != pictures[2]


async def test_a_failing_picture_does_not_stop_the_game(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service draws nothing of such a size."""
    monkeypatch.setattr(chat.bot, "_width", -1)
    called, _ = await chat.begin(ANA)
    assert await chat.bot.picture(called) is None
    assert (await chat.press(ANA, called, "menu")).options


async def test_a_missing_game_is_not_watched(chat: Chat) -> None:
    missing = ChannelGame("gone", CHANNEL, "o" * 43, "s" * 43)
    chat.bot.storage.add_game(missing)
    chat.bot.notifier.watch(missing)
    await chat.bot.notifier._tasks["gone"]
    assert chat.bot.storage.running_games() == []


async def test_a_move_is_undone_once(chat: Chat) -> None:
    called, person = await chat.begin(ANA, BO)
    islander = await chat.place(person, called)
    again = await chat.press(person, islander, "undo")
    assert again.options[0].label.startswith("1")
    stale = await chat.press(person, islander, "undo")
    assert stale.text.splitlines()[0] == translate(person.language, "stale")
    nothing = translate(person.language, "nothing_to_undo")
    assert "undo" not in [one.action.name for one in again.buttons]
    rejected = await chat.say(person, "undo")
    assert (rejected.text, rejected.is_error) == (nothing, True)


async def test_resigning_is_confirmed_for_its_seat_and_allows_a_rematch(chat: Chat) -> None:
    await chat.begin(ANA, BO)
    asked = await chat.say(ANA, "resign")
    assert asked.text == "Do you really want to resign?"
    other = await chat.press(BO, asked, "resign")
    assert other.text.startswith("Voulez-vous")
    assert other.buttons[0].action != asked.buttons[0].action
    assert (await chat.press(ANA, asked, "resign")).text == "You have resigned."
    over = await chat.wait_for_end()
    assert "Ana" in over.text
    posted = len(chat.posted)
    assert (await chat.press(BO, over, "rematch")).text.startswith("Une nouvelle partie")
    called, person = await chat.call_of(ANA, BO, after=posted)
    assert (await chat.press(person, called, "menu")).options
    assert "ont déjà une nouvelle partie" in (await chat.press(BO, over, "rematch")).text


async def test_a_rematch_that_was_started_elsewhere_is_taken_over(chat: Chat) -> None:
    await chat.begin(ANA, BO)
    await chat.press(ANA, await chat.say(ANA, "resign"), "resign")
    over = await chat.wait_for_end()
    game = chat.bot.storage.latest_game(CHANNEL)
    assert game is not None
    rematch = await chat.bot.games.reader(game, "en").with_token(game.owner_token).rematch(game.game)
    assert (await chat.press(BO, over, "rematch")).text.startswith("Une nouvelle partie")
    assert chat.bot.storage.latest_game(CHANNEL) == game._replace(game=rematch.game.id)


async def test_a_player_who_joined_is_in_the_rematch(chat: Chat) -> None:
    await chat.press(CY, await chat.new(ANA, open_seats=1), "join")
    await chat.press(CY, await chat.say(CY, "resign"), "resign")
    await chat.wait_for_end()
    posted = len(chat.posted)
    await chat.say(ANA, "rematch")
    called, person = await chat.call_of(ANA, CY, after=posted)
    assert (await chat.press(person, called, "menu")).options


async def test_only_a_replaced_player_can_return(chat: Chat) -> None:
    await chat.new(ANA, bots=["greedy"], timeout_s=300)
    assert (await chat.say(ANA, "back")).text == "No bot plays for you."


@pytest.fixture
async def _on_time(store: RedisStore) -> AsyncIterator[None]:
    """Start an instance that processes deadlines."""
    context = Context(store=store, tilesets=TILESETS, clock=time, on_committed=lambda _change: None)
    async with in_background(make_scheduler(context, 0.1).run()):
        yield


@pytest.mark.usefixtures("_on_time")
async def test_a_replaced_player_returns(chat: Chat) -> None:
    """The game goes on without them: a bot stands in, and the next message in the channel says so."""
    await chat.new(ANA, BO, timeout_s=1)
    _, person = await chat.call_of(ANA, BO)
    called = await chat.wait_for(lambda screen: "return" in [one.action.name for one in screen.buttons])
    assert f"Time is up for {person.name}. The bot Greedy stands in for {person.name}." in called.text
    assert not (await chat.press(person, called, "return")).is_error


async def test_a_restart_repeats_no_notification_and_buttons_still_work(
    url: str, chat: Chat, file: Path, chat_format: ChatFormat
) -> None:
    called, person = await chat.begin(ANA, BO)
    menu = await chat.press(person, called, "menu")
    await chat.bot.close()
    restarted = Chat(ChatBot(url, file, chat_format, 0))
    await restarted.bot.open(restarted.post)
    assert (await restarted.choose(person, menu)).buttons
    assert restarted.posted == []
    await restarted.bot.close()


async def test_a_rate_limit_is_told_with_its_time(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = error_for(replace(make_problem(429, "over", "rate_limited"), retry_after_s=200))
    monkeypatch.setattr(chat.bot.games, "create", AsyncMock(side_effect=limit))
    shown = await chat.new(ANA)
    assert (shown.text, shown.is_error) == ("Too many new games; try again in 4 min.", True)


async def test_an_unreachable_service_is_reported(chat: Chat, file: Path, chat_format: ChatFormat) -> None:
    await chat.begin(ANA)
    without = Chat(ChatBot("http://127.0.0.1:9", file, chat_format, 0))
    await without.bot.open(without.post)
    shown = await without.say(ANA, "moves")
    assert (shown.text, shown.is_error) == (translate("en", "away"), True)
    assert await without.bot.games.bots() == []
    await without.bot.close()


async def test_an_unexpected_error_is_logged_and_reported(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: Any) -> Never:
        raise KeyError("a mistake of the bot")

    monkeypatch.setattr(chat.bot.games, "create", fail)
    failed = await chat.new(ANA, bots=["greedy"])
    assert (failed.text, failed.is_error) == ("Something went wrong. Your game is safe; try again.", True)
    assert "a mistake of the bot" in caplog.text


async def test_tokens_are_never_shown(chat: Chat) -> None:
    called, _ = await chat.begin(ANA)
    menu = await chat.press(ANA, called, "menu")
    (seat,) = chat.bot.storage.seats_of(ANA.user)
    game = chat.bot.storage.latest_game(CHANNEL)
    assert game is not None
    tokens = (seat.token, game.owner_token, game.spectator_token)
    assert [token for token in tokens for screen in (called, menu) if token in str(screen)] == []


async def test_only_players_can_name_a_game_of_another_channel(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat.bot.notifier, "watch", lambda _game: None)
    await chat.bot.start_game(ANA, "701", NewGameOptions(bots=["greedy"]))
    game = chat.bot.storage.latest_game("701")
    assert game is not None
    assert (await chat.say(BO, "board", game.game)).text.startswith("Je ne connais pas")
    assert (await chat.say(ANA, "board", game.game)).text == "It is Ana’s turn to place a tile."
