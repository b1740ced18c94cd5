"""Undo, resigning, time-outs and returning over HTTP."""

from typing import Any

import pytest
from aiohttp import ClientResponse
from redis.asyncio import Redis

from service.games.context import Context
from service.games.scheduler import advance_due_game
from service.store.game_store import RedisStore
from service.web.app import CONTEXT
from tests.games.game_logs import CATALOGUE
from tests.snapshots import change_game
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import IDENTITY, TWO_PLAYERS, HTTPGame, check_problem, create_game

BOT = [{"name": "Ana"}, {"bot": "greedy"}]


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
    assert response.status == 200
    assert response.headers["ETag"] == f'"2-{acted["digest"]}"'
    assert (acted["version"], acted["game"], acted["legal_moves"]) == (2, None, None)
    (diff,) = acted["diffs"]
    assert (diff["version"], diff["digest"], diff["move"], diff["by"]) == (2, acted["digest"], move["id"], "owner")
    game = await http_game.get_json()
    assert game["updated_at"] == diff["at"]
    assert acted["next"] == {"seat": game["turn"]["decider"], "phase": game["turn"]["phase"]}
    assert (await http_game.get_json("/diffs?since=1"))["diffs"] == [diff]


async def test_a_move_by_its_id_equals_its_action(client: Client) -> None:
    games = [await create_game(client, seed="tides", first_seat=0) for _ in range(2)]
    move = (await games[0].legal_moves())[-1]
    by_id, in_full = (
        await games[0].act_successfully({"move": move["id"]}),
        await games[1].act_successfully({"action": move["action"]}),
    )
    assert by_id["diffs"][0]["events"] == in_full["diffs"][0]["events"]


async def test_prefer_representation_adds_the_game(http_game: HTTPGame) -> None:
    for prefer in ("return=representation", 'respond-async, RETURN="representation"; x=1'):
        response = await http_game.act(await http_game.first_move(), Prefer=prefer)
        assert (await response.json())["game"] == await http_game.get_json()
        assert response.headers["Preference-Applied"] == "return=representation"
    response = await http_game.act(await http_game.first_move(), Prefer="return=minimal, wait=5")
    assert (await response.json())["game"] is None
    assert "Preference-Applied" not in response.headers


async def test_include_adds_the_next_legal_moves(http_game: HTTPGame) -> None:
    response = await http_game.act(await http_game.first_move(), query="?include=legal_moves")
    assert (await response.json())["legal_moves"] == await http_game.get_json("/legal-moves")
    await check_problem(await http_game.act({"move": "i0"}, query="?include=all"), 400, "malformed", "include")


async def test_a_bot_acts_in_the_same_commit(client: Client) -> None:
    game = await create_game(client, BOT, seed="tides", first_seat=0)
    while True:
        acted = await game.act_successfully()
        if len(acted["diffs"]) > 1:
            break
    assert [diff["by"] for diff in acted["diffs"]][:2] == ["owner", "bot"]
    assert [diff["version"] for diff in acted["diffs"]] == [
        *range(acted["version"] - len(acted["diffs"]) + 1, acted["version"] + 1)
    ]
    assert acted["next"]["seat"] == 0
    assert acted["diffs"][-1]["digest"] == acted["digest"]


async def test_only_listed_moves_are_accepted(client: Client) -> None:
    game = await create_game(client, seed="tides")
    listed = {move["id"] for move in await game.legal_moves()}
    near = {f"p{x}.{y}.{rotation}" for x in range(-2, 3) for y in range(-2, 3) for rotation in range(4)}
    for move in sorted(near - listed):
        problem = await check_problem(await game.act({"move": move}), 422, "illegal_move")
        assert problem["rule"].startswith("R3.")
        assert problem["index"] is None
    assert (await game.get_json())["version"] == 1


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


async def test_the_owner_acts_for_the_decider_or_the_named_seat(client: Client) -> None:
    game = await create_game(client, first_seat=1)
    move = await game.first_move()
    await check_problem(await game.act({**move, "seat": 0}), 409, "not_your_turn")
    acted = await (await game.act({**move, "seat": 1})).json()
    assert (acted["diffs"][0]["seat"], acted["diffs"][0]["by"]) == (1, "owner")


