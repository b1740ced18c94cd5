"""The rules of Carcassonne: South Seas as pure functions, without I/O, clock or randomness.

A `Game` Struct is the whole state of a game. Most functions also take the `TileSetIndex` of its tile set:

    set_up(index, ...)                          a new game (R1)
    legal_moves(index, game)                    every action that `apply_action` accepts now
    apply_action(index, game, action)           apply one action and its consequences; returns the events
    move_effects(index, game, action)           the events that a legal move would cause, without hidden information
    build_view(index, game)                     the public state, without hidden information
    is_finished(game)                           whether the game is finished or aborted
    encode_snapshot(game), decode_snapshot(b)   to and from stored bytes
    copy_game(game)                             an independent copy, for looking ahead

`resign` takes a player out of the game; `replace_player` and `return_player` let a bot or a person decide for a seat.
The modules follow the rulebook: `setup` (R1), `turn` (R2), `placement` (R3), `islanders` (R4), `evaluation` (R5),
`delivery` (R6 and R5.10), `final_scoring` (R7), `queries` (R8).
"""

from service.engine.game import (
    SCHEMA_VERSION,
    Game,
    LaterRelease,
    Message,
    Player,
    copy_game,
    decode_snapshot,
    encode_snapshot,
    is_finished,
)
from service.engine.queries import move_effects, move_feature, move_id, parse_move_id
from service.engine.segments import EngineError, GameNotActive, IllegalMove
from service.engine.setup import mark_aborted, next_open_seat, set_up, take_seat, vacate_seat
from service.engine.tileset_index import TileSetIndex
from service.engine.turn import apply_action, legal_moves, replace_player, resign, return_player
from service.engine.view import build_view

COMPILED = not hasattr(apply_action, "__code__")
"""Whether this build runs the modules compiled with mypyc."""
