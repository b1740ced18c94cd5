"""R2: the phases of a turn, and players who leave.

    place_tile -> islander -> (evaluation) -> take_ship* -> deliver -> next turn

The engine skips a phase whose only legal move is `pass`.

Players leave by resigning, or a bot replaces them; the rulebook does not cover either case. A player who resigns keeps
the seat but never decides again. Their islanders return to the supply without an award. Wares and ships still count as
points, but the player cannot win, and turns skip the seat. A drawn tile that is not yet placed goes back on top of the
bag, so the shuffled order stays; a placed tile is evaluated. Ships that markets owe the player are not awarded (R5.10).
The last remaining player wins.
"""

from typing import Final

from schemas import events as facts
from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import Phase
from service.engine import delivery, islanders
from service.engine.evaluation import evaluate_placement
from service.engine.final_scoring import finish_game
from service.engine.game import SEAT_BITS, Game, Message
from service.engine.placement import check_placement, has_legal_placement, legal_placements, place_tile
from service.engine.segments import GameNotActive, IllegalMove
from service.engine.tileset_index import TileSetIndex, unpack_cell

ACTION_PHASES: Final[dict[type[Action], Phase]] = {
    PlaceTile: "place_tile",
    PlaceIslander: "islander",
    RetrieveIslander: "islander",
    TakeShip: "take_ship",
    Deliver: "deliver",
}


def legal_moves(index: TileSetIndex, game: Game) -> list[Action]:
    """Return every action that `apply_action` accepts now, each once; empty unless the game is active."""
    if game.status != "active":
        return []
    match game.phase:
        case "place_tile":
            return [*legal_placements(index, game)]
        case "islander":
            return [*islanders.legal_islander_moves(index, game)]
        case "take_ship":
            return [*delivery.legal_ship_choices(index, game)]
        case "deliver":
            return [*delivery.legal_deliveries(index, game)]


def apply_action(index: TileSetIndex, game: Game, action: Action) -> tuple[Action, list[facts.AnyEvent]]:
    """Apply the decider's action and its consequences; return the complete action and the events.

    The complete action has the payment (R6.5) and the phase of a pass filled in. Raises IllegalMove or GameNotActive,
    which leave the game unchanged.
    """
    if game.status != "active":
        raise GameNotActive(game.status)
    _check_phase(game, action)
    events: list[facts.AnyEvent] = []
    # Not `isinstance` or `match`: for Structs a negative result goes through the metaclass, which is ten times slower.
    if type(action) is PlaceTile:
        _place_tile(index, game, action, events)
    elif type(action) is PlaceIslander:
        islanders.place_islander(index, game, action)
        x, y = unpack_cell(game.cells[-1])
        events.append(facts.IslanderPlaced(seat=game.seat, x=x, y=y, segment=action.segment))
        finish_islander_phase(index, game, events)
    elif type(action) is RetrieveIslander:
        islanders.retrieve_islander(index, game, action)
        events.append(facts.IslanderRetrieved(seat=game.seat, x=action.x, y=action.y, segment=action.segment))
        finish_islander_phase(index, game, events)
    elif type(action) is TakeShip:
        delivery.take_chosen_ship(index, game, action, events)
        award_market_ships(index, game, events)
    elif type(action) is Deliver:
        action = delivery.deliver(index, game, action, events)
        end_turn(index, game, events)
    else:
        action = _pass_phase(index, game, events)
    return action, events


def start_turn(index: TileSetIndex, game: Game, events: list[facts.AnyEvent]) -> None:
    """Draw the next tile that has a legal placement; discard those without one (R3.5).

    If the bag runs out that way, nobody gets a turn: the game ends.
    """
    game.phase = "place_tile"
    game.tile = -1
    before, bag = len(events), game.bag
    while bag:
        tile = bag.pop()
        if has_legal_placement(index, game, tile):
            game.tile = tile
            game.turn_number += 1
            events.insert(before, facts.TurnStarted(number=game.turn_number, seat=game.seat))
            events.append(index.tiles[tile].drawn_event)
            return
        game.discarded.append(tile)
        events.append(facts.TileDiscarded(tile=index.tile_ids[tile]))
    finish_game(index, game, "bag_exhausted", events)


