"""Discord's own side, without its gateway: its HTTP API as the bot calls it, and people who use the bot.

What a person does reaches the bot as the gateway would deliver it, as an interaction's payload; everything that the bot
answers comes here over HTTP and is held to Discord's limits, three seconds for the first answer among them.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from time import monotonic
from typing import Any, NamedTuple, Self

import discord
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from discord.http import Route

from tests.examples.discord_bot.limits import CHOICES, command_faults, message_faults

ANSWER_S = 3.0
"""Discord's patience."""

WITHIN_S = 8.0
"""The tests' patience for all else."""

APPLICATION = 900
GUILD = 800
CHANNEL = 700
EPHEMERAL = 64
DEFERRED_MESSAGE, DEFERRED_UPDATE, AUTOCOMPLETE = 5, 6, 8

OPTION_TYPES: dict[type, int] = {str: 3, int: 4}


class Person(NamedTuple):
    """Somebody at Discord."""

    id: int
    name: str
    locale: str = "en-US"

    @property
    def member(self) -> dict[str, Any]:
        """As a member of the guild."""
        return {
            "user": {
                "id": str(self.id),
                "username": self.name,
                "discriminator": "0",
                "avatar": None,
                "global_name": None,
            },
            "roles": [],
            "joined_at": "2026-01-01T00:00:00+00:00",
            "deaf": False,
            "mute": False,
            "flags": 0,
            "permissions": "0",
        }


class Seen(NamedTuple):
    """A message, as a person sees it."""

    payload: dict[str, Any]

    @property
    def text(self) -> str:
        """What it says."""
        return str(self.payload["content"])

    @property
    def is_private(self) -> bool:
        """Whether only one person sees it."""
        return bool(self.payload["flags"] & EPHEMERAL)

    @property
    def pictures(self) -> list[bytes]:
        """The files in it."""
        return [one["data"] for one in self.payload["attachments"]]

    def components(self, kind: int) -> list[dict[str, Any]]:
        """Its buttons (2) or menus (3)."""
        return [one for row in self.payload["components"] for one in row["components"] if one["type"] == kind]

    def labels(self) -> list[str]:
        """What stands on its buttons."""
        return [one["label"] for one in self.components(2)]

    def acts(self) -> list[str]:
        """The custom ids of the buttons that do a move."""
        return [one["custom_id"] for one in self.components(2) if ":move:" in one["custom_id"]]

    def options(self) -> list[dict[str, Any]]:
        """Everything that can be chosen."""
        return [option for menu in self.components(3) for option in menu["options"]]


class _Going(NamedTuple):
    """An interaction that the bot has to answer."""

    begun: float
    message: dict[str, Any] | None
    """Whose component was used."""
    answered: "asyncio.Future[dict[str, Any]]"
    shown: "asyncio.Future[Seen]"


