"""DIFF: one change of a game, as events and as a JSON Patch."""

from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from schemas.base import ResponseModel
from schemas.events import AnyEvent
from schemas.game import Timestamp
from schemas.vocabulary import Digest, Id

By = Annotated[
    str, Meta(examples=["seat", "owner", "bot", "clock"], description="Who decided. More values may be added.")
]


class AddOperation(Struct, frozen=True, tag="add", tag_field="op"):
    """Sets a member (RFC 6902, 4.1)."""

    path: str
    """A JSON Pointer; never to an array element."""
    value: Any


class RemoveOperation(Struct, frozen=True, tag="remove", tag_field="op"):
    """Removes a member (RFC 6902, 4.2)."""

    path: str
    """A JSON Pointer; never to an array element."""


PatchOperation = AddOperation | RemoveOperation


class DiffBody(ResponseModel, tag="diff"):
    """A DIFF without its digest."""

    game: Id
    version: int
    """The game's version after the change."""
    at: Timestamp
    seat: int | None
    """The seat that acted; null if none did."""
    move: str | None
    """The move's id; null without a move."""
    by: By | None
    """Null if nobody acted."""
    events: list[AnyEvent]
    """The events in order."""
    patch: list[PatchOperation]
    """The JSON Patch (RFC 6902) from the previous GAME to this one; that of version 1 applies to `{}`."""


class Diff(DiffBody, tag="diff"):
    """DIFF. `digest` is the first 32 hex digits of the SHA-256 of the previous digest and the rest of the diff."""

    digest: Digest


D = TypeVar("D")


class Diffs(ResponseModel, Generic[D]):
    """The response of `GET /v1/games/{id}/diffs`: a page of the log."""

    version: int
    """The game's current version."""
    digest: Digest
    """The digest of that version."""
    diffs: list[D]
    """Oldest first."""
