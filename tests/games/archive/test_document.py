"""Documents of every schema number are valid and can be imported; each is built from one version of a game."""

import gzip
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest
from msgspec import Raw

from schemas.base import canonical_json
from service.cli.export import import_files
from service.engine import Game, decode_snapshot, encode_snapshot
from service.engine.tileset_validation import parse_tileset
from service.games import archive
from service.games.access import decode_access, encode_access
from service.games.archive import (
    LATEST_SCHEMA,
    MAX_ATTEMPTS,
    GameDocument,
    InvalidDocument,
    build_archive,
    build_export,
    decode_document,
    encode_document,
    is_document,
    object_name,
    validate_document,
)
from service.games.history import verify
from service.games.ports import StoredDiff
from service.games.repository import read_log
from service.games.tilesets import TileSetCatalogue, tileset_hash
from service.store.game_store import RedisStore
from tests.cli.test_export_import import RETENTION
from tests.games.archive.write_documents import DOCUMENTS, build_documents
from tests.games.game_logs import CATALOGUE, LAGOON
from tests.games.stored_games import store_game
from tests.store.commits import load_record

SCHEMAS = range(1, LATEST_SCHEMA + 1)
KINDS = ("archive", "export")


def document_path(number: int, kind: str) -> Path:
    return DOCUMENTS / f"{number}.{kind}.json.gz"


def stored(kind: str, number: int = LATEST_SCHEMA) -> GameDocument:
    return decode_document(document_path(number, kind).read_bytes())


@pytest.mark.parametrize("number", SCHEMAS)
@pytest.mark.parametrize("kind", KINDS)
def test_documents_of_every_schema_are_valid(number: int, kind: str) -> None:
    document = stored(kind, number)
    assert (document.schema, document.kind) == (number, kind)
    proven, diffs = validate_document(document)
    assert ("access" in vars(proven)) == (kind == "export")
    assert [diff.version for diff in diffs] == [*range(1, document.version + 1)]
    log = [msgspec.json.decode(diff) for diff in document.diffs]
    checks = verify(log, parse_tileset(bytes(document.tileset)))
    assert {check.passed for check in checks} == ({True} if kind == "archive" else {True, None})


@pytest.mark.parametrize("number", SCHEMAS)
@pytest.mark.parametrize("kind", KINDS)
async def test_documents_of_every_schema_can_be_imported(store: RedisStore, number: int, kind: str) -> None:
    file = document_path(number, kind)
    document = decode_document(file.read_bytes())
    assert await import_files(store, [file], RETENTION, replace=False) == {"imported": 1}
    loaded = await load_record(store, document.game)
    assert decode_snapshot(loaded.snapshot).digest.hex() == document.digest
    assert len(loaded.webhooks) == (kind == "export")


async def test_the_latest_schema_has_its_documents_here(store: RedisStore) -> None:
    """A new field needs a new schema number and a document of it."""
    for name, data in (await build_documents(store)).items():
        old = decode_document((DOCUMENTS / name).read_bytes())
        new = msgspec.json.decode(canonical_json(decode_document(data)))
        assert msgspec.json.decode(canonical_json(old)).keys() == new.keys()


def test_decoding_and_encoding_an_archive_give_the_same_bytes() -> None:
    data = document_path(LATEST_SCHEMA, "archive").read_bytes()
    assert encode_document(decode_document(data)) == data


def test_decoding_and_encoding_an_export_change_nothing() -> None:
    """The bytes may differ: records of webhooks have more members at their end by now, which have defaults."""
    document = stored("export")
    encoded = encode_document(document)
    assert decode_document(encoded) == document
    assert encode_document(decode_document(encoded)) == encoded


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_document_is_rejected(kind: str) -> None:
    packed, chance = document_path(LATEST_SCHEMA, kind).read_bytes(), Random(kind)
    for _ in range(300):
        damaged = bytearray(packed)
        at = chance.randrange(10, len(damaged))  # the header has no checksum
        damaged[at : at + chance.choice((1, 1, 40))] = chance.randbytes(chance.choice((0, 1, 4)))
        if damaged != packed:
            with pytest.raises(InvalidDocument):
                decode_document(bytes(damaged))


