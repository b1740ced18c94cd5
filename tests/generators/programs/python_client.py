"""Play a game with the client that openapi-generator makes for Python: `python_client.py URL`; prints its result."""

import json
import sys

from south_seas_client import (
    Act,
    ActionRequest,
    ApiClient,
    Configuration,
    CreateGame,
    GamesApi,
    Include,
    PlayingApi,
    SeatRequest,
    TileSetsApi,
)


def play(url: str) -> dict[str, object]:
    """Play a game of Ana against a bot: every third move as an action, all others by their ids."""
    anonymous = ApiClient(Configuration(host=url))
    players = [SeatRequest(name="Ana"), SeatRequest(bot="random")]
    created = GamesApi(anonymous).create_game(CreateGame(players=players), include=Include.LEGAL_MOVES)
    game_id, legal = created.game.id, created.legal_moves
    playing = PlayingApi(ApiClient(Configuration(host=url, access_token=created.seats[0].token)))
    turns = 0
    while legal.moves:
        move = legal.moves[turns % len(legal.moves)]
        action = ActionRequest.from_dict(move.action.to_dict())
        act = Act(action=action) if turns % 3 == 0 else Act(move=move.id)
        legal = playing.act(game_id, act, include=Include.LEGAL_MOVES).legal_moves
        turns += 1
    game = GamesApi(anonymous).read_game(game_id)
    tileset = TileSetsApi(anonymous).read_tile_set(game.tileset)
    return {
        "id": game.id,
        "version": game.version,
        "totals": [score.total for score in game.result.scores],
        "events": sum(len(diff.events) for diff in playing.read_diffs(game_id, limit=1000).diffs),
        "segments": sum(len(tile.segments) for tile in tileset.tiles),
        "picture": playing.read_board_png(game_id, width=200, side=True)[:4].hex(),
    }


if __name__ == "__main__":
    print(json.dumps(play(sys.argv[1])))
