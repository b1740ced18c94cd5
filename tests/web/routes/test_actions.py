"""Undo, resigning, time-outs and returning over HTTP."""

from collections.abc import Sequence
from typing import Any

import pytest
from aiohttp import ClientResponse

from schemas.actions import ActionRequest, Deliver
from schemas.vocabulary import Wares, WaresRequest
from service.games.commands.play import parse_action
from service.games.scheduler import advance_due_game
from service.store.game_store import RedisStore
from tests.games.game_fixture import make_context
from tests.polling import TIMEOUT_S
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import IDENTITY, TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game


async def after_placing(client: Client) -> HTTPGame:
    """Return a game in the islander phase, after the first tile."""
    game = await create_game(client, seed="tides", first_seat=0)
    await game.act_successfully()
    assert (await game.get_json())["turn"]["phase"] == "islander"
    return game


async def test_an_action_is_a_version_and_a_diff(client: Client) -> None:
    http_game = await create_game(client, seed="tides")
    move = (await http_game.legal_moves())[0]
    response = await http_game.act({"action": move["action"]})
    acted = await response.json()
    assert (response.status, response.headers["ETag"]) == (200, f'"2-{acted["digest"]}"')
    assert (acted["version"], acted["game"], acted["legal_moves"]) == (2, None, None)
    (diff,) = acted["diffs"]
    assert (diff["version"], diff["digest"], diff["move"], diff["by"]) == (2, acted["digest"], move["id"], "owner")
    game = await http_game.get_json()
    assert game["updated_at"] == diff["at"]
    assert acted["next"] == {"seat": game["turn"]["decider"], "phase": game["turn"]["phase"]}
    assert (await http_game.get_json("/diffs?since=1"))["diffs"] == [diff]


async def test_checks_run_in_order(client: Client) -> None:
    game = await create_game(client, first_seat=0)
    wrong_version = {"If-Match": '"7"'}
    illegal = {"move": "p9.9.0"}
    stranger = "A" * 43
    await check_problem(await game.act({}, stranger, **wrong_version), 400, "malformed")
    await check_problem(await game.act(illegal, stranger, **wrong_version), 401, "unauthorized")
    response = await game.act({**illegal, "seat": 4}, game.seat_tokens[0], **wrong_version)
    await check_problem(response, 412, "version_mismatch")
    await check_problem(await game.act({**illegal, "seat": 4}, game.seat_tokens[0]), 403, "wrong_seat")
    await check_problem(await game.act(illegal, game.seat_tokens[1]), 409, "not_your_turn")
    await check_problem(await game.act(illegal, game.seat_tokens[0]), 422, "illegal_move")
    finished = await game.act(await game.first_move(), **{"Idempotency-Key": "once"})
    move = (await finished.json())["diffs"][0]["move"]
    await game.delete()
    await check_problem(await game.act(illegal, **wrong_version), 409, "not_active")
    again = await game.act({"move": move}, **{"Idempotency-Key": "once"}, **wrong_version)
    assert (again.status, (await again.json())["diffs"]) == (200, (await finished.json())["diffs"])
    await check_problem(await game.act(illegal, **{"Idempotency-Key": "once"}, **wrong_version), 422, "key_reused")


WAITS = [{"name": "Ana"}, {"open": True}]


