"""Legal moves and acting. Source: api.md, "Legal moves" and "Acting"."""

from typing import Annotated, Generic, TypeVar

from msgspec import Meta

from schemas.actions import ActionRequest, Move
from schemas.base import RequestModel, ResponseModel
from schemas.game import GameView
from schemas.vocabulary import Digest, Language, MoveId, Phase, SeatNumber

D = TypeVar("D")

MAX_ACTIONS = 16
"""A turn has at most five actions; more than these in one list is a mistake."""

ActionList = Annotated[list[ActionRequest], Meta(min_length=1, max_length=MAX_ACTIONS)]


class CellChoice(ResponseModel):
    """A cell with at least one move, for a menu's first stage."""

    x: int
    y: int
    text: str
    """For people: where, and how many moves."""


class LegalMoves(ResponseModel):
    """Every move that is accepted now; `seat` and `phase` are null and `moves` empty where nobody decides.

    `cells` is null unless `stage=cell` asked for it, `next_cursor` null unless `limit` cut the answer.
    """

    version: int
    digest: Digest
    language: Language
    """Of the texts."""
    seat: int | None
    """Who decides; null where nobody does."""
    phase: Phase | None
    """Null where nobody decides."""
    moves: list[Move]
    cells: list[CellChoice] | None
    """With `stage=cell`, else null."""
    next_cursor: str | None
    """Null at the end."""


class Act(RequestModel):
    """Exactly one of `action`, `move` (a move's id) or `actions` (all or none), and the seat that acts."""

    action: ActionRequest | None = None
    """An action in full."""
    move: MoveId | None = None
    """An action by the id that the list of legal moves gives it."""
    actions: ActionList | None = None
    """Several, all or none; nothing may follow one that reveals something hidden."""
    seat: SeatNumber | None = None
    """Who acts; null for the token's seat, or with the owner's token whoever decides."""

    def __post_init__(self) -> None:
        given = [self.action, self.move, self.actions]
        if sum(one is not None for one in given) != 1:
            raise ValueError("exactly one of `action`, `move` and `actions` is needed")


class SeatCommand(RequestModel):
    """The seat that undoes, resigns or returns."""

    seat: SeatNumber | None = None
    """Null for the token's seat, or with the owner's token whoever decides (to return: whoever was replaced)."""


class NextDecision(ResponseModel):
    """Who must decide now; both null where nobody does."""

    seat: int | None
    """Null where nobody must decide."""
    phase: Phase | None
    """Null where nobody must decide."""


class ActionResult(ResponseModel, Generic[D]):
    """The answer to `POST /v1/games/{id}/actions`, `undo`, `resign` and `return`; `version` is the commit's last.

    `game` is null unless `Prefer: return=representation`, `legal_moves` unless `include=legal_moves`. The service
    fills `diffs` as they were stored (`Raw`), clients read it as `Acted[Diff]`.
    """

    version: int
    """The commit's last."""
    digest: Digest
    """Of that version."""
    diffs: list[D]
    """What was asked for, and what bots did after it."""
    game: GameView | None
    """With `Prefer: return=representation`, else null."""
    next: NextDecision
    legal_moves: LegalMoves | None
    """With `include=legal_moves`, else null."""
