"""Play a game with the models that datamodel-code-generator makes, over httpx; prints its result."""

import json
import sys

import httpx
from south_seas_models import (
    Act,
    ActionRequest,
    ActionResult,
    Created,
    CreateGame,
    Diffs,
    GameView,
    SeatRequest,
    TileSet,
)


def play(url: str) -> dict[str, object]:
    """Play a game of Ana against a bot: every third move as an action, all others by their ids."""
    with httpx.Client(base_url=url, timeout=60) as client:
        request = CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(bot="random")])
        query = {"include": "legal_moves"}
        response = client.post("/v1/games", params=query, json=request.model_dump(mode="json"))
        created = Created.model_validate_json(response.raise_for_status().content)
        path, legal = f"/v1/games/{created.game.id}", created.legal_moves
        headers = {"Authorization": f"Bearer {created.seats[0].token}"}
        turns = 0
        while legal.moves:
            move = legal.moves[turns % len(legal.moves)]
            action = ActionRequest.model_validate(move.action.model_dump())
            act = Act(action=action) if turns % 3 == 0 else Act(move=move.id)
            body = act.model_dump(mode="json")
            response = client.post(f"{path}/actions", params=query, json=body, headers=headers)
            legal = ActionResult.model_validate_json(response.raise_for_status().content).legal_moves
            turns += 1
        game = GameView.model_validate_json(client.get(path).content)
        log = Diffs.model_validate_json(client.get(f"{path}/diffs", params={"limit": 1000}).content)
        tileset = TileSet.model_validate_json(client.get(f"/v1/tilesets/{game.tileset}").content)
        picture = client.get(f"{path}/board.png", params={"width": 200, "side": True}).content
    return {
        "id": game.id,
        "version": game.version,
        "totals": [score.total for score in game.result.scores],
        "events": sum(len(diff.events) for diff in log.diffs),
        "segments": sum(len(tile.segments) for tile in tileset.tiles),
        "picture": picture[:4].hex(),
    }


if __name__ == "__main__":
    print(json.dumps(play(sys.argv[1])))
