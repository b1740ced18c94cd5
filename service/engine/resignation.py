"""Players who are not there any more: they resign, or a bot stands in for them. On both the rules are silent.

A player who resigns stays at the table as somebody who never decides again: islanders go home, for nothing; wares and
ships stay and count, but cannot win; the others' turns follow each other. A tile that was drawn and does not lie yet
goes back on top of the bag, so the next player draws it: the shuffled order stays what it was. A tile that lies is
evaluated. Ships that markets still owe the player are not taken (R5.10). Who is left alone has won.
"""

from schemas.events import AnyEvent, IslanderReturned, PlayerReplaced, PlayerResigned, PlayerReturned
from service.engine.errors import GameNotActive
from service.engine.final_scoring import finish_game
from service.engine.game import SEAT_BITS, Game
from service.engine.islanders import return_to_supply
from service.engine.segments import locate_segment
from service.engine.tileset_index import TileSetIndex
from service.engine.turn import award_market_ships, end_turn, finish_islander_phase


def resign(index: TileSetIndex, game: Game, seat: int) -> list[AnyEvent]:
    """Take a player who has not resigned out of the game, and do all that follows. Raises GameNotActive."""
    if game.status != "active":
        raise GameNotActive(game.status)
    decider, player = game.decider, game.players[seat]
    player.resigned, player.bot = True, None
    events: list[AnyEvent] = [PlayerResigned(seat=seat)]
    _return_islanders(game, seat, events)
    game.ships_owed = [owed for owed in game.ships_owed if owed != seat]
    if sum(not one.resigned for one in game.players) == 1:
        finish_game(index, game, "resigned", events)
    elif decider == seat:
        _skip_decision(index, game, events)
    return events


def replace_player(game: Game, seat: int, bot: str) -> list[AnyEvent]:
    """Let a bot decide for a player from now on."""
    game.players[seat].bot = bot
    return [PlayerReplaced(seat=seat, bot=bot)]


def return_player(game: Game, seat: int) -> list[AnyEvent]:
    """Let a player decide again for whom a bot stood in."""
    game.players[seat].bot = None
    return [PlayerReturned(seat=seat)]


def _skip_decision(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    """Go on where the player who resigned was to decide; the next decision is another's."""
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


def _return_islanders(game: Game, seat: int, events: list[AnyEvent]) -> None:
    """All islanders of a seat to its supply, from north-west to south-east."""
    places = [(*locate_segment(game, segment), segment) for segment in game.players[seat].islander_segments]
    for x, y, tile_segment, segment in sorted(places, key=lambda place: (place[1], place[0], place[2])):
        return_to_supply(game, seat, segment)
        game.islanders[game.feature_labels[segment]] -= 1 << SEAT_BITS * seat
        events.append(IslanderReturned(seat=seat, x=x, y=y, segment=tile_segment))
