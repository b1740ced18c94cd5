"""Malformed input of every kind gets its problem, never a 500."""

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
from tests.web.http_game import JSON, TWO_PLAYERS, HTTPGame, bearer_header, check_problem
from tests.web.webhook_receiver import SECRET

URL = "https://bot.example/south-seas"
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
        *((RegisterWebhook, "$.url", body) for body in ({}, {"url": 1}, {"url": ""})),
        *((RegisterWebhook, "$.events", {"url": URL, "events": []}), (SeatCommand, "$.seat", {"seat": "first"})),
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
