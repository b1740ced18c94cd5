"""The `Game` Struct: the state of a game, and the snapshot that is stored of it.

A snapshot is the Struct's MessagePack array, with fields in the order below, and a checksum. What follows from other
fields is left out: the board is the inverse of the cells, the ring of a feature says its label, and the players say
where islanders stand. Add a new field at the end of its Struct, with a default, and increase `READABLE_SCHEMA`; the
next release that rules need it in increases `SCHEMA_VERSION` (docs/releasing.md). `tests/engine/snapshots` has a
snapshot of every schema version.

Segments are numbered across the board in the order of placement: tile number `order` owns the segments from
`first_segments[order]` on. `feature_labels` maps a segment to the label of its feature, which is the feature's oldest
segment. `feature_ring` links the segments of a feature in a circle. Three lists describe a feature at its label:
`open_slots` (sides still open; for a market, empty cells around it), `symbols` (wares that it would give) and
`islanders` (the number of each seat, three bits per seat). Joining two features therefore takes three additions, a swap
in the ring and new labels for the younger feature's segments. No query walks the board.
"""

from copy import copy
from typing import Self
from zlib import crc32

import msgspec

from schemas.vocabulary import ENDED_STATUSES, Color, Edition, Phase, RequestedTimeoutPolicy, Status

SCHEMA_VERSION = 1
"""What this release writes, unless a game already has a later one."""

READABLE_SCHEMA = 1
"""The latest that this release reads: one more than it writes where the next release is to write that."""

SEAT_BITS = 3
SEAT_MASK = (1 << SEAT_BITS) - 1
ISLANDERS_PER_PLAYER = 4
CHECKSUM_BYTES = 4


class Message(str):
    """An English text that can be worded in other languages, by its template and the values inserted.

    >>> Message("a tile already lies at ({x}, {y})", x=2, y=-1)
    'a tile already lies at (2, -1)'
    """

    __slots__ = ("template", "values")

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, **values: object) -> Self:
        """Make the English text."""
        text = super().__new__(cls, template.format_map(values))
        text.template, text.values = template, values
        return text


class Player(msgspec.Struct, array_like=True, gc=False):
    """A seat, and the islanders, wares and ships of its player."""

    name: str | None
    """None while the seat is open."""
    color: Color | None
    kind: str
    """human, bot or open."""
    bot: str | None = None
    supply: int = ISLANDERS_PER_PLAYER
    """Islanders not on the board (R1.4)."""
    wares: list[int] = msgspec.field(default_factory=lambda: [0, 0, 0])
    """Bananas, shells, fish."""
    ships: list[int] = msgspec.field(default_factory=list)
    """Ships won, in the order of winning (R6.2)."""
    islander_segments: list[int] = msgspec.field(default_factory=list)
    """The segments on which this player's islanders stand, in the order of placing."""
    resigned: bool = False
    """Whether the player resigned: turns skip the seat and it cannot win."""


