"""Malformed input of every kind gets its problem, never a 500."""

import asyncio
import json
from contextlib import nullcontext
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
from aiohttp import StreamReader, web
from aiohttp.test_utils import make_mocked_request

from schemas.base import without_bom
from schemas.commands import Act
from schemas.lobby import CreateGame, JoinGame, Rematch
from schemas.webhooks import RegisterWebhook
from service.web import parsing
from service.web.app_keys import LIMITS
from service.web.errors import BodyTooLarge
from service.web.limits import Limits
from service.web.parsing import MAX_FLOATS_BYTES, decode_json
from service.web.problems import to_malformed
from tests.web.app_server import Client
from tests.web.http_game import JSON, TWO_PLAYERS, HTTPGame, bearer_header, check_problem
from tests.web.webhook_receiver import SECRET

DEEP = b"[" * 60_000 + b"]" * 5_000


def rejected_path(kind: type, body: bytes) -> str:
    """Return the path that the problem of a body names."""
    try:
        decode_json(msgspec.json.Decoder(kind), without_bom(body))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return to_malformed(error).path or ""
    pytest.fail("it is accepted")


@pytest.mark.parametrize(
    "body",
    (
        b"",
        b" ",
        b"{",
        b"null",
        b"[]",
        b'"x"',
        b"{} {}",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b'{"players": NaN}',
        b'{"players": 1e999}',
        b"{'players': []}",
        b'{"players": [{"name": "\xff"}, {"name": "Bo"}]}',
        b'{"players": [{"name": "\\ud800"}, {"name": "Bo"}]}',
        b'{"players": [{"name": "\\udc00 x"}, {"name": "Bo"}]}',
        b'{"players": [{"name": "\xed\xa0\x80"}, {"name": "Bo"}]}',
        b"\x00",
        '{"players": []}'.encode("utf-16"),
        DEEP,
        b'{"players":' + DEEP,
        b'{"x":' + DEEP,
        b"9" * 60_000,
    ),
)
def test_what_is_no_json_is_malformed(body: bytes) -> None:
    assert rejected_path(CreateGame, body).startswith("$")


URL = "https://bot.example/south-seas"
PLACE = {"type": "place_tile", "x": 0, "y": 1, "rotation": 0}


