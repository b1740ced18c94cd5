"""Patches: the RFC 6902 operations that make an event's change in GAME.

Nothing is compared: each type of event names the parts of GAME that it changes, and each part is written as it is now.
Only an undo compares the two GAMEs. Arrays are written whole, except `players`, of which single members are.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from schemas.diffs import AddOperation, PatchOperation, RemoveOperation
from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
    GameAborted,
    GameFinished,
    GameStarted,
    IslanderPlaced,
    IslanderRetrieved,
    IslanderReturned,
    PlayerJoined,
    PlayerLeft,
    PlayerReplaced,
    PlayerResigned,
    PlayerReturned,
    RematchCreated,
    ShipRevealed,
    ShipTaken,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
)
from schemas.game import GameView, PlacedTile
from service.engine import Game, TileSetIndex, build_view
from service.engine.final_scoring import ship_points
from service.engine.tileset_index import pack_cell
from service.engine.view import (
    view_cell,
    view_covered,
    view_deck,
    view_discarded,
    view_display,
    view_islanders,
    view_result,
    view_ships,
    view_turn,
    view_wares,
)


class ChangeSet:
    """The parts of GAME that a list of events changes, in order."""

    __slots__ = ("cells", "members", "players")

    def __init__(self) -> None:
        self.members: dict[str, None] = {}
        """Top-level members."""
        self.players: dict[tuple[int, str], None] = {}
        """Members of players: seat and name."""
        self.cells: dict[tuple[int, int, str], None] = {}
        """Members of tiles on the board: x, y and name; "" for the whole tile."""

    def add_members(self, *names: str) -> None:
        """Add top-level members."""
        for name in names:
            self.members[name] = None

    def add_player_members(self, seat: int, *names: str) -> None:
        """Add members of a player."""
        for name in names:
            self.players[seat, name] = None


def full_patch(index: TileSetIndex, game: Game) -> list[PatchOperation]:
    """Return the patch that builds GAME from `{}`."""
    return [AddOperation(f"/{name}", value) for name, value in msgspec.structs.asdict(build_view(index, game)).items()]


def build_patch(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> list[PatchOperation]:
    """Return the patch of a change; `game` is the state after it, with its new version."""
    changes = ChangeSet()
    for event in events:
        touch = CHANGES_BY_EVENT.get(type(event))
        if touch is not None:
            touch(changes, event)
    if game.turn_number:
        changes.members["turn"] = None
    operations: list[PatchOperation] = [
        AddOperation("/version", game.version),
        AddOperation("/updated_at", game.updated_at),
    ]
    for x, y, name in changes.cells:
        if not name:
            operations.append(AddOperation(f"/board/{x},{y}", view_cell(index, game, game.board[pack_cell(x, y)])))
        elif (x, y, "") not in changes.cells:
            operations.append(
                AddOperation(f"/board/{x},{y}/{name}", CELL_VIEWS[name](game, game.board[pack_cell(x, y)]))
            )
    for seat, name in changes.players:
        view_own = PLAYER_VIEWS.get(name)
        value = getattr(game.players[seat], name) if view_own is None else view_own(index, game, seat)
        operations.append(AddOperation(f"/players/{seat}/{name}", value))
    for name in changes.members:
        view_member = MEMBER_VIEWS.get(name)
        operations.append(
            AddOperation(f"/{name}", getattr(game, name) if view_member is None else view_member(index, game))
        )
    return operations


def compare_views(before: GameView, after: GameView) -> list[PatchOperation]:
    """Return the patch from one GAME to another, by comparing them."""
    return [
        *_board_difference(before.board, after.board),
        *(
            AddOperation(f"/players/{now.seat}/{name}", getattr(now, name))
            for was, now in zip(before.players, after.players, strict=True)
            for name in _changed(was, now)
        ),
        *(
            AddOperation(f"/{name}", getattr(after, name))
            for name in _changed(before, after)
            if name not in ("board", "players")
        ),
    ]


def _changed(was: Struct, now: Struct) -> list[str]:
    return [name for name in now.__struct_fields__ if getattr(was, name) != getattr(now, name)]


def _board_difference(was: Mapping[str, PlacedTile], now: Mapping[str, PlacedTile]) -> Iterator[PatchOperation]:
    for cell in was:
        if cell not in now:
            yield RemoveOperation(f"/board/{cell}")
    for cell, tile in now.items():
        if cell not in was:
            yield AddOperation(f"/board/{cell}", tile)
        else:
            yield from (
                AddOperation(f"/board/{cell}/{name}", getattr(tile, name)) for name in _changed(was[cell], tile)
            )


def _tile_placed(changes: ChangeSet, event: TilePlaced) -> None:
    changes.cells[event.x, event.y, ""] = None


def _islander_moved(changes: ChangeSet, event: IslanderPlaced | IslanderRetrieved | IslanderReturned) -> None:
    changes.cells[event.x, event.y, "islanders"] = None
    changes.players[event.seat, "supply"] = None


def _fish_covered(changes: ChangeSet, event: FishCovered) -> None:
    changes.cells[event.x, event.y, "covered"] = None


def _feature_evaluated(changes: ChangeSet, event: FeatureEvaluated) -> None:
    for seat in event.winners:
        changes.players[seat, "wares"] = None


def _ship_taken(changes: ChangeSet, event: ShipTaken) -> None:
    changes.add_player_members(event.seat, "ships", "points")
    if event.paid:
        changes.add_player_members(event.seat, "wares")
    changes.add_members("display")


def _changes_members(*names: str) -> Callable[[ChangeSet, Any], None]:
    return lambda changes, _event: changes.add_members(*names)


def _changes_player(*names: str) -> Callable[[ChangeSet, Any], None]:
    return lambda changes, event: changes.add_player_members(event.seat, *names)


CHANGES_BY_EVENT: dict[type, Callable[[ChangeSet, Any], None]] = {
    TilePlaced: _tile_placed,
    IslanderPlaced: _islander_moved,
    IslanderRetrieved: _islander_moved,
    IslanderReturned: _islander_moved,
    FishCovered: _fish_covered,
    FeatureEvaluated: _feature_evaluated,
    ShipTaken: _ship_taken,
    ShipRevealed: _changes_members("display", "ship_pile"),
    TileDrawn: _changes_members("bag"),
    TileDiscarded: _changes_members("bag", "discarded"),
    GameStarted: _changes_members("status"),
    GameFinished: _changes_members("status", "deck", "result"),
    GameAborted: _changes_members("status", "deck", "result"),
    RematchCreated: _changes_members("next_game"),
    PlayerJoined: _changes_player("name", "color", "kind"),
    PlayerLeft: _changes_player("name", "color", "kind"),
    PlayerReplaced: _changes_player("bot"),
    PlayerReturned: _changes_player("bot"),
    PlayerResigned: _changes_player("resigned", "bot"),
}
"""What each type of event changes; `turn` changes with every event after the start."""

CELL_VIEWS: dict[str, Callable[[Game, int], Any]] = {"islanders": view_islanders, "covered": view_covered}
"""Views of a placed tile's members that change; they take the number of its placement."""

PLAYER_VIEWS: dict[str, Callable[[TileSetIndex, Game, int], Any]] = {
    "wares": lambda _index, game, seat: view_wares(game, seat),
    "ships": view_ships,
    "points": lambda index, game, seat: ship_points(index, game.players[seat]),
}
"""Views of a player's members that change; all others are attributes of the Player."""

MEMBER_VIEWS: dict[str, Callable[[TileSetIndex, Game], Any]] = {
    "turn": view_turn,
    "display": view_display,
    "ship_pile": lambda _index, game: len(game.ship_pile),
    "bag": lambda _index, game: len(game.bag),
    "discarded": view_discarded,
    "deck": lambda _index, game: view_deck(game),
    "result": view_result,
}
"""Views of GAME's members that change; all others are attributes of the Game."""
