"""The document of a game: its log and its snapshot, which suffice to verify the game and to store it again.

An archive is for the record: it has no token, so nobody can play with it. An export moves a game between Redis
servers: it also has the access record with the tokens' hashes, and the webhooks with their secrets. Equal games give
equal bytes.

    InvalidDocument   not a document, or inconsistent; says why and where
"""

import zlib
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Raw

from schemas.base import DECODING_ERRORS, canonical_json
from schemas.game import Timestamp
from schemas.vocabulary import Digest, Id, Status, Visibility
from service.games.history.replay import InvalidLog
from service.games.ports.webhook_store import DeliveryAttempt, WebhookRegistration, WebhookState
from service.telemetry.clock import unix_seconds

FORMAT = "south-seas game"

SUFFIX = ".json.gz"
"""Of the names of documents, as objects or files."""

LATEST_SCHEMA = 1
"""Schema number of new documents. A new field needs a default and a new number; tests have a document of each."""

MAX_DOCUMENT_BYTES = 1 << 28
"""Maximum size of an unpacked document; a whole game has about 300 KB."""

_GZIP_MAGIC = b"\x1f\x8b"
_COMPRESSION_LEVEL = 6
_GZIP_WBITS = 16 + zlib.MAX_WBITS
"""Makes zlib write the gzip format with the same header from every Python: the gzip module's differs since 3.13."""


class InvalidDocument(InvalidLog):
    """The document cannot be used."""


class WebhookDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook with its state and its latest attempts, the newest first."""

    registration: WebhookRegistration
    state: WebhookState
    attempts: list[DeliveryAttempt] = []


class GameDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One game. Members are written in alphabetical order."""

    format: Literal["south-seas game"] = "south-seas game"
    schema: Annotated[int, Meta(ge=1)]
    """`LATEST_SCHEMA` of the release that wrote it."""
    kind: Literal["archive", "export"]
    game: Id
    status: Status
    version: Annotated[int, Meta(ge=1)]
    digest: Digest
    """Digest of the last version."""
    created_at: Timestamp
    updated_at: Timestamp
    visibility: Visibility
    tileset: Raw
    """The whole tile set as the API returns it, in RFC 8785 form."""
    tileset_hash: str
    """SHA-256 of `tileset` in hex: SET of the commitment."""
    snapshot: bytes
    """`service.engine.Game` as MessagePack, in base64; its first field is its schema number."""
    diffs: list[Raw]
    """The whole log, each diff byte for byte as clients receive it."""
    access: bytes | None = None
    """Only in an export: the access record as MessagePack, in base64. It has hashes of tokens, no token."""
    webhooks: list[WebhookDocument] = []
    """Only in an export: the webhooks with their secrets, the oldest first."""


class _DocumentHeader(msgspec.Struct):
    format: str
    schema: int


def encode_document(document: GameDocument) -> bytes:
    """Return the document as it is stored: compressed canonical JSON, equal for equal documents."""
    return zlib.compress(canonical_json(document), _COMPRESSION_LEVEL, wbits=_GZIP_WBITS)


def is_document(data: bytes) -> bool:
    """Return whether `data` is a game document of any schema. Raises InvalidDocument if it cannot be decompressed."""
    try:
        return msgspec.json.decode(_decompress(data), type=_DocumentHeader).format == FORMAT
    except DECODING_ERRORS:
        return False


def decode_document(data: bytes) -> GameDocument:
    """Return the document in `data`, compressed or not, without validating its content. Raises InvalidDocument."""
    plain = _decompress(data)
    try:
        named = msgspec.json.decode(plain, type=_DocumentHeader)
        if named.format == FORMAT and named.schema > LATEST_SCHEMA:
            raise InvalidDocument(
                f"it has schema {named.schema}, which only a later release knows; this one knows {LATEST_SCHEMA}"
            )
        return msgspec.json.decode(plain, type=GameDocument)
    except DECODING_ERRORS as error:
        raise InvalidDocument(f"not a game document: {error}") from error


def object_name(game: str, created_at: str) -> str:
    """Return the object name of a game: one folder a day, sorted by creation, and constant over a game's life.

    A name consists of a-z, 0-9, `-`, `.`, `/`, and the T and Z of the time. Raises ValueError for an invalid time.

    >>> object_name("k3-x", "2026-11-22T08:19:00Z")
    '2026/11/22/20261122T081900Z-k3-x.json.gz'
    """
    unix_seconds(created_at)  # raises ValueError
    day, _, time = created_at.partition("T")
    return f"{day.replace('-', '/')}/{day.replace('-', '')}T{time.replace(':', '')}-{game}{SUFFIX}"


def _decompress(data: bytes) -> bytes:
    """Decompress up to MAX_DOCUMENT_BYTES; uncompressed data is returned as it is."""
    if not data.startswith(_GZIP_MAGIC):
        return data
    unpacking = zlib.decompressobj(wbits=_GZIP_WBITS)
    try:
        plain = unpacking.decompress(data, MAX_DOCUMENT_BYTES)
    except zlib.error as error:
        raise InvalidDocument(f"it cannot be decompressed: {error}") from error
    if unpacking.unconsumed_tail:
        raise InvalidDocument(f"it is larger than {MAX_DOCUMENT_BYTES} bytes")
    if not unpacking.eof:
        raise InvalidDocument("it is truncated")
    return plain
