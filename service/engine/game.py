"""The `Game` Struct: all that is stored of a game, and nothing that could be asked of it instead.

It is encoded as a MessagePack array (`encode`, `decode`), fields in the order below. A new field goes to the end of its
Struct, with a default, and raises `SCHEMA`; `tests/engine/snapshots` holds a snapshot of every number so far.

Segments are numbered over the whole board in the order of placing: tile number `order` owns the segments from
`bases[order]` on. Every segment carries the label of its feature in `feature`, which is the feature's oldest segment;
`ring` links the segments of one feature in a circle. What is known of a feature is kept at its label alone:
`open_slots` (sides still open; a market's empty cells around it), `symbols` (wares that it would give) and `islanders`
(how many of each seat, three bits a seat). So joining two features is three additions, a swap in the ring, and new
labels for the younger one's segments; no question is ever answered by walking over the board.
"""

import msgspec

from schemas.vocabulary import ENDED_STATUSES, Color, Edition, Phase, RequestedTimeoutPolicy, Status
from service.engine.checksum import strip_checksum

SCHEMA_VERSION = 3

SEAT_BITS = 3
SEAT_MASK = (1 << SEAT_BITS) - 1
ISLANDERS_PER_PLAYER = 4


class Player(msgspec.Struct, array_like=True, gc=False):
    """A seat and what its player holds."""

    name: str | None
    """None while the seat is open."""
    color: Color | None
    kind: str
    """human, bot or open."""
    bot: str | None = None
    supply: int = ISLANDERS_PER_PLAYER
    """Islanders at home (R1.4)."""
    wares: list[int] = msgspec.field(default_factory=lambda: [0, 0, 0])
    """Bananas, shells, fish."""
    ships: list[int] = msgspec.field(default_factory=list)
    """Ships won, in the order of winning (R6.2)."""
    islander_segments: list[int] = msgspec.field(default_factory=list)
    """The segments on which this player's islanders stand, in the order of placing."""
    resigned: bool = False
    """Whether the player gave up: the seat's turns are passed over and it cannot win."""


class Game(msgspec.Struct, array_like=True, gc=False):
    """One game: the snapshot."""

    schema_version: int
    """`SCHEMA` when it was written; first, so that a reader can look before it decodes the rest."""
    id: str
    tileset: str
    edition: Edition
    seed: str
    seed_chosen: bool
    commitment: str
    created_at: str
    players: list[Player]
    first_seat: int
    bag: list[int]
    """Tiles still to be drawn, the next one last."""
    ship_pile: list[int]
    """Ships still face down, the next one last."""
    display: list[int]
    """The face-up ships (R1.3)."""

    version: int = 0
    """Number of changes, creation being 1; whoever stores the game counts it."""
    digest: str = ""
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
    """Seats that are owed a ship by a market, the next one first (R5.10)."""

    board: dict[int, int] = msgspec.field(default_factory=dict)
    """Cell -> order of the tile that lies there."""
    cells: list[int] = msgspec.field(default_factory=list)
    """Order -> cell."""
    oriented_tiles: list[int] = msgspec.field(default_factory=list)
    """Order -> tile and rotation."""
    first_segments: list[int] = msgspec.field(default_factory=list)
    """Order -> the tile's first segment."""
    frontier: dict[int, int] = msgspec.field(default_factory=dict)
    """Empty cell beside a tile -> the edges that its neighbours show (R3.2, R3.3)."""
    markets: dict[int, int] = msgspec.field(default_factory=dict)
    """Cell of an incomplete market -> its segment."""

    feature_labels: list[int] = msgspec.field(default_factory=list)
    feature_ring: list[int] = msgspec.field(default_factory=list)
    open_slots: list[int] = msgspec.field(default_factory=list)
    symbols: list[int] = msgspec.field(default_factory=list)
    islanders: list[int] = msgspec.field(default_factory=list)
    covered: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """Segment and group of each covered fish group (R5.7)."""
    discarded: list[int] = msgspec.field(default_factory=list)
    """Tiles removed from the game (R3.5)."""

    end_reason: str | None = None
    """Why the game ended (R7.1)."""

    turn_timeout_s: int | None = None
    """Seconds that a player has to decide; None for any time."""
    on_timeout: RequestedTimeoutPolicy | None = None
    """What happens then; None where there is no time-out."""
    deadline: str | None = None
    """When the decider's time is up; whoever knows the clock sets it, and keeps it while they decide."""
    undoable: int = 0
    """How many of the last actions the decider may take back; whoever keeps the log counts them."""
    previous_game: str | None = None
    next_game: str | None = None
    consecutive_timeouts: int = 0
    """Deadlines in a row at which the clock decided for somebody, since a person last did anything."""
    creator: bytes = b""
    """Stands for whoever created the game, so that bots are shared fairly; empty once it is over."""

    @property
    def decider(self) -> int:
        """The seat that must decide now (R5.10)."""
        return self.ships_owed[0] if self.phase == "take_ship" else self.seat

    @property
    def is_tile_placed(self) -> bool:
        """Whether the tile of this turn lies on the board."""
        return self.phase != "place_tile"


def encode_snapshot(game: Game) -> bytes:
    """The game as a snapshot."""
    return _ENCODER.encode(game)


def decode_snapshot(snapshot: bytes) -> Game:
    """The game of a snapshot, sealed or not.

    Raises `msgspec.DecodeError` where it is none, is damaged, or is one that a later release has written: what that
    release added would be lost, were the game decoded, changed and written back without it.
    """
    try:
        game: Game = _DECODER.decode(strip_checksum(snapshot))
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error
    if game.schema_version > SCHEMA_VERSION:
        raise msgspec.DecodeError(
            f"it has schema {game.schema_version}, which a later release writes; this one knows {SCHEMA_VERSION}"
        )
    return game


def copy_game(game: Game) -> Game:
    """A game of its own that shares nothing mutable with `game`."""
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
    """Whether nobody will ever decide anything again."""
    return game.status in ENDED_STATUSES


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Game)
_CONTAINERS = (
    *("bag", "ship_pile", "display", "ships_owed", "board", "cells", "oriented_tiles", "first_segments", "frontier"),
    *("markets", "feature_labels", "feature_ring", "open_slots", "symbols", "islanders", "covered", "discarded"),
)
