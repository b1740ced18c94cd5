"""A failure of one does not affect the others: lists, archives, indexes, webhooks."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from service.cli.export import ExportJob, export_games, import_files, iter_documents, make_restore
from service.games import archive
from service.games.archiver import ARCHIVE_DELAY_S, Archiver
from service.games.context import Retention
from service.games.index_repair import IndexRepairer
from service.games.ports import SendResult
from service.games.webhook_delivery import WebhookDispatcher
from service.store import keys
from service.store import topology as topology_module
from service.store.connection import parse_url
from service.store.game_store import RedisStore
from service.store.topology import ClusterTopology
from service.supervision import Supervisor
from tests.games.game_fixture import Clock
from tests.games.game_logs import CATALOGUE
from tests.games.stored_games import store_game
from tests.polling import wait_until
from tests.web.app_server import Client
from tests.web.http_game import create_game
from tests.web.webhook_receiver import register_webhook

OTHERS = 3


def fail_for(game: str, original: Callable[..., Any], game_of: Callable[..., str]) -> Callable[..., Any]:
    """Return a function that fails for a game, and otherwise does what the original does."""

    def failing(*given: Any, **options: Any) -> Any:
        if game_of(*given) == game:
            raise RuntimeError("nobody expects this")
        return original(*given, **options)

    return failing


async def test_a_game_that_cannot_be_archived_does_not_affect_others(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [(await store_game(store, "finished")).id for _ in range(1 + OTHERS)]
    archived: list[str] = []

    class Objects:
        async def put(self, name: str, data: bytes) -> None:
            del data
            archived.append(name)

        async def get(self, name: str) -> bytes:
            raise NotImplementedError

    failing = fail_for(games[0], archive.build_archive, lambda *given: given[3].id)
    monkeypatch.setattr("service.games.archiver.build_archive", failing)
    clock = Clock()
    clock.now += ARCHIVE_DELAY_S + 1
    archiver = Archiver(store, store.archive_queue, Objects(), CATALOGUE, clock)
    await archiver.archive_due()
    await archiver.archive_due()
    assert len(archived) == OTHERS
    assert await store.archive_queue.list_due(int(clock.now), 10) == []
    assert games[0] in await store.archive_queue.list_due(2**33, 10)


async def test_a_game_whose_indexes_cannot_be_repaired_does_not_affect_others(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [(await store_game(store)).id for _ in range(1 + OTHERS)]
    repair = IndexRepairer.add_missing_entries
    failing = fail_for(games[0], repair, lambda _, game, _report: game)
    monkeypatch.setattr(IndexRepairer, "add_missing_entries", failing)
    await redis.delete(keys.lobby("active"))
    repaired = await IndexRepairer(store, store.index_repair, Retention(), Clock()).repair_all()
    assert (repaired.games, repaired.unreadable) == (len(games), 1)
    assert sorted((await store.list_by_status(("active",), 10, None)).games) == sorted(games[1:])


async def test_a_game_that_cannot_be_exported_or_imported_does_not_affect_others(
    store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    games = [(await store_game(store)).id for _ in range(1 + OTHERS)]
    failing_export = fail_for(games[0], archive.build_export, lambda *given: given[2])
    monkeypatch.setattr("service.cli.export.build_export", failing_export)
    assert await export_games(store, ExportJob(CATALOGUE, tmp_path), None) == {"exported": OTHERS, "failed": 1}
    assert f"game {games[0]}: RuntimeError: nobody expects this" in capsys.readouterr().err
    failing_import = fail_for(games[1], make_restore, lambda document, *_: document.game)
    monkeypatch.setattr("service.cli.export.make_restore", failing_import)
    counts = await import_files(store, iter_documents([tmp_path]), Retention(), replace=True)
    assert counts == {"imported": OTHERS - 1, "rejected": 1}


async def test_a_damaged_webhook_is_postponed_and_delays_no_other(
    client: Client, store: RedisStore, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    games = [await create_game(client) for _ in range(1 + OTHERS)]
    hooks = [(await register_webhook(game, f"https://{game.id}.example/"))["id"] for game in games]
    for game in games:
        await game.act_successfully()
    await redis.hset(keys.game(games[0].id), f"hook:{hooks[0]}", b"damaged")
    sent: list[str] = []

    async def send(url: str, headers: Any, body: bytes, /, *, challenge: bool = False) -> SendResult:
        del url
        if challenge:
            return SendResult(200, None, 1, msgspec.json.encode({"challenge": msgspec.json.decode(body)["challenge"]}))
        sent.append(headers["webhook-id"])
        return SendResult(204, None, 1)

    dispatcher = WebhookDispatcher(store, send, time.time)
    for _ in range(5):
        await dispatcher.dispatch_due()
        await dispatcher.join()
    assert len(sent) == OTHERS
    assert (await redis.zscore(keys.WEBHOOK_SCHEDULE, f"{games[0].id} {hooks[0]}") or 0) > time.time()
    assert len([record for record in caplog.records if hooks[0] in record.getMessage()]) == 1


async def test_the_cluster_topology_is_checked_again_after_any_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topology_module, "MIN_REFRESH_INTERVAL_S", 0.001)
    topology = ClusterTopology(parse_url("redis+cluster://127.0.0.1:1/"), Supervisor())
    errors: list[Exception] = [ValueError("no node names its slots so"), RedisConnectionError("nobody is there")]
    remaining = len(errors) + 1

    async def failing() -> None:
        nonlocal remaining
        remaining -= 1
        if errors:
            raise errors.pop(0)

    monkeypatch.setattr(topology, "refresh", failing)

    def ask() -> bool:
        topology.request_refresh()
        return not remaining

    await wait_until(ask)
    await topology.aclose()