@pytest.mark.parametrize(
    ("kind", "body", "path"),
    (
        (CreateGame, {}, "$.players"),
        (CreateGame, {"players": [], "seats": 2}, "$.players"),
        (CreateGame, {"players": TWO_PLAYERS, "seats": 2}, "$.seats"),
        (CreateGame, {"players": None}, "$.players"),
        (CreateGame, {"players": TWO_PLAYERS[:1]}, "$.players"),
        (CreateGame, {"players": TWO_PLAYERS * 3}, "$.players"),
        (CreateGame, {"players": ["Ana", "Bo"]}, "$.players[0]"),
        (CreateGame, {"players": [{"name": "Ana"}, {}]}, "$.players[1].name"),
        (CreateGame, {"players": [{"name": "Ana"}, {"open": False}]}, "$.players[1].name"),
        (CreateGame, {"players": [{"name": "Ana"}, {"name": None}]}, "$.players[1].name"),
        (CreateGame, {"players": [{"name": "Ana"}, {"open": True, "name": "Bo"}]}, "$.players[1].open"),
        (CreateGame, {"players": [{"name": "Ana"}, {"open": True, "bot": "random"}]}, "$.players[1].open"),
        (CreateGame, {"players": [{"name": "Ana"}, {"open": 1}]}, "$.players[1].open"),
        (CreateGame, {"players": [{"name": "Ana"}, {"bot": "Deep Thought"}]}, "$.players[1].bot"),
        (CreateGame, {"players": [{"name": ""}, {"name": "Bo"}]}, "$.players[0].name"),
        (CreateGame, {"players": [{"name": "a" * 33}, {"name": "Bo"}]}, "$.players[0].name"),
        (CreateGame, {"players": [{"name": "a\nb"}, {"name": "Bo"}]}, "$.players[0].name"),
        (CreateGame, {"players": [{"name": "a\u202eb"}, {"name": "Bo"}]}, "$.players[0].name"),
        (CreateGame, {"players": [{"name": "a\x00b"}, {"name": "Bo"}]}, "$.players[0].name"),
        (CreateGame, {"players": [{"name": "Ana", "color": "pink"}, {"name": "Bo"}]}, "$.players[0].color"),
        (CreateGame, {"players": [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "red"}]}, "$.players"),
        (CreateGame, {"players": TWO_PLAYERS, "edition": "french"}, "$.edition"),
        (CreateGame, {"players": TWO_PLAYERS, "first_seat": 2}, "$.first_seat"),
        (CreateGame, {"players": TWO_PLAYERS, "first_seat": -1}, "$.first_seat"),
        (CreateGame, {"players": TWO_PLAYERS, "first_seat": 0.5}, "$.first_seat"),
        (CreateGame, {"players": TWO_PLAYERS, "first_seat": 0.0, "turn_timeout_s": 1.5}, "$.turn_timeout_s"),
        (CreateGame, {"players": TWO_PLAYERS, "first_seat": 0.0, "turn_timeout_s": "60"}, "$.turn_timeout_s"),
        (CreateGame, {"players": TWO_PLAYERS, "first_seat": 2.0}, "$.first_seat"),
        (CreateGame, {"players": [{"name": 1.0}, {"name": "Bo"}]}, "$.players[0].name"),
        (CreateGame, {"players": TWO_PLAYERS, "first_seat": True}, "$.first_seat"),
        (CreateGame, {"players": TWO_PLAYERS, "first_seat": 10**30}, "$.first_seat"),
        (CreateGame, {"players": TWO_PLAYERS, "tileset": "a b"}, "$.tileset"),
        (CreateGame, {"players": TWO_PLAYERS, "tileset": "archipelago\n"}, "$.tileset"),
        (CreateGame, {"players": TWO_PLAYERS, "seed": ""}, "$.seed"),
        (CreateGame, {"players": TWO_PLAYERS, "seed": "a" * 65}, "$.seed"),
        (CreateGame, {"players": TWO_PLAYERS, "seed": "a:b"}, "$.seed"),
        (CreateGame, {"players": TWO_PLAYERS, "visibility": "secret"}, "$.visibility"),
        (CreateGame, {"players": TWO_PLAYERS, "turn_timeout_s": 0}, "$.turn_timeout_s"),
        (CreateGame, {"players": TWO_PLAYERS, "turn_timeout_s": 2_592_001}, "$.turn_timeout_s"),
        (CreateGame, {"players": TWO_PLAYERS, "on_timeout": "bot"}, "$.on_timeout"),
        (CreateGame, {"players": TWO_PLAYERS, "on_timeout": "sulk", "turn_timeout_s": 60}, "$.on_timeout"),
        (JoinGame, {}, "$.name"),
        (JoinGame, {"name": None}, "$.name"),
        (JoinGame, {"name": "Bo", "seat": 1}, "$.seat"),
        (JoinGame, {"name": "Bo\u200b"}, "$.name"),
        (JoinGame, {"name": "Bo", "color": "RED"}, "$.color"),
        (Rematch, [], "$"),
        (Rematch, {"seed": ""}, "$.seed"),
        (Rematch, {"seed": 1}, "$.seed"),
        (Rematch, {"players": []}, "$.players"),
        (RegisterWebhook, {}, "$.url"),
        (RegisterWebhook, {"url": 1}, "$.url"),
        (RegisterWebhook, {"url": ""}, "$.url"),
        (RegisterWebhook, {"url": URL, "events": []}, "$.events"),
        (RegisterWebhook, {"url": URL, "events": ["turn_begun"]}, "$.events[0]"),
        (RegisterWebhook, {"url": URL, "seats": []}, "$.seats"),
        (RegisterWebhook, {"url": URL, "secret": "whsec_c2hvcnQ="}, "$.secret"),
        (RegisterWebhook, {"url": URL, "secret": SECRET[6:]}, "$.secret"),
        (RegisterWebhook, {"url": URL, "secret": f"{SECRET}AA"}, "$.secret"),
        (RegisterWebhook, {"url": URL, "color": "red"}, "$.color"),
        (Act, {}, "$"),
        (Act, {"seat": 0}, "$"),
        (Act, {"move": "i0", "action": {"type": "pass"}}, "$"),
        (Act, {"move": None, "action": None, "actions": None}, "$"),
        (Act, {"move": "i0", "turn": 3}, "$.turn"),
        (Act, {"move": ""}, "$.move"),
        (Act, {"move": "i" * 25}, "$.move"),
        (Act, {"move": "i0", "seat": 5}, "$.seat"),
        (Act, {"move": "i0", "seat": "0"}, "$.seat"),
        (Act, {"action": {}}, "$.action.type"),
        (Act, {"action": []}, "$.action"),
        (Act, {"action": {"type": "fly"}}, "$.action.type"),
        (Act, {"action": {**PLACE, "rotation": 4}}, "$.action.rotation"),
        (Act, {"action": {**PLACE, "rotation": 1.5}}, "$.action.rotation"),
        (Act, {"action": {**PLACE, "x": 2**31}}, "$.action.x"),
        (Act, {"action": {**PLACE, "y": -(2**31) - 1}}, "$.action.y"),
        (Act, {"action": {**PLACE, "x": 10**400}}, "$.action.x"),
        (Act, {"action": {**PLACE, "x": "1"}}, "$.action.x"),
        (Act, {"action": {**PLACE, "z": 0}}, "$.action.z"),
        (Act, {"action": {"type": "place_islander", "segment": -1}}, "$.action.segment"),
        (Act, {"action": {"type": "take_ship", "ship": "s" * 9}}, "$.action.ship"),
        (Act, {"action": {"type": "deliver", "ship": "s01", "wares": {"pearls": 1}}}, "$.action.wares.pearls"),
        (Act, {"action": {"type": "deliver", "ship": "s01", "wares": {"fish": -1}}}, "$.action.wares.fish"),
        (Act, {"action": {"type": "deliver", "ship": "s01", "wares": []}}, "$.action.wares"),
        (Act, {"action": {"type": "pass", "phase": "place_tile"}}, "$.action.phase"),
        (Act, {"actions": []}, "$.actions"),
        (Act, {"actions": [{"type": "pass"}] * 17}, "$.actions"),
        (Act, {"actions": [{"type": "pass"}, "i0"]}, "$.actions[1]"),
        (Act, {"actions": [{"type": "pass"}, {"move": "i0"}]}, "$.actions[1].move"),
    ),
)
def test_the_path_of_what_is_malformed_is_named(kind: type, body: Any, path: str) -> None:
    assert rejected_path(kind, json.dumps(body).encode()) == path


