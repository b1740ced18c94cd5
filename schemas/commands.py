"""Legal moves, and requests that act."""

from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta

from schemas.actions import ActionRequest, Move
from schemas.base import Query, RequestModel, ResponseModel
from schemas.game import GameView
from schemas.tileset import Cost
from schemas.vocabulary import Digest, Int32, Language, MoveId, Phase, SeatNumber, ShipId

D = TypeVar("D")

MAX_ACTIONS = 16
"""A turn has at most five actions, so a longer list is a mistake."""

ActionList = Annotated[
    list[ActionRequest],
    Meta(min_length=1, max_length=MAX_ACTIONS, description=f"A list has 1 to {MAX_ACTIONS} actions."),
]


class CellChoice(ResponseModel):
    """A cell with at least one move, for the first stage of a menu."""

    x: int
    y: int
    text: str
    """The cell and its number of moves, for people."""


class MissingWares(ResponseModel):
    """The fewest wares that a player lacks for a ship (R6.3); all are 0 if the player can pay."""

    bananas: int
    shells: int
    fish: int
    other: int
    """Further wares, of a kind that the player may choose within the cost."""


class ShipOffer(ResponseModel):
    """A ship in the display: what it costs, and what the seat that must decide lacks."""

    ship: ShipId
    points: int
    cost: Cost
    missing: MissingWares
    text: str
    """The same in a sentence."""


class LegalMoves(ResponseModel):
    """Every legal move now; `seat` and `phase` are null and `moves` is empty if nobody must decide."""

    version: int
    digest: Digest
    language: Language
    """The language of the texts."""
    seat: int | None
    """The seat that must decide; null if nobody must."""
    phase: Phase | None
    """Null if nobody must decide."""
    moves: list[Move]
    repeated: list[str]
    """Ids of those moves that look and play like another one, because the tile is symmetric.

    A menu leaves them out; so do `cells`, and `moves` with `x` or `y`.
    """
    cells: list[CellChoice] | None
    """Null without `stage=cell`; with it, `moves` has only the moves without a cell."""
    ships: list[ShipOffer] | None
    """The ships in the display; null without `effects=1`, and if nobody must decide."""
    next_cursor: str | None
    """The cursor of the next page; null on the last one, and without `limit`."""


class Act(RequestModel):
    """An action, a move by its id, or a list of actions; exactly one of the three."""

    action: ActionRequest | None = None
    """A complete action."""
    move: MoveId | None = None
    """The id of a legal move."""
    actions: ActionList | None = None
    """Several actions, applied all or none. Only the last one may reveal hidden information."""
    seat: SeatNumber | None = None
    """The seat that acts. Null means the token's seat; for the owner's token, the seat that must decide."""

    def __post_init__(self) -> None:
        if (self.action is None) + (self.move is None) + (self.actions is None) != 2:
            raise ValueError("exactly one of `action`, `move` and `actions` is required")


class SeatCommand(RequestModel):
    """The seat that undoes, resigns or returns."""

    seat: SeatNumber | None = None
    """Null means the token's seat. With the owner's token, null undoes for the decider; `resign`, `return` need it."""


class IncludeQuery(Query, frozen=True):
    """Optional parts of a response."""

    include: (
        Annotated[Literal["legal_moves"], Meta(description="Adds the next legal moves to the response.")] | None
    ) = None


class NextDecision(ResponseModel):
    """The next decision; both fields are null if nobody must decide."""

    seat: int | None
    """Null if nobody must decide."""
    phase: Phase | None
    """Null if nobody must decide."""


class ActionResult(ResponseModel, Generic[D]):
    """The response of `POST /v1/games/{id}/actions`, `undo`, `resign` and `return`."""

    version: int
    """The game's version after the request."""
    digest: Digest
    """The digest of that version."""
    diffs: list[D]
    """The diffs of the requested actions, and of bots' actions after them."""
    game: GameView | None
    """Null without `Prefer: return=representation`."""
    next: NextDecision
    legal_moves: LegalMoves | None
    """Null without `include=legal_moves`."""


MovesCursor = Annotated[str, Meta(pattern=r"^[0-9]{1,6}(?!\n)$", description="The `next_cursor` of the previous page.")]
"""The number of moves or cells before the page."""


class LegalMovesQuery(Query, frozen=True):
    """Filters of the legal moves; without any, the list is complete."""

    stage: (
        Annotated[
            Literal["cell"], Meta(description="`cell` returns the cells that have moves, and the moves without one.")
        ]
        | None
    ) = None
    x: Annotated[Int32, Meta(description="Only moves at this x.")] | None = None
    y: Annotated[Int32, Meta(description="Only moves at this y.")] | None = None
    q: (
        Annotated[str, Meta(max_length=100, description="Only moves whose text contains this; case is ignored.")] | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="The maximum number of rows per page.")] | None = None
    cursor: MovesCursor | None = None
    effects: Annotated[
        bool, Meta(description="Whether each move says what it would cause, and what its feature and the ships lack.")
    ] = False
