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
from service.engine.game import SCHEMA, Game, Player, copy, decode, encode, is_finished
from service.engine.moves import move_id, parse_move_id
from service.engine.resignation import resign, stand_in, step_back
from service.engine.setup import abort, empty_seat, open_seat, set_up, take_seat
from service.engine.tileset_index import Tables
from service.engine.turn import apply, legal_moves
from service.engine.view import view

COMPILED = not hasattr(apply, "__code__")
"""Whether the rules run as C; they are the same."""

__all__ = [
    "COMPILED",
    "SCHEMA",
    "EngineError",
    "Game",
    "GameNotActive",
    "IllegalMove",
    "Player",
    "Tables",
    "abort",
    "apply",
    "copy",
    "decode",
    "empty_seat",
    "encode",
    "is_finished",
    "legal_moves",
    "move_id",
    "open_seat",
    "parse_move_id",
    "resign",
    "set_up",
    "stand_in",
    "step_back",
    "take_seat",
    "view",
]
