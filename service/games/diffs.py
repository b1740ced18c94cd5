"""Recording a change as a DIFF, chained by its digest to the one before, and the patch in it.

A patch has the RFC 6902 operations that make an event's change in GAME. Nothing is compared: each type of event names
the parts of GAME that it changes, and each part is written as it is now. Only an undo compares the two GAMEs. Arrays
are written whole, except `players`, of which single members are.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from schemas import events as facts
from schemas.base import canonical_json
from schemas.diffs import AddOperation, DiffBody, PatchOperation, RemoveOperation
from schemas.game import GameView, PlacedTile
from service.engine import Game, TileSetIndex, build_view, view
from service.engine.tileset_index import pack_cell
from service.games.lifecycle import advance_version
from service.games.ports import StoredDiff

DIGEST_BYTES = 16


class _Parts(NamedTuple):
    """The parts of GAME that a type of event changes."""

    members: tuple[str, ...] = ()
    """Top-level members."""
    of_seat: tuple[str, ...] = ()
    """Members of the player in the event's seat."""
    of_cell: str | None = None
    """A member of the tile in the event's cell; "" for the whole tile."""


_ISLANDER = _Parts(of_seat=("supply",), of_cell="islanders")
_PLAYER = _Parts(of_seat=("name", "color", "kind"))
_BOT = _Parts(of_seat=("bot",))
_END = _Parts(("status", "deck", "result"))

CHANGES_BY_EVENT: dict[type, _Parts] = {
    facts.TilePlaced: _Parts(of_cell=""),
    facts.IslanderPlaced: _ISLANDER,
    facts.IslanderRetrieved: _ISLANDER,
    facts.IslanderReturned: _ISLANDER,
    facts.FishCovered: _Parts(of_cell="covered"),
    facts.ShipTaken: _Parts(("display",), of_seat=("ships", "points")),
    facts.ShipRevealed: _Parts(("display", "ship_pile")),
    facts.TileDrawn: _Parts(("bag",)),
    facts.TileDiscarded: _Parts(("bag", "discarded")),
    facts.GameStarted: _Parts(("status",)),
    facts.GameFinished: _END,
    facts.GameAborted: _END,
    facts.RematchCreated: _Parts(("next_game",)),
    facts.PlayerJoined: _PLAYER,
    facts.PlayerLeft: _PLAYER,
    facts.PlayerReplaced: _BOT,
    facts.PlayerReturned: _BOT,
    facts.PlayerResigned: _Parts(of_seat=("resigned", "bot")),
}
"""What each type of event changes, besides wares; `turn` changes with every event after the start."""

CELL_VIEWS: dict[str, Callable[[Game, int], Any]] = {"islanders": view.view_islanders, "covered": view.view_covered}
"""Views of a placed tile's members that change; they take the number of its placement."""


def record_change(  # noqa: PLR0913  what a diff says of a change, each by name
    index: TileSetIndex,
    game: Game,
    events: list[facts.AnyEvent],
    at: str,
    *,
    seat: int | None = None,
    move: str | None = None,
    by: str | None = None,
    before: GameView | None = None,
) -> StoredDiff:
    """Make a change the game's next version, and return its diff as clients get it.

    The patch is made from the events; where they do not say what changed (an undo), from GAME as it was `before`. The
    diff is encoded once, in its canonical form, which the digest is computed of; the digest is put in front. All else
    is as in `advance_version`.
    """
    advance_version(game, events, at, seat=seat, move=move, by=by)
    if game.version == 1:
        whole = msgspec.structs.asdict(build_view(index, game))
        patch: list[PatchOperation] = [AddOperation(f"/{name}", value) for name, value in whole.items()]
    elif before is None:
        patch = build_patch(index, game, events)
    else:
        patch = compare_views(before, build_view(index, game))
    previous = game.digest or game.commitment
    body = canonical_json(
        DiffBody(game=game.id, version=game.version, at=at, seat=seat, move=move, by=by, events=events, patch=patch)
    )
    game.digest = next_digest(previous, body)
    return StoredDiff(game.version, game.digest, previous, at, prepend_digest(game.digest, body))


def next_digest(previous: bytes, body: bytes) -> bytes:
    """Return a diff's digest from the previous digest (for version 1, the commitment) and `canonical_body`."""
    return sha256(previous.hex().encode() + body).digest()[:DIGEST_BYTES]


def prepend_digest(digest: bytes, body: bytes) -> bytes:
    """Return the diff of a digest and `canonical_body`."""
    return b'{"digest":"%b",%b' % (digest.hex().encode(), body[1:])


def canonical_body(diff: Mapping[str, Any]) -> bytes:
    """Return the RFC 8785 form of a DIFF without its digest."""
    return canonical_json({name: value for name, value in diff.items() if name != "digest"})


def build_patch(index: TileSetIndex, game: Game, events: Sequence[Any]) -> list[PatchOperation]:
    """Return the patch of a change; `game` is the state after it, with its new version.

    Each part of GAME is written once, however many events change it: tiles, then players, then top-level members.
    """
    cells, players, members = _changed_parts(events)
    if game.turn_number:
        members["turn"] = None
    operations: list[PatchOperation] = [
        AddOperation("/version", game.version),
        AddOperation("/updated_at", game.updated_at),
    ]
    for x, y, name in cells:
        order = game.board[pack_cell(x, y)]
        if not name:
            operations.append(AddOperation(f"/board/{x},{y}", view.view_cell(index, game, order)))
        elif (x, y, "") not in cells:
            operations.append(AddOperation(f"/board/{x},{y}/{name}", CELL_VIEWS[name](game, order)))
    for seat, name in players:
        view_own = view.PLAYER_VIEWS.get(name)
        value = getattr(game.players[seat], name) if view_own is None else view_own(index, game, seat)
        operations.append(AddOperation(f"/players/{seat}/{name}", value))
    for name in members:
        shown = view.MEMBER_VIEWS.get(name)
        operations.append(AddOperation(f"/{name}", getattr(game, name) if shown is None else shown(index, game)))
    return operations


def _changed_parts(
    events: Sequence[Any],
) -> tuple[dict[tuple[int, int, str], None], dict[tuple[int, str], None], dict[str, None]]:
    """Return the members of tiles (x, y, name), of players (seat, name) and of GAME that events change, in order."""
    cells: dict[tuple[int, int, str], None] = {}
    players: dict[tuple[int, str], None] = {}
    members: dict[str, None] = {}
    for event in events:
        kind = type(event)
        if kind is facts.FeatureEvaluated:
            for seat in event.winners:
                players[seat, "wares"] = None
        elif kind in CHANGES_BY_EVENT:
            of_game, of_seat, of_cell = CHANGES_BY_EVENT[kind]
            for name in of_game:
                members[name] = None
            for name in of_seat:
                players[event.seat, name] = None
            if of_cell is not None:
                cells[event.x, event.y, of_cell] = None
            if kind is facts.ShipTaken and event.paid:
                players[event.seat, "wares"] = None
    return cells, players, members


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
