"""From the events of a change to the RFC 6902 operations that make the same change in GAME.

The engine says what happened, so nothing is compared: each kind of event names the parts of GAME that it touches, and
each part is written as it is now. Only where something was taken back are the two GAMEs compared. Arrays are written
whole; of `players` single members are.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from schemas.diffs import Add, PatchOperation, Remove
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
from service.engine import SCHEMA, Game, Tables, view
from service.engine.tables import to_cell
from service.engine.view import (
    view_cell,
    view_deck,
    view_discarded,
    view_display,
    view_player,
    view_result,
    view_turn,
)


class Touched:
    """The parts of GAME that some events touch."""

    def __init__(self) -> None:
        self.members: dict[str, None] = {}
        """Top-level members, in the order of touching."""
        self.players: dict[tuple[int, str], None] = {}
        self.cells: dict[tuple[int, int, str], None] = {}
        """Cells with the member of theirs; "" for the whole tile."""

    def member(self, *names: str) -> None:
        """Top-level members."""
        self.members.update(dict.fromkeys(names))

    def player(self, seat: int, *names: str) -> None:
        """Members of a player."""
        self.players.update(dict.fromkeys((seat, name) for name in names))

    def cell(self, x: int, y: int, name: str = "") -> None:
        """A tile on the board, or a member of it."""
        self.cells[x, y, name] = None


GROWN: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {
    2: (("turn_timeout_s", "on_timeout", "previous_game", "next_game"), ("resigned",)),
}
"""For each number of the snapshot's schema the members that GAME and its players have had since."""


def whole(tables: Tables, game: Game) -> list[PatchOperation]:
    """The patch that builds GAME from `{}`."""
    return [Add(f"/{name}", value) for name, value in msgspec.structs.asdict(view(tables, game)).items()]


def patch(tables: Tables, game: Game, events: list[AnyEvent]) -> list[PatchOperation]:
    """The patch of one change, `game` being the state after it with its new version."""
    touched = Touched()
    grow(touched, game)
    for event in events:
        touch(touched, event)
    if game.number:
        touched.member("turn")
    return [
        Add("/version", game.version),
        Add("/updated_at", game.updated_at),
        *_cells(tables, game, touched),
        *_players(tables, game, touched),
        *(Add(f"/{name}", _member(tables, game, name)) for name in touched.members),
    ]


def difference(before: GameView, after: GameView) -> list[PatchOperation]:
    """The patch that makes one GAME of another, by comparing them."""
    return [
        *_board_difference(before.board, after.board),
        *(
            Add(f"/players/{now.seat}/{name}", getattr(now, name))
            for was, now in zip(before.players, after.players, strict=True)
            for name in _changed(was, now)
        ),
        *(
            Add(f"/{name}", getattr(after, name))
            for name in _changed(before, after)
            if name not in ("board", "players")
        ),
    ]


def _changed(was: Struct, now: Struct) -> list[str]:
    return [name for name in now.__struct_fields__ if getattr(was, name) != getattr(now, name)]


def _board_difference(was: Mapping[str, PlacedTile], now: Mapping[str, PlacedTile]) -> Iterator[PatchOperation]:
    for cell in was:
        if cell not in now:
            yield Remove(f"/board/{cell}")
    for cell, tile in now.items():
        if cell not in was:
            yield Add(f"/board/{cell}", tile)
        else:
            yield from (Add(f"/board/{cell}/{name}", getattr(tile, name)) for name in _changed(was[cell], tile))


def grow(touched: Touched, game: Game) -> None:
    """Bring a game that an earlier release stored up to date: with its next change clients get what is new in GAME."""
    for number in range(game.schema + 1, SCHEMA + 1):
        members, players = GROWN[number]
        touched.member(*members)
        for seat in range(len(game.players)):
            touched.player(seat, *players)
    game.schema = SCHEMA


def touch(touched: Touched, event: AnyEvent) -> None:  # noqa: C901, PLR0912 (a table: what each event touches)
    """Note what one event touches."""
    match event:
        case TilePlaced(x=x, y=y):
            touched.cell(x, y)
        case IslanderPlaced(seat=seat, x=x, y=y) | IslanderRetrieved(seat=seat, x=x, y=y):
            touched.cell(x, y, "islanders")
            touched.player(seat, "supply")
        case IslanderReturned(seat=seat, x=x, y=y):
            touched.cell(x, y, "islanders")
            touched.player(seat, "supply")
        case FishCovered(x=x, y=y):
            touched.cell(x, y, "covered")
        case FeatureEvaluated(winners=winners):
            for seat in winners:
                touched.player(seat, "wares")
        case ShipTaken(seat=seat, paid=paid):
            touched.player(seat, "ships", "points", *(("wares",) if paid else ()))
            touched.member("display")
        case ShipRevealed():
            touched.member("display", "ship_pile")
        case TileDrawn():
            touched.member("bag")
        case TileDiscarded():
            touched.member("bag", "discarded")
        case PlayerJoined(seat=seat):
            touched.player(seat, "name", "color", "kind")
        case PlayerReplaced(seat=seat) | PlayerReturned(seat=seat):
            touched.player(seat, "bot")
        case PlayerResigned(seat=seat):
            touched.player(seat, "resigned", "bot")
        case RematchCreated():
            touched.member("next_game")
        case GameStarted():
            touched.member("status")
        case GameFinished() | GameAborted():
            touched.member("status", "deck", "result")
        case _:
            pass


def _cells(tables: Tables, game: Game, touched: Touched) -> list[PatchOperation]:
    operations: list[PatchOperation] = []
    for x, y, name in touched.cells:
        if name and (x, y, "") in touched.cells:
            continue
        tile = view_cell(tables, game, game.board[to_cell(x, y)])
        path = f"/board/{x},{y}"
        operations.append(Add(f"{path}/{name}", getattr(tile, name)) if name else Add(path, tile))
    return operations


def _players(tables: Tables, game: Game, touched: Touched) -> list[PatchOperation]:
    views = {seat: view_player(tables, game, seat) for seat in {seat for seat, _ in touched.players}}
    return [Add(f"/players/{seat}/{name}", getattr(views[seat], name)) for seat, name in touched.players]


def _member(tables: Tables, game: Game, name: str) -> Any:
    match name:
        case "turn":
            return view_turn(tables, game)
        case "display":
            return view_display(tables, game)
        case "ship_pile":
            return len(game.pile)
        case "bag":
            return len(game.bag)
        case "discarded":
            return view_discarded(tables, game)
        case "deck":
            return view_deck(game)
        case "result":
            return view_result(tables, game)
        case _:
            return getattr(game, name)
