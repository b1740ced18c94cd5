"""A fake Telegram: a local server with the methods of the Bot API that the bot uses, and users of the bot.

The bot is all python-telegram-bot: it polls for updates, and sends its messages over HTTP. They are checked against the
limits of the Bot API.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from itertools import count
from typing import Any, NamedTuple, Self

from aiohttp import web
from aiohttp.test_utils import TestServer

from examples.telegram_bot import TelegramBot

TOKEN = "900:a-bot-token"
CHAT = -700
"""A group: its ids are negative."""
TIMEOUT_S = 20.0

MAX_TEXT = 4096
MAX_CAPTION = 1024
MAX_ALERT = 200
MAX_DATA_BYTES = 64
MAX_BUTTONS = 100

BOT = {"id": 900, "is_bot": True, "first_name": "South Seas", "username": "SouthSeasBot"}
ALLOWED_TAGS = {"a", "b", "i", "u", "s", "code", "pre"}


class TelegramUser(NamedTuple):
    """A Telegram user."""

    id: int
    name: str
    language: str | None = "en"

    def payload(self) -> dict[str, Any]:
        """Return the user as the Bot API sends it."""
        payload: dict[str, Any] = {"id": self.id, "is_bot": False, "first_name": self.name}
        return payload if self.language is None else {**payload, "language_code": self.language}


class SeenMessage(NamedTuple):
    """A message in the group as users see it."""

    number: int
    text: str
    """Without markup."""
    links: list[str]
    keyboard: list[list[dict[str, str]]]
    photo: bytes | None

    def buttons(self) -> list[dict[str, str]]:
        """Return all buttons."""
        return [button for row in self.keyboard for button in row]

    def labels(self) -> list[str]:
        """Return the labels of the buttons."""
        return [button["text"] for button in self.buttons()]

    def data(self, *names: str) -> list[str]:
        """Return the data of the buttons with these actions."""
        return [button["callback_data"] for button in self.buttons() if button["callback_data"].split(":")[2] in names]


class _Markup(HTMLParser):
    """Telegram's subset of HTML: the text without markup, the links, and what Telegram would reject."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.links: list[str] = []
        self.faults: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag not in ALLOWED_TAGS:
            self.faults.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.text += data


