"""R4: placing and retrieving islanders."""

from collections.abc import Sequence
from typing import Final

from schemas.actions import Pass, PlaceIslander, RetrieveIslander
from schemas.events import AnyEvent, IslanderReturned
from service.engine.game import SEAT_BITS, Game, Message
from service.engine.segments import IllegalMove, locate_segment
from service.engine.tileset_index import COORDINATE_LIMIT, FEATURE_KINDS, TileSetIndex, pack_cell

IslanderMove = PlaceIslander | RetrieveIslander | Pass

PASS: Final = Pass("islander")


def legal_islander_moves(index: TileSetIndex, game: Game) -> list[IslanderMove]:
    """Return placements on the tile just placed (R4.1, R4.2), retrievals (R4.4) and pass (R4.5)."""
    player = game.players[game.seat]
    moves: list[IslanderMove] = []
    if player.supply:
        segment, feature_labels, islanders = game.first_segments[-1], game.feature_labels, game.islanders
        for move in index.tiles[game.tile].islander_moves:
            if not islanders[feature_labels[segment]]:
                moves.append(move)
            segment += 1
    if can_retrieve(game):
        for segment in player.islander_segments:
            x, y, tile_segment = locate_segment(game, segment)
            moves.append(RetrieveIslander(x, y, tile_segment))
    moves.append(PASS)
    return moves


def can_place(game: Game) -> bool:
    """Return whether the active player may place an islander on the tile just placed (R4.1, R4.2)."""
    if game.players[game.seat].supply:
        feature_labels, islanders = game.feature_labels, game.islanders
        for segment in range(game.first_segments[-1], len(feature_labels)):
            if not islanders[feature_labels[segment]]:
                return True
    return False


def can_retrieve(game: Game) -> bool:
    """Return whether the active player may retrieve an islander, if any is on the board (R4.4)."""
    player = game.players[game.seat]
    return bool(player.islander_segments) and (game.edition == "german" or not player.supply)


def place_islander(index: TileSetIndex, game: Game, action: PlaceIslander) -> None:
    """Place an islander of the active player. Raises IllegalMove (R4.1, R4.2)."""
    player = game.players[game.seat]
    kinds = index.tiles[game.tile].kinds
    if not 0 <= action.segment < len(kinds):
        raise IllegalMove("R4.1", "the tile just placed has segments 0 to {last}", last=len(kinds) - 1)
    if not player.supply:
        raise IllegalMove("R4.1", "no islander is left in the supply")
    segment = game.first_segments[-1] + action.segment
    label = game.feature_labels[segment]
    if game.islanders[label]:
        kind = Message(FEATURE_KINDS[kinds[action.segment]])
        raise IllegalMove("R4.2", "the {kind} of segment {segment} is occupied", kind=kind, segment=action.segment)
    game.islanders[label] = 1 << SEAT_BITS * game.seat
    player.supply -= 1
    player.islander_segments.append(segment)


def retrieve_islander(index: TileSetIndex, game: Game, action: RetrieveIslander) -> None:
    """Retrieve an islander of the active player. Raises IllegalMove (R4.4)."""
    player = game.players[game.seat]
    if game.edition != "german" and player.supply:
        raise IllegalMove(
            "R4.4", "{number} islanders are in the supply; retrieving one needs an empty supply", number=player.supply
        )
    segment = _segment_at(index, game, action)
    if segment not in player.islander_segments:
        raise IllegalMove(
            "R4.4",
            "none of your islanders stands on segment {segment} at ({x}, {y})",
            segment=action.segment,
            x=action.x,
            y=action.y,
        )
    player.islander_segments.remove(segment)
    player.supply += 1
    game.islanders[game.feature_labels[segment]] -= 1 << SEAT_BITS * game.seat


def return_islanders(game: Game, seat: int, segments: Sequence[int], events: list[AnyEvent]) -> None:
    """Return islanders of a seat to its supply, from north-west to south-east; the caller updates the features' counts.

    They return from an evaluated feature (R5.9), from a completed market (R5.10), or when their player resigns.
    """
    player = game.players[seat]
    located = [(*locate_segment(game, segment), segment) for segment in segments]
    for x, y, tile_segment, segment in sorted(located, key=lambda at: (at[1], at[0], at[2])):
        player.islander_segments.remove(segment)
        player.supply += 1
        events.append(IslanderReturned(seat=seat, x=x, y=y, segment=tile_segment))


def _segment_at(index: TileSetIndex, game: Game, action: RetrieveIslander) -> int | None:
    x, y = action.x, action.y
    if not (-COORDINATE_LIMIT < x < COORDINATE_LIMIT and -COORDINATE_LIMIT < y < COORDINATE_LIMIT):
        return None
    order = game.board.get(pack_cell(x, y))
    if order is None or not 0 <= action.segment < len(index.tiles[game.oriented_tiles[order] >> 2].kinds):
        return None
    return game.first_segments[order] + action.segment
