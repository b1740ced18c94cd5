"""Play a game with the client that openapi-python-client makes: `openapi_python_client.py URL`; prints its result."""

import json
import sys

from south_seas_client import AuthenticatedClient, Client
from south_seas_client.api.games import create_game, read_game
from south_seas_client.api.playing import act, read_board_png, read_diffs
from south_seas_client.api.tile_sets import read_tile_set
from south_seas_client.models import Act, ActionRequest, CreateGame, Include, SeatRequest


def play(url: str) -> dict[str, object]:
    """Play a game of Ana against a bot: every third move as an action, all others by their ids."""
    anonymous = Client(url, raise_on_unexpected_status=True)
    players = [SeatRequest(name="Ana"), SeatRequest(bot="random")]
    body = CreateGame(players=players)
    created = create_game.sync(client=anonymous, body=body, include=Include.LEGAL_MOVES)
    game_id, legal = created.game.id, created.legal_moves
    ana = AuthenticatedClient(url, created.seats[0].token, raise_on_unexpected_status=True)
    turns = 0
    while legal.moves:
        move = legal.moves[turns % len(legal.moves)]
        action = ActionRequest.from_dict(move.action.to_dict())
        body = Act(action=action) if turns % 3 == 0 else Act(move=move.id)
        legal = act.sync(game_id, client=ana, body=body, include=Include.LEGAL_MOVES).legal_moves
        turns += 1
    game = read_game.sync(game_id, client=anonymous)
    tileset = read_tile_set.sync(game.tileset, client=anonymous)
    diffs = read_diffs.sync(game_id, client=anonymous, limit=1000).diffs
    return {
        "id": game.id,
        "version": game.version,
        "totals": [score.total for score in game.result.scores],
        "events": sum(len(diff.events) for diff in diffs),
        "segments": sum(len(tile.segments) for tile in tileset.tiles),
        "picture": read_board_png.sync(game_id, client=anonymous, width=200, side=True).payload.read(4).hex(),
    }


if __name__ == "__main__":
    print(json.dumps(play(sys.argv[1])))
