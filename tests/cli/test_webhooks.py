"""`south-seas listen` and `trigger`: webhooks of a running service for a program on this machine."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from aiohttp import ClientSession, web
from standardwebhooks import Webhook

from schemas.webhooks import WEBHOOK_EVENT_TYPES
from service.cli.verify import fetch
from service.cli.webhooks import trigger
from service.games.ports import StoreUnavailable
from service.store.embedded import terminate_with_parent
from service.store.game_store import RedisStore
from service.web.websocket import Session
from tests.polling import wait_until
from tests.server_process import start_server
from tests.tcp_proxy import run_proxy
from tests.web.app_server import serve
from tests.web.http_game import create_game
from tests.web.webhook_receiver import SECRET, WebhookReceiver, run_receiver


async def test_every_event_can_be_triggered(short_path: Path) -> None:
    flags = ("--rate-limits", "off", "--drain-time-s", "0")
    async with start_server(short_path, None, *flags) as server, ClientSession() as session:
        found = await asyncio.gather(*(trigger(server.url, event) for event in WEBHOOK_EVENT_TYPES))
        for event, (game, version) in zip(WEBHOOK_EVENT_TYPES, found, strict=True):
            log = f"{server.url}/v1/games/{game}/diffs?since={version - 1}&limit=1"
            (diff,) = (await fetch(session, log, dict[str, Any]))["diffs"]
            types = {one["type"] for one in diff["events"]}
            assert event in types or (event == "decision" and "turn_started" in types)


def _prepare(end_with_parent: Callable[[], None] | None) -> None:
    """Let the command, in its process, end with this one, and at SIGINT, which a shell's background jobs ignore."""
    if end_with_parent is not None:
        end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


async def start_listening(url: str, receiver: WebhookReceiver, *options: str) -> tuple[asyncio.subprocess.Process, str]:
    """Run the command until it has sent the challenge and follows the game that it names; return its output, too."""
    command = ("listen", "--url", url, "--forward-to", receiver.url, "--secret", SECRET, *options)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-um", "service.main", *command),
        stdout=PIPE,
        preexec_fn=partial(_prepare, terminate_with_parent(os.getpid())),
    )
    return process, await read_until(process, "challenge", "followed from" if "--game" in options else "connected")


async def read_until(process: asyncio.subprocess.Process, *texts: str) -> str:
    """Return the output of a process until it has all of these texts."""
    assert process.stdout is not None
    output = ""
    while not all(text in output for text in texts):
        line = await process.stdout.readline()
        assert line, output
        output += line.decode()
    return output


async def test_a_program_gets_what_a_webhook_would(store: RedisStore) -> None:
    """Of new public games and of one that is named, each message once, after a failure and a lost connection too."""
    async with run_receiver() as receiver, serve(store) as client, run_proxy(str(client.make_url("/"))) as proxy:
        older, private = await create_game(client), await create_game(client, visibility="private")
        options = ("--events", "tile_placed", "--game", private.id, "--token", private.owner_token)
        process, output = await start_listening(proxy.url, receiver, *options)
        receiver.statuses = [500]
        new = await create_game(client, seed="kept")
        for game in (older, new):
            await game.act_successfully()
        await wait_until(lambda: len(receiver.received) == 2)
        proxy.cut()
        for game in (private, new, new):
            await game.act_successfully()
        output += await read_until(process, f"{private.id} version", f"{new.id} version 4")
        process.send_signal(signal.SIGINT)
        output += (await process.communicate())[0].decode()
    assert process.returncode == 0
    assert output.endswith("\n3 messages delivered\n")
    assert all(text in output for text in (", repeated", "500 in ", ": again in 1 s", ": waiting for it"))
    first, again, *others = receiver.received
    assert (first.id, first.body) == (again.id, again.body)
    assert {one.message["data"]["game"] for one in others} == {private.id, new.id}
    assert first.message["data"]["game"] == new.id
    for one in (*receiver.challenges, *receiver.received):
        assert Webhook(SECRET).verify(one.body, one.headers) == one.message


async def test_a_game_refused_for_a_moment_is_followed(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """An auth that fails makes its subscribe fail too."""
    async with run_receiver() as receiver, serve(store) as client:
        private = await create_game(client, visibility="private")
        failures = iter((StoreUnavailable("out of reach"),))
        add_token = Session._add_token

        def refuse_once(session: Session, game: str, token: str) -> None:
            for failure in failures:
                raise failure
            add_token(session, game, token)

        monkeypatch.setattr(Session, "_add_token", refuse_once)
        options = ("--game", private.id, "--token", private.owner_token)
        process, _ = await start_listening(str(client.make_url("/")), receiver, *options)
        await private.act_successfully()
        await wait_until(lambda: receiver.received)
        process.kill()
        await process.communicate()


async def test_a_program_that_wants_no_more_ends_the_command(store: RedisStore) -> None:
    async with run_receiver() as receiver, serve(store) as client:
        receiver.challenge_response = lambda _: web.Response(text="yes")
        receiver.statuses = [410]
        process, output = await start_listening(str(client.make_url("/")), receiver)
        await create_game(client)
        output += (await process.communicate())[0].decode()
    assert "200, but the body is not the challenge" in output
    assert process.returncode == 1
