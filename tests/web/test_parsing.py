"""Malformed input gets its problem, never a 500, whose detail says what to send instead."""

import asyncio
import json
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
from aiohttp import StreamReader, web

from schemas.commands import Act, SeatCommand
from schemas.lobby import CreateGame, JoinGame, Rematch
from schemas.webhooks import RegisterWebhook
from service.web import parsing
from service.web.app import LIMITS, App
from service.web.limits import Limits
from service.web.parsing import MAX_FLOATS_BYTES
from service.web.problems import BodyTooLarge, to_malformed
from tests.web.app_server import Client, mocked_request
from tests.web.http_game import JSON, TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
from tests.web.watcher_client import WatcherClient
from tests.web.webhook_receiver import SECRET

URL = "https://bot.example/south-seas"
DEEP = b"[" * 60_000 + b"]" * 5_000


@pytest.mark.parametrize(
    "body",
    (
        *(b"", b" ", b"{", b"null", b"[]", b'"x"', b"{} {}", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf{}"),
        *(b'{"players": NaN}', b'{"players": 1e999}', b"{'players': []}"),
        b'{"players": [{"name": "\xff"}, {"name": "Bo"}]}',
        b'{"players": [{"name": "\\ud800"}, {"name": "Bo"}]}',
        b'{"players": [{"name": "\\udc00 x"}, {"name": "Bo"}]}',
        b'{"players": [{"name": "\xed\xa0\x80"}, {"name": "Bo"}]}',
        b"\x00",
        '{"players": []}'.encode("utf-16"),
        *(DEEP, b'{"players":' + DEEP, b'{"x":' + DEEP, b"9" * 60_000),
    ),
)
async def test_malformed_bodies_are_rejected(client: Client, body: bytes) -> None:
    response = await client.post("/v1/games", data=body, headers={"Content-Type": JSON})
    assert (await check_problem(response, 400, "malformed"))["path"].startswith("$")


PLACE = {"type": "place_tile", "x": 0, "y": 1, "rotation": 0}
DELIVER = {"type": "deliver", "ship": "s01"}
WRONG_WARES: tuple[tuple[str, Any], ...] = ((".pearls", {"pearls": 1}), (".fish", {"fish": -1}), ("", []))
WRONG_SECRETS = ("whsec_c2hvcnQ=", SECRET[6:], f"{SECRET}AA")


def creations(**values: tuple[Any, ...]) -> list[tuple[type, str, Any]]:
    """Return games of two with one field that has each of these values."""
    return [
        (CreateGame, f"$.{name}", {"players": TWO_PLAYERS, name: one}) for name, some in values.items() for one in some
    ]


def seats(*seats: tuple[str, Any]) -> list[tuple[type, str, Any]]:
    """Return games whose second seat has something wrong, with its place in the seat."""
    return [(CreateGame, f"$.players[1]{path}", {"players": [{"name": "Ana"}, seat]}) for path, seat in seats]


def actions(*actions: tuple[str, Any]) -> list[tuple[type, str, Any]]:
    """Return requests to act with something wrong in the action, with its place."""
    return [(Act, f"$.action{path}", {"action": action}) for path, action in actions]


@pytest.mark.parametrize(
    ("kind", "path", "body"),
    (
        *((CreateGame, "$.players", body) for body in ({}, {"players": [], "seats": 2}, {"players": None})),
        *creations(players=(TWO_PLAYERS[:1], TWO_PLAYERS * 3, [{"name": one, "color": "red"} for one in "ab"])),
        *creations(first_seat=(2, -1, 0.5, 2.0, True, 10**30), turn_timeout_s=(0, 2_592_001, 1.5, "60")),
        *creations(tileset=("a b", "lagoon\n"), seed=("", "a" * 65, "a:b"), edition=("french",), seats=(2,)),
        *creations(visibility=("secret",), on_timeout=("bot", "sulk")),
        *seats(("", "Bo"), *((".name", seat) for seat in ({}, {"open": False}, {"name": None}, {"name": 1.0}))),
        *seats(*((".name", {"name": name}) for name in ("", "a" * 33, "a\nb", "a\u202eb", "a\x00b"))),
        *seats(*((".open", {"open": True, **more}) for more in ({"name": "Bo"}, {"bot": "random"}))),
        *seats((".open", {"open": 1}), (".bot", {"bot": "Deep Thought"}), (".color", {"name": "Bo", "color": "pink"})),
        *((JoinGame, "$.name", body) for body in ({}, {"name": None}, {"name": "Bo\u200b"})),
        *((JoinGame, "$.seat", {"name": "Bo", "seat": 1}), (JoinGame, "$.color", {"name": "Bo", "color": "RED"})),
        *((Rematch, "$", []), (Rematch, "$.seed", {"seed": ""}), (Rematch, "$.players", {"players": []})),
        *((RegisterWebhook, "$.url", body) for body in ({}, {"url": 1}, {"url": ""}, {"url": URL + "u" * 2_000})),
        *((RegisterWebhook, "$.events", {"url": URL, "events": ["turn_started"] * number}) for number in (0, 65)),
        (SeatCommand, "$.seat", {"seat": "first"}),
        *((RegisterWebhook, "$.events[0]", {"url": URL, "events": ["turn_begun"]}), (SeatCommand, "$.why", {"why": 1})),
        *(
            (RegisterWebhook, f"$.seats{path}", {"url": URL, "seats": seats})
            for path, seats in (("", []), ("[0]", [9]))
        ),
        (RegisterWebhook, "$.color", {"url": URL, "color": "red"}),
        *((RegisterWebhook, "$.secret", {"url": URL, "secret": secret}) for secret in WRONG_SECRETS),
        *((Act, "$", body) for body in ({}, {"seat": 0}, {"move": "i0", "action": {"type": "pass"}}, {"move": None})),
        *((Act, "$.move", {"move": move}) for move in ("", "i" * 25)),
        *((Act, f"$.{name}", {"move": "i0", name: wrong}) for name, wrong in (("turn", 3), ("seat", 5), ("seat", "0"))),
        *actions(("", []), (".type", {}), (".type", {"type": "fly"}), (".z", {**PLACE, "z": 0})),
        *actions(*((".rotation", {**PLACE, "rotation": wrong}) for wrong in (4, 1.5))),
        *actions(*((".x", {**PLACE, "x": wrong}) for wrong in (2**31, 10**400, "1"))),
        *actions((".y", {**PLACE, "y": -(2**31) - 1}), (".segment", {"type": "place_islander", "segment": -1})),
        *actions(
            (".ship", {"type": "take_ship", "ship": "s" * 9}), (".phase", {"type": "pass", "phase": "place_tile"})
        ),
        *actions(*((f".wares{path}", {**DELIVER, "wares": wares}) for path, wares in WRONG_WARES)),
        *((Act, "$.actions", {"actions": many}) for many in ([], [{"type": "pass"}] * 17)),
        (Act, "$.actions[1]", {"actions": [{"type": "pass"}, "i0"]}),
        (Act, "$.actions[1].move", {"actions": [{"type": "pass"}, {"move": "i0"}]}),
    ),
)
def test_a_malformed_body_is_rejected_with_the_place(kind: type, path: str, body: Any) -> None:
    with pytest.raises(msgspec.ValidationError) as rejection:
        parsing.decode_json(msgspec.json.Decoder(kind), json.dumps(body))
    assert to_malformed(rejection.value, kind).path == path


@pytest.mark.parametrize(
    ("path", "body", "where"),
    (
        ("/webhooks", {"url": URL, "seats": [0, 2]}, "$.seats[1]"),
        ("/actions", {"move": "i0", "turn": 3}, "$.turn"),
        *(("/actions", {"move": move}, "$.move") for move in ("p1", "i00", "p1.2.4", "p-0.1.0", "d.s01", "pass")),
        ("/actions", {"move": "i" + "9" * 23}, "$.move"),
        ("/actions", {"action": {"type": "place_tile", "x": 1, "y": 2}}, "$.action.rotation"),
        ("/actions", {"action": {**PLACE, "segment": 0}}, "$.action.segment"),
        ("/actions", {"action": {"type": "take_ship"}}, "$.action.ship"),
        ("/actions", {"actions": [{"type": "pass"}, {"type": "place_islander"}]}, "$.actions[1].segment"),
        ("/undo", {"seat": 1, "why": "bored"}, "$.why"),
    ),
)
async def test_a_malformed_request_changes_nothing(http_game: HTTPGame, path: str, body: Any, where: str) -> None:
    await check_problem(await http_game.post(path, body), 400, "malformed", where)
    assert (await http_game.get_json())["version"] == 1


async def test_the_last_of_duplicate_members_is_used(client: Client, http_game: HTTPGame) -> None:
    move = (await http_game.legal_moves())[0]["id"]
    body = f'{{"move": "p1", "move": "{move}"}}'.encode()
    response = await client.post(
        f"{http_game.path}/actions", data=body, headers={"Content-Type": JSON, **bearer_header(http_game.owner_token)}
    )
    assert response.status == 200


@pytest.mark.parametrize("number", ("60.0", "6e1", "6E+1", "600e-1", "60.000", "0.6e2"))
async def test_a_number_with_a_zero_fraction_is_an_integer(client: Client, number: str) -> None:
    """As JSON Schema has it: Godot and Lua write every number so."""
    body = (
        '{"players": [{"name": "1.0"}, {"bot": "random"}], "first_seat": -0.0, "seed": "tides", '
        f'"turn_timeout_s": {number}}}'
    )
    created = await client.post("/v1/games", data=body, headers={"Content-Type": JSON})
    assert created.status == 201, await created.text()
    game = HTTPGame(client, await created.json())
    assert (await game.get_json())["players"][0]["name"] == "1.0"
    action = (await game.legal_moves())[0]["action"]
    floats = {name: float(value) if isinstance(value, int) else value for name, value in action.items()}
    acted = await game.act({"actions": [floats], "seat": 0.0})
    assert acted.status == 200, await acted.text()
    hook = await game.post("/webhooks", {"url": URL, "seats": [0.0]})
    assert hook.status != 400, await hook.text()


@pytest.mark.parametrize("number", ("1e400", "-1e400", "1e9999999", "1e308", "2147483648.0", "1" + "0" * 60_000 + ".0"))
async def test_a_huge_number_is_no_integer(http_game: HTTPGame, client: Client, number: str) -> None:
    body = f'{{"seat": 0.0, "action": {{"type": "place_tile", "x": {number}, "y": 0, "rotation": 0}}}}'
    headers = {"Content-Type": JSON, **bearer_header(http_game.owner_token)}
    response = await client.post(f"{http_game.path}/actions", data=body, headers=headers)
    await check_problem(response, 400, "malformed", "$.action.x" if len(number) < 100 else "$.seat")


async def test_integers_with_a_zero_fraction_are_read_in_short_bodies_only(client: Client, http_game: HTTPGame) -> None:
    """They are decoded a second time, by a function for each number."""
    headers = {"Content-Type": JSON, **bearer_header(http_game.owner_token)}
    body = '{"action": {"type": "place_tile", "x": 9.0, "y": 9, "rotation": 0}}'
    short = await client.post(f"{http_game.path}/actions", data=body.ljust(MAX_FLOATS_BYTES), headers=headers)
    await check_problem(short, 422, "illegal_move")
    long = await client.post(f"{http_game.path}/actions", data=body.ljust(MAX_FLOATS_BYTES + 1), headers=headers)
    await check_problem(long, 400, "malformed", "$.action.x")


async def test_a_byte_order_mark_is_ignored(client: Client) -> None:
    body = json.dumps({"players": TWO_PLAYERS}).encode("utf-8-sig")
    assert (await client.post("/v1/games", data=body, headers={"Content-Type": JSON})).status == 201


@pytest.mark.parametrize(
    "action",
    (
        {**PLACE, "x": 2**31 - 1, "y": -(2**31)},
        {"type": "place_islander", "segment": 2**31 - 1},
        {"type": "retrieve_islander", "x": 2**31 - 1, "y": 0, "segment": 2**31 - 1},
        {"type": "retrieve_islander", "x": 70_000, "y": 70_000, "segment": 0},
        {"type": "take_ship", "ship": "-"},
        {"type": "deliver", "ship": "nope"},
        {"type": "deliver", "ship": "s01", "wares": {"fish": 2**31 - 1}},
    ),
)
async def test_well_formed_actions_out_of_range_are_illegal(http_game: HTTPGame, action: Any) -> None:
    for _ in range(2):
        await check_problem(await http_game.act({"action": action}), 422, "illegal_move")
        await http_game.act_successfully()


async def test_a_body_that_is_too_large_is_so_even_if_its_connection_was_stopped_first() -> None:
    """A client may send so fast that the handler has read nothing yet."""
    app = App()
    app[LIMITS] = Limits(max_body_bytes=100)
    body = StreamReader(Mock(_reading_paused=False), 2**16, loop=asyncio.get_running_loop())
    body.feed_data(bytes(101))
    body.set_exception(web.RequestPayloadError("too much data beside the body"))
    headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
    with pytest.raises(BodyTooLarge):
        await parsing.read_body(mocked_request("POST", "/", headers, app=app, payload=body), msgspec.json.Decoder())


BEARER = "send Authorization: Bearer TOKEN"
SECRET_KEY = "`openssl rand -hex 16`"

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
        *(
            ({"Authorization": form}, f"this is no bearer token: {BEARER}, without quotes")
            for form in ("Bearer: {owner}", 'Bearer "{owner}"', "Bearer a, b", "Bearer Bearer {owner}")
        ),
        *(({name: "{owner}"}, BEARER) for name in ("X-Auth-Token", "Cookie")),
        *(({"Authorization": f"Bearer {word}"}, f"{word} stands for a token: send") for word in ("undefined", "TOKEN")),
        ({"Authorization": f"Bearer {'x' * 43}"}, "creating or joining this game returned"),
        ({"Authorization": "Bearer ssk_mine_x"}, "send the API key in the header Api-Key"),
        ({"Authorization": "Bearer {owner}", "Content-Type": f"{JSON}; charset=iso-8859-1"}, "in UTF-8"),
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
        *(({name: "x"}, "send it as the header Api-Key") for name in ("X-Api-Key", "ApiKey", "Api_Key", "x_api_key")),
        *(({name: "x"}, "as the header Idempotency-Key") for name in ("X-Idempotency-Key", "Idempotency_Key")),
        ({"X-Creator-Key": "x"}, "send it as the header Creator-Key"),
        ({"Authorization": "Bearer ssk_mine_x"}, "send the API key in the header Api-Key"),
        ({"Api-Key": "Bearer x"}, "send it alone in the header Api-Key"),
        body={"players": TWO_PLAYERS},
    ),
    *headers("POST {game}/undo", ({"Authorization": "Bearer {owner}", "If_Match": '"1"'}, "as the header If-Match")),
    *headers("GET /v1/keys/me", ({"Authorization": "ApiKey x"}, "send the API key in the header Api-Key")),
    *headers("GET {game}", ({"If-None-Match": "1"}, 'for example "17"')),
    *headers("GET {game}/diffs", ({"Accept": "text/event-stream", "Last-Event-ID": "17"}, "VERSION-DIGEST")),
    *headers(
        "GET /v1/seats/me/games",
        ({}, "no secret was sent: send seats' tokens or a Creator-Key as Authorization: Bearer SECRET, SECRET"),
        ({"Authorization": f"Bearer {'x' * 43}"}, "whoever has neither has no games yet"),
    ),
    *headers(
        "GET /v1/games/nosuchgame12",
        ({}, BEARER),
        ({"Authorization": "Bearer ssk_mine_x"}, "send the API key in the header Api-Key"),
    ),
    *headers("GET /v1/keys/me", ({"Api-Key": f"ssk_mine_{'x' * 43}"}, "ask the operator")),
    *requests(
        *((f"GET {{game}}?{name}={{owner}}", BEARER) for name in ("token", "access_token")),
        ("GET /v1/keys/me?api_key=ssk", "send the API key in the header Api-Key"),
        *((f"GET {{game}}{wrong}", "an id is 1 to 32 of a-z, 0-9 and -") for wrong in ("%0A", "X/diffs", ".json")),
        ("GET /v1/games/%0Ax/board.svg", "an id is 1 to 32 of a-z, 0-9 and -"),
        ("POST /v1/games/:id/actions", "an id is 1 to 32 of a-z, 0-9 and -"),
        *((f"GET {path}", "/docs/, OpenAPI at /openapi.json") for path in ("/v1", "/swagger", "/health", "/status")),
        ("GET /v1/me/games", "did you mean /v1/seats/me/games?"),
        *((f"GET /v1/games?{name}=2", "did you mean `cursor`?") for name in ("page", "offset", "pageToken")),
        *((f"GET /v1/games?{name}=2", "did you mean `limit`?") for name in ("per_page", "pageSize")),
        *((f"GET {{game}}/diffs?{name}=2", "did you mean `since`?") for name in ("offset", "from")),
        ("GET {game}/legal-moves?effects=yes", "true or false"),
        ("GET {game}/board.png?w=800", "did you mean `width`?"),
        ("GET /v1/tilesets/lagon", "did you mean `lagoon`?"),
        ("GET /v1/tilesets/lagoon/tiles/bridge-bend1.svg", "did you mean `bridge-bend-1`?"),
        *((f"GET {{game}}/story?{name}=fr", "send it as the header Accept-Language") for name in ("lang", "locale")),
        ("GET /games", "did you mean /v1/games?"),
        ("GET /api/v1/games", "did you mean /v1/games?"),
        ("GET /v1/games/", "did you mean /v1/games?"),
        ("GET /examples/", "there is no such path: /v1 is followed by "),
        ("GET /v1/Games", "did you mean /v1/games?"),
        ("GET /v2/games", "did you mean /v1/games?"),
        ("GET /v1/game/abc", "did you mean /v1/games/abc?"),
        ("GET {game}/legal_moves", "did you mean {game}/legal-moves?"),
        ("POST {game}/action", "did you mean {game}/actions?"),
        *((f"GET /v1/games?{name}=active", "did you mean `status`?") for name in ("state", "stauts")),
        ("GET {game}/board.png?format=svg", ".png or .svg"),
        ("POST {game}", "; POST goes to /v1/games, /v1/games/{{id}}/"),
        ("GET {game}/actions", "/legal-moves"),
        ("POST /v1/games/create", "POST goes to /v1/games,"),
        *((f"POST {{game}}/{part}", "did you mean {game}?") for part in ("state", "abort")),
        ("POST {game}/join", "did you mean {game}/seats?"),
        ("POST {game}/leave", "did you mean {game}/resign?"),
        *((f"POST {{game}}/{part}", "did you mean {game}/actions?") for part in ("act", "move")),
        ("GET {game}/moves", "did you mean {game}/legal-moves?"),
        ("GET {game}/events", "did you mean {game}/diffs?"),
        ("GET /v1/bots/greedy", "did you mean /v1/bots?"),
        ("GET /v1/websocket", "ws"),
        ("GET {game}/ws", "open a WebSocket"),
        ("PUT {game}/actions", "is not one of OPTIONS, POST"),
        ("POST {game}/legal-moves", "is not one of GET, HEAD, OPTIONS"),
        ("PATCH {game}", "is not one of DELETE, GET, HEAD, OPTIONS"),
        ("GET /v1/games?status=open", "did you mean `waiting`? Known are aborted"),
        ("GET /v1/games?limit=1000", "<= 100"),
        ("GET /v1/games?cursor=2", "`next_cursor` of the previous page"),
        ("GET {game}/legal-moves?stage=cells", "did you mean `cell`?"),
        ("GET {game}/legal-moves?effects=yes", "`bool`"),
        ("GET {game}/diffs?since=latest", "`int`"),
        ("GET {game}/board.png?theme=night", "did you mean `dark`? Known are dark, light"),
        ("POST {game}/rematch", "only a finished or aborted game"),
    ),
    *bodies(
        "POST {game}/actions",
        ("", "the body is empty"),
        *((text, "names and texts stand in double quotes") for text in ("{'move': 'p0.1.0'}", "{\"move\": 'p0.1.0'}")),
        ('{"move": "p0.1.0",}', "JSON is malformed"),
        ('"{\\"move\\": \\"p0.1.0\\"}"', "an object of action, move, actions, seat, without quotes around it"),
        ('"p0.1.0"', 'did you mean {{"move": ...}}? Else an object of action'),
        ({"id": "p0.1.0", "text": "", "action": PLACE}, "did you mean `move`?"),
        ({"move": {"id": "p0.1.0"}}, "a text in double quotes"),
        ('{"move": "p0.1', "send a whole JSON text"),
        ({"action": {"move": "p0.1.0"}}, 'did you mean {{"move": ...}} in the outermost object?'),
        ({"action": {"action": PLACE}}, 'did you mean {{"action": ...}} in the outermost object?'),
        ({"actions": [{"move": "p0.1.0"}]}, 'did you mean {{"move": ...}} in the outermost object?'),
        ({"action": {"type": "place_meeple"}}, "did you mean `place_islander`?"),
        (PLACE, 'did you mean {{"action": {{"type": ...}}}}?'),
        ([PLACE], 'did you mean {{"actions": [...]}}?'),
        ({"action": "p0.1.0"}, 'did you mean {{"move": ...}}? Else an object of type, x'),
        ({"move": PLACE}, "that `legal-moves` lists"),
        ({"actions": []}, "A list has 1 to 16 actions."),
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
        ({"action": {**PLACE, "x": "0"}}, "a number, without quotes"),
        ({"action": {**PLACE, "version": 1}}, "send it as the header If-Match"),
        ({"action": {**PLACE, "seat": 0}}, 'did you mean {{"seat": ...}} in the outermost object?'),
        *(({"action": {"type": "place_tile", name: {"x": 0}}}, "did you mean `x`?") for name in ("position", "cell")),
        ({"move": "p0.1.0", "seat": 1}, "another player has to decide now"),
    ),
    *bodies(
        "POST /v1/games",
        ({"players": 2}, "a list of objects of name, color, bot, open"),
        ({"players": ["Ana", "Bo"]}, "an object of name, color, bot, open"),
        ({"players": TWO_PLAYERS[:1]}, "A game has 2 to 5 players."),
        ({"seats": TWO_PLAYERS}, "players"),
        ([{"name": "Ana"}], 'did you mean {{"players": [...]}}?'),
        ({"players": [{"name": "Ana"}, {"bot": True}]}, "`GET /v1/bots` lists them"),
        ({"players": [{"name": "Ana"}, {"bot": "gpt"}]}, "no bot gpt: Known are expert, greedy, random;"),
        ({"players": [{"name": "Ana"}, {"bot": "greedi"}]}, "did you mean `greedy`?"),
        ({"players": TWO_PLAYERS, "tileset": "lagon"}, "did you mean `lagoon`? Known are"),
        ({"players": [{"name": "Ana"}, {"bot": "Greedy"}]}, "A bot's name, such as `greedy`; `GET /v1/bots`"),
        ({"players": TWO_PLAYERS, "tileset": "base"}, "Known are archipelago, lagoon"),
        ({"players": [{"name": "Ana", "colour": "red"}, {"name": "Bo"}]}, "did you mean `color`?"),
        ({"players": [{"name": "Ana", "color": "pink"}, {"name": "Bo"}]}, "black, blue, green, red, yellow"),
        ({"players": [{"name": "Ana"}, {"type": "bot"}]}, "name, color, bot, open"),
        *(({"players": TWO_PLAYERS, name: 60}, "`turn_timeout_s`?") for name in ("turnTimeoutS", "timeout")),
        ({"players": TWO_PLAYERS, "turn_timeout_s": "60"}, "a number, without quotes"),
        ({"players": TWO_PLAYERS, "first_seat": "Ana"}, "a number, without quotes"),
        ({"players": TWO_PLAYERS, "seed": 42}, "a text in double quotes: The shuffle's seed"),
        ({"players": [{"name": 1}, {"name": "Bo"}]}, "a text in double quotes"),
        ({"players": [{"name": "Ana", "open": "false"}, {"name": "Bo"}]}, "true or false, without quotes"),
        ({"players": [{"name": "Ana"}, {"kind": "bot"}]}, "did you mean `bot`?"),
        ({"players": [{"name": "Ana", "user": "7"}, {"name": "Bo"}]}, "did you mean `external_user`?"),
        ({"players": TWO_PLAYERS, "private": True}, "did you mean `visibility`?"),
        ({"players": TWO_PLAYERS, "first_seat": 2}, "the first is 0"),
        ({"players": TWO_PLAYERS, "visibility": "hidden"}, "private, public"),
        ({"players": TWO_PLAYERS, "seed": "my seed"}, "1 to 64 of A-Z"),
    ),
    *bodies("POST /v1/games?include_legal_moves=1", ({"players": TWO_PLAYERS}, "did you mean `include`?")),
    *bodies("POST {game}/seats", ({"player": "Bo"}, "name, color")),
    *bodies(
        "POST {game}/webhooks",
        ({"url": "http://localhost:3000"}, "must begin with https://; `south-seas listen` sends events"),
        ({"url": "https://localhost/hook"}, "not a public host name"),
        ({"url": URL, "events": []}, "A webhook names 1 to 64 events"),
        ({"url": URL, "events": ["*"]}, "turn_started"),
        *(({"url": URL, "events": [f"game.{end}"]}, "did you mean `game_finished`?") for end in ("finished", "over")),
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


async def test_a_body_in_utf_16_is_told_to_be_so(client: Client) -> None:
    response = await client.post("/v1/games", data=json.dumps({}).encode("utf-16"), headers={"Content-Type": JSON})
    assert "send UTF-8" in (await check_problem(response, 400, "malformed", "$"))["detail"]


@pytest.mark.parametrize(
    ("message", "fix"),
    (
        ("ping", "JSON is malformed"),
        *((message, "Known are auth, subscribe") for message in ({"action": PLACE}, {"action": "subscribe"})),
        ([{"type": "ping"}], "send each message on its own"),
        ({**PLACE, "game": "{game}"}, 'did you mean {"type": "act", "action": {"type": "place_tile", ...}}?'),
        ({"type": "auth", "game": "{game}", "token": "Bearer x"}, "with `game`, and TOKEN alone as `token`"),
        *(({"type": "undo", "game": "{game}", name: 1}, "did you mean `if_match`?") for name in ("ifMatch", "version")),
        ({"type": "act", "game": "{game}", "action": {**PLACE, "version": 1}}, "did you mean `if_match`?"),
        ({"type": "undo", "game": "{game}", "idempotencyKey": "k"}, "did you mean `key`?"),
        ({"type": "undo", "game": "{game}", "if_match": '"9"'}, "an `auth` message"),
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
    assert fix in (await watcher.request(text.replace("{game}", game.id), "error"))["problem"]["detail"]
