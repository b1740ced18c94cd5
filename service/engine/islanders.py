"""R4: placing and retrieving islanders."""

from typing import Final

from schemas.actions import Pass, PlaceIslander, RetrieveIslander
from service.engine.errors import IllegalMove
from service.engine.game import SEAT_BITS, Game
from service.engine.segments import locate
from service.engine.tileset_index import CELL_REACH, KINDS, Tables, to_cell

IslanderMove = PlaceIslander | RetrieveIslander | Pass


PASS: Final = Pass("islander")


def legal_islander_moves(tables: Tables, game: Game) -> list[IslanderMove]:
    """Free segments of the tile just placed (R4.1, R4.2), one's own islanders (R4.4), and pass (R4.5)."""
    player = game.players[game.seat]
    moves: list[IslanderMove] = []
    if player.supply:
        segment, feature, islanders = game.bases[-1], game.feature, game.islanders
        for move in tables.tiles[game.tile].islander_moves:
            if not islanders[feature[segment]]:
                moves.append(move)
            segment += 1
    if player.standing and may_retrieve(game):
        for segment in player.standing:
            x, y, index = locate(game, segment)
            moves.append(RetrieveIslander(x, y, index))
    moves.append(PASS)
    return moves


def has_islander_move(game: Game) -> bool:
    """Whether there is anything to do but pass."""
    player = game.players[game.seat]
    if player.supply:
        feature, islanders = game.feature, game.islanders
        for segment in range(game.bases[-1], len(feature)):
            if not islanders[feature[segment]]:
                return True
    return bool(player.standing) and may_retrieve(game)


def may_retrieve(game: Game) -> bool:
    """R4.4: `international` only with nobody at home, `german` always."""
    return game.edition == "german" or not game.players[game.seat].supply


def place_islander(tables: Tables, game: Game, action: PlaceIslander) -> int:
    """Place an islander of the player on turn; gives the segment. Raises IllegalMove (R4.1, R4.2)."""
    player = game.players[game.seat]
    kinds = tables.tiles[game.tile].kinds
    if not 0 <= action.segment < len(kinds):
        raise IllegalMove("R4.1", f"the tile just placed has segments 0 to {len(kinds) - 1}")
    if not player.supply:
        raise IllegalMove("R4.1", "no islander is left in the supply")
    segment = game.bases[-1] + action.segment
    label = game.feature[segment]
    if game.islanders[label]:
        raise IllegalMove("R4.2", f"the {KINDS[kinds[action.segment]]} of segment {action.segment} is occupied")
    game.islanders[label] = 1 << SEAT_BITS * game.seat
    player.supply -= 1
    player.standing.append(segment)
    return segment


def retrieve_islander(tables: Tables, game: Game, action: RetrieveIslander) -> int:
    """Take an islander of the player on turn home; gives the segment. Raises IllegalMove (R4.4)."""
    player = game.players[game.seat]
    if not may_retrieve(game):
        raise IllegalMove("R4.4", f"{player.supply} islanders are in the supply: only with none may one be retrieved")
    segment = _segment_at(tables, game, action)
    if segment not in player.standing:
        raise IllegalMove(
            "R4.4", f"no islander of seat {game.seat} stands on segment {action.segment} at ({action.x}, {action.y})"
        )
    send_home(game, game.seat, segment)
    game.islanders[game.feature[segment]] -= 1 << SEAT_BITS * game.seat
    return segment


def send_home(game: Game, seat: int, segment: int) -> None:
    """Move an islander from a segment to its owner's supply; the feature's count is the caller's."""
    player = game.players[seat]
    player.standing.remove(segment)
    player.supply += 1


def _segment_at(tables: Tables, game: Game, action: RetrieveIslander) -> int | None:
    x, y = action.x, action.y
    if not (-CELL_REACH < x < CELL_REACH and -CELL_REACH < y < CELL_REACH):
        return None
    order = game.board.get(to_cell(x, y))
    if order is None or not 0 <= action.segment < len(tables.tiles[game.turned[order] >> 2].kinds):
        return None
    return game.bases[order] + action.segment
