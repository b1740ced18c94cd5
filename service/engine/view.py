"""The public view of a game, whole and in parts. It leaves out the order of bag and ship pile, and the seed."""

from collections.abc import Callable
from typing import Any, Final

from schemas.game import CoveredFish, Deck, GameResult, GameView, PlacedIslander, PlacedTile, Turn
from schemas.game import Player as PlayerView
from schemas.vocabulary import Cell, Wares
from service.engine.final_scoring import final_score, ship_points, winning_seats
from service.engine.game import Game, is_finished
from service.engine.segments import tile_order
from service.engine.tileset_index import TileSetIndex, unpack_cell


def build_view(index: TileSetIndex, game: Game) -> GameView:
    """Return the whole view."""
    shown = {name: view_member(index, game) for name, view_member in MEMBER_VIEWS.items()}
    return GameView(**{name: getattr(game, name) for name in _GAME_MEMBERS}, **shown)


def _view_player(index: TileSetIndex, game: Game, seat: int) -> PlayerView:
    """Return the view of a seat."""
    shown = {name: view_member(index, game, seat) for name, view_member in PLAYER_VIEWS.items()}
    return PlayerView(seat=seat, **{name: getattr(game.players[seat], name) for name in _PLAYER_MEMBERS}, **shown)


def _view_turn(index: TileSetIndex, game: Game) -> Turn | None:
    """Return the turn; None unless the game is active."""
    if game.status != "active":
        return None
    placed = None
    if game.phase != "place_tile":
        x, y = unpack_cell(game.cells[-1])
        placed = Cell(x=x, y=y)
    return Turn(
        number=game.turn_number,
        seat=game.seat,
        phase=game.phase,
        decider=game.decider,
        tile=index.tile_ids[game.tile],
        placed=placed,
        deadline=game.deadline,
        paused=game.paused,
        undoable=game.undoable,
    )


def view_cell(index: TileSetIndex, game: Game, order: int) -> PlacedTile:
    """Return a tile of the board."""
    oriented_tile = game.oriented_tiles[order]
    return PlacedTile(
        tile=index.tile_ids[oriented_tile >> 2],
        rotation=oriented_tile & 3,
        order=order,
        islanders=view_islanders(game, order),
        covered=view_covered(game, order),
    )


def view_islanders(game: Game, order: int) -> list[PlacedIslander]:
    """Return the islander on a tile; a turn places one at most (R4.1)."""
    first, end = _segment_range(game, order)
    return [
        PlacedIslander(segment=segment - first, seat=seat)
        for seat, player in enumerate(game.players)
        for segment in player.islander_segments
        if first <= segment < end
    ]


def view_covered(game: Game, order: int) -> list[CoveredFish]:
    """Return the covered fish groups of a tile, by segment and group."""
    first, end = _segment_range(game, order)
    covered = [group for group in game.covered if first <= group[0] < end]
    return [CoveredFish(segment=segment - first, group=group) for segment, group in sorted(covered)]


def _view_deck(_index: TileSetIndex, game: Game) -> Deck:
    """Return the commitment of the shuffle; the seed only when the game is over."""
    seed = game.seed if is_finished(game) else None
    return Deck(commitment=game.commitment.hex(), seed=seed, seed_chosen=game.seed_chosen)


def _view_result(index: TileSetIndex, game: Game) -> GameResult | None:
    """Return the result; None unless the game is finished."""
    if game.status != "finished" or game.end_reason is None:
        return None
    scores = [final_score(index, game, seat) for seat in range(len(game.players))]
    return GameResult(winners=winning_seats(index, game), reason=game.end_reason, scores=scores)


def _segment_range(game: Game, order: int) -> tuple[int, int]:
    """Return a tile's first segment, and the first one after it."""
    first_segments = game.first_segments
    is_last = order + 1 == len(first_segments)
    return first_segments[order], len(game.feature_labels) if is_last else first_segments[order + 1]


def _view_board(index: TileSetIndex, game: Game) -> dict[str, PlacedTile]:
    """Return the board; only tiles with islanders or covered fish need more than their id and rotation."""
    special = {tile_order(game, segment) for player in game.players for segment in player.islander_segments}
    special |= {tile_order(game, segment) for segment, _ in game.covered}
    names = index.tile_ids
    return {
        "{},{}".format(*unpack_cell(cell)): view_cell(index, game, order)
        if order in special
        else PlacedTile(
            tile=names[oriented_tile >> 2], rotation=oriented_tile & 3, order=order, islanders=[], covered=[]
        )
        for order, (cell, oriented_tile) in enumerate(zip(game.cells, game.oriented_tiles, strict=True))
    }


def _view_wares(_index: TileSetIndex, game: Game, seat: int) -> Wares:
    bananas, shells, fish = game.players[seat].wares
    return Wares(bananas=bananas, shells=shells, fish=fish)


MEMBER_VIEWS: Final[dict[str, Callable[[TileSetIndex, Game], Any]]] = {
    "players": lambda index, game: [_view_player(index, game, seat) for seat in range(len(game.players))],
    "turn": _view_turn,
    "board": _view_board,
    "display": lambda index, game: [index.ship_ids[ship] for ship in game.display],
    "ship_pile": lambda _index, game: len(game.ship_pile),
    "bag": lambda _index, game: len(game.bag),
    "discarded": lambda index, game: [index.tile_ids[tile] for tile in game.discarded],
    "deck": _view_deck,
    "result": _view_result,
}
"""Views of GAME's members; all others are attributes of the Game. `discarded` are tiles (R3.5)."""

PLAYER_VIEWS: Final[dict[str, Callable[[TileSetIndex, Game, int], Any]]] = {
    "wares": _view_wares,
    "ships": lambda index, game, seat: [index.ship_ids[ship] for ship in game.players[seat].ships],
    "points": lambda index, game, seat: ship_points(index, game.players[seat]),
}
"""Views of a player's members; all others but the seat are attributes of the Player. Ships are in the order won."""

_GAME_MEMBERS: Final = tuple(name for name in GameView.__struct_fields__ if name not in MEMBER_VIEWS)
_PLAYER_MEMBERS: Final = tuple(name for name in PlayerView.__struct_fields__[1:] if name not in PLAYER_VIEWS)
