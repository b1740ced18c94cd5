"""People play with the bot of a chat on the real service: menus within its limits, names, and the file of games."""

import re
import stat
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from random import Random
from time import time
from typing import Any, Never
from unittest.mock import DEFAULT, AsyncMock

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from examples.chat import notifier
from examples.chat.actions import ChatAction
from examples.chat.bot import ChatBot
from examples.chat.games import NewGameOptions, Person
from examples.chat.menus import Choice, MoveMenus, worth_lines
from examples.chat.names import plain_name, send_names, unique_names
from examples.chat.phrases import LANGUAGES, PHRASES, Language, language_of, translate
from examples.chat.screens import ChatFormat, Screen
from examples.chat.ship_labels import ship_label
from examples.chat.storage import BotStorage, ChannelGame, Seat
from examples.discord_bot.messages import DISCORD, build_view
from examples.telegram_bot import TELEGRAM
from schemas.player_names import name_key, normalize_name
from service.games.repository import Context
from service.games.scheduler import make_scheduler
from service.store.game_store import RedisStore
from south_seas import Client
from south_seas.errors import error_for, make_problem
from south_seas.models import Cost, CreateGame, LegalMoves, SeatRequest, Ship
from tests.api_key_fixture import add_api_key
from tests.examples.chat.conftest import ANA, BO, CHANNEL, CY, Chat
from tests.examples.discord_bot.test_bot import CUSTOM_ID, discord_faults, message_faults
from tests.examples.telegram_bot.test_bot import telegram_faults
from tests.polling import in_background, rounds, wait_until
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


async def test_a_game_is_watched_on_after_a_rate_limit(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier, "RETRY_INTERVAL_S", 0)
    limit, story = error_for(make_problem(429, "over", "rate_limited")), chat.bot.games.story
    monkeypatch.setattr(chat.bot.games, "story", AsyncMock(side_effect=[limit, DEFAULT], wraps=story))
    await chat.begin(ANA, BO)


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


async def test_a_restart_repeats_none_of_hundreds_of_notifications_and_buttons_still_work(
    url: str, store: RedisStore, file: Path, chat_format: ChatFormat
) -> None:
    api_key = await add_api_key(store)
    before, after = (Chat(ChatBot(url, file, chat_format, 0, api_key)) for _ in range(2))
    await before.bot.open(before.post)
    called, person = await before.begin(ANA, BO)
    menu = await before.press(person, called, "menu")
    for _ in range(299):
        await before.new(ANA, BO)
    await wait_until(lambda: len(before.posted) == 300)
    await before.bot.close()
    async with Client(url) as client:
        for game in after.bot.storage.running_games()[1::10]:
            await client.with_token(game.owner_token).resign(game.game, seat=0)
    await after.bot.open(after.post)
    await wait_until(lambda: len(after.bot.storage.running_games()) == 270)
    assert (await after.choose(person, menu)).buttons
    assert len(after.posted) == 30
    await after.bot.close()


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


GAME = "g" * 32
VERSION = 2**31 - 1


def legal(phase: str, actions: list[dict[str, Any]], ids: list[str]) -> LegalMoves:
    moves: list[dict[str, Any]] = [
        {
            "id": name,
            "text": "t" * 100,
            "action": action,
            **dict.fromkeys(("if_passed", "feature")),
            "effects": [],
            "worth": f"Worth {name}.",
        }
        for name, action in zip(ids, actions, strict=True)
    ]
    received = {"version": VERSION, "digest": "0" * 32, "language": "en", "seat": 0, "phase": phase, "moves": moves}
    return msgspec.convert({**received, "repeated": [], "cells": None, "ships": [], "next_cursor": None}, LegalMoves)


def placements(cells: int) -> LegalMoves:
    at = [(cell, turn) for cell in range(cells) for turn in range(4)]
    actions = [{"type": "place_tile", "x": -499, "y": -cell, "rotation": turn} for cell, turn in at]
    return legal("place_tile", actions, [f"p-499.-{cell}.{turn}" for cell, turn in at])


