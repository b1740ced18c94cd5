"""R2: the turn, from the drawn tile to the next player's.

    place_tile -> islander -> (evaluation) -> take_ship* -> deliver -> next turn

A phase in which `pass` is all there is is passed here, so that nobody is asked a question with one answer.
"""

from typing import Final

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.events import (
    AnyEvent,
    IslanderPlaced,
    IslanderRetrieved,
    TileDiscarded,
    TilePlaced,
    TurnStarted,
)
from schemas.vocabulary import Phase
from service.engine.delivery import (
    deliver,
    has_delivery,
    legal_deliveries,
    legal_ship_choices,
    take_chosen_ship,
    take_owed_ships,
)
from service.engine.errors import GameNotActive, IllegalMove
from service.engine.evaluation import evaluate_placement
from service.engine.final_scoring import end_reason, finish_game
from service.engine.game import Game
from service.engine.islanders import (
    has_islander_move,
    legal_islander_moves,
    place_islander,
    retrieve_islander,
)
from service.engine.placement import check_placement, has_legal_placement, legal_placements, place_tile
from service.engine.tileset_index import TileSetIndex, unpack_cell

ACTION_PHASES: Final[dict[type[Action], Phase]] = {
    PlaceTile: "place_tile",
    PlaceIslander: "islander",
    RetrieveIslander: "islander",
    TakeShip: "take_ship",
    Deliver: "deliver",
}


def legal_moves(index: TileSetIndex, game: Game) -> list[Action]:
    """Every action that `apply` would accept now, each once; empty where nobody decides."""
    if game.status != "active":
        return []
    match game.phase:
        case "place_tile":
            return [*legal_placements(index, game)]
        case "islander":
            return [*legal_islander_moves(index, game)]
        case "take_ship":
            return [*legal_ship_choices(index, game)]
        case "deliver":
            return [*legal_deliveries(index, game)]


def apply_action(index: TileSetIndex, game: Game, action: Action) -> tuple[Action, list[AnyEvent]]:
    """Do `action` for the decider, and all that follows by itself; gives the action in full and what happened.

    In full: a payment left out (R6.5) and a pass's phase are filled in. Raises IllegalMove or GameNotActive, the game
    then being unchanged.
    """
    if game.status != "active":
        raise GameNotActive(game.status)
    _check_phase(game, action)
    events: list[AnyEvent] = []
    # `isinstance` and `match` ask a Struct's metaclass wherever the answer is no, which takes ten times as long.
    if type(action) is PlaceTile:
        _place_tile(index, game, action, events)
    elif type(action) is PlaceIslander:
        place_islander(index, game, action)
        x, y = unpack_cell(game.cells[-1])
        events.append(IslanderPlaced(seat=game.seat, x=x, y=y, segment=action.segment))
        finish_islander_phase(index, game, events)
    elif type(action) is RetrieveIslander:
        retrieve_islander(index, game, action)
        events.append(IslanderRetrieved(seat=game.seat, x=action.x, y=action.y, segment=action.segment))
        finish_islander_phase(index, game, events)
    elif type(action) is TakeShip:
        take_chosen_ship(index, game, action, events)
        award_market_ships(index, game, events)
    elif type(action) is Deliver:
        action = deliver(index, game, action, events)
        end_turn(index, game, events)
    else:
        action = _pass_phase(index, game, events)
    return action, events


def start_turn(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    """Draw the next tile that can be placed; the others leave the game (R3.5)."""
    number = game.turn_number = game.turn_number + 1
    game.phase = "place_tile"
    game.tile = -1
    events.append(TurnStarted(number=number, seat=game.seat))
    bag = game.bag
    while bag:
        tile = bag.pop()
        if has_legal_placement(index, game, tile):
            game.tile = tile
            events.append(index.tiles[tile].drawn_event)
            return
        game.discarded.append(tile)
        events.append(TileDiscarded(tile=index.tile_ids[tile]))
    finish_game(index, game, "bag_exhausted", events)


def _check_phase(game: Game, action: Action) -> None:
    phase = game.phase
    if type(action) is Pass:
        if phase not in ("islander", "deliver"):
            raise IllegalMove("R2", f"nobody may pass in the phase {phase}")
        wanted: Phase = action.phase or phase
    else:
        wanted = ACTION_PHASES[type(action)]
    if wanted != phase:
        raise IllegalMove("R2", f"this belongs to the phase {wanted}, but the phase is {phase}")


def _place_tile(index: TileSetIndex, game: Game, action: PlaceTile, events: list[AnyEvent]) -> None:
    cell = check_placement(index, game, action)
    place_tile(index, game, cell, game.tile * 4 + action.rotation)
    tile = index.tile_ids[game.tile]
    events.append(TilePlaced(seat=game.seat, tile=tile, x=action.x, y=action.y, rotation=action.rotation))
    if has_islander_move(game):
        game.phase = "islander"
    else:
        finish_islander_phase(index, game, events)


def _pass_phase(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> Pass:
    if game.phase == "islander":
        finish_islander_phase(index, game, events)
        return Pass("islander")
    end_turn(index, game, events)
    return Pass("deliver")


def finish_islander_phase(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    """Evaluate the placed tile (R5), and go on to the next decision."""
    evaluate_placement(index, game, events)
    award_market_ships(index, game, events)


def award_market_ships(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    """Hand out what markets have brought (R5.10), and go on to the next decision; who has resigned delivers nothing."""
    if not take_owed_ships(index, game, events):
        game.phase = "take_ship"
    elif not game.players[game.seat].resigned and has_delivery(index, game):
        game.phase = "deliver"
    else:
        end_turn(index, game, events)


def end_turn(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    """End the game (R7.1), or begin the turn of the next player who has not resigned."""
    reason = end_reason(game)
    if reason is not None:
        finish_game(index, game, reason, events)
        return
    players, seat = game.players, game.seat
    while True:
        seat = (seat + 1) % len(players)
        if not players[seat].resigned:
            break
    game.seat = seat
    start_turn(index, game, events)