@pytest.mark.parametrize(
    ("method", "path", "body", "codes"),
    (
        ("POST", "/actions", {"move": "p99.0.0"}, ("not_active", "illegal_move", "not_active", "not_active")),
        ("POST", "/undo", {"seat": 0}, ("not_active", "nothing_to_undo", "not_active", "not_active")),
        ("POST", "/resign", {"seat": 0}, ("not_active", "", "not_active", "not_active")),
        ("POST", "/return", {"seat": 0}, ("not_active", "not_replaced", "not_active", "not_active")),
        ("POST", "/seats", {"name": "Cy"}, ("", "no_open_seat", "no_open_seat", "no_open_seat")),
        ("DELETE", "/seats/1", None, ("", "conflict", "not_active", "not_active")),
        ("POST", "/seats/0/token", {}, ("", "", "", "")),
        ("POST", "/rematch", {}, ("not_over", "not_over", "", "")),
        ("DELETE", "", None, ("", "", "not_active", "")),
    ),
)
async def test_which_commands_a_game_rejects(
    client: Client, method: str, path: str, body: Any, codes: Sequence[str]
) -> None:
    """One that waits, is active, is finished, or was aborted while it waited: the problem's code, else none."""
    for players, end, code in zip(
        (WAITS, TWO_PLAYERS, TWO_PLAYERS, WAITS), ("", "", "/resign", "-"), codes, strict=True
    ):
        game = await create_game(client, players, first_seat=0)
        if end:
            assert (await (game.delete() if end == "-" else game.post(end, {"seat": 0}))).status == 200
        headers = bearer_header(game.owner_token)
        response = await client.request(method, f"{game.path}{path}", json=body, headers=headers)
        assert (await response.json()).get("code", "") == code


async def test_the_owner_acts_for_the_decider_or_the_named_seat(client: Client) -> None:
    game = await create_game(client, first_seat=1)
    move = await game.first_move()
    await check_problem(await game.act({**move, "seat": 0}), 409, "not_your_turn")
    acted = await (await game.act({**move, "seat": 1})).json()
    assert (acted["diffs"][0]["seat"], acted["diffs"][0]["by"]) == (1, "owner")


async def test_a_list_is_applied_with_a_version_per_action(client: Client) -> None:
    game = await create_game(client, seed="tides", first_seat=0)
    place, before = (await game.legal_moves())[0]["action"], read_samples()
    acted = await game.act_successfully({"actions": [place, {"type": "pass", "phase": "islander"}]})
    assert (acted["version"], grown(before, "actions_total", by="owner")) == (3, 2)
    assert [diff["move"] for diff in acted["diffs"]][1] == "pass.islander"


async def test_a_list_that_fails_in_the_middle_changes_nothing(client: Client) -> None:
    game = await create_game(client, seed="tides", first_seat=0)
    before = await (await game.get()).read()
    log = await game.get_json("/diffs")
    place = (await game.legal_moves())[0]["action"]
    body = {"actions": [place, {"type": "place_islander", "segment": 9}, {"type": "pass"}]}
    problem = await check_problem(await game.act(body), 422, "illegal_move")
    assert problem["index"] == 1
    assert problem["rule"]
    single = await check_problem(await game.act({"action": body["actions"][1]}), 422, "illegal_move")
    assert single["index"] is None
    assert await (await game.get()).read() == before
    assert await game.get_json("/diffs") == log


async def test_no_action_may_follow_one_that_reveals_hidden_information(client: Client) -> None:
    game = await after_placing(client)
    before = (await game.get_json())["version"]
    over = [{"type": "pass", "phase": "islander"}, {"type": "place_tile", "x": 0, "y": 0, "rotation": 0}]
    assert (await check_problem(await game.act({"actions": over}), 422, "list_too_long"))["index"] == 1
    assert (await game.get_json())["version"] == before


@pytest.mark.parametrize("kind", ("pass", "place_islander"))
async def test_a_listed_pass_of_an_automatic_pass_is_skipped(client: Client, kind: str) -> None:
    game = await after_placing(client)
    move = next(move for move in await game.legal_moves() if move["action"]["type"] == kind)
    body = {"actions": [move["action"], {"type": "pass", "phase": "deliver"}]}
    before = (await game.get_json())["version"]
    acted = await game.act_successfully(body)
    assert acted["version"] == before + 1
    assert [diff["move"] for diff in acted["diffs"]] == [move["id"]]
    assert acted["next"]["phase"] == "place_tile"


