"""A fake Discord: a local server with its HTTP API and its gateway, and users of the bot.

The bot is all discord.py: it identifies at the gateway, gets interactions from it, and sends its responses over HTTP.
They are checked against Discord's limits, including three seconds for the first response.
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
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.examples.discord_bot.discord_objects import (
    APPLICATION,
    BOT,
    CHANNEL,
    EPHEMERAL,
    DiscordUser,
    SeenMessage,
    application_object,
    interaction_object,
    message_object,
    option_object,
    ready_object,
)
from tests.examples.discord_bot.limits import CHOICES, command_faults, message_faults

RESPONSE_TIMEOUT_S = 3.0
"""Discord's limit for the first response to an interaction."""

TEST_TIMEOUT_S = 20.0
"""The limit for everything else."""

DEFERRED_MESSAGE, DEFERRED_UPDATE, AUTOCOMPLETE = 5, 6, 8

DISPATCH, HEARTBEAT, IDENTIFY, HELLO, HEARTBEAT_ACK = 0, 1, 2, 10, 11
"""Opcodes of the gateway."""


class _Interaction(NamedTuple):
    """An interaction that the bot must respond to."""

    started_at: float
    message: dict[str, Any] | None
    """The message of the used component."""
    response: "asyncio.Future[dict[str, Any]]"
    shown: "asyncio.Future[SeenMessage]"


