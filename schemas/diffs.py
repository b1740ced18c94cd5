"""DIFF: what one change was, as events and as a JSON Patch. Source: api.md, "Versions and diffs"."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from schemas.base import ResponseModel, canonical_json
from schemas.events import AnyEvent
from schemas.game import Timestamp
from schemas.vocabulary import Digest, Id

DIGEST_LENGTH = 32

By = Annotated[str, Meta(examples=["seat", "owner", "bot", "clock"], description="Who decided: growing.")]


class Add(Struct, frozen=True, tag="add", tag_field="op"):
    """Sets a member, present or not (RFC 6902, 4.1)."""

    path: str
    """A JSON Pointer; never to an index of an array."""
    value: Any


class Remove(Struct, frozen=True, tag="remove", tag_field="op"):
    """Removes a member (RFC 6902, 4.2)."""

    path: str
    """A JSON Pointer; never to an index of an array."""


PatchOperation = Add | Remove


class DiffBody(ResponseModel, tag="diff"):
    """All of a DIFF that its digest is made of."""

    game: Id
    version: int
    """What the change makes of the game."""
    at: Timestamp
    seat: int | None
    """Who acted; null where nobody did."""
    move: str | None
    """The action's id; null where there was none."""
    by: By | None
    """Null where nobody acted."""
    events: list[AnyEvent]
    """What happened, in order."""
    patch: list[PatchOperation]
    """RFC 6902: makes GAME of the GAME before; that of version 1 makes it of `{}`."""


class Diff(DiffBody, tag="diff"):
    """DIFF. `digest` is the first 32 hex digits of SHA-256 over the digest before and the rest of the diff."""

    digest: Digest


def next_digest(previous: str, body: bytes) -> str:
    """The digest of a diff: of the digest before it (the commitment before version 1) and its RFC 8785 form."""
    return sha256(previous.encode("ascii") + body).hexdigest()[:DIGEST_LENGTH]


def canonical_body(diff: Mapping[str, Any]) -> bytes:
    """The RFC 8785 form of a DIFF without its digest, which the digest is made of."""
    return canonical_json({name: value for name, value in diff.items() if name != "digest"})


D = TypeVar("D")


class Diffs(ResponseModel, Generic[D]):
    """The answer to `GET /v1/games/{id}/diffs`: a part of the log, and the game's version and digest now.

    The service fills it with diffs as they were stored (`Raw`), clients read it as `Diffs[Diff]`.
    """

    version: int
    """The game's now."""
    digest: Digest
    """The game's now."""
    diffs: list[D]
    """Oldest first."""
