"""What a move would do, without doing it: its events, and the feature that an islander stands or would stand on.

The events are those of `apply_action` on a copy. None of them depends on the order of the bag or of the ship pile:
whoever knows the rules and sees the board could tell them.
"""

from collections.abc import Iterable
from typing import Final

from schemas.actions import Action, FeatureValue, Pass, PlaceIslander, PlaceTile, RetrieveIslander
from schemas.events import AnyEvent, ShipRevealed, ShipTaken, TileDiscarded, TileDrawn
from service.engine.game import Game, copy_game
from service.engine.queries import feature_value
from service.engine.tileset_index import TileSetIndex, pack_cell
from service.engine.turn import apply_action

HIDDEN_EVENTS: Final = (TileDrawn, TileDiscarded, ShipRevealed)
"""These events show what nobody sees before."""


def move_effects(index: TileSetIndex, game: Game, action: Action) -> list[AnyEvent]:
    """Return the events that a legal move would cause now, without what is hidden.

    For a placement, the islander phase is passed after it (R4.5).
    """
    ahead = copy_game(game)
    _, events = apply_action(index, ahead, action)
    if type(action) is PlaceTile and ahead.phase == "islander":
        events += apply_action(index, ahead, Pass("islander"))[1]
    return _public_events(events)


def move_feature(index: TileSetIndex, game: Game, action: Action) -> FeatureValue | None:
    """Return the feature on which an islander would be placed (R4.1), or from which it would be retrieved (R4.4)."""
    match action:
        case PlaceIslander(segment):
            label = game.feature_labels[game.first_segments[-1] + segment]
        case RetrieveIslander(x, y, segment):
            label = game.feature_labels[game.first_segments[game.board[pack_cell(x, y)]] + segment]
        case _:
            return None
    return feature_value(index, game, label)


def _public_events(events: Iterable[AnyEvent]) -> list[AnyEvent]:
    """Return the events that follow from what everybody sees.

    What comes after the ship that replaces a market's depends on that ship: the next merchant may take it (R5.10), and
    the active player may deliver to it (R6.1).
    """
    public: list[AnyEvent] = []
    for event in events:
        if type(event) is ShipRevealed and type(public[-1]) is ShipTaken and public[-1].by == "market":
            break
        if type(event) not in HIDDEN_EVENTS:
            public.append(event)
    return public