class FakeDiscord:
    """A guild with one channel."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.faults: list[str] = []
        """Violations of Discord's limits."""
        self.commands: list[dict[str, Any]] = []
        self.channel: list[SeenMessage] = []
        """The public messages."""
        self.is_closed = False
        """Whether the channel rejects the bot's messages."""
        self.rejected = asyncio.Event()
        """Set when the closed channel has rejected a message."""
        self.edit_failures: list[int] = []
        """The statuses of the next edits of responses; 0 closes the connection."""
        self.is_late = False
        """Whether Discord has forgotten the interactions before the bot responds."""
        self.errors = 0
        """The number of requests that failed because a test wanted it."""
        self._monkeypatch = monkeypatch
        self._ids = count(10_000)
        self._interactions: dict[str, _Interaction] = {}
        self._posted = asyncio.Condition()
        self._gateway: web.WebSocketResponse | None = None
        self._identified = asyncio.Event()
        app = web.Application()
        app.add_routes(
            [
                web.get("/gateway", self._connect),
                web.get("/users/@me", self._me),
                web.get("/oauth2/applications/@me", self._application),
                web.put(f"/applications/{APPLICATION}/commands", self._sync),
                web.post("/interactions/{id}/{token}/callback", self._callback),
                web.patch(f"/webhooks/{APPLICATION}/{{token}}/messages/@original", self._edit),
                web.delete(f"/webhooks/{APPLICATION}/{{token}}/messages/@original", self._delete),
                web.post(f"/webhooks/{APPLICATION}/{{token}}", self._follow_up),
                web.post("/channels/{channel}/messages", self._post),
            ]
        )
        self._server = TestServer(app)

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        self._monkeypatch.setattr(Route, "BASE", str(self._server.make_url("")).rstrip("/"))
        self._monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", self._server.make_url("/gateway"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()

    @asynccontextmanager
    async def logged_in(self, bot: discord.Client) -> AsyncIterator[None]:
        """Log a bot in."""
        self._identified.clear()
        async with asyncio.TaskGroup() as tasks, bot:
            tasks.create_task(bot.start("a.bot.token"))
            async with asyncio.timeout(TEST_TIMEOUT_S):
                await self._identified.wait()
            yield

    async def command(self, person: DiscordUser, name: str, **options: Any) -> SeenMessage:
        """Send a slash command; return the final message."""
        return await self._shown(await self.send_command(person, name, **options))

    async def send_command(self, person: DiscordUser, name: str, **options: Any) -> _Interaction:
        """Send a slash command."""
        users = {str(one.id): one.member for one in options.values() if isinstance(one, DiscordUser)}
        data = {
            "id": "1",
            "type": 1,
            "name": "southseas",
            "options": [{"name": name, "type": 1, "options": [option_object(*one) for one in options.items()]}],
            "resolved": {
                "users": {user: member["user"] for user, member in users.items()},
                "members": {user: {**member, "user": None} for user, member in users.items()},
            },
        }
        return await self._send(person, 2, data, None)

    async def suggestions(self, person: DiscordUser, name: str, option: str, typed: str) -> list[str]:
        """Return the suggestions for a typed option."""
        focused = {"name": option, "type": 3, "value": typed, "focused": True}
        data = {"id": "1", "type": 1, "name": "southseas", "options": [{"name": name, "type": 1, "options": [focused]}]}
        async with asyncio.timeout(RESPONSE_TIMEOUT_S):
            answer = await (await self._send(person, 4, data, None)).response
        choices = answer["data"]["choices"]
        self._check(len(choices) <= CHOICES, f"{len(choices)} suggestions")
        return [choice["value"] for choice in choices]

    async def press(self, person: DiscordUser, seen: SeenMessage, label: str) -> SeenMessage:
        """Press the first button whose label starts with `label`."""
        button = next(one for one in seen.components(2) if one["label"].startswith(label))
        return await self.use(person, seen, button["custom_id"])

    async def press_action(self, person: DiscordUser, seen: SeenMessage, what: str) -> SeenMessage:
        """Press the button with an action, in any language."""
        custom_id = next(one["custom_id"] for one in seen.components(2) if f":{what}:" in one["custom_id"])
        return await self.use(person, seen, custom_id)

    async def choose(self, person: DiscordUser, seen: SeenMessage, value: str) -> SeenMessage:
        """Choose a value from the menu that has it."""
        menu = next(one for one in seen.components(3) if value in [option["value"] for option in one["options"]])
        return await self.use(person, seen, menu["custom_id"], value)

    async def use(
        self, person: DiscordUser, seen: SeenMessage, custom_id: str, value: str | None = None
    ) -> SeenMessage:
        """Use a component; return the final message."""
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": 2 if value is None else 3}
        if value is not None:
            data["values"] = [value]
        return await self._shown(await self._send(person, 3, data, seen.payload))

    async def wait_for_post(self, wanted: Callable[[SeenMessage], bool]) -> SeenMessage:
        """Wait for a matching message in the channel; return the newest one."""
        async with asyncio.timeout(TEST_TIMEOUT_S), self._posted:
            await self._posted.wait_for(lambda: any(map(wanted, self.channel)))
        return [message for message in self.channel if wanted(message)][-1]

    async def _send(
        self, person: DiscordUser, kind: int, data: dict[str, Any], message: dict[str, Any] | None
    ) -> _Interaction:
        """Deliver an interaction."""
        number = next(self._ids)
        loop = asyncio.get_running_loop()
        interaction = _Interaction(monotonic(), message, loop.create_future(), loop.create_future())
        self._interactions[f"token-{number}"] = interaction
        await self._dispatch("INTERACTION_CREATE", interaction_object(person, number, kind, data, message))
        return interaction

    async def _dispatch(self, event: str, data: dict[str, Any]) -> None:
        assert self._gateway is not None
        await self._gateway.send_json({"op": DISPATCH, "t": event, "s": next(self._ids), "d": data})

    async def _shown(self, interaction: _Interaction) -> SeenMessage:
        async with asyncio.timeout(TEST_TIMEOUT_S):
            await interaction.shown
        assert self.faults == []
        return interaction.shown.result()

    def _check(self, fine: bool, fault: str) -> None:
        if not fine:
            self.faults.append(fault)

    async def _connect(self, request: web.Request) -> web.WebSocketResponse:
        """Serve the gateway."""
        self._gateway = web.WebSocketResponse()
        await self._gateway.prepare(request)
        await self._gateway.send_json({"op": HELLO, "d": {"heartbeat_interval": 45_000}})
        async for frame in self._gateway:
            op = frame.json()["op"]
            if op == HEARTBEAT:
                await self._gateway.send_json({"op": HEARTBEAT_ACK})
            elif op == IDENTIFY:
                await self._dispatch("READY", ready_object(str(self._server.make_url("/gateway"))))
                self._identified.set()
        return self._gateway

    async def _me(self, _: web.Request) -> web.Response:
        return _answer(BOT.user)

    async def _application(self, _: web.Request) -> web.Response:
        return _answer(application_object())

    async def _sync(self, request: web.Request) -> web.Response:
        self.commands = await request.json()
        for command in self.commands:
            self.faults += command_faults(command)
        own = {"application_id": str(APPLICATION), "version": "1", "default_member_permissions": None}
        return _answer([{**one, **own, "id": str(next(self._ids))} for one in self.commands])

    async def _callback(self, request: web.Request) -> web.Response:
        """Receive the first response to an interaction."""
        if self.is_late:
            self.errors += 1
            return _answer({"message": "Unknown interaction", "code": 10062}, status=404)
        interaction = self._interactions[request.match_info["token"]]
        answer = await request.json()
        self._check(monotonic() - interaction.started_at < RESPONSE_TIMEOUT_S, "a late answer")
        self._check(not interaction.response.done(), "a second answer")
        self._check(answer["type"] in {DEFERRED_MESSAGE, DEFERRED_UPDATE, AUTOCOMPLETE}, f"type {answer['type']}")
        interaction.response.set_result(answer)
        return _answer({"interaction": {"id": request.match_info["id"], "type": 2}})

    async def _edit(self, request: web.Request) -> web.Response:
        """Receive the final message of an interaction."""
        if self.edit_failures:
            self.errors += 1
            status = self.edit_failures.pop(0)
            if not status and request.transport is not None:
                request.transport.close()
            return _answer({"message": "Request entity too large", "code": 40005}, status=status or 500)
        interaction = self._interactions[request.match_info["token"]]
        content = await _read(request)
        self.faults += message_faults(content)
        self._check(interaction.response.done(), "an edit before the answer")
        answer = interaction.response.result()
        if answer["type"] == DEFERRED_UPDATE:
            message = interaction.message
            assert message is not None
            message.update(content)
        else:
            message = message_object(next(self._ids), content, answer.get("data", {}).get("flags", 0))
            if not message["flags"]:
                await self._add(SeenMessage(message))
        self._check(not interaction.shown.done(), "a second edit")
        interaction.shown.set_result(SeenMessage(message))
        return _answer({**message, "attachments": []})

    async def _delete(self, request: web.Request) -> web.Response:
        """Delete the response to an interaction: the user sees nothing any more."""
        interaction = self._interactions[request.match_info["token"]]
        interaction.shown.set_result(SeenMessage({"content": "", "flags": 0, "components": [], "attachments": []}))
        return web.Response(status=204)

    async def _follow_up(self, request: web.Request) -> web.Response:
        """Receive a private message to the user of a component."""
        interaction = self._interactions[request.match_info["token"]]
        content = await _read(request)
        self.faults += message_faults(content)
        self._check(interaction.response.done(), "a follow-up before the answer")
        message = message_object(next(self._ids), content, content.get("flags", 0))
        self._check(bool(message["flags"] & EPHEMERAL), "a follow-up for everybody")
        interaction.shown.set_result(SeenMessage(message))
        return _answer({**message, "attachments": []})

    async def _post(self, request: web.Request) -> web.Response:
        """Receive a message in the channel."""
        if self.is_closed:
            self.rejected.set()
            return _answer({"message": "Missing Permissions", "code": 50013}, status=403)
        content = await _read(request)
        self.faults += message_faults(content)
        message = message_object(next(self._ids), content, 0)
        if request.match_info["channel"] == str(CHANNEL):
            await self._add(SeenMessage(message))
        return _answer({**message, "attachments": []})

    async def _add(self, seen: SeenMessage) -> None:
        async with self._posted:
            self.channel.append(seen)
            self._posted.notify_all()


def _answer(document: Any, status: int = 200) -> web.Response:
    """Return JSON with the media type that discord.py checks for."""
    headers = {"Content-Type": "application/json"}
    return web.Response(status=status, body=json.dumps(document).encode(), headers=headers)


async def _read(request: web.Request) -> dict[str, Any]:
    """Return a sent message with its files."""
    if request.content_type == "application/json":
        content: dict[str, Any] = await request.json()
        return {**content, "attachments": []} if "attachments" in content else content
    form = await request.post()
    content = json.loads(str(form["payload_json"]))
    files = [field.file.read() for field in form.values() if isinstance(field, web.FileField)]
    return {**content, "attachments": [{"data": data} for data in files]}