async def test_the_owner_does_not_act_for_bots(client: Client) -> None:
    game = await create_game(client, BOT, first_seat=0)
    move = {"move": (await game.legal_moves())[0]["id"], "seat": 1}
    await check_problem(await game.act(move), 403, "wrong_seat")


async def test_a_list_is_applied_with_a_version_per_action(client: Client) -> None:
    game = await create_game(client, seed="tides", first_seat=0)
    place = (await game.legal_moves())[0]["action"]
    acted = await game.act_successfully({"actions": [place, {"type": "pass", "phase": "islander"}]})
    assert acted["version"] == 3
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
    assert await (await game.get()).read() == before
    assert await game.get_json("/diffs") == log


async def test_a_malformed_item_makes_the_whole_list_malformed(client: Client) -> None:
    game = await create_game(client, seed="tides")
    place = (await game.legal_moves())[0]["action"]
    body = {"actions": [place, {"type": "pass", "x": 1}]}
    await check_problem(await game.act(body, "A" * 43), 400, "malformed", "$.actions[1].x")
    assert (await game.get_json())["version"] == 1


async def test_no_action_may_follow_one_that_reveals_hidden_information(client: Client) -> None:
    game = await after_placing(client)
    before = (await game.get_json())["version"]
    over = [{"type": "pass", "phase": "islander"}, {"type": "place_tile", "x": 0, "y": 0, "rotation": 0}]
    problem = await check_problem(await game.act({"actions": over}), 422, "list_too_long")
    assert problem["index"] == 1
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


async def before_delivering(client: Client, redis: Redis, seed: str) -> HTTPGame:
    """Return a game in the deliver phase in which every cost can be paid."""
    http_game = await create_game(client, seed=seed, first_seat=0)
    await http_game.act_successfully()
    await change_game(redis, http_game.id, lambda game: setattr(game.players[game.decider], "wares", [9, 9, 9]))
    client.app[CONTEXT].cache.pop(http_game.id)
    await http_game.act_successfully({"move": "pass.islander"})
    return http_game


async def test_wares_are_needed_only_where_several_payments_are_possible(client: Client, redis: Redis) -> None:
    """R6.5, for ships with one possible payment and with several."""
    payments_seen: set[bool] = set()
    for number in range(20):
        game = await before_delivering(client, redis, f"wares-{number}")
        payments: dict[str, list[dict[str, Any]]] = {}
        for move in await game.legal_moves():
            if move["action"]["type"] == "deliver":
                payments.setdefault(move["action"]["ship"], []).append(move)
        for ship, moves in payments.items():
            several = len(moves) > 1
            if several in payments_seen:
                continue
            response = await game.act({"action": {"type": "deliver", "ship": ship}})
            if several:
                problem = await check_problem(response, 422, "illegal_move")
                assert problem["rule"] == "R6.5"
                action = moves[0]["action"]
                without_zeros = {ware: count or None for ware, count in action["wares"].items()}  # null is absent
                response = await game.act({"action": {**action, "wares": without_zeros}})
            assert (await response.json())["diffs"][0]["move"] == moves[0]["id"]
            payments_seen.add(several)
            break
        if len(payments_seen) == 2:
            return
    pytest.fail(f"no ship came up with another number of payments than {payments_seen}")


THREE = [*TWO_PLAYERS, {"name": "Cy"}]
WAYS = ("undo", "resign", "return")


async def check_success(response: ClientResponse) -> Any:
    """Check for 200, and return the JSON."""
    assert response.status == 200, await response.text()
    return await response.json()


async def pass_deadline(http_game: HTTPGame, store: RedisStore, clock: FrozenClock, bot_budget_s: float = 5.0) -> None:
    """Let the deadline pass, and process the game on another instance with this bot budget."""
    clock.now += 61
    await advance_due_game(
        Context(
            store=store,
            tilesets=CATALOGUE,
            clock=clock,
            on_committed=lambda _change: None,
            bot_budget_s=bot_budget_s,
        ),
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
