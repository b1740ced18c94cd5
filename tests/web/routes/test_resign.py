"""Undo, resigning, time-outs and returning over HTTP."""

from collections.abc import Sequence
from typing import Any

import pytest
from aiohttp import ClientResponse

from service.games.context import Context
from service.games.ports import StoredDiff
from service.games.scheduler import advance_due_game
from service.store.game_store import RedisStore
from tests.games.game_logs import CATALOGUE
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import IDENTITY, TWO_PLAYERS, HTTPGame, check_problem, create_game

THREE = [*TWO_PLAYERS, {"name": "Cy"}]
WAYS = ("undo", "resign", "return")


async def check_success(response: ClientResponse) -> Any:
    """Check for 200, and return the JSON."""
    assert response.status == 200, await response.text()
    return await response.json()


async def pass_deadline(http_game: HTTPGame, store: RedisStore, clock: FrozenClock, bot_budget_s: float = 5.0) -> None:
    """Let the deadline pass, and process the game on another instance with this bot budget."""

    def committed(game: str, diffs: Sequence[StoredDiff]) -> None:
        del game, diffs

    clock.now += 61
    await advance_due_game(
        Context(store=store, tilesets=CATALOGUE, clock=clock, on_committed=committed, bot_budget_s=bot_budget_s),
        http_game.id,
    )


async def test_a_move_is_undone(client: Client) -> None:
    game = await create_game(client)
    before = await game.get_json()
    seat = before["turn"]["seat"]
    moves = await game.legal_moves()
    acted = await game.act_successfully({"move": moves[0]["id"]})
    assert (await game.get_json())["turn"]["undoable"] == 1
    response = await game.post("/undo", {"seat": seat}, Prefer="return=representation", **IDENTITY)
    undone = await check_success(response)
    assert response.headers["ETag"] == f'"3-{undone["digest"]}"'
    assert response.headers["Preference-Applied"] == "return=representation"
    (diff,) = undone["diffs"]
    assert (diff["by"], diff["seat"], diff["move"]) == ("owner", seat, None)
    assert diff["events"] == [{"type": "move_undone", "seat": seat, "move": acted["diffs"][0]["move"]}]
    assert undone["game"] == await game.get_json()
    counted = {"version": 3, "updated_at": diff["at"]}
    assert undone["game"] == {**before, **counted}
    assert await game.legal_moves() == moves
    assert undone["next"] == {"seat": seat, "phase": "place_tile"}
    await check_problem(await game.post("/undo"), 409, "nothing_to_undo")


async def test_undoing_another_seats_action_is_rejected(client: Client) -> None:
    game = await create_game(client)
    seat = (await game.get_json())["turn"]["seat"]
    await game.act_successfully()
    await check_problem(await game.post("/undo", token=game.seat_tokens[1 - seat]), 409, "not_your_turn")
    await check_problem(await game.post("/undo", {"seat": 1 - seat}), 409, "not_your_turn")
    await check_problem(await game.post("/undo", {"seat": seat}, game.seat_tokens[1 - seat]), 403, "wrong_seat")
    await check_problem(await game.post("/undo", token=game.spectator_token), 403, "wrong_seat")
    await check_problem(await client.post(f"{game.path}/undo"), 401, "unauthorized")
    assert (await check_success(await game.post("/undo", token=game.seat_tokens[seat])))["diffs"][0]["by"] == "seat"


async def test_a_seat_may_resign_at_any_time(client: Client) -> None:
    for on_turn in (True, False):
        game = await create_game(client)
        seat = (await game.get_json())["turn"]["seat"]
        loser = seat if on_turn else 1 - seat
        resigned = await check_success(
            await game.post("/resign", token=game.seat_tokens[loser], Prefer="return=representation")
        )
        (diff,) = resigned["diffs"]
        assert (diff["by"], diff["seat"], diff["move"]) == ("seat", loser, None)
        assert [event["type"] for event in diff["events"]] == ["player_resigned", "game_finished"]
        result = resigned["game"]["result"]
        assert (result["reason"], result["winners"]) == ("resigned", [1 - loser])
        assert resigned["next"] == {"seat": None, "phase": None}
        await check_problem(await game.post("/resign"), 409, "not_active")


async def test_the_other_two_continue_after_a_resignation(client: Client) -> None:
    http_game = await create_game(client, THREE, first_seat=0)
    await check_success(await http_game.post("/resign", token=http_game.seat_tokens[0]))
    game = await http_game.get_json()
    assert (game["turn"]["seat"], [player["resigned"] for player in game["players"]]) == (1, [True, False, False])
    await check_problem(await http_game.post("/resign", {"seat": 0}), 409, "resigned")
    await check_problem(await http_game.post("/return", {"seat": 0}), 409, "resigned")
    await check_problem(await http_game.post("/undo", {"seat": 0}), 409, "resigned")
    await check_problem(await http_game.act({"move": "pass.islander"}, http_game.seat_tokens[0]), 409, "resigned")


async def test_bots_act_in_the_commit_of_a_resignation(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"bot": "random"}, {"bot": "random"}], first_seat=0)
    resigned = await check_success(await game.post("/resign", {"seat": 0}))
    assert {diff["by"] for diff in resigned["diffs"]} == {"owner", "bot"}