class FakeTelegram:
    """A group with the bot."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        """Violations of the Bot API's limits."""
        self.commands: list[dict[str, str]] = []
        self.messages: dict[int, SeenMessage] = {}
        self.failing: set[str] = set()
        """Methods that Telegram rejects."""
        self.postponed: set[str] = set()
        """Methods that Telegram postpones once, because of too many requests."""
        self.supergroup: int | None = None
        """What the group has become."""
        self._updates: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._changed = asyncio.Condition()
        self._ids = count(10_000)
        self._answers: dict[str, dict[str, str]] = {}
        app = web.Application()
        app.add_routes([web.post(f"/bot{TOKEN}/{{method}}", self._call)])
        self._server = TestServer(app)

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()

    @property
    def base_url(self) -> str:
        """The URL to which the library adds the token."""
        return str(self._server.make_url("/bot"))

    @asynccontextmanager
    async def polled_by(self, bot: TelegramBot) -> AsyncIterator[None]:
        """Run a bot as `Application.run_polling` does."""
        application = bot.application
        assert application.updater is not None
        assert application.post_init is not None
        assert application.post_shutdown is not None
        async with application:
            await application.post_init(application)
            await application.updater.start_polling()
            await application.start()
            yield
            await application.updater.stop()
            await application.stop()
        await application.post_shutdown(application)

    async def say(self, user: TelegramUser, text: str, response: str = "") -> SeenMessage:
        """Write a command into the group; return the bot's next message whose text starts so."""
        before = max(self.messages, default=0)
        length = len(text.partition(" ")[0])
        await self._updates.put(
            {
                "message": {
                    **self._message_object(next(self._ids), user.payload()),
                    "text": text,
                    "entities": [{"type": "bot_command", "offset": 0, "length": length}],
                }
            }
        )
        return await self.wait_for(lambda seen: seen.number > before and seen.text.startswith(response))

    async def press(self, user: TelegramUser, message: SeenMessage, data: str) -> str | None:
        """Press a button; return the text of the alert, or None without one."""
        query = str(next(self._ids))
        await self._updates.put(
            {
                "callback_query": {
                    "id": query,
                    "from": user.payload(),
                    "chat_instance": "1",
                    "data": data,
                    "message": {
                        **self._message_object(message.number, BOT),
                        **({"text": message.text} if message.photo is None else {"photo": [PHOTO]}),
                    },
                }
            }
        )
        async with asyncio.timeout(TIMEOUT_S), self._changed:
            await self._changed.wait_for(lambda: query in self._answers)
        assert not self.faults, self.faults
        answer = self._answers[query]
        return answer["text"] if answer.get("show_alert") == "true" else None

    async def use(self, user: TelegramUser, message: SeenMessage, data: str) -> SeenMessage:
        """Press a button that changes its message; return the message as it is then."""
        before = self.messages[message.number]
        assert await self.press(user, message, data) is None
        async with asyncio.timeout(TIMEOUT_S), self._changed:
            await self._changed.wait_for(lambda: self.messages[message.number] is not before)
        return self.messages[message.number]

    async def wait_for(self, wanted: Callable[[SeenMessage], bool]) -> SeenMessage:
        """Wait for a matching message; return the newest one."""
        async with asyncio.timeout(TIMEOUT_S), self._changed:
            await self._changed.wait_for(lambda: any(map(wanted, self.messages.values())))
        assert not self.faults, self.faults
        return [seen for seen in self.messages.values() if wanted(seen)][-1]

    def _message_object(self, number: int, sender: dict[str, Any]) -> dict[str, Any]:
        chat = {"id": CHAT, "type": "group", "title": "Table"}
        return {"message_id": number, "date": 1_790_000_000, "chat": chat, "from": sender}

    async def _call(self, request: web.Request) -> web.Response:
        method, form = request.match_info["method"], await request.post()
        if method in self.failing:
            description = "Bad Request: rejected by the test"
            return web.json_response({"ok": False, "error_code": 400, "description": description}, status=400)
        if method in self.postponed:
            self.postponed.remove(method)
            problem = {"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 1"}
            return web.json_response({**problem, "parameters": {"retry_after": 1}}, status=429)
        files = {name: field.file.read() for name, field in form.items() if isinstance(field, web.FileField)}
        fields = {name: str(value) for name, value in form.items() if name not in files}
        if self.supergroup is not None and fields.get("chat_id") == str(CHAT):
            problem = {"ok": False, "error_code": 400, "description": "Bad Request: group chat was upgraded"}
            return web.json_response({**problem, "parameters": {"migrate_to_chat_id": self.supergroup}}, status=400)
        result = await self._perform(method, fields, files)
        async with self._changed:
            self._changed.notify_all()
        return web.json_response({"ok": True, "result": result})

    async def _perform(self, method: str, fields: dict[str, str], files: dict[str, bytes]) -> Any:
        match method:
            case "getMe":
                return BOT
            case "getUpdates":
                return await self._next_updates(float(fields.get("timeout", "0")))
            case "setMyCommands":
                self.commands = json.loads(fields["commands"])
            case "answerCallbackQuery":
                self.faults += [f"a long alert: {fields['text']}"] if len(fields.get("text", "")) > MAX_ALERT else []
                self._answers[fields["callback_query_id"]] = fields
            case "sendMessage" | "sendPhoto":
                return self._store(next(self._ids), fields, files.get("photo"))
            case "editMessageText":
                return self._store(int(fields["message_id"]), fields, None)
            case "editMessageMedia":
                media = json.loads(fields["media"])
                picture = files[media["media"].removeprefix("attach://")]
                return self._store(int(fields["message_id"]), {**fields, **media}, picture)
            case _:
                pass
        return True

    async def _next_updates(self, timeout_s: float) -> list[dict[str, Any]]:
        try:
            async with asyncio.timeout(timeout_s):
                update = await self._updates.get()
        except TimeoutError:
            return []
        return [{"update_id": next(self._ids), **update}]

    def _store(self, number: int, fields: dict[str, str], photo: bytes | None) -> dict[str, Any]:
        if fields.get("parse_mode") != "HTML":
            self.faults.append("a message without HTML")
        markup = _Markup(fields.get("text", fields.get("caption", "")))
        keyboard = json.loads(fields["reply_markup"])["inline_keyboard"] if "reply_markup" in fields else []
        seen = SeenMessage(number, markup.text, markup.links, keyboard, photo)
        self.faults += [*markup.faults, *_faults(seen)]
        self.messages[number] = seen
        payload = self._message_object(number, BOT)
        return {**payload, "text": seen.text} if photo is None else {**payload, "photo": [PHOTO]}


PHOTO = {"file_id": "photo", "file_unique_id": "photo", "width": 300, "height": 300}


def _faults(seen: SeenMessage) -> Iterator[str]:
    """Yield what Telegram would reject in a message."""
    if not 1 <= len(seen.text) <= (MAX_TEXT if seen.photo is None else MAX_CAPTION):
        yield f"a text of {len(seen.text)} characters"
    if len(seen.buttons()) > MAX_BUTTONS:
        yield f"{len(seen.buttons())} buttons"
    for button in seen.buttons():
        if not button["text"] or not 1 <= len(button["callback_data"].encode()) <= MAX_DATA_BYTES:
            yield f"a button {button}"
