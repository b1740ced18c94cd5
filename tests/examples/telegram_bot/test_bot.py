"""Telegram's part of the bot on the real service, within the Bot API's limits on messages and HTML."""

import json
from collections.abc import AsyncIterator, Iterator
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from telegram import Update
from telegram.request import HTTPXRequest, RequestData

from examples.chat.bot import COMMANDS, ChatBot
from examples.chat.screens import Screen
from examples.telegram_bot import TELEGRAM, TelegramBot, make_keyboard
from tests.polling import wait_until

TOKEN = "900:a-bot-token"
CHAT = {"id": -700, "type": "group", "title": "Table"}
BOT = {"id": 900, "is_bot": True, "first_name": "South Seas", "username": "SouthSeasBot"}
PHOTO = {"file_id": "photo", "file_unique_id": "photo", "width": 300, "height": 300}
REJECTED = {"ok": False, "error_code": 400, "description": "Bad Request: rejected by the test"}
MIGRATED = {**REJECTED, "parameters": {"migrate_to_chat_id": -1_000_700}}


class Telegram:
    """What the bot sends, in place of the requests of the library, and updates for it."""

    def __init__(self, bot: TelegramBot) -> None:
        self.bot = bot
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.failures: dict[str, list[dict[str, Any]]] = {}
        """The answers to the next requests of a method."""
        self._ids = count(1)

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, **_: Any
    ) -> tuple[int, bytes]:
        """Record a request, and answer it."""
        del method
        name = url.rpartition("/")[2]
        if self.failures.get(name):
            failure = self.failures[name].pop(0)
            return failure["error_code"], json.dumps(failure).encode()
        self.sent.append((name, (request_data.parameters if request_data else {})))
        result = {"getMe": BOT}.get(name, True)
        if name in {"sendMessage", "sendPhoto", "editMessageText", "editMessageMedia"}:
            result = self.message(
                **({"photo": [PHOTO]} if name in {"sendPhoto", "editMessageMedia"} else {"text": "x"})
            )
        return 200, json.dumps({"ok": True, "result": result}).encode()

    def message(self, sender: dict[str, Any] = BOT, **fields: Any) -> dict[str, Any]:
        """Return a message in the group."""
        return {"message_id": next(self._ids), "date": 1_790_000_000, "chat": CHAT, "from": sender, **fields}

    def last(self, *methods: str) -> dict[str, Any]:
        """Return the last request, of these methods if any are given."""
        return next(sent for name, sent in reversed(self.sent) if not methods or name in methods)

    async def say(self, name: str, text: str) -> str:
        """Write a command; return the text of the bot's answer."""
        command = {"type": "bot_command", "offset": 0, "length": len(text.partition(" ")[0])}
        await self._process(message=self.message(user(name), text=text, entities=[command]))
        answer = self.last("sendMessage", "sendPhoto")
        return str(answer.get("text", answer.get("caption")))

    async def press(self, name: str, data: str, **message: Any) -> dict[str, Any]:
        """Press a button of a message; return the answer to the query."""
        pressed = self.message(**(message or {"text": "x"}))
        await self._process(
            callback_query={"id": "1", "from": user(name), "chat_instance": "1", "data": data, "message": pressed}
        )
        return self.last("answerCallbackQuery")

    def data(self, *names: str) -> list[str]:
        """Return the data of the last message's buttons with these actions."""
        message = self.last("sendMessage", "sendPhoto", "editMessageText", "editMessageMedia")
        rows = message.get("reply_markup", {"inline_keyboard": []})["inline_keyboard"]
        buttons = [button["callback_data"] for row in rows for button in row]
        return [data for data in buttons if data.split(":")[2] in names]

    async def call(self, name: str = "Ana") -> dict[str, Any]:
        """Start a game against a bot, and wait for the message that calls the player."""
        await self.say(name, "/new greedy")
        await wait_until(lambda: self.data("menu"))
        return self.last()

    async def _process(self, **update: Any) -> None:
        await self.bot.application.process_update(
            Update.de_json({"update_id": next(self._ids), **update}, self.bot.application.bot)
        )


def user(name: str) -> dict[str, Any]:
    """Return a user, as the Bot API sends it."""
    return {"id": len(name), "is_bot": False, "first_name": name, "language_code": "fr" if name == "Bo" else "en"}


@pytest.fixture
def width() -> int:
    """Of the pictures, which take longest: most tests look at none."""
    return 0


@pytest.fixture
async def telegram(url: str, tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Telegram]:
    """Start the bot as `Application.run_polling` does, without polling."""
    telegram = Telegram(TelegramBot(ChatBot(url, tmp_path / "bot.sqlite", TELEGRAM, width), TOKEN))
    monkeypatch.setattr(HTTPXRequest, "do_request", lambda _, *args, **kwargs: telegram.do_request(*args, **kwargs))
    monkeypatch.setenv("PTB_TIMEDELTA", "true")  # otherwise the library warns of its next release
    application = telegram.bot.application
    assert application.post_init is not None
    assert application.post_shutdown is not None
    async with application:
        await application.post_init(application)
        yield telegram
    await application.post_shutdown(application)


