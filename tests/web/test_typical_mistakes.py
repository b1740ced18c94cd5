"""What developers typically get wrong at first: the detail of each answer says what to send instead."""

import json
from typing import Any

import pytest

from tests.web.app_server import Client
from tests.web.http_game import JSON, TWO_PLAYERS, create_game
from tests.web.watcher_client import WatcherClient

BEARER = "send Authorization: Bearer TOKEN"
PLACE = {"type": "place_tile", "x": 0, "y": 1, "rotation": 0}
SECRET_KEY = "`openssl rand -hex 16`"
URL = "https://bot.example/south-seas"

Mistake = tuple[str, Any, dict[str, str], str]
"""Method and target of a request, its body, its headers, and what the detail must contain."""


def requests(*rows: tuple[str, str]) -> list[Mistake]:
    """Return requests by their method and target, with the owner's token and without a body."""
    return [(request, None, {"Authorization": "Bearer {owner}"}, fix) for request, fix in rows]


def headers(request: str, *rows: tuple[dict[str, str], str], body: Any = None) -> list[Mistake]:
    """Return one request with each of some headers."""
    return [(request, body, sent, fix) for sent, fix in rows]


def bodies(request: str, *rows: tuple[Any, str], **more: str) -> list[Mistake]:
    """Return one request with the owner's token and each of some bodies; a text is sent as it is."""
    return [(request, body, {"Authorization": "Bearer {owner}", **more}, fix) for body, fix in rows]


MISTAKES: tuple[Mistake, ...] = (
    *headers(
        "POST {game}/actions",
        ({}, BEARER),
        *(({"Authorization": form}, BEARER) for form in ("{owner}", "Token {owner}", "Basic b3duZXI6", "Bearer")),
        *(({"Authorization": form}, BEARER) for form in ("Bearer: {owner}", 'Bearer "{owner}"', "Bearer a, b")),
        *(({name: "{owner}"}, BEARER) for name in ("X-Auth-Token", "Cookie")),
        ({"Authorization": "Bearer undefined"}, "creating or joining returned"),
        ({"Authorization": "Bearer {spectator}"}, "send a seat's or the owner's"),
        ({"Authorization": "Bearer {owner}", "If-Match": "1"}, 'for example "17"'),
        ({"Authorization": "Bearer {owner}", "If-Match": '"v1"'}, 'send If-Match: "1-'),
        ({"Authorization": "Bearer {owner}", "Idempotency-Key": "clé"}, "printable ASCII"),
        ({"Authorization": "Bearer {owner}", "Content-Type": "text/plain"}, "send Content-Type: application/json"),
        ({"Authorization": "Bearer {owner}", "Content-Encoding": "gzip"}, "without a Content-Encoding"),
        body={"action": PLACE},
    ),
    *headers(
        "POST /v1/games",
        ({"Idempotency-Key": "game-1"}, SECRET_KEY),
        ({"Idempotency-Key": "a" * 32}, SECRET_KEY),
        ({"Creator-Key": "my-bot"}, SECRET_KEY),
        ({"X-Api-Key": "ssk"}, "send the API key in the header Api-Key"),
        body={"players": TWO_PLAYERS},
    ),
    *headers("GET /v1/keys/me", ({"Authorization": "Bearer ssk"}, "send the API key in the header Api-Key")),
    *headers("GET {game}", ({"If-None-Match": "1"}, 'for example "17"')),
    *headers("GET {game}/diffs", ({"Accept": "text/event-stream", "Last-Event-ID": "17"}, "VERSION-DIGEST")),
    *headers("GET /v1/seats/me/games", ({}, BEARER)),
    *requests(
        *((f"GET {{game}}?{name}={{owner}}", BEARER) for name in ("token", "access_token")),
        ("GET /v1/keys/me?api_key=ssk", "send the API key in the header Api-Key"),
        ("GET /games", "did you mean /v1/games?"),
        ("GET /api/v1/games", "did you mean /v1/games?"),
        ("GET /v1/games/", "did you mean /v1/games?"),
        ("GET /v1/Games", "did you mean /v1/games?"),
        ("GET /v2/games", "did you mean /v1/games?"),
        ("GET /v1/game/abc", "did you mean /v1/games/abc?"),
        ("GET {game}/legal_moves", "did you mean {game}/legal-moves?"),
        ("POST {game}/action", "did you mean {game}/actions?"),
        ("POST {game}/join", "seats"),
        ("GET {game}/events", "diffs"),
        ("GET /v1/websocket", "ws"),
        ("GET {game}/ws", "open a WebSocket"),
        ("PUT {game}/actions", "is not one of OPTIONS, POST"),
        ("POST {game}/legal-moves", "is not one of GET, HEAD, OPTIONS"),
        ("PATCH {game}", "is not one of DELETE, GET, HEAD, OPTIONS"),
        ("GET /v1/games?status=open", "aborted, active, finished, waiting"),
        ("GET /v1/games?limit=1000", "<= 100"),
        ("GET /v1/games?cursor=2", "`next_cursor` of the previous page"),
        ("GET {game}/legal-moves?stage=cells", "did you mean `cell`?"),
        ("GET {game}/legal-moves?effects=yes", "`bool`"),
        ("GET {game}/diffs?since=latest", "`int`"),
        ("GET {game}/board.png?theme=night", "dark, light"),
        ("POST {game}/rematch", "only a finished or aborted game"),
    ),
    *bodies(
        "POST {game}/actions",
        ("", "the body is empty"),
        ("{'move': 'p0.1.0'}", "JSON is malformed"),
        ('{"move": "p0.1.0",}', "JSON is malformed"),
        ('"{\\"move\\": \\"p0.1.0\\"}"', "encoded twice"),
        (PLACE, 'did you mean {{"action": {{"type": ...}}}}?'),
        ([PLACE], 'did you mean {{"actions": [...]}}?'),
        ({"action": "p0.1.0"}, "an object of type, x, y, rotation"),
        ({"move": PLACE}, "that `legal-moves` lists"),
        ({"actions": PLACE}, "a list of objects of type, x, y, rotation"),
        ({}, "exactly one of `action`, `move` and `actions`"),
        ({"moves": "p0.1.0"}, "did you mean `move`?"),
        ({"move": "0,1"}, "that `legal-moves` lists"),
        ({"move": "p0.1.0", "token": "{owner}"}, BEARER),
        ({"move": "p0.1.0", "if_match": 1}, "send it as the header If-Match"),
        ({"move": "p0.1.0", "idempotencyKey": "a"}, "send it as the header Idempotency-Key"),
        ({"action": {**PLACE, "type": "placeTile"}}, "place_islander, place_tile"),
        ({"action": {**PLACE, "rotation": 90}}, "Quarter turns clockwise"),
        ({"action": {"type": "place_tile", "x": 0, "y": 1}}, "place_tile needs `rotation`"),
        ({"action": {**PLACE, "rotate": 1}}, "did you mean `rotation`?"),
        ({"action": {**PLACE, "x": "0"}}, "Expected `int"),
        ({"move": "p0.1.0", "seat": 1}, "seat 0 has to decide now"),
    ),
    *bodies(
        "POST /v1/games",
        ({"players": 2}, "a list of objects of name, color, bot, open"),
        ({"players": ["Ana", "Bo"]}, "an object of name, color, bot, open"),
        ({"players": TWO_PLAYERS[:1]}, "length >= 2"),
        ({"seats": TWO_PLAYERS}, "players"),
        ([{"name": "Ana"}], 'did you mean {{"players": [...]}}?'),
        ({"players": [{"name": "Ana"}, {"bot": True}]}, "`GET /v1/bots` lists them"),
        ({"players": [{"name": "Ana"}, {"bot": "gpt"}]}, "`GET /v1/bots` lists them"),
        ({"players": TWO_PLAYERS, "tileset": "base"}, "`GET /v1/tilesets` has all"),
        ({"players": [{"name": "Ana", "colour": "red"}, {"name": "Bo"}]}, "did you mean `color`?"),
        ({"players": [{"name": "Ana", "color": "pink"}, {"name": "Bo"}]}, "black, blue, green, red, yellow"),
        ({"players": [{"name": "Ana"}, {"type": "bot"}]}, "name, color, bot, open"),
        ({"players": TWO_PLAYERS, "turnTimeoutS": 60}, "did you mean `turn_timeout_s`?"),
        ({"players": TWO_PLAYERS, "first_seat": 2}, "the first is 0"),
        ({"players": TWO_PLAYERS, "visibility": "hidden"}, "private, public"),
        ({"players": TWO_PLAYERS, "seed": "my seed"}, "1 to 64 of A-Z"),
    ),
    *bodies("POST {game}/seats", ({"player": "Bo"}, "name, color")),
    *bodies(
        "POST {game}/webhooks",
        ({"url": "http://bot.example"}, "must begin with https://"),
        ({"url": "https://localhost/hook"}, "not a public host name"),
        ({"url": URL, "events": ["*"]}, "turn_started"),
        ({"url": URL, "events": ["game.finished"]}, "did you mean `game_finished`?"),
        ({"url": URL, "secret": "hunter2"}, "`whsec_` and 24 to 64 bytes in base64"),
    ),
)


