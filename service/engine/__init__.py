"""The rules of Carcassonne: South Seas, pure: no input or output, no clock, no chance of its own.

A game is a `Game` Struct, which is also its snapshot. With the `Tables` of its tile set it answers five questions:

    legal_moves(tables, game)       every action that is accepted now
    apply(tables, game, action)     do one, and all that follows by itself; gives the events
    view(tables, game)              what everybody may see
    is_finished(game)               whether it is over
    encode(game), decode(bytes)     to and from a snapshot; copy(game) for looking ahead

Who is absent is taken out of the game (`resign`) or stood in for (`stand_in`, `step_back`).
"""

from service.engine.errors import EngineError, GameNotActive, IllegalMove
from service.engine.game import SCHEMA_VERSION, Game, Player, copy_game, decode_snapshot, encode_snapshot, is_finished
from service.engine.moves import move_id, parse_move_id
from service.engine.resignation import replace_player, resign, return_player
from service.engine.setup import mark_aborted, next_open_seat, set_up, take_seat, vacate_seat
from service.engine.tileset_index import TileSetIndex
from service.engine.turn import apply_action, legal_moves
from service.engine.view import build_view

COMPILED = not hasattr(apply_action, "__code__")
"""Whether the rules run as C; they are the same."""

__all__ = [
    "COMPILED",
    "SCHEMA_VERSION",
    "EngineError",
    "Game",
    "GameNotActive",
    "IllegalMove",
    "Player",
    "TileSetIndex",
    "apply_action",
    "build_view",
    "copy_game",
    "decode_snapshot",
    "encode_snapshot",
    "is_finished",
    "legal_moves",
    "mark_aborted",
    "move_id",
    "next_open_seat",
    "parse_move_id",
    "replace_player",
    "resign",
    "return_player",
    "set_up",
    "take_seat",
    "vacate_seat",
]
