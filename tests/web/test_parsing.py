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

from service.web import parsing
from service.web.app_keys import LIMITS
from service.web.errors import BodyTooLarge
from service.web.limits import Limits
from service.web.parsing import MAX_FLOATS_BYTES
from tests.web.app_server import Client
from tests.web.http_game import JSON, TWO_PLAYERS, HTTPGame, bearer_header, check_problem
from tests.web.webhook_receiver import SECRET

DEEP = b"[" * 60_000 + b"]" * 5_000


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
async def test_malformed_bodies_are_rejected(client: Client, body: bytes) -> None:
    response = await client.post("/v1/games", data=body, headers={"Content-Type": JSON})
    problem = await check_problem(response, 400, "malformed")
    assert problem["path"].startswith("$")


@pytest.mark.parametrize(
    ("body", "path"),
    (
        ({}, "$.players"),
        ({"players": [], "seats": 2}, "$.players"),
        ({"players": TWO_PLAYERS, "seats": 2}, "$.seats"),
        ({"players": None}, "$.players"),
        ({"players": TWO_PLAYERS[:1]}, "$.players"),
        ({"players": TWO_PLAYERS * 3}, "$.players"),
        ({"players": ["Ana", "Bo"]}, "$.players[0]"),
        ({"players": [{"name": "Ana"}, {}]}, "$.players[1].name"),
        ({"players": [{"name": "Ana"}, {"open": False}]}, "$.players[1].name"),
        ({"players": [{"name": "Ana"}, {"name": None}]}, "$.players[1].name"),
        ({"players": [{"name": "Ana"}, {"open": True, "name": "Bo"}]}, "$.players[1].open"),
        ({"players": [{"name": "Ana"}, {"open": True, "bot": "random"}]}, "$.players[1].open"),
        ({"players": [{"name": "Ana"}, {"open": 1}]}, "$.players[1].open"),
        ({"players": [{"name": "Ana"}, {"bot": "Deep Thought"}]}, "$.players[1].bot"),
        ({"players": [{"name": ""}, {"name": "Bo"}]}, "$.players[0].name"),
        ({"players": [{"name": "a" * 33}, {"name": "Bo"}]}, "$.players[0].name"),
        ({"players": [{"name": "a\nb"}, {"name": "Bo"}]}, "$.players[0].name"),
        ({"players": [{"name": "a\u202eb"}, {"name": "Bo"}]}, "$.players[0].name"),
        ({"players": [{"name": "a\x00b"}, {"name": "Bo"}]}, "$.players[0].name"),
        ({"players": [{"name": "Ana", "color": "pink"}, {"name": "Bo"}]}, "$.players[0].color"),
        ({"players": [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "red"}]}, "$.players"),
        ({"players": TWO_PLAYERS, "edition": "french"}, "$.edition"),
        ({"players": TWO_PLAYERS, "first_seat": 2}, "$.first_seat"),
        ({"players": TWO_PLAYERS, "first_seat": -1}, "$.first_seat"),
        ({"players": TWO_PLAYERS, "first_seat": 0.5}, "$.first_seat"),
        ({"players": TWO_PLAYERS, "first_seat": 0.0, "turn_timeout_s": 1.5}, "$.turn_timeout_s"),
        ({"players": TWO_PLAYERS, "first_seat": 0.0, "turn_timeout_s": "60"}, "$.turn_timeout_s"),
        ({"players": TWO_PLAYERS, "first_seat": 2.0}, "$.first_seat"),
        ({"players": [{"name": 1.0}, {"name": "Bo"}]}, "$.players[0].name"),
        ({"players": TWO_PLAYERS, "first_seat": True}, "$.first_seat"),
        ({"players": TWO_PLAYERS, "first_seat": 10**30}, "$.first_seat"),
        ({"players": TWO_PLAYERS, "tileset": "a b"}, "$.tileset"),
        ({"players": TWO_PLAYERS, "tileset": "archipelago\n"}, "$.tileset"),
        ({"players": TWO_PLAYERS, "seed": ""}, "$.seed"),
        ({"players": TWO_PLAYERS, "seed": "a" * 65}, "$.seed"),
        ({"players": TWO_PLAYERS, "seed": "a:b"}, "$.seed"),
        ({"players": TWO_PLAYERS, "visibility": "secret"}, "$.visibility"),
        ({"players": TWO_PLAYERS, "turn_timeout_s": 0}, "$.turn_timeout_s"),
        ({"players": TWO_PLAYERS, "turn_timeout_s": 2_592_001}, "$.turn_timeout_s"),
        ({"players": TWO_PLAYERS, "on_timeout": "bot"}, "$.on_timeout"),
        ({"players": TWO_PLAYERS, "on_timeout": "sulk", "turn_timeout_s": 60}, "$.on_timeout"),
    ),
)
async def test_malformed_creations_are_rejected(client: Client, body: Any, path: str) -> None:
    await check_problem(await client.post("/v1/games", json=body), 400, "malformed", path)
    assert (await (await client.get("/v1/games")).json())["games"] == []


URL = "https://bot.example/south-seas"


