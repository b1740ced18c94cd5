"""What everybody may see of a game, whole and in parts: GAME. Order of bag and pile, and a hidden seed, stay here."""

from operator import attrgetter

from schemas.game import (
    Covered,
    Deck,
    GameView,
    Placed,
    PlacedTile,
    Result,
    Standing,
    Turn,
)
from schemas.game import Player as PlayerView
from schemas.vocabulary import Wares
from service.engine.final_scoring import final_score, ship_points, winning_seats
from service.engine.game import Game, is_finished
from service.engine.segments import tile_order
from service.engine.tileset_index import TileSetIndex, unpack_cell


def build_view(index: TileSetIndex, game: Game) -> GameView:
    """The whole GAME."""
    return GameView(
        id=game.id,
        version=game.version,
        status=game.status,
        tileset=game.tileset,
        edition=game.edition,
        created_at=game.created_at,
        updated_at=game.updated_at,
        players=[view_player(index, game, seat) for seat in range(len(game.players))],
        turn=view_turn(index, game),
        board=_view_board(index, game),
        display=view_display(index, game),
        ship_pile=len(game.ship_pile),
        bag=len(game.bag),
        discarded=view_discarded(index, game),
        deck=view_deck(game),
        result=view_result(index, game),
        turn_timeout_s=game.turn_timeout_s,
        on_timeout=game.on_timeout,
        previous_game=game.previous_game,
        next_game=game.next_game,
    )


def view_player(index: TileSetIndex, game: Game, seat: int) -> PlayerView:
    """One seat."""
    player = game.players[seat]
    return PlayerView(
        seat=seat,
        name=player.name,
        color=player.color,
        kind=player.kind,
        bot=player.bot,
        resigned=player.resigned,
        supply=player.supply,
        wares=view_wares(game, seat),
        ships=view_ships(index, game, seat),
        points=ship_points(index, player),
    )


def view_wares(game: Game, seat: int) -> Wares:
    """What a seat holds."""
    bananas, shells, fish = game.players[seat].wares
    return Wares(bananas=bananas, shells=shells, fish=fish)


def view_ships(index: TileSetIndex, game: Game, seat: int) -> list[str]:
    """The ships that a seat has won, in the order of winning."""
    return [index.ship_ids[ship] for ship in game.players[seat].ships]


def view_turn(index: TileSetIndex, game: Game) -> Turn | None:
    """Whose turn it is; None unless the game is active."""
    if game.status != "active":
        return None
    placed = None
    if game.is_tile_placed:
        x, y = unpack_cell(game.cells[-1])
        placed = Placed(x=x, y=y)
    return Turn(
        number=game.turn_number,
        seat=game.seat,
        phase=game.phase,
        decider=game.decider,
        tile=index.tile_ids[game.tile],
        placed=placed,
        deadline=game.deadline,
        undoable=game.undoable,
    )


def view_cell(index: TileSetIndex, game: Game, order: int) -> PlacedTile:
    """One tile of the board."""
    turned = game.oriented_tiles[order]
    return PlacedTile(
        tile=index.tile_ids[turned >> 2],
        rotation=turned & 3,
        order=order,
        islanders=view_islanders(game, order),
        covered=view_covered(game, order),
    )


def view_islanders(game: Game, order: int) -> list[Standing]:
    """The islanders on a tile, by segment."""
    base, after = _segment_range(game, order)
    standing = [
        Standing(segment=segment - base, seat=seat)
        for seat, player in enumerate(game.players)
        for segment in player.islander_segments
        if base <= segment < after
    ]
    if len(standing) > 1:
        standing.sort(key=_SEGMENT)
    return standing


def view_covered(game: Game, order: int) -> list[Covered]:
    """The covered groups of fish on a tile, by segment and group."""
    base, after = _segment_range(game, order)
    covered = [group for group in game.covered if base <= group[0] < after]
    return [Covered(segment=segment - base, group=group) for segment, group in sorted(covered)]


def view_display(index: TileSetIndex, game: Game) -> list[str]:
    """The face-up ships."""
    return [index.ship_ids[ship] for ship in game.display]


def view_discarded(index: TileSetIndex, game: Game) -> list[str]:
    """The tiles that left the game (R3.5)."""
    return [index.tile_ids[tile] for tile in game.discarded]


def view_deck(game: Game) -> Deck:
    """The commitment; the seed only when nothing can be decided any more."""
    seed = game.seed if is_finished(game) else None
    return Deck(commitment=game.commitment, seed=seed, seed_chosen=game.seed_chosen)


def view_result(index: TileSetIndex, game: Game) -> Result | None:
    """How it ended; None unless it is finished."""
    if game.status != "finished" or game.end_reason is None:
        return None
    scores = [final_score(index, game, seat) for seat in range(len(game.players))]
    return Result(winners=winning_seats(index, game), reason=game.end_reason, scores=scores)


def cell_key(cell: int) -> str:
    """A cell as GAME's board writes it."""
    x, y = unpack_cell(cell)
    return f"{x},{y}"


def _segment_range(game: Game, order: int) -> tuple[int, int]:
    """A tile's first segment, and the first one after it."""
    bases = game.first_segments
    return bases[order], bases[order + 1] if order + 1 < len(bases) else len(game.feature_labels)


def _view_board(index: TileSetIndex, game: Game) -> dict[str, PlacedTile]:
    """The board in one pass: only tiles with figures or covered fish are looked at closely."""
    special = {tile_order(game, segment) for player in game.players for segment in player.islander_segments}
    special |= {tile_order(game, segment) for segment, _ in game.covered}
    names = index.tile_ids
    return {
        cell_key(cell): view_cell(index, game, order)
        if order in special
        else PlacedTile(tile=names[turned >> 2], rotation=turned & 3, order=order, islanders=[], covered=[])
        for order, (cell, turned) in enumerate(zip(game.cells, game.oriented_tiles, strict=True))
    }


_SEGMENT = attrgetter("segment")
