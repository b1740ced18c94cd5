"""Types that the API shares: ids, names, small enumerations. Source: R0."""

import re
from typing import Annotated, Literal, get_args

from msgspec import Meta

from schemas.base import RequestModel, ResponseModel

Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]

ID = "[a-z0-9-]{1,32}"
SHIP_ID = "[a-z0-9-]{1,8}"
DIGEST = "[0-9a-f]{32}"
GAME_CURSOR = f"[0-9]{{1,10}}-{ID}"
"""A game's creation in Unix seconds, and its id."""

# `(?!\n)`: Python's `$` also matches before a final line feed. ECMAScript's does not, and accepts the same pattern.
Id = Annotated[str, Meta(pattern=rf"^{ID}(?!\n)$", description="An id: 1 to 32 of a-z, 0-9 and -.")]
ShipId = Annotated[str, Meta(pattern=rf"^{SHIP_ID}(?!\n)$", description="A ship's id: 1 to 8 of a-z, 0-9 and -.")]
GameCursor = Annotated[
    str, Meta(pattern=rf"^{GAME_CURSOR}(?!\n)$", description="The `next_cursor` of the previous page.")
]
Seed = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9._-]{1,64}(?!\n)$", description="The shuffle's seed: 1 to 64 of A-Z, a-z, 0-9, . _ -."),
]
MoveId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9.:-]{1,24}(?!\n)$", description="An id that `legal-moves` lists.")]
Digest = Annotated[str, Meta(pattern=rf"^{DIGEST}(?!\n)$", description="The first 32 hex digits of a SHA-256.")]
Language = Annotated[str, Meta(examples=["en", "fr", "de"], description="The language of texts. More may be added.")]
Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=32,
        description="1 to 32 characters, trimmed and NFC, at least one visible, no control or format characters but "
        "the joiners that letters and emoji need.",
    ),
]
Rotation = Annotated[int, Meta(ge=0, le=3, description="Quarter turns clockwise.")]
Half = Annotated[int, Meta(ge=0, le=7, description="A half-edge, numbered clockwise from the north-west corner.")]
SeatNumber = Annotated[int, Meta(ge=0, le=4, description="A seat, 0 to 4 in clockwise order.")]

Edge = Literal["n", "e", "s", "w"]
EdgeKind = Literal["sea", "bridge", "island"]
SegmentKind = Literal["bridge", "island", "sea", "market"]
Ware = Literal["bananas", "shells", "fish"]
Color = Literal["red", "blue", "green", "yellow", "black"]
Edition = Literal["international", "german"]
Visibility = Literal["public", "private"]
Status = Literal["waiting", "active", "finished", "aborted"]
Phase = Literal["place_tile", "islander", "take_ship", "deliver"]
PassPhase = Literal["islander", "deliver"]
RequestedTimeoutPolicy = Literal["pass", "bot", "resign"]
BotKind = Annotated[
    str,
    Meta(
        pattern=rf"^{ID}(?!\n)$",
        description="A bot's name, such as `greedy`; `GET /v1/bots` lists them.",
        examples=["random", "greedy", "expert"],
    ),
]

COLORS: tuple[Color, ...] = get_args(Color)
EDGES: tuple[Edge, ...] = get_args(Edge)
WARES: tuple[Ware, ...] = get_args(Ware)
STATUSES: tuple[Status, ...] = get_args(Status)
ENDED_STATUSES: tuple[Status, ...] = ("finished", "aborted")

_ID_PATTERN = re.compile(ID)


def is_valid_id(text: str) -> bool:
    """Return whether a text has the form of an id."""
    return _ID_PATTERN.fullmatch(text) is not None


class Cell(ResponseModel):
    """A cell of the board: x grows east, y grows south, the start tile is at (0, 0)."""

    x: Int32
    y: Int32


class Wares(ResponseModel):
    """Numbers of wares in a response."""

    bananas: int
    shells: int
    fish: int


class WaresRequest(RequestModel):
    """Numbers of wares in a request; an omitted kind is 0."""

    bananas: Count | None = None
    shells: Count | None = None
    fish: Count | None = None