def deliveries(ships: int, payments: int) -> LegalMoves:
    at = [(ship, fish) for ship in range(ships) for fish in range(payments)]
    wares = [{"bananas": 0, "shells": 0, "fish": fish} for _, fish in at]
    actions: list[dict[str, Any]] = [
        {"type": "deliver", "ship": f"ship-00{ship}", "wares": paid} for (ship, _), paid in zip(at, wares, strict=True)
    ]
    ids = [f"d.ship-00{ship}.0.0.{fish}" for ship, fish in at]
    return legal("deliver", [*actions, {"type": "pass", "phase": "deliver"}], [*ids, "pass.deliver"])


async def options_of(choice: Choice) -> list[str]:
    """Return the values of the options; fail if Discord would reject the message."""
    screen = Screen(choice.question, question=choice.question, options=choice.options, buttons=choice.buttons)
    assert list(message_faults({"content": screen.text, "components": build_view(screen).to_components()})) == []
    return [option.action.value for option in choice.options]


def menus(offered: LegalMoves, language: Language = "en", chat: ChatFormat = DISCORD) -> MoveMenus:
    return MoveMenus(chat, language, GAME, offered, {f"ship-00{ship}": f"{ship} points" for ship in range(4)})


def action(name: str, value: str) -> ChatAction:
    return ChatAction(GAME, VERSION, name, value)


@pytest.mark.parametrize("cells", (7, 25, 26, 48, 300))
async def test_every_cell_is_on_some_page(cells: int) -> None:
    offered, result = menus(placements(cells)), list[str]()
    choice = offered.choice(None)
    while (rows := await options_of(choice)) and (more := choice.options[-1].action).name == "page":
        assert (len(rows), choice.options[-1].label) == (25, "More ▶")
        result += rows[:-1]
        choice = offered.choice(more)
        assert [button.label for button in choice.buttons] == ["◀ Earlier"]
    assert [*result, *rows] == [f"-499.{-cell}" for cell in range(cells)]


async def test_few_placements_are_one_menu() -> None:
    assert await options_of(menus(placements(6)).choice(None)) == [move.id for move in placements(6).moves]


async def test_rotations_are_buttons_with_the_numbers_of_the_picture() -> None:
    choice = menus(placements(9)).choice(action("cell", "-499.-3"))
    await options_of(choice)
    assert [button.label for button in choice.buttons] == ["13 · 0°", "14 · 90°", "15 · 180°", "16 · 270°", "Back"]


async def test_placements_that_look_alike_are_one_choice() -> None:
    offered = placements(1)
    alike = msgspec.structs.replace(offered, repeated=[move.id for move in offered.moves[1:]])
    assert menus(alike).single_move("-499.0") == offered.moves[0]


def test_moves_say_what_they_are_worth_after_their_numbers() -> None:
    choice = menus(placements(2)).choice(action("cell", "-499.-1"))
    assert [*worth_lines(choice)] == [f"{number}: Worth p-499.-1.{number - 5}." for number in (5, 6, 7, 8)]
    assert [*worth_lines(menus(placements(7)).choice(None))] == []


def test_a_chat_without_pictures_has_no_numbers() -> None:
    plain = menus(placements(2), chat=DISCORD._replace(has_pictures=False))
    assert [option.label for option in plain.choice(None).options][3:5] == ["(-499, 0) 270°", "(-499, -1) 0°"]


async def test_many_payments_are_grouped_by_ship() -> None:
    offered = menus(deliveries(4, 100), "fr")
    ships = offered.choice(None)
    assert await options_of(ships) == [f"ship-00{ship}" for ship in range(4)]
    assert [option.label.partition(" · ")[2] for option in ships.options] == [f"{ship} points" for ship in range(4)]
    assert [button.action.value for button in ships.buttons] == ["pass.deliver"]
    result: list[str] = []
    for value in ("ship-002", *(f"ship-002:{page}" for page in range(1, 5))):
        result += [row for row in await options_of(offered.choice(action("ship", value))) if row.startswith("d.")]
    assert result == [f"d.ship-002.0.0.{fish}" for fish in range(100)]