class Game(msgspec.Struct, array_like=True, gc=False):
    """A game: the Struct that a snapshot encodes.

    Some of its fields no rule reads: the shuffle's seed and commitment, version, digest and times, the clock's settings
    and counts, the rematch's links, the creator. They are here because GAME shows them, an undo restores them with the
    board, and one decoded value, one cache entry and one copy for the bots are a game; a second record beside it would
    be loaded, passed, copied and stored wherever this one is.
    """

    schema_version: int
    """Of the release that wrote it, or of a later one before; first, so that readers can check it before the rest."""
    id: str
    tileset: str
    edition: Edition
    seed: str
    seed_chosen: bool
    commitment: bytes
    created_at: str
    players: list[Player]
    first_seat: int
    bag: list[int]
    """Tiles not yet drawn, the next one last."""
    ship_pile: list[int]
    """Face-down ships, the next one last."""
    display: list[int]
    """The face-up ships (R1.3)."""

    version: int = 0
    """The number of changes, the creation being 1; the service increments it."""
    digest: bytes = b""
    updated_at: str = ""
    status: Status = "waiting"

    turn_number: int = 0
    """The turn's number, from 1."""
    seat: int = 0
    """Whose turn it is."""
    phase: Phase = "place_tile"
    tile: int = -1
    """The tile of this turn, drawn or placed."""
    ships_owed: list[int] = msgspec.field(default_factory=list)
    """Seats that a completed market owes a ship, the next one first (R5.10)."""

    board: dict[int, int] = msgspec.field(default_factory=dict)
    """Cell -> order of the tile that lies there."""
    cells: list[int] = msgspec.field(default_factory=list)
    """Order -> cell."""
    oriented_tiles: list[int] = msgspec.field(default_factory=list)
    """Order -> tile and rotation."""
    first_segments: list[int] = msgspec.field(default_factory=list)
    """Order -> the tile's first segment."""
    frontier: dict[int, int] = msgspec.field(default_factory=dict)
    """Empty cell beside a tile -> the packed edges of its neighbours (R3.2, R3.3)."""
    markets: dict[int, int] = msgspec.field(default_factory=dict)
    """Cell of an incomplete market -> its segment."""

    feature_labels: list[int] = msgspec.field(default_factory=list)
    feature_ring: list[int] = msgspec.field(default_factory=list)
    open_slots: list[int] = msgspec.field(default_factory=list)
    symbols: list[int] = msgspec.field(default_factory=list)
    islanders: list[int] = msgspec.field(default_factory=list)
    covered: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """(segment, group) of each covered fish group (R5.7)."""
    discarded: list[int] = msgspec.field(default_factory=list)
    """Tiles removed from the game (R3.5)."""

    end_reason: str | None = None
    """Why the game ended (R7.1)."""

    turn_timeout_s: int | None = None
    """Seconds a player has for a decision; None means no limit."""
    on_timeout: RequestedTimeoutPolicy | None = None
    """What happens at the deadline; None without a timeout."""
    deadline: str | None = None
    """When the decider's time is up; the service sets it, since the engine has no clock."""
    undoable: int = 0
    """How many of the last actions the decider may undo; the service counts them from the log."""
    previous_game: str | None = None
    next_game: str | None = None
    absent: int = 0
    """Seats that the clock played since a person last acted, as bits."""
    creator: bytes = b""
    """Identifies the creator, so that bots' time is shared fairly; empty once the game is over."""
    paused: bool = False
    """Whether the clock rests until a person acts, since all of them were absent."""

    @property
    def decider(self) -> int:
        """The seat that must decide now; differs from `seat` under R5.10."""
        return self.ships_owed[0] if self.phase == "take_ship" else self.seat


class LaterRelease(msgspec.DecodeError):
    """A snapshot that only a later release can read."""


class _Snapshot(msgspec.Struct, array_like=True, gc=False):
    """A game without what follows from the rest of it, and what is stored of it in fewer bytes."""

    game: Game
    open_slots: bytes | list[int]
    symbols: bytes | list[int]


def encode_snapshot(game: Game) -> bytes:
    """Return the snapshot of a game."""
    rest = copy(game)
    rest.board = _NO_CELLS
    rest.feature_labels = rest.open_slots = rest.symbols = rest.islanders = _NO_SEGMENTS
    data = _ENCODER.encode(_Snapshot(rest, _shorten(game.open_slots), _shorten(game.symbols)))
    return data + crc32(data).to_bytes(CHECKSUM_BYTES)