@pytest.mark.parametrize(("request_line", "body", "sent", "fix"), MISTAKES)
async def test_an_answer_says_what_to_send(
    client: Client, request_line: str, body: Any, sent: dict[str, str], fix: str
) -> None:
    game = await create_game(client, first_seat=0)
    known = {"game": game.path, "owner": game.owner_token, "spectator": game.spectator_token}
    method, target = request_line.format_map(known).split(" ")
    data = body if body is None or isinstance(body, str) else json.dumps(body)
    filled = {"Content-Type": JSON, **{name: value.format_map(known) for name, value in sent.items()}}
    response = await client.request(method, target, data=data, headers=filled)
    assert fix.format_map(known) in (await response.json(content_type="application/problem+json"))["detail"]


@pytest.mark.parametrize(
    ("message", "fix"),
    (
        ("ping", "JSON is malformed"),
        ({"action": PLACE}, "`type`"),
        ({"type": "join", "game": "{game}"}, "auth, subscribe, unsubscribe"),
        ({"type": "subscribe"}, "`game`"),
        ({"type": "subscribe", "game": "{game}", "token": "t"}, "an `auth` message"),
        ({"type": "subscribe", "game": "{game}", "from": 0}, "since"),
        ({"type": "act", "game": "{game}", "move": "p0.1.0"}, "an `auth` message"),
        ({"type": "act", "game": "{game}", "place_tile": PLACE}, "action"),
    ),
)
async def test_a_reply_says_what_to_send(client: Client, watcher: WatcherClient, message: Any, fix: str) -> None:
    game = await create_game(client)
    text = message if isinstance(message, str) else json.dumps(message)
    reply = await watcher.request(text.replace("{game}", game.id), "error")
    assert fix in reply["problem"]["detail"]