async def test_commands_are_registered_and_explained(telegram: Telegram) -> None:
    commands = telegram.last("setMyCommands")["commands"]
    assert {command["command"]: command["description"] for command in commands} == COMMANDS
    assert "/new: Start a game" in await telegram.say("Ana", "/help")
    assert await telegram.say("Ana", "/new open greedy 10m") == "A new game: Ana, Greedy, an open seat."


async def test_a_call_becomes_the_menu_of_its_player(telegram: Telegram) -> None:
    called = await telegram.call()
    assert called["text"].endswith('<a href="tg://user?id=3">Ana</a>, it is your turn.')
    assert called["parse_mode"] == "HTML"
    scores = telegram.data("scores")[0]
    assert (await telegram.press("Ana", *telegram.data("menu")))["show_alert"] is False
    assert telegram.sent[-1][0] == "editMessageText"
    assert telegram.last()["text"] == "Which move? The numbers are those in the picture."
    assert 1 <= len(telegram.data("move")) <= 25
    await telegram.press("Ana", telegram.data("move")[0])
    assert telegram.sent[-1][0] == "editMessageText"
    await telegram.press("Ana", scores)
    assert telegram.sent[-1][0] == "sendMessage"
    assert "0 now" in telegram.last()["text"]


async def test_others_who_press_a_button_get_an_alert(telegram: Telegram) -> None:
    await telegram.say("Ana", "/new open")
    await telegram.press("Bo", *telegram.data("join"))
    await wait_until(lambda: telegram.data("menu"))
    is_anas = "id=3" in telegram.last("sendMessage")["text"]
    other = "Bo" if is_anas else "Ana"
    answer = await telegram.press(other, *telegram.data("menu"))
    assert answer["show_alert"] is True
    assert ("Ana" if is_anas else "Bo") in answer["text"]
    assert (await telegram.press("Cyn-a", *telegram.data("menu")))["text"] == "You have no seat in this game."
    assert telegram.sent[-1][0] == "answerCallbackQuery"


@pytest.mark.parametrize("width", (300,))
async def test_the_board_is_a_picture_which_is_left_out_if_it_is_rejected(telegram: Telegram) -> None:
    await telegram.call()
    assert telegram.sent[-1][0] == "sendPhoto"
    await telegram.press("Ana", *telegram.data("menu"), photo=[PHOTO])
    assert telegram.sent[-1][0] == "editMessageMedia"
    telegram.failures["sendPhoto"] = [REJECTED]
    assert (await telegram.say("Ana", "/new greedy")).startswith("A new game: Ana")
    assert "sendMessage" in {name for name, _ in telegram.sent}


async def test_a_message_that_cannot_be_edited_is_sent_again(telegram: Telegram) -> None:
    await telegram.call()
    telegram.failures["editMessageText"] = [REJECTED]
    await telegram.press("Ana", *telegram.data("menu"))
    assert telegram.sent[-1][0] == "sendMessage"
    assert telegram.data("move")
    telegram.failures["editMessageText"] = [{**REJECTED, "description": "Bad Request: message is not modified"}]
    sent = len(telegram.sent)
    await telegram.press("Ana", telegram.data("move")[0])
    assert [name for name, _ in telegram.sent[sent:]] == ["answerCallbackQuery"]


async def test_games_move_with_a_group_that_becomes_a_supergroup(telegram: Telegram) -> None:
    await telegram.call()
    telegram.failures["sendMessage"] = [MIGRATED]
    assert "0 now" in await telegram.say("Ana", "/scores")
    assert telegram.last("sendMessage")["chat_id"] == "-1000700"
    storage = telegram.bot.core.storage
    assert (storage.latest_game("-700"), storage.latest_game("-1000700") is None) == (None, False)


MAX_CAPTION = 1024
"""Of a picture; a text may have four times as many characters."""
MAX_DATA_BYTES = 64
MAX_BUTTONS = 100
ALLOWED_TAGS = {"a", "b", "i", "u", "s", "code", "pre"}


class _Markup(HTMLParser):
    """The text without markup, and what Telegram would reject."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.faults: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._open.append(tag)
        if tag not in ALLOWED_TAGS:
            self.faults.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.text += data


def telegram_faults(screen: Screen) -> Iterator[str]:
    """Yield what Telegram would reject in a screen's message."""
    markup = _Markup(screen.text)
    yield from markup.faults
    if not 1 <= len(markup.text) <= MAX_CAPTION:
        yield f"a text of {len(markup.text)} characters"
    keyboard = make_keyboard(screen)
    buttons = [button for row in keyboard.inline_keyboard for button in row] if keyboard else []
    if len(buttons) > MAX_BUTTONS:
        yield f"{len(buttons)} buttons"
    for button in buttons:
        if not button.text or not 1 <= len(str(button.callback_data).encode()) <= MAX_DATA_BYTES:
            yield f"a button {button}"
