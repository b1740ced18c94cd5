"""Validate a document: its log, snapshot, tile set and header must describe the same game.

This takes some milliseconds, and must precede every use of a document. It does not check the rules:
`service.games.history.verify` does, by replaying the game.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from schemas.base import DECODING_ERRORS
from schemas.game import GameView
from schemas.tileset import TileSet
from schemas.vocabulary import is_valid_id
from service.engine import Game, TileSetIndex, build_view, decode_snapshot
from service.engine.tileset_validation import TileSetInvalid, parse_tileset
from service.games.access import AccessRecord, decode_access
from service.games.archive.document import GameDocument, InvalidDocument
from service.games.history.verify import chain_digests
from service.games.ports.game_store import StoredDiff
from service.games.shuffle import commitment, shuffled_bag, shuffled_ships, tileset_hash
from service.json_patch import apply_patch


class ValidatedDocument(NamedTuple):
    """The decoded content of a document."""

    game: Game
    diffs: list[StoredDiff]
    access: AccessRecord | None


def validate_document(document: GameDocument) -> ValidatedDocument:
    """Return the document's decoded content. Raises InvalidDocument, which says what is wrong."""
    game = _decode_game(document)
    index = _load_tileset_index(document)
    if commitment(game.id, game.seed, document.tileset_hash) != game.commitment:
        raise InvalidDocument("the tile set is not the one that the game started with")
    _check_hidden_order(index, game)
    diffs, patches = _check_log(document, game.commitment)
    _check_state(document, index, game, patches)
    _check_webhooks(document)
    return ValidatedDocument(game, diffs, _decode_access(document, game))


def _decode_game(document: GameDocument) -> Game:
    """Decode the snapshot, and check it against the header."""
    try:
        game = decode_snapshot(document.snapshot)
    except msgspec.DecodeError as error:
        raise InvalidDocument(f"its snapshot cannot be read: {error}") from error
    for name in ("version", "digest", "status", "created_at", "updated_at"):
        if getattr(game, name) != getattr(document, name):
            raise InvalidDocument(f"its snapshot says {name} {getattr(game, name)}, not {getattr(document, name)}")
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


def _check_hidden_order(index: TileSetIndex, game: Game) -> None:
    """Check that the bag and the ship pile are in the order of the seed."""
    bag, pile = shuffled_bag(index, game.seed)[::-1], shuffled_ships(index, game.seed)[::-1]
    if game.bag != bag[: len(game.bag)] or game.ship_pile != pile[: len(game.ship_pile)]:
        raise InvalidDocument("its hidden tiles or ships are not in the order that its seed gives")


def _check_log(document: GameDocument, commitment_digest: str) -> tuple[list[StoredDiff], list[Any]]:
    """Return the diffs as they are stored and their patches, after checking the chain of digests."""
    if len(document.diffs) != document.version:
        raise InvalidDocument(f"its log has {len(document.diffs)} diffs, but the game version {document.version}")
    decoded = [_decode_diff(raw, version) for version, raw in enumerate(document.diffs, 1)]
    diffs, previous = [], commitment_digest
    digests = chain_digests(decoded, document.game, commitment_digest, InvalidDocument)
    for version, (raw, (digest, body)) in enumerate(zip(document.diffs, digests, strict=True), 1):
        data = b'{"digest":"%b",%b' % (digest.encode(), body[1:])
        if data != bytes(raw):
            raise InvalidDocument("the diff is not in canonical form", version)
        diffs.append(StoredDiff(version, digest, previous, data))
        previous = digest
    if previous != document.digest:
        raise InvalidDocument(f"its log ends with the digest {previous}, not {document.digest}")
    return diffs, [diff.get("patch") for diff in decoded]


def _decode_diff(raw: Raw, version: int) -> dict[str, Any]:
    try:
        diff = msgspec.json.decode(raw)
    except DECODING_ERRORS as error:
        raise InvalidDocument(f"the diff cannot be read: {error}", version) from error
    if not isinstance(diff, dict):
        raise InvalidDocument("not a diff", version)
    return diff


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


def _check_webhooks(document: GameDocument) -> None:
    ids = [webhook.registration.id for webhook in document.webhooks]
    if len({*ids}) < len(ids) or not all(map(is_valid_id, ids)):
        raise InvalidDocument("its webhooks have invalid or repeated ids")
    if any(not 0 <= webhook.state.delivered_version <= document.version for webhook in document.webhooks):
        raise InvalidDocument("a webhook has received a version that does not exist")


def _decode_access(document: GameDocument, game: Game) -> AccessRecord | None:
    if document.access is None:
        return None
    try:
        access = decode_access(document.access)
    except DECODING_ERRORS as error:
        raise InvalidDocument(f"its access record cannot be read: {error}") from error
    if access.visibility != document.visibility or len(access.seats) != len(game.players):
        raise InvalidDocument("its access record is of another game")
    return access