@pytest.mark.parametrize(
    ("path", "body", "where"),
    (
        ("/seats", {}, "$.name"),
        ("/seats", {"name": None}, "$.name"),
        ("/seats", {"name": "Bo", "seat": 1}, "$.seat"),
        ("/seats", {"name": "Bo\u200b"}, "$.name"),
        ("/seats", {"name": "Bo", "color": "RED"}, "$.color"),
        ("/rematch", [], "$"),
        ("/rematch", {"seed": ""}, "$.seed"),
        ("/rematch", {"seed": 1}, "$.seed"),
        ("/rematch", {"players": []}, "$.players"),
        ("/webhooks", {}, "$.url"),
        ("/webhooks", {"url": 1}, "$.url"),
        ("/webhooks", {"url": ""}, "$.url"),
        ("/webhooks", {"url": URL, "events": []}, "$.events"),
        ("/webhooks", {"url": URL, "events": ["turn_begun"]}, "$.events[0]"),
        ("/webhooks", {"url": URL, "seats": []}, "$.seats"),
        ("/webhooks", {"url": URL, "seats": [0, 2]}, "$.seats[1]"),
        ("/webhooks", {"url": URL, "seats": [9]}, "$.seats[0]"),
        ("/webhooks", {"url": URL, "secret": "whsec_c2hvcnQ="}, "$.secret"),
        ("/webhooks", {"url": URL, "secret": SECRET[6:]}, "$.secret"),
        ("/webhooks", {"url": URL, "secret": f"{SECRET}AA"}, "$.secret"),
        ("/webhooks", {"url": URL, "color": "red"}, "$.color"),
    ),
)
async def test_malformed_requests_of_a_game_are_rejected(http_game: HTTPGame, path: str, body: Any, where: str) -> None:
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


PLACE = {"type": "place_tile", "x": 0, "y": 1, "rotation": 0}


@pytest.mark.parametrize(
    ("body", "path"),
    (
        ({}, "$"),
        ({"seat": 0}, "$"),
        ({"move": "i0", "action": {"type": "pass"}}, "$"),
        ({"move": None, "action": None, "actions": None}, "$"),
        ({"move": "i0", "turn": 3}, "$.turn"),
        ({"move": ""}, "$.move"),
        ({"move": "p1"}, "$.move"),
        ({"move": "i00"}, "$.move"),
        ({"move": "p1.2.4"}, "$.move"),
        ({"move": "p-0.1.0"}, "$.move"),
        ({"move": "d.s01"}, "$.move"),
        ({"move": "pass"}, "$.move"),
        ({"move": "i" + "9" * 23}, "$.move"),
        ({"move": "i" * 25}, "$.move"),
        ({"move": "i0", "seat": 5}, "$.seat"),
        ({"move": "i0", "seat": "0"}, "$.seat"),
        ({"action": {}}, "$.action.type"),
        ({"action": []}, "$.action"),
        ({"action": {"type": "fly"}}, "$.action.type"),
        ({"action": {"type": "place_tile", "x": 1, "y": 2}}, "$.action.rotation"),
        ({"action": {**PLACE, "rotation": 4}}, "$.action.rotation"),
        ({"action": {**PLACE, "rotation": 1.5}}, "$.action.rotation"),
        ({"action": {**PLACE, "x": 2**31}}, "$.action.x"),
        ({"action": {**PLACE, "y": -(2**31) - 1}}, "$.action.y"),
        ({"action": {**PLACE, "x": 10**400}}, "$.action.x"),
        ({"action": {**PLACE, "x": "1"}}, "$.action.x"),
        ({"action": {**PLACE, "segment": 0}}, "$.action.segment"),
        ({"action": {**PLACE, "z": 0}}, "$.action.z"),
        ({"action": {"type": "place_islander", "segment": -1}}, "$.action.segment"),
        ({"action": {"type": "take_ship", "ship": "s" * 9}}, "$.action.ship"),
        ({"action": {"type": "take_ship"}}, "$.action.ship"),
        ({"action": {"type": "deliver", "ship": "s01", "wares": {"pearls": 1}}}, "$.action.wares.pearls"),
        ({"action": {"type": "deliver", "ship": "s01", "wares": {"fish": -1}}}, "$.action.wares.fish"),
        ({"action": {"type": "deliver", "ship": "s01", "wares": []}}, "$.action.wares"),
        ({"action": {"type": "pass", "phase": "place_tile"}}, "$.action.phase"),
        ({"actions": []}, "$.actions"),
        ({"actions": [{"type": "pass"}] * 17}, "$.actions"),
        ({"actions": [{"type": "pass"}, "i0"]}, "$.actions[1]"),
        ({"actions": [{"type": "pass"}, {"move": "i0"}]}, "$.actions[1].move"),
        ({"actions": [{"type": "pass"}, {"type": "place_islander"}]}, "$.actions[1].segment"),
    ),
)
async def test_malformed_actions_are_rejected(http_game: HTTPGame, body: Any, path: str) -> None:
    await check_problem(await http_game.act(body), 400, "malformed", path)
    assert (await http_game.get_json())["version"] == 1


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
