import asyncio
from random import Random

from service.store.game_store import RedisStore
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, check_problem, create_game

CLIENTS = 50


async def test_one_of_many_actions_with_the_same_if_match_succeeds(http_game: HTTPGame) -> None:
    await http_game.act_successfully()
    before, log = await http_game.get_json(), (await http_game.get_json("/diffs"))["diffs"]
    tag = (await http_game.get()).headers["ETag"]
    moves = [move["id"] for move in await http_game.legal_moves()]
    answers = await asyncio.gather(
        *(http_game.act({"move": moves[number % len(moves)]}, **{"If-Match": tag}) for number in range(CLIENTS))
    )
    won = [response for response in answers if response.status == 200]
    assert len(won) == 1
    acted = await won[0].json()
    for response in answers:
        if response is not won[0]:
            problem = await check_problem(response, 412, "version_mismatch")
            assert (problem["version"], problem["digest"]) == (acted["version"], acted["digest"])
    assert acted["version"] == before["version"] + 1
    assert (await http_game.get_json("/diffs"))["diffs"] == [*log, *acted["diffs"]]
    assert (await http_game.get_json())["version"] == acted["version"]


async def test_one_of_many_actions_across_instances_succeeds(store: RedisStore, client: Client) -> None:
    async with serve(store) as other:
        game = await create_game(client)
        same = HTTPGame(other, game.created)
        move = await game.first_move()
        answers = await asyncio.gather(
            *((game if number % 2 else same).act(move, **{"If-Match": '"1"'}) for number in range(CLIENTS))
        )
        assert sorted(response.status for response in answers) == [200] + [412] * (CLIENTS - 1)
        assert await same.get_json() == await game.get_json()
        assert (await same.get_json())["version"] == 2


async def test_without_if_match_late_actions_are_rejected_by_the_rules(http_game: HTTPGame) -> None:
    move = await http_game.first_move()
    answers = await asyncio.gather(*(http_game.act(move) for _ in range(CLIENTS)))
    assert sorted(response.status for response in answers) == [200] + [422] * (CLIENTS - 1)
    assert (await http_game.get_json())["version"] == 2


async def test_concurrent_games_do_not_affect_each_other(client: Client) -> None:
    http_games = [await create_game(client, seed=f"beside-{number}", first_seat=0) for number in range(4)]
    games = await asyncio.gather(*(http_game.play_randomly(Random(7), versions=25) for http_game in http_games))
    for http_game, game in zip(http_games, games, strict=True):
        log = (await http_game.get_json("/diffs"))["diffs"]
        assert [diff["version"] for diff in log] == [*range(1, game["version"] + 1)]
        assert {diff["game"] for diff in log} == {http_game.id}


async def test_a_concurrent_abort_and_action_leave_one_history(http_game: HTTPGame) -> None:
    move = await http_game.first_move()
    acted, aborted = await asyncio.gather(http_game.act(move), http_game.delete())
    assert aborted.status == 200
    assert acted.status in (200, 409)
    log = (await http_game.get_json("/diffs"))["diffs"]
    assert [diff["version"] for diff in log] == [*range(1, len(log) + 1)]
    assert log[-1]["events"] == [{"type": "game_aborted"}]
    assert (await http_game.get_json())["status"] == "aborted"
