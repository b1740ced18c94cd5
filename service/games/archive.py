"""The document of a game, an archive or an export: its form, how it is built, and how it is validated.

Its log and its snapshot suffice to verify the game and to store it again.

An archive is for the record: it has no token, so nobody can play with it. An export moves a game between Redis
servers: it also has the access record with the tokens' hashes, and the webhooks with their secrets. Equal games give
equal bytes.

    InvalidDocument   not a document, or inconsistent; says why and where

Validation checks that log, snapshot, tile set and header describe the same game. It takes some milliseconds, and must
precede every use of a document. It does not check the rules:
`service.games.history` does, by replaying the game.
"""

import asyncio
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw

from schemas.base import DECODING_ERRORS, canonical_json
from schemas.game import GameView, Timestamp
from schemas.tileset import TileSet
from schemas.vocabulary import Digest, Id, Status, Visibility, is_valid_id
from schemas.webhooks import RegisterWebhook
from service.engine import Game, TileSetIndex, build_view, decode_snapshot
from service.engine.tileset_validation import TileSetInvalid, parse_tileset
from service.games.access import AccessRecord, decode_access
from service.games.diffs import prepend_digest
from service.games.history import InvalidLog, chain_digests
from service.games.ports import DeliveryAttempt, GameStore, StoredDiff, StoredGame, WebhookRegistration, WebhookState
from service.games.repository import read_log
from service.games.tilesets import TileSetCatalogue, commitment, shuffled_bag, shuffled_ships, tileset_hash
from service.json_patch import apply_patch
from service.telemetry.clock import timestamp, unix_seconds

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


MAX_ATTEMPTS = 5
"""Number of attempts at a consistent read of a game that changes meanwhile."""


async def build_archive(store: GameStore, catalogue: TileSetCatalogue, loaded: StoredGame, game: Game) -> GameDocument:
    """Return the archive of a loaded game. Raises InvalidDocument, TileSetMissing, UnreadableGame, StoreUnavailable."""
    log = await _read_log(store, game.id, loaded)
    if log is None:
        raise InvalidDocument("its log does not match the game's version")
    return await asyncio.to_thread(_build, catalogue, loaded, game, log)


async def build_export(store: GameStore, catalogue: TileSetCatalogue, game_id: str) -> GameDocument | None:
    """Return the export of a game, as an import accepts it, or None if there is no such game.

    Raises what `build_archive` raises.
    """
    for _ in range(MAX_ATTEMPTS):
        webhooks = await _load_webhooks(store, game_id)  # first, since none may have got a version after the loaded one
        loaded = await store.load(game_id)
        if loaded is None:
            return None
        log = await _read_log(store, game_id, loaded)
        if log is None or [one.registration.id for one in webhooks] != [*loaded.webhooks]:
            continue
        document = _build(catalogue, loaded, loaded.game, log, webhooks)
        validate_document(document)
        return document
    raise InvalidDocument("its log does not match the game's version")


async def is_current(store: GameStore, loaded: StoredGame, document: GameDocument) -> bool:
    """Return whether an export of a game is what `build_export` would return for it. Raises StoreUnavailable."""
    return (
        (document.version, document.digest) == (loaded.revision.version, loaded.revision.digest.hex())
        and document.access == loaded.access_record
        and [one.registration.id for one in document.webhooks] == [*loaded.webhooks]
        and (not loaded.webhooks or document.webhooks == await _load_webhooks(store, document.game))
    )


async def _load_webhooks(store: GameStore, game_id: str) -> list[WebhookDocument]:
    return [
        WebhookDocument(
            registration=one.registration,
            state=one.state,
            attempts=await store.webhooks.list_attempts(game_id, one.registration.id),
        )
        for one in await store.webhooks.list_by_subject(game_id)
    ]


async def _read_log(store: GameStore, game: str, loaded: StoredGame) -> list[StoredDiff] | None:
    """Return the log up to the loaded version, or None if it is no longer the log of the loaded game."""
    log = await read_log(store, game, loaded.revision.version)
    return log if len(log) == loaded.revision.version and log[-1].digest == loaded.revision.digest else None


def _build(
    catalogue: TileSetCatalogue,
    loaded: StoredGame,
    game: Game,
    log: list[StoredDiff],
    webhooks: list[WebhookDocument] | None = None,
) -> GameDocument:
    """Return the export with these webhooks, or the archive without any. Raises TileSetMissing, InvalidDocument."""
    tileset = catalogue.get(game.tileset)
    if commitment(game.id, game.seed, tileset.hash) != game.commitment:
        raise InvalidDocument(f"the tile set {game.tileset} has changed since the game started")
    return GameDocument(
        schema=LATEST_SCHEMA,
        kind="archive" if webhooks is None else "export",
        game=game.id,
        status=game.status,
        version=loaded.revision.version,
        digest=loaded.revision.digest.hex(),
        created_at=game.created_at,
        updated_at=game.updated_at,
        visibility=loaded.access.visibility,
        tileset=Raw(canonical_json(tileset.tileset)),
        tileset_hash=tileset.hash,
        snapshot=loaded.snapshot,
        diffs=[Raw(diff.data) for diff in log],
        access=None if webhooks is None else loaded.access_record,
        webhooks=webhooks or [],
    )


