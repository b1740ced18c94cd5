"""`south-seas listen` and `trigger`: webhooks of a running service for a program on the developer's machine.

`listen` follows games by WebSocket and sends what a webhook would get, so the service need not reach this machine.
`trigger` makes an event happen in a new game.
"""

import asyncio
import secrets
import time
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import aiohttp
import click
import msgspec

from schemas.base import encode_json
from schemas.lobby import Created, Games
from schemas.webhooks import WEBHOOK_EVENT_TYPES, Secret
from service.cli.verify import TIMEOUT, TOKEN_VARIABLE, RequestFailed, fetch
from service.games import ports, webhook_payloads
from service.games.access import subject_of_key
from service.games.errors import WebhookUrlRejected
from service.supervision import run
from service.telemetry.logs import escape_unprintable
from service.web.limits import Limits
from service.web.outbound import check_url, open_webhook_sender

LIMITS = Limits(webhooks_allow_private=True)

RETRY_DELAYS_S = (1, 5, 30)
"""Delay before each retry of a message; after the last it is given up."""

POLL_INTERVAL_S = 1.0
"""Interval in which new games are looked for, a program that does not listen yet, and a lost service."""

ERRORS = {
    "connect": "nothing listens at {url}",
    "timeout": f"no answer within {LIMITS.webhook_timeout_s:g} s",
    "dns": "the name in {url} has no address",
    "tls": "the TLS certificate is not valid",
    "broken": "the answer is not HTTP",
    "redirect": "{result.status}: redirects are not followed",
    ports.WRONG_ANSWER: "{result.status}, but the body is not the challenge: the service would send nothing yet",
}


def build_message(webhook: ports.WebhookRegistration, diff: dict[str, Any]) -> webhook_payloads.WebhookPayload | None:
    """Return what a webhook gets of a diff that a service has sent; None if its filters exclude it."""
    stored = ports.StoredDiff(diff["version"], bytes.fromhex(diff["digest"]), b"", diff["at"], encode_json(diff))
    return webhook_payloads.build_payload(webhook, stored)


