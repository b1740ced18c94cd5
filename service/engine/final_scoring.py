"""R7: the end of the game and the final scoring."""

from schemas.events import AnyEvent, GameFinished
from schemas.game import Score
from service.engine.evaluation import evaluate_incomplete_features
from service.engine.game import Game, Player
from service.engine.tileset_index import TileSetIndex

WARES_PER_POINT = 3


def finish_game(index: TileSetIndex, game: Game, reason: str, events: list[AnyEvent]) -> None:
    """Evaluate incomplete features (R7.2) and finish the game (R7.1)."""
    evaluate_incomplete_features(index, game, events)
    game.status = "finished"
    game.end_reason = reason
    events.append(GameFinished(reason=reason, winners=winning_seats(index, game)))


def ship_points(index: TileSetIndex, player: Player) -> int:
    """Return the points of a player's ships."""
    return sum(index.ships[ship].points for ship in player.ships)


def final_score(index: TileSetIndex, game: Game, seat: int) -> Score:
    """Return a player's points: those of the ships, and one for every three wares (R7.3)."""
    player = game.players[seat]
    ships = ship_points(index, player)
    wares = sum(player.wares) // WARES_PER_POINT
    return Score(seat=seat, ships=ships, wares=wares, total=ships + wares)


def winning_seats(index: TileSetIndex, game: Game) -> list[int]:
    """Return the seats with the most points, including ties (R7.4); a player who resigned cannot win."""
    totals = {
        seat: final_score(index, game, seat).total for seat, player in enumerate(game.players) if not player.resigned
    }
    best = max(totals.values())
    return [seat for seat, total in totals.items() if total == best]