def decode_snapshot(snapshot: bytes) -> Game:
    """Decode a snapshot.

    Raises `msgspec.DecodeError` if it is not a snapshot or is damaged, and LaterRelease if a later release wrote it: to
    store such a game again would lose the fields that the later release added.
    """
    data, checksum = snapshot[:-CHECKSUM_BYTES], snapshot[-CHECKSUM_BYTES:]
    if crc32(data).to_bytes(CHECKSUM_BYTES) != checksum:
        raise msgspec.DecodeError("its checksum is wrong")
    try:
        stored = _DECODER.decode(data)
        game = stored.game
        _derive_fields(game, stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, IndexError) as error:
        _check_schema(_read_schema(data))
        raise msgspec.DecodeError(str(error)) from error
    _check_schema(game.schema_version)
    game.schema_version = max(game.schema_version, SCHEMA_VERSION)
    return game


def _derive_fields(game: Game, stored: _Snapshot) -> None:
    """Set the fields that the game of a snapshot lacks. Raises IndexError for a ring that does not close."""
    game.open_slots, game.symbols = _lengthen(stored.open_slots), _lengthen(stored.symbols)
    game.board = {cell: order for order, cell in enumerate(game.cells)}
    ring = game.feature_ring
    labels = game.feature_labels = [-1] * len(ring)
    for label in range(len(ring)):
        if labels[label] < 0:
            segment = label
            while labels[segment] < 0:
                labels[segment] = label
                segment = ring[segment]
            if segment != label:
                raise IndexError(f"the ring of segment {label} does not close")
    islanders = game.islanders = [0] * len(ring)
    for seat, player in enumerate(game.players):
        for segment in player.islander_segments:
            islanders[labels[segment]] += 1 << SEAT_BITS * seat


def _shorten(values: list[int]) -> bytes | list[int]:
    r"""Return small values as bytes, with 255 for each run of four zeros; other values as they are.

    >>> _shorten([3, 0, 0, 0, 0, 0]), _shorten([3, 255])
    (b'\x03\xff\x00', [3, 255])
    """
    try:
        data = bytes(values)
    except ValueError:
        return values
    return values if 255 in data else data.replace(_FOUR_ZEROS, b"\xff")


def _lengthen(stored: bytes | list[int]) -> list[int]:
    """Return the values that `_shorten` stored."""
    return stored if isinstance(stored, list) else [*stored.replace(b"\xff", _FOUR_ZEROS)]


def _read_schema(data: bytes) -> int:
    """Return the schema of a snapshot whose other fields cannot be read; 0 if that cannot be read either."""
    try:
        return _SCHEMA_DECODER.decode(data).game.schema_version
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return 0


def _check_schema(version: int) -> None:
    if version > READABLE_SCHEMA:
        raise LaterRelease(f"a later release wrote it: schema {version}, this release reads up to {READABLE_SCHEMA}")


def copy_game(game: Game) -> Game:
    """Return a copy that shares no mutable value with `game`."""
    twin: Game = msgspec.structs.replace(
        game,
        players=[
            msgspec.structs.replace(
                player,
                wares=player.wares.copy(),
                ships=player.ships.copy(),
                islander_segments=player.islander_segments.copy(),
            )
            for player in game.players
        ],
    )
    for name in _CONTAINERS:
        setattr(twin, name, getattr(game, name).copy())
    return twin


def is_finished(game: Game) -> bool:
    """Return whether the game is finished or was aborted."""
    return game.status in ENDED_STATUSES


class _Schema(msgspec.Struct, array_like=True):
    """The first field of any game."""

    schema_version: int


class _AnySnapshot(msgspec.Struct, array_like=True):
    """The first field of any snapshot."""

    game: _Schema


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_Snapshot)
_SCHEMA_DECODER = msgspec.msgpack.Decoder(_AnySnapshot)
_FOUR_ZEROS = bytes(4)
_NO_CELLS: dict[int, int] = {}
_NO_SEGMENTS: list[int] = []
_CONTAINERS = (
    *("bag", "ship_pile", "display", "ships_owed", "board", "cells", "oriented_tiles", "first_segments", "frontier"),
    *("markets", "feature_labels", "feature_ring", "open_slots", "symbols", "islanders", "covered", "discarded"),
)