class Listener:
    """Follows the public games that are created from now on, and others, and sends what happens to a URL."""

    def __init__(self, url: str, webhook: ports.WebhookRegistration, tokens: tuple[str, ...]) -> None:
        self.delivered = 0
        self._url, self._webhook, self._tokens = url, webhook, tokens
        self._games: dict[str, dict[str, Any]] = {}
        """The `subscribe` message of each game, which continues where its diffs have ended."""
        self._subscribed: set[str] = set()
        """Those of the games whose subscription was requested on this connection."""
        self._payloads: asyncio.Queue[webhook_payloads.WebhookPayload] = asyncio.Queue()
        self._known: set[str] = set()
        self._started_at = ""
        """When the newest of the `_known` games was created."""
        self._reported: dict[str, str] = {}

    async def run(self, games: tuple[str, ...]) -> None:
        """Listen until cancelled. Raises RequestFailed, ClickException."""
        async with aiohttp.ClientSession(timeout=TIMEOUT) as session, open_webhook_sender(LIMITS) as send:
            known = (await fetch(session, f"{self._url}/v1/games?limit=100", Games)).games
            self._known, self._started_at = {game.id for game in known}, known[0].created_at if known else ""
            self._games = {game: {"type": "subscribe", "game": game} for game in games}
            click.echo(
                f"Messages are signed with\n\n  export WEBHOOK_SECRET={self._webhook.secret}\n\nStop it with Ctrl-C."
            )
            await asyncio.gather(self._deliver(send), self._follow(session))

    async def _follow(self, session: aiohttp.ClientSession) -> None:
        """Read diffs, and connect again after the connection was lost."""
        while True:
            try:
                async with session.ws_connect(f"{self._url}/v1/ws", heartbeat=30, max_msg_size=0) as socket:
                    self._report("service", "connected")
                    await self._read(session, socket)
            except (RequestFailed, aiohttp.ClientError, TimeoutError) as error:
                self._report("service", f"{str(error) or type(error).__name__}: waiting for it")
            await asyncio.sleep(POLL_INTERVAL_S)

    async def _read(self, session: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Read diffs, of new games from their creation, until the socket is closed. Raises RequestFailed."""
        poll_at = 0.0
        self._subscribed.clear()
        while True:
            if time.monotonic() >= poll_at:
                for game in (await fetch(session, f"{self._url}/v1/games?limit=100", Games)).games:
                    if game.id not in self._known and game.created_at >= self._started_at:
                        self._games.setdefault(game.id, {"type": "subscribe", "game": game.id, "since": 0})
                for name in self._games.keys() - self._subscribed:
                    for token in () if self._games[name].get("since") == 0 else self._tokens:
                        await socket.send_json({"type": "auth", "game": name, "token": token})
                    await socket.send_json(self._games[name])
                self._subscribed = {*self._games}
                poll_at = time.monotonic() + POLL_INTERVAL_S
            with suppress(TimeoutError):
                frame = await socket.receive(POLL_INTERVAL_S)
                if frame.type is not aiohttp.WSMsgType.TEXT:
                    raise RequestFailed(f"{self._url} closed the connection with {socket.close_code}")
                self._handle(msgspec.json.decode(frame.data))

    def _handle(self, message: Any) -> None:
        """Queue the payload of a diff; report an error, except for a token of another game, and subscribe again."""
        kind, game = message["type"], message.get("game")
        if kind == "diff" or (kind == "subscribed" and not message["recovered"]):
            self._games[game] |= {"since": message["version"], "digest": message["digest"]}
        if kind == "subscribed" and not message["recovered"]:
            self._report("service", f"game {game}: followed from version {message['version']}")
        if kind == "diff" and (payload := build_message(self._webhook, message)) is not None:
            self._payloads.put_nowait(payload)
        if kind == "error" and message["problem"]["code"] != "unauthorized":
            self._report("service", f"game {game}: {message['problem']['detail']}")
            self._subscribed.discard(game)

    async def _deliver(self, send: ports.WebhookSender) -> None:
        """Send the challenge, once something listens, and each payload. Raises ClickException after a 410."""
        while True:
            now = int(time.time())
            challenge, payload = webhook_payloads.create_challenge(subject_of_key("listen"), self._webhook, now)
            headers = webhook_payloads.signature_headers(self._webhook, payload, now)
            result = await send(self._webhook.url, headers, payload.body, challenge=True)
            if result.error is None and not webhook_payloads.is_correct_response(result.response_body, challenge):
                result = result._replace(error=ports.WRONG_ANSWER)
            self._report(payload.type, self._describe(result) + ("" if result.error else ", repeated"))
            if result.error != "connect":
                break
            await asyncio.sleep(POLL_INTERVAL_S)
        while True:
            payload = await self._payloads.get()
            game, version, _ = payload.id.split(".")
            for delay_s in (*RETRY_DELAYS_S, None):
                headers = webhook_payloads.signature_headers(self._webhook, payload, int(time.time()))
                result = await send(self._webhook.url, headers, payload.body)
                after = "" if result.error is None else ": given up" if delay_s is None else f": again in {delay_s} s"
                self._report(payload.type, f"{game} version {version}: {self._describe(result)}{after}")
                if result.status == HTTPStatus.GONE:
                    raise click.ClickException("410 disables a webhook: the service would send nothing more")
                self.delivered += result.error is None
                if result.error is None or delay_s is None:
                    break
                await asyncio.sleep(delay_s)

    def _describe(self, result: ports.SendResult) -> str:
        """Return the result of an attempt in words."""
        text = ERRORS.get(result.error or "", "{result.status} in {result.latency_ms} ms")
        return text.format(result=result, url=self._webhook.url)

    def _report(self, subject: str, text: str) -> None:
        """Print a line, unless it is the last one of its subject."""
        if text != self._reported.get(subject):
            click.echo(f"{time.strftime('%H:%M:%S')}  {escape_unprintable(f'{subject:19} {text}')}")
        self._reported[subject] = text


def _parse_url(_context: click.Context, _option: click.Parameter, text: str) -> str:
    """Return a URL that begins with http:// or https://. Raises click.BadParameter."""
    try:
        check_url(text, allow_private=True)
    except WebhookUrlRejected as error:
        raise click.BadParameter(error.reason) from error
    return text


def _parse_events(_context: click.Context, _option: click.Parameter, text: str | None) -> list[str] | None:
    """Return the event types, None for every change. Raises click.BadParameter."""
    events = text.split(",") if text else None
    for event in set(events or ()).difference(WEBHOOK_EVENT_TYPES):
        raise click.BadParameter(f"there is no event {event!r}, only {', '.join(WEBHOOK_EVENT_TYPES)}")
    return events


def _parse_secret(_context: click.Context, _option: click.Parameter, text: str | None) -> str:
    """Return the secret, or a random one. Raises click.BadParameter."""
    try:
        return msgspec.convert(text or webhook_payloads.generate_secret(), Secret)
    except msgspec.ValidationError as error:
        raise click.BadParameter("a secret is whsec_ and 24 to 64 bytes in base64") from error


url_option = click.option(
    "--url", default="http://127.0.0.1:8080", show_default=True, callback=_parse_url, help="The running service."
)


@click.command("listen")
@url_option
@click.option("--forward-to", required=True, callback=_parse_url, metavar="URL", help="Where your program listens.")
@click.option("--events", callback=_parse_events, metavar="TYPE,...", help="Types, the first counts; else all.")
@click.option("--secret", callback=_parse_secret, metavar="whsec_...", help="The signing secret; else a random one.")
@click.option("--game", "games", multiple=True, metavar="ID", help="A game that exists already, or several.")
@click.option("--token", "tokens", multiple=True, envvar=TOKEN_VARIABLE, help="A token of a private game, or several.")
def listen_command(
    url: str, forward_to: str, events: list[str] | None, secret: str, games: tuple[str, ...], tokens: tuple[str, ...]
) -> None:
    """Send webhooks of a running service to a program on this machine.

    Follows the public games that are created from now on, and each --game. Sends the challenge first, then a signed
    message for each change, as a webhook of the service does, and prints each attempt. What fails is tried again after
    1, 5 and 30 seconds. The service need not reach this machine.
    """
    webhook = ports.WebhookRegistration(secrets.token_hex(6), forward_to, events, None, secret, "")
    listener = Listener(url.rstrip("/"), webhook, tokens)
    try:
        run(listener.run(games))
    except KeyboardInterrupt:
        click.echo(f"\n{listener.delivered} messages delivered")


PEOPLE = {"players": [{"name": "Ana"}, {"name": "Bo"}]}
OPEN = {"players": [{"name": "Ana"}, {"open": True}, {"open": True}]}
CLOCK = {"players": [{"name": "Ana"}, {"bot": "greedy"}], "turn_timeout_s": 1, "on_timeout": "bot"}
"""After the time-out nobody is left, so the game rests."""

PAUSE = {**CLOCK, "on_timeout": "pass"}

SEED = "trigger-2003"
"""Its middle legal moves cause every event of play within 20 actions, a discarded tile (R3.5) too."""

FIRST_MOVE = "p1.0.1"

JOIN, ABORT = ("POST", "/seats", {"name": "Bo"}), ("DELETE", "", None)
RECIPES: dict[str, tuple[dict[str, Any], list[tuple[str, str, Any]]]] = {
    "player_joined": (OPEN, [JOIN]),
    "player_left": (OPEN, [JOIN, ("DELETE", "/seats/1", None)]),
    "turn_timed_out": (CLOCK, []),
    "player_replaced": (CLOCK, []),
    "game_paused": (PAUSE, []),
    "game_resumed": (PAUSE, [("POST", "/resign", {"seat": 0})]),
    "player_returned": (CLOCK, [("POST", "/return", {"seat": 0})]),
    "player_resigned": (PEOPLE, [("POST", "/resign", {"seat": 0})]),
    "move_undone": (PEOPLE, [("POST", "/actions", {"move": FIRST_MOVE}), ("POST", "/undo", {})]),
    "game_aborted": (PEOPLE, [ABORT]),
    "rematch_created": (PEOPLE, [ABORT, ("POST", "/rematch", {})]),
}
"""How a game is made and what its owner requests; all other events come by playing."""

FOLLOWS = {"player_returned": "player_replaced", "game_resumed": "game_paused"}
"""The events that the owner waits for before the requests."""


async def find(session: aiohttp.ClientSession, game: str, event: str) -> int:
    """Return the version of the game at a URL that has an event, after playing or waiting until it happens."""
    webhook = ports.WebhookRegistration("trigger", "", [event], None, "", "")
    page = await fetch(session, f"{game}/diffs?since=0", dict[str, Any])
    while True:
        for diff in page["diffs"]:
            if build_message(webhook, diff) is not None:
                return int(diff["version"])
        if event in RECIPES:
            await asyncio.sleep(POLL_INTERVAL_S)
            page = await fetch(session, f"{game}/diffs?since=0", dict[str, Any])
        elif moves := (await fetch(session, f"{game}/legal-moves", dict[str, Any]))["moves"]:
            body = {"move": moves[(len(moves) - 1) // 2]["id"]}
            page = await fetch(session, f"{game}/actions", dict[str, Any], "POST", json=body)
        else:
            raise RequestFailed(f"{game} has ended without {event}")


async def trigger(url: str, event: str) -> tuple[str, int]:
    """Make an event happen in a new game; return the game and the version. Raises RequestFailed."""
    options, steps = RECIPES.get(event, (PEOPLE, []))
    async with aiohttp.ClientSession(timeout=TIMEOUT) as session:
        body = {"seed": SEED, "first_seat": 0, **options}
        created = await fetch(session, f"{url}/v1/games", Created, "POST", json=body)
        session.headers["Authorization"] = f"Bearer {created.owner_token}"
        game = f"{url}/v1/games/{created.game.id}"
        if event in FOLLOWS:
            await find(session, game, FOLLOWS[event])
        for method, path, content in steps:
            await fetch(session, game + path, dict[str, Any], method, json=content)
        return created.game.id, await find(session, game, event)


@click.command("trigger")
@click.argument("event", required=False, type=click.Choice(WEBHOOK_EVENT_TYPES), metavar="[EVENT]")
@url_option
def trigger_command(event: str | None, url: str) -> None:
    """Make an event happen in a new public game of a running service, for a webhook that waits for it.

    Prints the game and the version that has the event; without EVENT, lists all events.
    """
    if event is None:
        click.echo("\n".join(WEBHOOK_EVENT_TYPES))
        return
    game, version = run(trigger(url.rstrip("/"), event))
    click.echo(f"{event}: game {game}, version {version}")
