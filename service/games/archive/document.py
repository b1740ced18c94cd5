"""A game as one document: its log and its snapshot, so that it can be proven, and stored again, from that alone.

Of the two kinds an archive is for keeping, and nobody can play or watch with what is in it; an export is for moving a
game between Redis servers, and holds what it needs to go on: the access record with the tokens' hashes, and the
webhooks with their secrets. The same game always gives the same bytes.

    BadDocument   it is no such document, or does not hold together; says why, and where
"""

import zlib
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Raw

from schemas.base import canonical_json
from schemas.game import Timestamp
from schemas.vocabulary import Digest, Id, Status, Visibility
from service.games.replay import InvalidLog
from service.games.webhooks.port import DeliveryAttempt, WebhookRegistration, WebhookState

__all__ = [
    "LATEST_SCHEMA",
    "MAX_DOCUMENT_BYTES",
    "GameDocument",
    "InvalidDocument",
    "WebhookDocument",
    "decode_document",
    "encode_document",
    "is_document",
]

FORMAT = "south-seas game"

LATEST_SCHEMA = 2
"""Number of the form written now. A new field has a default and raises it; `tests/cli/documents` has each."""

MAX_DOCUMENT_BYTES = 1 << 28
"""A document that says to be larger is not unpacked: a whole game is some 300 KB."""

_GZIP_MAGIC = b"\x1f\x8b"
_COMPRESSION_LEVEL = 6
_GZIP_WBITS = 16 + zlib.MAX_WBITS
"""Makes zlib write gzip, with the same header from every Python: the gzip module's differs from 3.13 on."""


class InvalidDocument(InvalidLog):
    """The document cannot be used; `version` is the first of the log with which something is wrong, if any is."""


class WebhookDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook, how far it has come, and the latest attempts, the newest first."""

    registration: WebhookRegistration = msgspec.field(name="hook")
    state: WebhookState
    attempts: list[DeliveryAttempt] = msgspec.field(name="tried", default_factory=list)


class GameDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One game. Members are written in alphabetical order."""

    format: Literal["south-seas game"] = "south-seas game"
    schema: Annotated[int, Meta(ge=1)]
    """`LATEST` when it was written."""
    kind: Literal["archive", "export"]
    game: Id
    status: Status
    version: Annotated[int, Meta(ge=1)]
    digest: Digest
    """Of the last version."""
    created_at: Timestamp
    updated_at: Timestamp
    visibility: Visibility
    tileset: Raw
    """The whole tile set, as it is answered, in RFC 8785 form."""
    tileset_hash: str
    """SHA-256 hex of it: SET of the commitment."""
    snapshot: bytes
    """MessagePack, in base64: `service.engine.Game`, which says by its first field which schema it has."""
    diffs: list[Raw]
    """The whole log, each diff byte for byte as clients get it."""
    access: bytes | None = None
    """Of an export: the access record, MessagePack in base64. It has hashes of tokens, no token."""
    webhooks: list[WebhookDocument] = msgspec.field(name="hooks", default_factory=list)
    """Of an export, the oldest first. Their secrets are in it."""


class _DocumentHeader(msgspec.Struct):
    format: str
    schema: int


def encode_document(document: GameDocument) -> bytes:
    """The document as it is stored: canonical JSON, compressed; equal for equal documents."""
    return zlib.compress(canonical_json(document), _COMPRESSION_LEVEL, wbits=_GZIP_WBITS)


def is_document(data: bytes) -> bool:
    """Whether bytes are such a document, of whatever schema. Raises BadDocument where they cannot be unpacked."""
    try:
        return msgspec.json.decode(_decompress(data), type=_DocumentHeader).format == FORMAT
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def decode_document(data: bytes) -> GameDocument:
    """The document in a file's bytes, packed or not; raises BadDocument. What it says is not believed: see `prove`."""
    plain = _decompress(data)
    try:
        named = msgspec.json.decode(plain, type=_DocumentHeader)
        if named.format == FORMAT and named.schema > LATEST_SCHEMA:
            raise InvalidDocument(
                f"it has schema {named.schema}, which only a later release knows; this one knows {LATEST_SCHEMA}"
            )
        return msgspec.json.decode(plain, type=GameDocument)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidDocument(f"it is no document of a game: {error}") from error


def _decompress(data: bytes) -> bytes:
    """What was compressed, up to MOST_BYTES of it."""
    if not data.startswith(_GZIP_MAGIC):
        return data
    unpacking = zlib.decompressobj(wbits=_GZIP_WBITS)
    try:
        plain = unpacking.decompress(data, MAX_DOCUMENT_BYTES)
    except zlib.error as error:
        raise InvalidDocument(f"it cannot be unpacked: {error}") from error
    if unpacking.unconsumed_tail:
        raise InvalidDocument(f"it is larger than {MAX_DOCUMENT_BYTES} bytes")
    if not unpacking.eof:
        raise InvalidDocument("it ends in the middle")
    return plain
