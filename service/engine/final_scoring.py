"""R7: the end of the game and the last scoring."""

from schemas.events import AnyEvent, GameFinished
from schemas.game import Score
from service.engine.evaluation import evaluate_at_end
from service.engine.game import Game, Player
from service.engine.tileset_index import Tables

WARES_PER_POINT = 3


def finish(tables: Tables, game: Game, reason: str, events: list[AnyEvent]) -> None:
    """Credit the unfinished features (R7.2) and end the game (R7.1)."""
    evaluate_at_end(tables, game, events)
    game.status = "finished"
    game.reason = reason
    events.append(GameFinished(reason=reason, winners=winners(tables, game)))


def end_reason(game: Game) -> str | None:
    """Why the game ends after this turn, or None (R7.1); the last ship goes before the last tile."""
    if not game.display and not game.pile:
        return "last_ship"
    if not game.bag:
        return "last_tile"
    return None


def ship_points(tables: Tables, player: Player) -> int:
    """The points of a player's ships."""
    return sum(tables.ships[ship].points for ship in player.ships)


def score(tables: Tables, game: Game, seat: int) -> Score:
    """A player's points: the ships', and one for every three wares (R7.3)."""
    player = game.players[seat]
    ships = ship_points(tables, player)
    wares = sum(player.wares) // WARES_PER_POINT
    return Score(seat=seat, ships=ships, wares=wares, total=ships + wares)


def winners(tables: Tables, game: Game) -> list[int]:
    """The seats with the most points, all tied ones (R7.4); who has resigned cannot win."""
    totals = {seat: score(tables, game, seat).total for seat, player in enumerate(game.players) if not player.resigned}
    best = max(totals.values())
    return [seat for seat, total in totals.items() if total == best]