async def test_if_match_names_the_version_before_a_list(client: Client) -> None:
    game = await create_game(client, seed="tides", first_seat=0)
    place = (await game.legal_moves())[0]["action"]
    body = {"actions": [place, {"type": "pass", "phase": "islander"}]}
    assert (await game.act(body, **{"If-Match": '"1"'})).status == 200
    await check_problem(await game.act(body, **{"If-Match": '"2"'}), 412, "version_mismatch")


def test_wares_that_are_null_are_none() -> None:
    given = ActionRequest(type="deliver", ship="s01", wares=WaresRequest(bananas=1, shells=None))
    assert parse_action(given, "$.action") == Deliver("s01", Wares(bananas=1, shells=0, fish=0))


THREE = [*TWO_PLAYERS, {"name": "Cy"}]
WAYS = ("undo", "resign", "return")


async def check_success(response: ClientResponse) -> Any:
    """Check for 200, and return the JSON."""
    assert response.status == 200, await response.text()
    return await response.json()


async def pass_deadline(
    http_game: HTTPGame, store: RedisStore, clock: FrozenClock, bot_budget_s: float = TIMEOUT_S
) -> None:
    """Let the deadline pass, and process the game on another instance with this bot budget."""
    clock.now += 61
    await advance_due_game(make_context(store, clock, bot_budget_s=bot_budget_s), http_game.id)


async def test_a_move_is_undone(client: Client) -> None:
    game = await create_game(client)
    await game.act_successfully()
    response = await game.post("/undo", Prefer="return=representation", **IDENTITY)
    undone = await check_success(response)
    assert response.headers["ETag"] == f'"3-{undone["digest"]}"'
    assert response.headers["Preference-Applied"] == "return=representation"
    assert undone["game"] == await game.get_json()
    assert undone["next"]["phase"] == "place_tile"
    await check_problem(await game.post("/undo"), 409, "nothing_to_undo")


async def test_a_seat_resigns(client: Client) -> None:
    game = await create_game(client, THREE, first_seat=0)
    (first,) = (await check_success(await game.post("/resign", token=game.seat_tokens[0])))["diffs"]
    assert (first["by"], first["seat"], first["move"]) == ("seat", 0, None)
    for what in WAYS:
        await check_problem(await game.post(f"/{what}", {"seat": 0}), 409, "resigned")
    await check_problem(await game.act({"move": "pass.islander"}, game.seat_tokens[0]), 409, "resigned")
    resigned = await check_success(await game.post("/resign", {"seat": 1}, Prefer="return=representation"))
    assert [event["type"] for event in resigned["diffs"][0]["events"]] == ["player_resigned", "game_finished"]
    assert (resigned["game"]["result"]["reason"], resigned["game"]["result"]["winners"]) == ("resigned", [2])
    assert resigned["next"] == {"seat": None, "phase": None}


@pytest.mark.parametrize("what", WAYS)
async def test_undo_resign_and_return_check_requests_alike(client: Client, what: str) -> None:
    waiting = await create_game(client, WAITS)
    await check_problem(await waiting.post(f"/{what}", token="x" * 43), 401, "unauthorized")
    game = await create_game(client, THREE)
    await game.act_successfully()
    await check_problem(await game.post(f"/{what}", {"seat": "first"}), 400, "malformed", "$.seat")
    await check_problem(await game.post(f"/{what}", {"why": "bored"}), 400, "malformed")
    await check_problem(await game.post(f"/{what}", **{"If-Match": '"1"'}), 412, "version_mismatch")
    hidden = await create_game(client, visibility="private")
    await check_problem(await client.post(f"{hidden.path}/{what}", json={}), 404, "not_found")


@pytest.mark.parametrize("what", ("resign", "return"))
async def test_the_owner_names_the_seat_that_resigns_or_returns(client: Client, what: str) -> None:
    """A repeated request without a seat would be about the next decider."""
    game = await create_game(client, THREE)
    await check_problem(await game.post(f"/{what}"), 400, "malformed", "$.seat")
    await check_problem(await game.post(f"/{what}", {}), 400, "malformed", "$.seat")
    assert (await game.get_json())["version"] == 1