Change = Callable[[GameDocument], dict[str, Any]]


def _with_webhook(part: str, **changes: Any) -> Change:
    """Change the registration or the state of the webhook."""

    def change(document: GameDocument) -> dict[str, Any]:
        (webhook,) = document.webhooks
        changed = msgspec.structs.replace(getattr(webhook, part), **changes)
        return {"webhooks": [msgspec.structs.replace(webhook, **{part: changed})]}

    return change


def _with_game(change: Callable[[Game], object]) -> Change:
    """Change the game of the snapshot."""

    def changed(document: GameDocument) -> dict[str, Any]:
        game = decode_snapshot(document.snapshot)
        change(game)
        return {"digest": game.digest.hex(), "snapshot": encode_snapshot(game)}

    return changed


def _with_first_diff(data: bytes) -> Change:
    return lambda document: {"diffs": [Raw(data), *document.diffs[1:]]}


def _with_another_seat(document: GameDocument) -> dict[str, Any]:
    """Add a seat to the access record."""
    access = decode_access(document.access or b"")
    return {"access": encode_access(msgspec.structs.replace(access, seats=[*access.seats, None]))}


def _with_another_tileset(document: GameDocument) -> dict[str, Any]:
    """Use a valid tile set with its hash, of another name."""
    data = canonical_json({**msgspec.json.decode(document.tileset), "id": "another"})
    return {"tileset": Raw(data), "tileset_hash": tileset_hash(parse_tileset(data))}


@pytest.mark.parametrize(
    ("change", "reason"),
    (
        (_with_game(lambda game: setattr(game, "digest", bytes(16))), "its log ends with the digest"),
        (_with_game(lambda game: game.bag.insert(0, game.bag.pop(1))), "not in the order that its seed gives"),
        (_with_game(lambda game: game.ship_pile.insert(0, game.ship_pile.pop(1))), "not in the order that its seed"),
        (_with_game(lambda game: setattr(game.players[1], "supply", 0)), "its log and its snapshot differ at players"),
        (_with_another_seat, "its access record is of another game"),
        (_with_another_tileset, "the tile set is not the one that the game started with"),
        (lambda _: {"created_at": "2020-01-01T00:00:00Z"}, "its snapshot says created_at"),
        (lambda _: {"updated_at": "2020-01-01T00:00:00Z"}, "its snapshot says updated_at"),
        (lambda document: {"diffs": document.diffs[:-1]}, "its log has 12 diffs, but the game version 13"),
        (_with_first_diff(b"7"), "version 1: the diff cannot be read"),
        (_with_first_diff(b"{"), "version 1: the diff cannot be read"),
        (_with_first_diff(b'{"at":"soon"}'), "version 1: the diff cannot be read"),
        (_with_first_diff(b'{"at":"2026-11-25"}'), "version 1: the diff has no timestamp"),
        (lambda document: {"diffs": [Raw(b" " + bytes(one)) for one in document.diffs]}, "not in canonical form"),
        (lambda _: {"tileset": Raw(b"{}")}, "its tile set cannot be played"),
        (lambda document: {"webhooks": 2 * document.webhooks}, "invalid or repeated ids"),
        (_with_webhook("registration", id="../x"), "invalid or repeated ids"),
        (_with_webhook("state", delivered_version=14), "has received a version that does not exist"),
        (_with_webhook("state", delivered_version=-1), "has received a version that does not exist"),
        (_with_webhook("registration", events=["no event"]), "webhook 0 could not be registered: Invalid enum value"),
        (_with_webhook("registration", secret="whsec_short"), "webhook 0 could not be registered: "),
        (_with_webhook("registration", url=""), "webhook 0 could not be registered: "),
        (_with_webhook("registration", seats=[2]), "webhook 0 names a seat that the game does not have"),
    ),
)
def test_a_document_that_contradicts_itself_is_rejected(change: Change, reason: str) -> None:
    document = stored("export")
    with pytest.raises(InvalidDocument, match=reason):
        validate_document(msgspec.structs.replace(document, **change(document)))
    for version in (0, document.version):
        delivered = _with_webhook("state", delivered_version=version)(document)
        validate_document(msgspec.structs.replace(document, **delivered))