MALFORMED_LATER: tuple[tuple[str, Any, str], ...] = (
    ("/actions", {"move": "p1"}, "$.move"),
    ("/actions", {"move": "i00"}, "$.move"),
    ("/actions", {"move": "p1.2.4"}, "$.move"),
    ("/actions", {"move": "p-0.1.0"}, "$.move"),
    ("/actions", {"move": "d.s01"}, "$.move"),
    ("/actions", {"move": "pass"}, "$.move"),
    ("/actions", {"move": "i" + "9" * 23}, "$.move"),
    ("/actions", {"action": {"type": "place_tile", "x": 1, "y": 2}}, "$.action.rotation"),
    ("/actions", {"action": {**PLACE, "segment": 0}}, "$.action.segment"),
    ("/actions", {"action": {"type": "take_ship"}}, "$.action.ship"),
    ("/actions", {"actions": [{"type": "pass"}, {"type": "place_islander"}]}, "$.actions[1].segment"),
    ("/seats", {"name": None}, "$.name"),
    ("/rematch", [], "$"),
    ("/webhooks", {"url": URL, "seats": [0, 2]}, "$.seats[1]"),
    ("/webhooks", {"url": URL, "seats": [9]}, "$.seats[0]"),
)
"""What the decoder accepts, or another of the routes rejects."""


async def test_malformed_requests_change_nothing(http_game: HTTPGame) -> None:
    for path, body, where in MALFORMED_LATER:
        await check_problem(await http_game.post(path, body), 400, "malformed", where)
    assert (await http_game.get_json())["version"] == 1


async def test_a_malformed_creation_creates_nothing(client: Client) -> None:
    await check_problem(await client.post("/v1/games", json={"players": []}), 400, "malformed", "$.players")
    assert (await (await client.get("/v1/games")).json())["games"] == []


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


async def test_a_body_that_is_too_large_is_so_even_if_its_connection_was_stopped_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A client may send so fast that the handler has read nothing yet."""
    monkeypatch.setattr(parsing, "reading_body", lambda _request: nullcontext())
    app = web.Application()
    app[LIMITS] = Limits(max_body_bytes=100)
    body = StreamReader(Mock(_reading_paused=False), 2**16, loop=asyncio.get_running_loop())
    body.feed_data(bytes(101))
    body.set_exception(web.RequestPayloadError("too much data beside the body"))
    headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
    with pytest.raises(BodyTooLarge):
        await parsing.read_body(
            make_mocked_request("POST", "/", headers, app=app, payload=body), msgspec.json.Decoder()
        )