def _check_phase(game: Game, action: Action) -> None:
    phase = game.phase
    if type(action) is Pass:
        if phase not in ("islander", "deliver"):
            raise IllegalMove("R2", "passing is not possible in the phase {phase}", phase=Message(phase))
        wanted: Phase = action.phase or phase
    else:
        wanted = ACTION_PHASES[type(action)]
    if wanted != phase:
        raise IllegalMove(
            "R2",
            "this action belongs to the phase {wanted}, but the phase is {phase}",
            wanted=Message(wanted),
            phase=Message(phase),
        )


def _place_tile(index: TileSetIndex, game: Game, action: PlaceTile, events: list[facts.AnyEvent]) -> None:
    cell = check_placement(index, game, action)
    place_tile(index, game, cell, game.tile * 4 + action.rotation)
    tile = index.tile_ids[game.tile]
    events.append(facts.TilePlaced(seat=game.seat, tile=tile, x=action.x, y=action.y, rotation=action.rotation))
    if islanders.can_place(game) or islanders.can_retrieve(game):
        game.phase = "islander"
    else:
        finish_islander_phase(index, game, events)


def _pass_phase(index: TileSetIndex, game: Game, events: list[facts.AnyEvent]) -> Pass:
    if game.phase == "islander":
        finish_islander_phase(index, game, events)
        return Pass("islander")
    end_turn(index, game, events)
    return Pass("deliver")


def finish_islander_phase(index: TileSetIndex, game: Game, events: list[facts.AnyEvent]) -> None:
    """Evaluate the placed tile (R5), and advance to the next decision."""
    evaluate_placement(index, game, events)
    award_market_ships(index, game, events)


def award_market_ships(index: TileSetIndex, game: Game, events: list[facts.AnyEvent]) -> None:
    """Award the ships of completed markets (R5.10), and advance to the next decision.

    A player who has resigned does not deliver.
    """
    if game.ships_owed and not delivery.take_owed_ships(index, game, events):
        game.phase = "take_ship"
    elif not game.players[game.seat].resigned and delivery.has_delivery(index, game):
        game.phase = "deliver"
    else:
        end_turn(index, game, events)


def end_turn(index: TileSetIndex, game: Game, events: list[facts.AnyEvent]) -> None:
    """Finish the game (R7.1), or start the turn of the next player who has not resigned.

    That the last ship is gone precedes that the last tile is.
    """
    has_ships = game.display or game.ship_pile
    if not has_ships or not game.bag:
        finish_game(index, game, "last_tile" if has_ships else "last_ship", events)
        return
    players, seat = game.players, game.seat + 1
    while players[seat % len(players)].resigned:
        seat += 1
    game.seat = seat % len(players)
    start_turn(index, game, events)


def resign(index: TileSetIndex, game: Game, seat: int) -> list[facts.AnyEvent]:
    """Take a player out of the game, and apply the consequences; return the events. Raises GameNotActive."""
    if game.status != "active":
        raise GameNotActive(game.status)
    decider, player = game.decider, game.players[seat]
    player.resigned, player.bot = True, None
    events: list[facts.AnyEvent] = [facts.PlayerResigned(seat=seat)]
    for segment in player.islander_segments:
        game.islanders[game.feature_labels[segment]] -= 1 << SEAT_BITS * seat
    islanders.return_islanders(game, seat, player.islander_segments, events)
    game.ships_owed = [owed for owed in game.ships_owed if owed != seat]
    if sum(not one.resigned for one in game.players) == 1:
        finish_game(index, game, "resigned", events)
    elif decider == seat:
        _skip_decision(index, game, events)
    return events


def replace_player(game: Game, seat: int, bot: str) -> list[facts.AnyEvent]:
    """Let a bot decide for a seat from now on."""
    game.players[seat].bot = bot
    return [facts.PlayerReplaced(seat=seat, bot=bot)]


def return_player(game: Game, seat: int) -> list[facts.AnyEvent]:
    """Let a person decide for their seat again."""
    game.players[seat].bot = None
    return [facts.PlayerReturned(seat=seat)]


def _skip_decision(index: TileSetIndex, game: Game, events: list[facts.AnyEvent]) -> None:
    """Skip the decision of a player who resigned, up to the next decision of another player."""
    game.deadline = None
    match game.phase:
        case "place_tile" | "deliver":
            if game.phase == "place_tile":
                game.bag.append(game.tile)
            end_turn(index, game, events)
        case "islander":
            finish_islander_phase(index, game, events)
        case "take_ship":
            award_market_ships(index, game, events)
