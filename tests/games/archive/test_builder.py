"""Documents are built from one version of a game: its record, its log and its webhooks."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from service.games import archive
from service.games.archive import MAX_ATTEMPTS, InvalidDocument, build_archive, build_export, validate_document
from service.games.ports import StoredDiff
from service.games.repository import read_log
from service.games.tilesets import TileSetCatalogue
from service.store.game_store import RedisStore
from tests.games.game_logs import CATALOGUE, LAGOON
from tests.games.stored_games import store_game
from tests.store.commits import load_record

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
        attempts.append(len(attempts) < failures)
        return change(log) if attempts[-1] and change is not None else log

    async def list_other_webhooks(subject: str) -> Any:
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


async def test_an_archive_whose_log_is_of_another_version_is_rejected(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = await load_record(store, (await store_game(store, "finished")).id)

    async def read_no_log(*_: Any) -> Log:
        return []

    monkeypatch.setattr(archive, "read_log", read_no_log)
    with pytest.raises(InvalidDocument, match="its log does not match"):
        await build_archive(store, CATALOGUE, record, record.game)


async def test_a_game_whose_tile_set_has_changed_is_rejected(store: RedisStore) -> None:
    stored = await store_game(store)
    changed = TileSetCatalogue([msgspec.structs.replace(LAGOON.tileset, name="Another")])
    with pytest.raises(InvalidDocument, match="the tile set lagoon has changed"):
        await build_export(store, changed, stored.id)
    assert await build_export(store, CATALOGUE, "none") is None
