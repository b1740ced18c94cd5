"""Players who leave: they resign, or a bot replaces them. The rulebook does not cover either case.

A player who resigns keeps the seat but never decides again. Their islanders return to the supply without an award.
Wares and ships still count as points, but the player cannot win, and turns skip the seat. A drawn tile that is not yet
placed goes back on top of the bag, so the shuffled order stays; a placed tile is evaluated. Ships that markets owe the
player are not awarded (R5.10). The last remaining player wins.
"""

from schemas.events import AnyEvent, PlayerReplaced, PlayerResigned, PlayerReturned
from service.engine.final_scoring import finish_game
from service.engine.game import SEAT_BITS, Game
from service.engine.islanders import return_islanders
from service.engine.segments import GameNotActive
from service.engine.tileset_index import TileSetIndex
from service.engine.turn import award_market_ships, end_turn, finish_islander_phase


def resign(index: TileSetIndex, game: Game, seat: int) -> list[AnyEvent]:
    """Take a player out of the game, and apply the consequences; return the events. Raises GameNotActive."""
    if game.status != "active":
        raise GameNotActive(game.status)
    decider, player = game.decider, game.players[seat]
    player.resigned, player.bot = True, None
    events: list[AnyEvent] = [PlayerResigned(seat=seat)]
    for segment in player.islander_segments:
        game.islanders[game.feature_labels[segment]] -= 1 << SEAT_BITS * seat
    return_islanders(game, seat, player.islander_segments, events)
    game.ships_owed = [owed for owed in game.ships_owed if owed != seat]
    if sum(not one.resigned for one in game.players) == 1:
        finish_game(index, game, "resigned", events)
    elif decider == seat:
        _skip_decision(index, game, events)
    return events


def replace_player(game: Game, seat: int, bot: str) -> list[AnyEvent]:
    """Let a bot decide for a seat from now on."""
    game.players[seat].bot = bot
    return [PlayerReplaced(seat=seat, bot=bot)]


def return_player(game: Game, seat: int) -> list[AnyEvent]:
    """Let a person decide for their seat again."""
    game.players[seat].bot = None
    return [PlayerReturned(seat=seat)]


def _skip_decision(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    """Skip the decision of a player who resigned, up to the next decision of another player."""
    game.deadline = None
    match game.phase:
        case "place_tile":
            game.bag.append(game.tile)
            end_turn(index, game, events)
        case "islander":
            finish_islander_phase(index, game, events)
        case "take_ship":
            award_market_ships(index, game, events)
        case "deliver":
            end_turn(index, game, events)
