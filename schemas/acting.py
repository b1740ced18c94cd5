"""Legal moves and acting. Source: api.md, "Legal moves" and "Acting"."""

from typing import Annotated, Generic, TypeVar

from msgspec import Meta

from schemas.actions import ActionAsked, Move
from schemas.base import Answer, Request
from schemas.game import GameView
from schemas.vocabulary import Digest, MoveId, Phase, SeatNumber

D = TypeVar("D")

MAX_ACTIONS = 16
"""A turn has at most five actions; more than these in one list is a mistake."""

ActionList = Annotated[list[ActionAsked], Meta(min_length=1, max_length=MAX_ACTIONS)]


class CellChoice(Answer):
    """A cell with at least one move, for a menu's first stage."""

    x: int
    y: int
    text: str


class LegalMoves(Answer):
    """Every move that is accepted now; `seat` and `phase` are null and `moves` empty where nobody decides.

    `cells` is null unless `stage=cell` asked for it, `next_cursor` null unless `limit` cut the answer.
    """

    version: int
    digest: Digest
    seat: int | None
    phase: Phase | None
    moves: list[Move]
    cells: list[CellChoice] | None
    next_cursor: str | None


class Act(Request):
    """Exactly one of `action`, `move` (a move's id) or `actions` (all or none), and the seat that acts."""

    action: ActionAsked | None = None
    move: MoveId | None = None
    actions: ActionList | None = None
    seat: SeatNumber | None = None

    def __post_init__(self) -> None:
        given = [self.action, self.move, self.actions]
        if sum(one is not None for one in given) != 1:
            raise ValueError("exactly one of `action`, `move` and `actions` is needed")


class Next(Answer):
    """Who must decide now; both null where nobody does."""

    seat: int | None
    phase: Phase | None


class Acted(Answer, Generic[D]):
    """The answer to `POST /v1/games/{id}/actions`; `version` is the commit's last.

    `game` is null unless `Prefer: return=representation`, `legal_moves` unless `include=legal_moves`. The service
    fills `diffs` as they were stored (`Raw`), clients read it as `Acted[Diff]`.
    """

    version: int
    digest: Digest
    diffs: list[D]
    game: GameView | None
    next: Next
    legal_moves: LegalMoves | None
