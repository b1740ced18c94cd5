"""Whole games over HTTP are followed by the diffs of their responses."""

from random import Random

import msgspec
import pytest

from schemas.tileset import TileSet
from service.games.history import verify
from tests.web.app_server import Client
from tests.web.http_game import IDENTITY, HTTPGame, create_game
from tests.web.watcher_client import GameCopy

SEATS = [{"name": "Ana"}, {"open": True}, {"bot": "greedy"}]


async def check_copy(http_game: HTTPGame, copy: GameCopy) -> None:
    response = await http_game.get(**IDENTITY)
    assert await response.json() == copy.game
    assert response.headers["ETag"] == f'"{copy.version}-{copy.digest}"'


@pytest.mark.parametrize("edition", ("international", "german"))
async def test_a_whole_game_is_followed_by_its_responses(client: Client, edition: str) -> None:
    chance = Random(edition)
    game = await create_game(client, SEATS, seed="whole", edition=edition, first_seat=0)
    copy = GameCopy()
    for diff in (await game.get_json("/diffs"))["diffs"]:
        copy.apply(diff)
    joined = await (await game.join()).json()
    for diff in (await game.get_json("/diffs?since=1"))["diffs"]:
        copy.apply(diff)
    await check_copy(game, copy)
    assert joined["game"] == copy.game
    tokens = {0: game.seat_tokens[0], joined["seat"]: joined["token"]}
    while (turn := copy.game["turn"]) is not None:
        legal = await game.get_json("/legal-moves")
        assert (legal["seat"], legal["phase"]) == (turn["decider"], turn["phase"])
        move = chance.choice(legal["moves"])
        body = {"move": move["id"]} if chance.random() < 0.5 else {"action": move["action"]}
        response = await game.act(body, tokens[legal["seat"]], **{"If-Match": f'"{copy.version}"'})
        acted = await response.json()
        assert response.status == 200, acted
        for diff in acted["diffs"]:
            copy.apply(diff)
        assert (copy.version, copy.digest) == (acted["version"], acted["digest"])
        if chance.random() < 0.2:
            await check_copy(game, copy)
            await game.get_json("/scores")
            await game.get_json("/tiles")
    await check_finished(game, copy)


async def check_finished(http_game: HTTPGame, copy: GameCopy) -> None:
    """Check that everything is revealed and the log can be verified."""
    game = await http_game.get_json()
    assert (game, game["status"]) == (copy.game, "finished")
    result = game["result"]
    best = max(score["total"] for score in result["scores"])
    assert set(result["winners"]) <= {score["seat"] for score in result["scores"] if score["total"] == best}
    scores = await http_game.get_json("/scores")
    assert [one["points_now"] for one in scores["players"]] == [score["ships"] for score in result["scores"]]
    assert game["deck"]["seed"] == "whole"
    assert (await http_game.get_json("/legal-moves"))["moves"] == []
    finished = await (await http_game.client.get("/v1/games?status=finished")).json()
    assert game["id"] in [one["id"] for one in finished["games"]]
    log = await http_game.get_json("/diffs?limit=1000")
    tileset = await (await http_game.client.get("/v1/tilesets/lagoon")).read()
    assert len(log["diffs"]) == game["version"]
    assert verify(log["diffs"], msgspec.json.decode(tileset, type=TileSet))