@pytest.mark.parametrize(
    ("language", "label"),
    (
        ("en", "5 points: 1 banana, 2 shells, 3 fish, 1 ware of any kind"),
        ("fr", "5 points\u202f: 1 banane, 2 coquillages, 3 poissons, 1 marchandise au choix"),
        ("de", "5 Punkte: 1 Banane, 2 Muscheln, 3 Fische, 1 Ware nach Wahl"),
    ),
)
def test_a_ship_is_labelled_with_its_points_and_cost(language: Language, label: str) -> None:
    ship = Ship(id="s04", points=5, cost=Cost(bananas=1, shells=2, fish=3, any=1, same=[]))
    assert ship_label(language, ship) == label


async def test_few_payments_are_one_menu() -> None:
    assert len(await options_of(menus(deliveries(4, 6), "de").choice(None))) == 24


def test_actions_fit_into_every_chat_s_buttons_and_are_parsed() -> None:
    longest = ChatAction("g" * 12, VERSION, "rematch", "d.ship--99.60.60.60xxxxxx"[:24])
    assert len(longest.encode()) <= 64  # Telegram has the least room
    assert len(f"sea:b:{longest._replace(game=GAME).encode()}") <= CUSTOM_ID
    assert ChatAction.parse(longest.encode()) == longest
    for text in ("", "sea", f"{longest.encode()}!", longest.encode().replace(":", "")):
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            ChatAction.parse(text)


def test_every_phrase_has_every_language() -> None:
    assert {len(phrases) for phrases in PHRASES.values()} == {len(LANGUAGES)}
    assert all(phrase for phrases in PHRASES.values() for phrase in phrases)
    assert not any("'" in phrase for phrases in PHRASES.values() for phrase in phrases)
    assert translate("fr", "choose_cell") == "Où\u202f?"
    assert [language_of(locale) for locale in ("fr", "de", "en-US", "es-ES")] == ["fr", "de", "en", "en"]


DISPLAY_NAMES = st.text(
    st.characters() | st.sampled_from("\u034f\u115f\u2800\u3164aA\uff21\ufe0f\u0301\u200d "), max_size=40
)

ACCEPTED = (
    "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",  # Ali Reza in Persian
    "ශ\u0dca\u200dරී",
    "👨\u200d👩\u200d👧",
    "\U0001fae8",  # Unicode 15
    "\U00010d50",  # Unicode 16
    "Zoë",
)


def is_accepted(name: str) -> bool:
    """Return whether the service accepts a name as it is."""
    try:
        return normalize_name(name) == name
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("sent", "received"),
    (
        (ACCEPTED[:5], ACCEPTED[:5]),
        (ACCEPTED[5:], ACCEPTED[5:]),
        (("Ana", "ANA ", "\uff21na"), ("Ana", "ANA 2", "\uff21na 3")),
        (("A\u202ena\n", "x" * 40), ("Ana", "x" * 32)),
        (("\u200b", " Zoë ", "\ud800"), ("?", "Zoë", "? 2")),
    ),
)
async def test_the_service_receives_names_as_users_write_them(
    client: Client, sent: tuple[str, ...], received: tuple[str, ...]
) -> None:
    async def create(names: list[str]) -> list[str | None]:
        seats = [*(SeatRequest(name=name) for name in names), SeatRequest(open=True)][:5]
        created = await client.create(CreateGame(players=seats))
        return [player.name for player in created.game.players]

    assert (await send_names(sent, (), create))[: len(sent)] == [*received]


@given(DISPLAY_NAMES)
def test_the_service_accepts_every_plain_name(name: str) -> None:
    assert is_accepted(plain_name(name))


@given(st.lists(DISPLAY_NAMES.filter(is_accepted) | DISPLAY_NAMES.map(plain_name), max_size=4))
def test_no_two_names_look_alike(names: list[str]) -> None:
    unique = unique_names(names, ())
    assert len({name_key(name) for name in unique}) == len(unique)


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bot.sqlite"
    BotStorage(file).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