class Discord:
    """One guild with one channel."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.faults: list[str] = []
        """What Discord would have refused."""
        self.commands: list[dict[str, Any]] = []
        self.channel: list[Seen] = []
        """What everybody sees."""
        self.is_closed = False
        """Whether the channel takes no messages of the bot's own."""
        self.refused = asyncio.Event()
        """Set when the closed channel was tried."""
        self._monkeypatch = monkeypatch
        self._ids = count(10_000)
        self._going: dict[str, _Going] = {}
        self._posted = asyncio.Condition()
        self._bot: discord.Client | None = None
        app = web.Application()
        app.add_routes(
            [
                web.get("/users/@me", self._me),
                web.get("/oauth2/applications/@me", self._application),
                web.put(f"/applications/{APPLICATION}/commands", self._sync),
                web.post("/interactions/{id}/{token}/callback", self._callback),
                web.patch(f"/webhooks/{APPLICATION}/{{token}}/messages/@original", self._edit),
                web.post(f"/webhooks/{APPLICATION}/{{token}}", self._follow_up),
                web.post("/channels/{channel}/messages", self._post),
            ]
        )
        self._server = TestServer(app)

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        self._monkeypatch.setattr(Route, "BASE", str(self._server.make_url("")).rstrip("/"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()

    @asynccontextmanager
    async def logged_in(self, bot: discord.Client) -> AsyncIterator[None]:
        """A bot, logged in, without a gateway."""
        async with bot:
            await bot.login("a.bot.token")
            self._bot = bot
            yield

    async def command(self, person: Person, name: str, **options: Any) -> Seen:
        """Type a slash command; gives what it shows in the end."""
        users = {str(one.id): one.member for one in options.values() if isinstance(one, Person)}
        data = {
            "id": "1",
            "type": 1,
            "name": "southseas",
            "options": [{"name": name, "type": 1, "options": [_option(*one) for one in options.items()]}],
            "resolved": {
                "users": {user: member["user"] for user, member in users.items()},
                "members": {user: {**member, "user": None} for user, member in users.items()},
            },
        }
        return await self._shown(self._send(person, 2, data, None))

    async def suggestions(self, person: Person, name: str, option: str, typed: str) -> list[str]:
        """What is offered while an option is typed."""
        focused = {"name": option, "type": 3, "value": typed, "focused": True}
        data = {
            "id": "1",
            "type": 1,
            "name": "southseas",
            "options": [{"name": name, "type": 1, "options": [focused]}],
        }
        async with asyncio.timeout(ANSWER_S):
            answer = await self._send(person, 4, data, None).answered
        choices = answer["data"]["choices"]
        self._check(len(choices) <= CHOICES, f"{len(choices)} suggestions")
        return [choice["value"] for choice in choices]

    async def press(self, person: Person, seen: Seen, label: str) -> Seen:
        """Press the first button whose label begins so."""
        button = next(one for one in seen.components(2) if one["label"].startswith(label))
        return await self.use(person, seen, button["custom_id"])

    async def do(self, person: Person, seen: Seen, what: str) -> Seen:
        """Press the button that does something, whatever stands on it in whichever language."""
        found = next(one["custom_id"] for one in seen.components(2) if f":{what}:" in one["custom_id"])
        return await self.use(person, seen, found)

    async def choose(self, person: Person, seen: Seen, value: str) -> Seen:
        """Choose from whichever menu has this."""
        menu = next(one for one in seen.components(3) if value in [option["value"] for option in one["options"]])
        return await self.use(person, seen, menu["custom_id"], value)

    async def use(self, person: Person, seen: Seen, custom_id: str, value: str | None = None) -> Seen:
        """Use a component; gives what it shows in the end."""
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": 2 if value is None else 3}
        if value is not None:
            data["values"] = [value]
        return await self._shown(self._send(person, 3, data, seen.payload))

    async def post_in_channel(self, wanted: Callable[[Seen], bool]) -> Seen:
        """The newest message in the channel that is wanted, once it is there."""
        found: list[Seen] = []
        async with asyncio.timeout(WITHIN_S), self._posted:
            while not (found := [seen for seen in self.channel if wanted(seen)]):
                await self._posted.wait()
        return found[-1]

    def _send(self, person: Person, kind: int, data: dict[str, Any], message: dict[str, Any] | None) -> _Going:
        """Deliver an interaction, as the gateway does."""
        assert self._bot is not None
        number = next(self._ids)
        loop = asyncio.get_running_loop()
        going = _Going(monotonic(), message, loop.create_future(), loop.create_future())
        self._going[f"token-{number}"] = going
        payload: dict[str, Any] = {
            "id": str(number),
            "application_id": str(APPLICATION),
            "type": kind,
            "token": f"token-{number}",
            "version": 1,
            "data": data,
            "guild_id": str(GUILD),
            "guild": {"id": str(GUILD), "locale": "en-US", "features": []},
            "channel": _channel(),
            "channel_id": str(CHANNEL),
            "member": person.member,
            "locale": person.locale,
            "guild_locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {},
            "context": 0,
            "attachment_size_limit": 10_485_760,
            "app_permissions": "0",
        }
        if message is not None:
            payload["message"] = {**message, "attachments": []}
        self._bot._connection.parse_interaction_create(payload)  # type: ignore[arg-type]
        return going

    async def _shown(self, going: _Going) -> Seen:
        async with asyncio.timeout(WITHIN_S):
            await going.shown
        assert self.faults == []
        return going.shown.result()

    def _check(self, fine: bool, fault: str) -> None:
        if not fine:
            self.faults.append(fault)

    async def _me(self, _: web.Request) -> web.Response:
        return _answer(_bot_user())

    async def _application(self, _: web.Request) -> web.Response:
        return _answer(
            {
                "id": str(APPLICATION),
                "name": "South Seas",
                "icon": None,
                "description": "",
                "bot_public": True,
                "bot_require_code_grant": False,
                "verify_key": "",
                "owner": _bot_user(),
                "flags": 0,
            }
        )

    async def _sync(self, request: web.Request) -> web.Response:
        self.commands = await request.json()
        for command in self.commands:
            self.faults += command_faults(command)
        own = {"application_id": str(APPLICATION), "version": "1", "default_member_permissions": None}
        return _answer([{**one, **own, "id": str(next(self._ids))} for one in self.commands])

    async def _callback(self, request: web.Request) -> web.Response:
        """The first answer to an interaction; there is one, and it is quick."""
        going = self._going[request.match_info["token"]]
        answer = await request.json()
        self._check(monotonic() - going.begun < ANSWER_S, "a late answer")
        self._check(not going.answered.done(), "a second answer")
        self._check(answer["type"] in {DEFERRED_MESSAGE, DEFERRED_UPDATE, AUTOCOMPLETE}, f"type {answer['type']}")
        going.answered.set_result(answer)
        return _answer({"interaction": {"id": request.match_info["id"], "type": 2}})

    async def _edit(self, request: web.Request) -> web.Response:
        """What the interaction shows in the end."""
        going = self._going[request.match_info["token"]]
        content = await _read(request)
        self.faults += message_faults(content)
        self._check(going.answered.done(), "an edit before the answer")
        answer = going.answered.result()
        if answer["type"] == DEFERRED_UPDATE:
            message = going.message
            assert message is not None
            message.update(content)
        else:
            message = self._message(content, answer.get("data", {}).get("flags", 0))
            if not message["flags"]:
                await self._add(Seen(message))
        self._check(not going.shown.done(), "a second edit")
        going.shown.set_result(Seen(message))
        return _answer({**message, "attachments": []})

    async def _follow_up(self, request: web.Request) -> web.Response:
        """Another message to whoever used a component, whose own message stays as it is."""
        going = self._going[request.match_info["token"]]
        content = await _read(request)
        self.faults += message_faults(content)
        self._check(going.answered.done(), "a follow-up before the answer")
        message = self._message(content, content.get("flags", 0))
        self._check(bool(message["flags"] & EPHEMERAL), "a follow-up for everybody")
        going.shown.set_result(Seen(message))
        return _answer({**message, "attachments": []})

    async def _post(self, request: web.Request) -> web.Response:
        """A message in the channel that nobody asked for."""
        if self.is_closed:
            self.refused.set()
            return _answer({"message": "Missing Permissions", "code": 50013}, status=403)
        self._check(request.match_info["channel"] == str(CHANNEL), "another channel")
        content = await _read(request)
        self.faults += message_faults(content)
        message = self._message(content, 0)
        await self._add(Seen(message))
        return _answer({**message, "attachments": []})

    async def _add(self, seen: Seen) -> None:
        async with self._posted:
            self.channel.append(seen)
            self._posted.notify_all()

    def _message(self, content: dict[str, Any], flags: int) -> dict[str, Any]:
        return {
            "id": str(next(self._ids)),
            "channel_id": str(CHANNEL),
            "author": _bot_user(),
            "content": "",
            "timestamp": "2026-11-22T00:00:00+00:00",
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "embeds": [],
            "pinned": False,
            "type": 0,
            "components": [],
            "attachments": [],
            **content,
            "flags": flags,
        }


def _answer(document: Any, status: int = 200) -> web.Response:
    """JSON with the very media type that discord.py looks for."""
    headers = {"Content-Type": "application/json"}
    return web.Response(status=status, body=json.dumps(document).encode(), headers=headers)


def _user(number: int, name: str) -> dict[str, Any]:
    return {"id": str(number), "username": name, "discriminator": "0", "avatar": None, "global_name": None}


def _bot_user() -> dict[str, Any]:
    return {**_user(APPLICATION, "South Seas"), "bot": True}


def _channel() -> dict[str, Any]:
    return {
        "id": str(CHANNEL),
        "type": 0,
        "name": "table",
        "guild_id": str(GUILD),
        "position": 0,
        "permission_overwrites": [],
        "nsfw": False,
    }


def _option(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Person):
        return {"name": name, "type": 6, "value": str(value.id)}
    return {"name": name, "type": OPTION_TYPES[type(value)], "value": value}


async def _read(request: web.Request) -> dict[str, Any]:
    """A message as it was sent, with its files' bytes."""
    if request.content_type == "application/json":
        content: dict[str, Any] = await request.json()
        return {**content, "attachments": []} if "attachments" in content else content
    form = await request.post()
    content = json.loads(str(form["payload_json"]))
    files = [field.file.read() for field in form.values() if isinstance(field, web.FileField)]
    return {**content, "attachments": [{"data": data} for data in files]}