def validate_document(document: GameDocument) -> tuple[StoredGame, list[StoredDiff]]:
    """Return a document's game, with its access record if there is one, and its log. Raises InvalidDocument."""
    game = _decode_game(document)
    index = _load_tileset_index(document)
    if commitment(game.id, game.seed, document.tileset_hash) != game.commitment:
        raise InvalidDocument("the tile set is not the one that the game started with")
    bag, pile = shuffled_bag(index, game.seed)[::-1], shuffled_ships(index, game.seed)[::-1]
    if game.bag != bag[: len(game.bag)] or game.ship_pile != pile[: len(game.ship_pile)]:
        raise InvalidDocument("its hidden tiles or ships are not in the order that its seed gives")
    diffs, patches = _check_log(document, game.commitment)
    _check_state(document, index, game, patches)
    _check_webhooks(document, len(game.players))
    stored = StoredGame(game.id)
    stored.game = game
    if document.access is not None:
        stored.access = _decode_access(document.access, document, game)
    return stored, diffs


def _decode_game(document: GameDocument) -> Game:
    """Decode the snapshot, and check it against the header."""
    try:
        game = decode_snapshot(document.snapshot)
    except msgspec.DecodeError as error:
        raise InvalidDocument(f"its snapshot cannot be read: {error}") from error
    said = {name: getattr(game, name) for name in ("version", "status", "created_at", "updated_at")}
    for name, value in {**said, "digest": game.digest.hex()}.items():
        if value != getattr(document, name):
            raise InvalidDocument(f"its snapshot says {name} {value}, not {getattr(document, name)}")
    if game.id != document.game:
        raise InvalidDocument(f"its snapshot is of game {game.id}, not {document.game}")
    return game


def _load_tileset_index(document: GameDocument) -> TileSetIndex:
    try:
        index, actual_hash = _decode_tileset(bytes(document.tileset))
    except TileSetInvalid as invalid:
        raise InvalidDocument(f"its tile set cannot be played: {invalid.faults[0].reason}") from invalid
    if actual_hash != document.tileset_hash:
        raise InvalidDocument(f"its tile set has the hash {actual_hash}, not {document.tileset_hash}")
    return index


@lru_cache(maxsize=16)
def _decode_tileset(data: bytes) -> tuple[TileSetIndex, str]:
    """Return the index and the hash of a tile set; cached, as most games use one of a few sets."""
    tileset: TileSet = parse_tileset(data)
    return TileSetIndex(tileset), tileset_hash(tileset)


def _check_log(document: GameDocument, commitment_digest: bytes) -> tuple[list[StoredDiff], list[Any]]:
    """Return the diffs as they are stored and their patches, after checking the chain of digests."""
    if len(document.diffs) != document.version:
        raise InvalidDocument(f"its log has {len(document.diffs)} diffs, but the game version {document.version}")
    decoded = [_decode_diff(raw, version) for version, raw in enumerate(document.diffs, 1)]
    diffs, previous = [], commitment_digest
    digests = chain_digests(decoded, document.game, commitment_digest, InvalidDocument)
    for version, (raw, diff, (digest, body)) in enumerate(zip(document.diffs, decoded, digests, strict=True), 1):
        data = prepend_digest(digest, body)
        if data != bytes(raw):
            raise InvalidDocument("the diff is not in canonical form", version)
        diffs.append(StoredDiff(version, digest, previous, diff["at"], data))
        previous = digest
    if previous.hex() != document.digest:
        raise InvalidDocument(f"its log ends with the digest {previous.hex()}, not {document.digest}")
    return diffs, [diff.get("patch") for diff in decoded]


def _decode_diff(raw: Raw, version: int) -> dict[str, Any]:
    try:
        diff: dict[str, Any] = msgspec.json.decode(raw, type=dict[str, Any])
        if timestamp(unix_seconds(diff["at"])) == diff["at"]:
            return diff
    except (*DECODING_ERRORS, LookupError, TypeError, ValueError) as error:
        raise InvalidDocument(f"the diff cannot be read: {error}", version) from error
    raise InvalidDocument("the diff has no timestamp", version)


def _check_state(document: GameDocument, index: TileSetIndex, game: Game, patches: Sequence[Any]) -> None:
    """Check that the patches together give the snapshot's GAME."""
    try:
        state = apply_patch({}, [operation for patch in patches for operation in patch])
        replayed = msgspec.convert(state, GameView)
        expected = build_view(index, game)
    except (LookupError, TypeError, ValueError, msgspec.ValidationError) as error:
        raise InvalidDocument(f"its log or snapshot gives no game: {error}", document.version) from error
    if replayed != expected:
        names = [name for name in GameView.__struct_fields__ if getattr(replayed, name) != getattr(expected, name)]
        raise InvalidDocument(f"its log and its snapshot differ at {', '.join(names)}", document.version)


def _check_webhooks(document: GameDocument, players: int) -> None:
    """Check the webhooks as their registration does."""
    ids = [webhook.registration.id for webhook in document.webhooks]
    if len({*ids}) < len(ids) or not all(map(is_valid_id, ids)):
        raise InvalidDocument("its webhooks have invalid or repeated ids")
    if any(not 0 <= webhook.state.delivered_version <= document.version for webhook in document.webhooks):
        raise InvalidDocument("a webhook has received a version that does not exist")
    for number, webhook in enumerate(document.webhooks):
        one = webhook.registration
        of_game = {} if one.api_key else {"url": one.url, "secret": one.secret}  # a key's webhook has them
        try:
            body = msgspec.convert({"url": "-", "events": one.events, "seats": one.seats} | of_game, RegisterWebhook)
        except msgspec.ValidationError as error:
            raise InvalidDocument(f"its webhook {number} could not be registered: {error}") from error
        if any(seat >= players for seat in body.seats or ()):
            raise InvalidDocument(f"its webhook {number} names a seat that the game does not have")


def _decode_access(record: bytes, document: GameDocument, game: Game) -> AccessRecord:
    try:
        access = decode_access(record)
    except DECODING_ERRORS as error:
        raise InvalidDocument(f"its access record cannot be read: {error}") from error
    if access.visibility != document.visibility or len(access.seats) != len(game.players):
        raise InvalidDocument("its access record is of another game")
    return access