@pytest.mark.parametrize("what", WAYS)
async def test_undo_resign_and_return_check_requests_alike(client: Client, what: str) -> None:
    waiting = await create_game(client, [{"name": "Ana"}, {"open": True}])
    await check_problem(await waiting.post(f"/{what}"), 409, "not_active")
    await check_problem(await waiting.post(f"/{what}", token="x" * 43), 401, "unauthorized")
    game = await create_game(client, THREE)
    await game.act_successfully()
    await check_problem(await game.post(f"/{what}", {"seat": "first"}), 400, "malformed", "$.seat")
    await check_problem(await game.post(f"/{what}", {"why": "bored"}), 400, "malformed")
    await check_problem(await game.post(f"/{what}", **{"If-Match": '"1"'}), 412, "version_mismatch")
    hidden = await create_game(client, visibility="private")
    await check_problem(await client.post(f"{hidden.path}/{what}", json={}), 404, "not_found")


@pytest.mark.parametrize("what", ("undo", "resign"))
async def test_a_retry_returns_the_same_response(client: Client, what: str) -> None:
    game = await create_game(client, THREE, first_seat=0)
    await game.act_successfully()
    headers = {"Idempotency-Key": "k", "If-Match": '"2"'}
    first, second = [await game.post(f"/{what}", {"seat": 0}, **headers) for _ in range(2)]
    assert await first.read() == await second.read()
    assert (await game.get_json())["version"] == 3
    await check_problem(await game.post(f"/{what}", {"seat": 1}, **{"Idempotency-Key": "k"}), 422, "key_reused")


async def test_include_adds_the_legal_moves(client: Client) -> None:
    game = await create_game(client, THREE)
    response = await game.post("/resign?include=legal_moves", {"seat": 2})
    assert (await check_success(response))["legal_moves"] == await game.get_json("/legal-moves")


async def test_a_deadline_is_announced_and_enforced(
    timed_client: Client, store: RedisStore, clock: FrozenClock
) -> None:
    http_game = await create_game(timed_client, turn_timeout_s=60, on_timeout="pass")
    game = await http_game.get_json()
    assert (game["turn_timeout_s"], game["on_timeout"]) == (60, "pass")
    assert game["created_at"] < game["turn"]["deadline"]
    await pass_deadline(http_game, store, clock)
    diffs = (await http_game.get_json("/diffs?since=1"))["diffs"]
    assert diffs[0]["events"][0] == {"type": "turn_timed_out", "seat": game["turn"]["seat"], "policy": "pass"}
    assert {diff["by"] for diff in diffs} == {"clock"}
    after = await http_game.get_json()
    assert after["turn"]["seat"] != game["turn"]["seat"]
    assert after["turn"]["deadline"] > after["updated_at"]


async def test_a_bot_plays_for_a_seat_until_its_player_returns(
    timed_client: Client, store: RedisStore, clock: FrozenClock
) -> None:
    http_game = await create_game(timed_client, first_seat=0, turn_timeout_s=60, on_timeout="bot")
    await check_problem(await http_game.post("/return", {"seat": 0}), 409, "not_replaced")
    await pass_deadline(http_game, store, clock)
    game = await http_game.get_json()
    assert (game["players"][0]["kind"], game["players"][0]["bot"], game["turn"]["seat"]) == ("human", "greedy", 1)
    await check_problem(await http_game.post("/return", token=http_game.seat_tokens[1]), 409, "not_replaced")
    await check_problem(await http_game.post("/return", {"seat": 0}, http_game.seat_tokens[1]), 403, "wrong_seat")
    returned = await check_success(await http_game.post("/return", {"seat": 0}))
    assert returned["diffs"][0]["events"] == [{"type": "player_returned", "seat": 0}]
    assert (await http_game.get_json())["players"][0]["bot"] is None


async def test_acting_for_a_replaced_seat_is_rejected(
    timed_client: Client, store: RedisStore, clock: FrozenClock
) -> None:
    game = await create_game(timed_client, first_seat=0, turn_timeout_s=60, on_timeout="bot")
    move = (await game.legal_moves())[0]["id"]
    await pass_deadline(game, store, clock, bot_budget_s=0.0)
    problem = await check_problem(await game.act({"actions": [{"type": "pass"}]}, game.seat_tokens[0]), 409, "replaced")
    assert problem["index"] == 0
    await check_success(await game.post("/return", token=game.seat_tokens[0]))
    await game.act_successfully({"move": move})


async def test_a_replaced_seat_is_named_also_when_another_is_on_turn(
    timed_client: Client, store: RedisStore, clock: FrozenClock
) -> None:
    """Otherwise the player's app would show whose turn it is, and never offer to return."""
    game = await create_game(timed_client, first_seat=0, turn_timeout_s=60, on_timeout="bot")
    await pass_deadline(game, store, clock)
    assert (await game.get_json())["turn"]["decider"] == 1
    for token, body in ((game.seat_tokens[0], {}), (game.owner_token, {"seat": 0})):
        await check_problem(await game.act({"move": "pass.deliver", **body}, token), 409, "replaced")
        await check_problem(await game.post("/undo", body, token), 409, "replaced")


@pytest.mark.parametrize("what", ("resign", "return"))
async def test_the_owner_names_the_seat_that_resigns_or_returns(client: Client, what: str) -> None:
    """A repeated request without a seat would be about the next decider."""
    game = await create_game(client, THREE)
    await check_problem(await game.post(f"/{what}"), 400, "malformed", "$.seat")
    await check_problem(await game.post(f"/{what}", {}), 400, "malformed", "$.seat")
    assert (await game.get_json())["version"] == 1