def test_members_may_be_unknown_and_those_of_an_export_absent() -> None:
    document = msgspec.json.decode(canonical_json(stored("archive")))
    del document["access"], document["webhooks"]
    changed, _ = validate_document(decode_document(msgspec.json.encode({**document, "later": 1})))
    assert changed.game.version == document["version"]


@pytest.mark.parametrize("data", (b"", b"{}", b"[]", b"\xff", b'{"format":"other","schema":1}', b"[" * 100_000))
def test_other_data_is_not_a_document(data: bytes) -> None:
    assert not is_document(data)
    with pytest.raises(InvalidDocument):
        decode_document(data)


def test_a_decompression_bomb_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.games.archive.MAX_DOCUMENT_BYTES", 1 << 20)
    packed = gzip.compress(bytes(1 << 21))
    assert len(packed) < 10_000
    with pytest.raises(InvalidDocument, match="larger than"):
        decode_document(packed)


def test_object_names_sort_by_creation() -> None:
    names = [
        object_name("zz", "2026-11-21T23:59:59Z"),
        object_name("aa", "2026-11-22T00:00:00Z"),
        object_name("ab", "2026-11-22T00:00:00Z"),
    ]
    assert names == sorted(names)
    with pytest.raises(ValueError, match="Invalid isoformat"):
        object_name("g", "../../x")


Log = list[StoredDiff]


def _replace_end(log: Log) -> Log:
    return [*log[:-1], msgspec.structs.replace(log[-1], digest="0" * 32)]


@pytest.mark.parametrize("failures", (MAX_ATTEMPTS - 1, MAX_ATTEMPTS))
@pytest.mark.parametrize("change", (lambda log: log[:-1], _replace_end, None), ids=["short", "other end", "webhook"])
async def test_an_export_is_attempted_until_its_parts_belong_together(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, change: Callable[[Log], Log] | None, failures: int
) -> None:
    """Without a change of the log, a webhook is missing."""
    stored = await store_game(store, webhooks=1)
    list_webhooks, attempts = store.webhooks.list_by_subject, list[bool]()

    async def read_changed_log(*arguments: Any) -> Log:
        log = await read_log(*arguments)
        return change(log) if attempts[-1] and change is not None else log

    async def list_other_webhooks(subject: str) -> Any:
        attempts.append(len(attempts) < failures)
        return [] if attempts[-1] and change is None else await list_webhooks(subject)

    monkeypatch.setattr(archive, "read_log", read_changed_log)
    monkeypatch.setattr(store.webhooks, "list_by_subject", list_other_webhooks)
    if failures == MAX_ATTEMPTS:
        with pytest.raises(InvalidDocument, match="its log does not match"):
            await build_export(store, CATALOGUE, stored.id)
        assert len(attempts) == MAX_ATTEMPTS
        return
    document = await build_export(store, CATALOGUE, stored.id)
    assert document is not None
    assert (document.kind, len(document.webhooks)) == ("export", 1)
    validate_document(document)


async def test_an_archive_of_another_version_is_rejected(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    record = await load_record(store, (await store_game(store, "finished")).id)
    monkeypatch.setattr(archive, "read_log", AsyncMock(return_value=[]))
    with pytest.raises(InvalidDocument, match="its log does not match"):
        await build_archive(store, CATALOGUE, record, record.game)


async def test_a_game_whose_tile_set_has_changed_is_rejected(store: RedisStore) -> None:
    stored = await store_game(store)
    changed = TileSetCatalogue([msgspec.structs.replace(LAGOON.tileset, name="Another")])
    with pytest.raises(InvalidDocument, match="the tile set lagoon has changed"):
        await build_export(store, changed, stored.id)
    assert await build_export(store, CATALOGUE, "none") is None
