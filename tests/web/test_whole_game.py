"""Whole games over HTTP, played and followed by a client that uses only the API.

Every response is validated against the OpenAPI document (`tests.web.openapi_validation`).
"""

import json
from random import Random
from typing import Any

import jsonpatch
import msgspec
import pytest

from schemas.tileset import TileSet
from service.games.verify import verify
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, create_game

SEATS = [{"name": "Ana"}, {"open": True}, {"bot": "greedy"}]


class GameCopy:
    """A copy of GAME, updated by patches."""

    def __init__(self, game: HTTPGame) -> None:
        self.http_game = game
        self.game: dict[str, Any] = {}
        self.version = 0

    def apply(self, diffs: list[dict[str, Any]]) -> None:
        """Apply diffs, which must follow each other."""
        for diff in diffs:
            assert diff["version"] == self.version + 1
            self.game = jsonpatch.apply_patch(self.game, diff["patch"])
            self.version = diff["version"]

    async def compare(self, digest: str) -> None:
        """Check that the service returns the same GAME."""
        response = await self.http_game.get()
        assert await response.json() == self.game
        assert response.headers["ETag"] == f'"{self.version}-{digest}"'


@pytest.mark.parametrize("edition", ("international", "german"))
async def test_a_whole_game_is_followed_by_its_responses(client: Client, edition: str) -> None:
    chance = Random(edition)
    game = await create_game(client, SEATS, seed="whole", edition=edition, first_seat=0)
    copy = GameCopy(game)
    copy.apply((await game.get_json("/diffs"))["diffs"])
    joined = await (await game.join()).json()
    copy.apply((await game.get_json("/diffs?since=1"))["diffs"])
    await copy.compare(joined["digest"])
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
        copy.apply(acted["diffs"])
        assert copy.version == acted["version"]
        if chance.random() < 0.2:
            await copy.compare(acted["digest"])
            await game.get_json("/scores")
            await game.get_json("/tiles")
    await ends_as_it_should(game, copy)


async def ends_as_it_should(http_game: HTTPGame, copy: GameCopy) -> None:
    """Check that everything is revealed and the log can be verified."""
    game = await http_game.get_json()
    assert game == copy.game
    assert game["status"] == "finished"
    result = game["result"]
    best = max(score["total"] for score in result["scores"])
    assert set(result["winners"]) <= {score["seat"] for score in result["scores"] if score["total"] == best}
    scores = await http_game.get_json("/scores")
    assert [one["points_now"] for one in scores["players"]] == [score["ships"] for score in result["scores"]]
    assert game["deck"]["seed"] == "whole"
    assert (await http_game.get_json("/legal-moves"))["moves"] == []
    assert game["id"] in [one["id"] for one in (await finished(http_game.client))["games"]]
    log = await http_game.get_json("/diffs?limit=1000")
    tileset = await (await http_game.client.get("/v1/tilesets/archipelago")).read()
    assert len(log["diffs"]) == game["version"]
    assert verify(log["diffs"], msgspec.json.decode(tileset, type=TileSet))


async def finished(client: Client) -> Any:
    """List the finished games."""
    return json.loads(await (await client.get("/v1/games?status=finished")).read())
